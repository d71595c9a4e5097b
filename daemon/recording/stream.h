/* The content of one watch in a recording, and the watches of a replay that follow it. */
#ifndef DAEMON_RECORDING_STREAM_H
#define DAEMON_RECORDING_STREAM_H

#include "base/limits.h"
#include "base/strmap.h"
#include "daemon/recording/reader.h"
#include "daemon/watch/source/feed.h"

/* A watch of the recording. It keeps its objects for watches that begin later, such as those of another
 * configuration. */
struct stream {
	uint64_t id;
	char *api_version, *kind, *namespace, *name;
	char resource[256];
	bool listed, has_state;
	enum kc_state state;
	struct err why;
	struct kc_watch_counters counters;
	uint64_t works_ns;     /* since when the watch works, if it will not say when it has caught up; otherwise 0 */
	struct strmap objects; /* identity_local_key -> struct stream_object */
};

/* Make a stream from a "watch" line. NULL without memory. */
struct stream *stream_new(const struct recording_line *l);
void stream_free(struct stream *s);

/* Whether the stream contains all objects that @w is about. */
bool stream_covers(const struct stream *s, const struct feed_watch *w);
/* Let @w follow the stream from now on, and give it what it has missed. */
void stream_follow(struct stream *s, struct feed_watch *w);

/* Pass a line on to the watches of @f that follow the stream, those whose w->owner is the stream. Fail: EBADMSG,
 * ENOMEM. */
CHECKED int stream_object(struct stream *s, struct feed *f, const struct recording_line *l, struct key_table *keys,
			  struct err *err);
CHECKED int stream_state(struct stream *s, struct feed *f, const struct recording_line *l, struct err *err);
void stream_synced(struct stream *s, struct feed *f, const struct recording_line *l);
void stream_access(struct stream *s, struct feed *f, const struct recording_line *l);

#endif

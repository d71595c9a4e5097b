/* A source of events without a server: its owner says what one would say, through the handlers of the watches.
 *
 * The owner sets and reads the members; who watches sees a struct watch_source. A handler may add and remove watches,
 * so that the owner walks the list of watches with that in mind. */
#ifndef DAEMON_WATCH_FEED_H
#define DAEMON_WATCH_FEED_H

#include "base/vec.h"
#include "daemon/watch/source/source.h"

struct feed_watch {
	struct kc_watch_spec spec; /* what is watched; the feed watch owns the texts, and none of them is NULL */
	char resource[256];
	struct kc_handler handler;
	void *ctx; /* the context of the handler */
	struct kc_watch_counters counters;
	void *owner; /* whatever the owner of the feed keeps for this watch */
};

/* A group and version whose kinds are not all known. */
struct feed_unknown {
	const char *api_version, *why;
};

struct feed {
	struct watch_source source;
	VEC(struct feed_watch *) watches;
	struct kc_counters counters;
	const char *server;
	bool down, undiscovered;
	/* What discovery has found; it belongs to the owner. After a change the owner calls @discovered, which may
	 * be NULL. */
	VEC(const struct kc_resource *) offers;
	VEC(struct feed_unknown) unknown_versions;
	void (*discovered)(void *ctx);
	void (*notice)(void *ctx, const struct kc_notice *n);
	void *ctx; /* the context of these two functions */
	size_t rediscoveries, retries;
	/* Calls that the owner asks for; each may be NULL. */
	void (*on_add)(void *owner, struct feed_watch *w); /* must not call its handler */
	/* the watch is freed after this call; closing the feed frees its watches too */
	void (*on_remove)(void *owner, struct feed_watch *w);
	void (*on_close)(void *owner); /* the feed and its watches are freed after this call */
	void *owner;
};

/* For an open of struct source_maker. NULL without memory. */
struct feed *feed_new(const struct source_options *o);

#endif

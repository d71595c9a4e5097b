/* One watch request: its stream cut into lines, each line decoded and reported, until it ends.
 *
 * A stream may begin as a list (sendInitialEvents): its first events are the objects there are, up to an end mark,
 * and then it goes on as a watch. Listed objects are processed in threads before they are reported, where the report's
 * handler asks for that (kc_ahead.h). */
#ifndef KUBECLIENT_KC_STREAM_H
#define KUBECLIENT_KC_STREAM_H

#include "kubeclient/kc_ahead.h"
#include "kubeclient/kc_frame.h"
#include "kubeclient/kc_http.h"
#include "kubeclient/kc_report.h"

enum kc_stream_end {
	KC_STREAM_CLOSED,  /* ended by the server, as every watch is at some time */
	KC_STREAM_REFUSED, /* by an answer that is an error or no watch, or an event that is an error; a broken
			    * transfer; closed too early; no end of the initial events */
	KC_STREAM_BAD,     /* a line that cannot be read; among initial events it ends nothing */
};

/* Callbacks, all from the loop, and none once the report is stopped. */
struct kc_stream_ops {
	void (*heard)(void *ctx);    /* a 2xx answer has begun, or bytes came; they are processed afterwards */
	void (*progress)(void *ctx); /* a line was good */
	void (*listed)(void *ctx);   /* the end mark: all objects there are were reported */
	/* The stream is over; another may begin in here. @result->err says why, its code is 0 for KC_STREAM_CLOSED. */
	void (*ended)(void *ctx, enum kc_stream_end why, const struct kc_result *result);
};

/* The owner fills the first part, keeps what it points to, and calls kc_stream_init. */
struct kc_stream {
	struct kc_http *http;
	struct kc_report *report;
	const struct kc_stream_ops *ops;
	void *ctx;

	struct kc_frame frame;
	struct kc_ahead ahead;
	struct kc_req *req;   /* NULL: none is under way */
	unsigned n_stops;     /* number of stops: what came before the last one is not reported */
	bool initial;         /* before the end mark */
	bool answered;        /* a 2xx answer has begun */
	bool begun;           /* a line was good */
	uint64_t started_ms;  /* when the stream began, by the loop's clock */
	uint64_t deadline_ms; /* after timeoutSeconds and some grace: a stream that is still open then is given up */
	uint64_t events_at_start;
	uint64_t bookmarks_at_start; /* or at the end mark, which is one */
	uint64_t marked_ns;          /* uv_hrtime of the last bookmark, or of the start */
	uint64_t between_marks_ns;   /* how long the last bookmark took to come; 0: none came */
};

void kc_stream_init(struct kc_stream *s); /* the second part */

/* Ask for a watch from report->version, or @initial: for one that lists first, as a new round of the report. @fresh: on
 * a new connection. No callback runs in here. Not while one is under way. Fails: ENOMEM, E2BIG (the URL). */
CHECKED int kc_stream_begin(struct kc_stream *s, bool initial, bool fresh, struct err *err);
/* Whether anything has come since the stream began, or since the end mark. */
bool kc_stream_delivered(const struct kc_stream *s);
/* Whether bookmarks came, and the next one is overdue. */
bool kc_stream_lacks_bookmark(const struct kc_stream *s, uint64_t now_ns);
/* End it without a callback, if one is under way; also from a callback of its own. */
void kc_stream_stop(struct kc_stream *s);
void kc_stream_done(struct kc_stream *s);

#endif

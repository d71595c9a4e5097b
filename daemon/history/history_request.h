/* Questions about the history from HTTP requests, and waiting for the answer: for the API and the pages. */
#ifndef DAEMON_HISTORY_HISTORY_REQUEST_H
#define DAEMON_HISTORY_HISTORY_REQUEST_H

#include "daemon/history/history.h"
#include "daemon/serve/metrics.h"

enum history_range { RANGE_DAY, RANGE_WEEK, RANGE_QUARTER, RANGES };
/* The names of the ranges, such as "day". */
extern const char *const history_ranges[RANGES];

struct history_request {
	struct history_question question; /* the texts belong to the request */
	enum history_range range;         /* the range that was asked for, or the shortest that contains it */
	bool ranged;                      /* the range ends now */
	int64_t now_usec;
};

/* Parse the parameters of a filter (history_question.filter), since and until (RFC 3339) or range (day, week,
 * quarter), limit, before (history_cursor), buckets and story. Empty ones are ignored. Without since the range is
 * the last day. Fails: EINVAL. */
CHECKED int history_request_parse(const struct http_request *q, int64_t now_usec, struct history_request *ret,
				  struct err *err);
/* Append the place behind the last item of an answer, for the parameter before. */
void history_cursor(const struct history_answer *a, struct buf *out);
/* Append the parameters of @r, except for before, limit and buckets, to a path. */
void history_request_address(const struct history_request *r, struct buf *out);

/* Get the answer to the request @q, which was parsed into @r. False: the history was asked, and the route will be
 * called again; @r->question keeps the times of the first call. True: *ret is the answer, which the caller owns;
 * NULL: there is none, for the reason *err, whose status history_status gives. */
bool history_request_get(const struct metrics_view *view, const struct http_request *q, struct history_request *r,
			 struct history_answer **ret, struct err *err);
/* The HTTP status for an error: 404 when no history is stored; otherwise 400, 503 or 500. */
unsigned history_status(const struct err *err);

#endif

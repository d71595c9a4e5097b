/* Questions about the history as requests ask them, and waiting for the answer: for the API and the pages. */
#ifndef DAEMON_HISTORY_HISTORY_REQUEST_H
#define DAEMON_HISTORY_HISTORY_REQUEST_H

#include "daemon/history/history.h"
#include "daemon/serve/metrics.h"

enum history_range { RANGE_DAY, RANGE_WEEK, RANGE_QUARTER, RANGES };
/* "day" */
extern const char *const history_ranges[RANGES];

struct history_request {
	struct history_question question; /* its texts are the request's */
	enum history_range range;         /* as it was asked for, or the least that has all of it */
	bool ranged;                      /* until now */
	int64_t now_usec;
};

/* From the parameters of a filter (history_question.filter), since and until (RFC 3339) or range (day, week, quarter),
 * limit, before (history_cursor), buckets and story. Empty ones count for nothing. Without since it is the last day.
 * Fails: EINVAL. */
CHECKED int history_request_parse(const struct http_request *q, int64_t now_usec, struct history_request *ret,
				  struct err *err);
/* Append the place behind the last item of an answer, for the parameter before. */
void history_cursor(const struct history_answer *a, struct buf *out);
/* Append the parameters of @r, but for before, limit and buckets, to a path. */
void history_request_address(const struct history_request *r, struct buf *out);

/* What the request @q gets, of which @r was parsed: false: the history is asked, and the route is called again. *ret is
 * the caller's; NULL: there is none, for the reason *err; then history_status says how that is answered. @r->question
 * has the times of the first call. */
bool history_request_get(const struct metrics_view *view, const struct http_request *q, struct history_request *r,
			 struct history_answer **ret, struct err *err);
/* 404: nothing is kept; 400, 503, 500 */
unsigned history_status(const struct err *err);

#endif

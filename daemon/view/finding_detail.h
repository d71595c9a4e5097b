/* An open finding with what was reported of it: values, diff, history. For the API and the pages. */
#ifndef DAEMON_VIEW_FINDING_DETAIL_H
#define DAEMON_VIEW_FINDING_DETAIL_H

#include "daemon/findings/findings.h"
#include "daemon/serve/http_types.h"
#include "daemon/store/store_client.h"

/* An open finding with its last record. Texts may be empty. Only trusted clients (http_request.trusted) get values,
 * and messages, which quote values; for others @history has times, events and severities, and @paths has no values.
 * Values are masked as in records. */
struct finding_detail {
	bool trusted;
	str message; /* the last record's */
	struct finding_path paths[FINDING_PATHS_MAX];
	size_t n_paths;
	size_t n_paths_total; /* the number of all paths; @paths has the first of them */
	str diff;
	str rule_events[FINDING_RULES_MAX]; /* the results of event rules, the worst first; they contain no values */
	size_t n_rule_events;
	str rule_message, old; /* for a CEL rule: its message, and the old value */
	struct blame blame;
	struct finding_history_line history[FINDING_HISTORY_MAX]; /* the latest first */
	size_t n_history;
	char missing[512]; /* why some of it is missing; "": nothing is */
};

/* The answer to a request for one finding. */
struct finding_answer {
	unsigned status;         /* 200, or an error */
	const char *why;         /* for an error: what is wrong */
	const struct finding *x; /* for status 200: the finding */
	struct finding_detail detail;
	struct finding_history *history; /* what the texts are of */
};

/* Answer with the finding that {id} of the route identifies by its beginning (at least 4 characters); errors are
 * 400, 404, 409 and 500. False: the finding is being looked for, or the state database is asked, and the route is
 * called again. */
bool finding_answer_get(struct findings *f, struct store_client *store_client, const struct http_request *q,
			struct finding_answer *ret);
void finding_answer_done(struct finding_answer *a);

#endif

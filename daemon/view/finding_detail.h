/* An open finding with what was reported of it: values, diff, history. For the API and the pages. */
#ifndef DAEMON_VIEW_FINDING_DETAIL_H
#define DAEMON_VIEW_FINDING_DETAIL_H

#include "daemon/findings/findings.h"
#include "daemon/serve/http_types.h"
#include "daemon/store/store_client.h"

/* Texts may be empty. Values and messages, which quote them, are there for who is trusted (http_request.trusted) only:
 * to others @history has times, events and severities, and @paths has no values. They are masked as in records. */
struct finding_detail {
	bool trusted;
	str message; /* the last record's */
	struct finding_path paths[FINDING_PATHS_MAX];
	size_t n_paths;
	size_t n_paths_total; /* of which the first are in @paths */
	str diff;
	str rule_events[FINDING_RULES_MAX]; /* what event rules make of it, the worst first; nothing of it is a value */
	size_t n_rule_events;
	str rule_message, old; /* of a CEL rule: what it says, the value before */
	struct blame blame;
	struct finding_history_line history[FINDING_HISTORY_MAX]; /* the latest first */
	size_t n_history;
	char missing[512]; /* why some of it is not there; "": all is */
};

/* What a request for one finding gets. */
struct finding_answer {
	unsigned status;         /* 200, or an error */
	const char *why;         /* of an error */
	const struct finding *x; /* of 200 */
	struct finding_detail detail;
	struct finding_history *history; /* what the texts are of */
};

/* The finding that {id} of the route names by its beginning (at least 4 characters): 400, 404, 409 and 500 are errors.
 * False: it is looked for, or the state database is asked, and the route is called again. */
bool finding_answer_get(struct findings *f, struct store_client *store_client, const struct http_request *q,
			struct finding_answer *ret);
void finding_answer_done(struct finding_answer *a);

#endif

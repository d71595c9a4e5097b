/* The answers of the control API, shared by the control socket and the web listeners. docs/api.md is its description.
 */
#ifndef DAEMON_API_API_H
#define DAEMON_API_API_H

#include "daemon/serve/http.h"
#include "daemon/serve/metrics.h"
#include "daemon/watch/rehearsal.h"
#include "daemon/watch/verdict/acceptances.h"

/* An error as {"apiVersion":"driftd/v1","kind":"Error","code":…,"message":"…"}. */
void api_fail(struct http_response *r, unsigned status, const char *message);

/* Answer 422: a configuration is refused for its @mistakes, a line each. */
void api_refuse(struct http_response *r, const char *mistakes);

/* Answer POST /api/v1/reload: the configuration is in force, or, without @in_force, only asked for (202). */
void api_reload(struct http_response *r, bool in_force);
/* GET /api/v1/status. */
void api_status(const struct metrics_view *view, struct http_response *r);
/* GET /api/v1/findings: the findings that pass the filters of the request, streamed. Findings that end meanwhile are
 * left out. @views gives the view of each later turn of the loop. */
struct view_source {
	const struct metrics_view *(*now)(void *ctx);
	void *ctx;
};
void api_findings(const struct view_source *views, const struct http_request *q, struct http_response *r);
/* GET /api/v1/findings/{id}: the finding with what was reported of it; the beginning of an id is enough when it is the
 * only one. */
void api_finding(const struct metrics_view *view, const struct http_request *q, struct http_response *r);

/* GET /api/v1/releases[?cluster=][&namespace=][&name=]: the releases of Helm that references are about; of those with a
 * name also their revisions and objects. */
void api_releases(const struct metrics_view *view, const struct http_request *q, struct http_response *r);

/* GET /api/v1/references: the followed published references, each with its standing. */
void api_references(const struct metrics_view *view, const struct http_request *q, struct http_response *r);
/* GET /api/v1/references/{name}, and the answer to a request that changes one: one reference with the commits that
 * wait. */
void api_reference(const struct metrics_view *view, const struct http_request *q, struct http_response *r);

/* GET /api/v1/history: what began and ended within a time range, the newest first, with sums of each cluster; and
 * GET /api/v1/history/timeline: how many findings were open in each part of it, and when nobody knew. */
void api_history(const struct metrics_view *view, const struct http_request *q, struct http_response *r);
void api_timeline(const struct metrics_view *view, const struct http_request *q, struct http_response *r);

/* The next three are for trusted clients: judging takes a while, and texts of templates may quote values. */

/* GET /api/v1/objects?kind=&name=[&namespace=][&cluster=]: the watched objects of that name. */
void api_objects(const struct metrics_view *view, const struct http_request *q, struct http_response *r);
/* GET /api/v1/words?of=[&beginning=][&among=objects] and filters of findings: words of that kind which may stand on a
 * command line. */
void api_words(const struct metrics_view *view, const struct http_request *q, struct http_response *r);
/* GET /api/v1/explain?cluster=&apiVersion=&kind=&name=&reference=[&namespace=]: the verdict of the reference on the
 * object, and why. */
void api_explain(const struct metrics_view *view, const struct http_request *q, struct http_response *r);

/* An accepted deviation as a document of its own, which holds so many open findings. */
void accepted_doc(const struct accepted *x, size_t holds, struct buf *out);
/* GET /v1/accepted: all of them, with what each holds. Both outlive the server. */
void accepted_list_answer(const struct acceptances *s, struct findings *f, const struct http_request *q,
			  struct http_response *r);

/* The result of a dry run of a reload. Its messages quote values: it is for trusted clients. */
void rehearsal_doc(const struct rehearsal_result *result, struct buf *out);

#endif

/* From requests to documents. */
#include "daemon/api/api.h"

#include "daemon/api/finding_doc.h"
#include "daemon/api/findings_list.h"
#include "daemon/api/json_out.h"
#include "daemon/api/status_doc.h"

#define JSON "application/json"
#define PART_BYTES ((size_t)32 << 10) /* of a stream, about */

void api_fail(struct http_response *r, unsigned status, const char *message)
{
	r->status = status;
	r->content_type = JSON;
	buf_clear(&r->body);
	buf_printf(&r->body, "{\"apiVersion\":\"driftd/v1\",\"kind\":\"Error\",\"code\":%u", status);
	json_text(&r->body, "message", str_from(message));
	buf_add_cstr(&r->body, "}\n");
}

void api_status(const struct metrics_view *view, const char *mistakes, struct http_response *r)
{
	r->content_type = JSON;
	status_doc(view, mistakes, &r->body);
}

/* ---- lists ---- */

static int next_findings(void *state, struct buf *out)
{
	struct findings_cursor *c = state;
	uint64_t now_ns = uv_hrtime();

	while (out->n < PART_BYTES) {
		const struct finding *x = findings_cursor_next(c);

		if (!x) {
			buf_add_cstr(out, "]}\n");
			return out->error ? -1 : 0;
		}
		if (!findings_cursor_is_first(c))
			buf_add_cstr(out, ",\n");
		finding_doc(x, now_ns, out);
	}
	return out->error ? -1 : 1;
}

static void end_findings(void *state)
{
	findings_cursor_free(state);
}

void api_findings(const struct metrics_view *view, const struct http_request *q, struct http_response *r)
{
	struct findings_cursor *c = NULL;
	struct finding_filter filter;
	struct err err;

	if (finding_filter_parse(q, &filter, &err) < 0) {
		api_fail(r, 400, err.msg);
		return;
	}
	if (findings_cursor_new(view->findings, &filter, &c, &err) < 0) {
		api_fail(r, 500, err.msg);
		return;
	}
	r->content_type = JSON;
	buf_add_cstr(&r->body, "{\"apiVersion\":\"driftd/v1\",\"kind\":\"FindingList\"");
	completeness_doc(view, &r->body);
	json_number(&r->body, "count", findings_cursor_count(c));
	buf_add_cstr(&r->body, ",\"items\":[\n");
	r->stream = (struct http_stream){ .next = next_findings, .done = end_findings, .state = c };
}

/* ---- one ---- */

void api_finding(const struct metrics_view *view, struct desk *desk, const struct http_request *q,
		 struct http_response *r)
{
	struct finding_answer a;

	if (!finding_answer_get(view->findings, desk, q, &a))
		return;
	if (a.status != 200) {
		api_fail(r, a.status, a.why);
	} else {
		r->content_type = JSON;
		finding_doc_detailed(a.x, &a.detail, uv_hrtime(), &r->body);
		buf_add_byte(&r->body, '\n');
	}
	finding_answer_done(&a);
}

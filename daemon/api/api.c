/* From requests to documents. */
#include "daemon/api/api.h"

#include "daemon/api/api_internal.h"
#include "daemon/api/finding_doc.h"
#include "value/json_out.h"

#include <errno.h>

#define JSON "application/json"
#define KINDS_MAX ((size_t)64 << 10)
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

void api_status(const struct metrics_view *view, struct http_response *r)
{
	r->content_type = JSON;
	status_doc(view, &r->body);
}

/* ---- lists ---- */

/* Findings, one by one or in groups. */
struct list_answer {
	const struct findings *findings;
	struct findings_cursor *cursor; /* NULL: groups */
	struct findings_groups groups;
	size_t at;  /* of those */
	bool begun; /* one of them was told */
	bool trusted;
};

static bool next_finding(struct list_answer *l, uint64_t now_ns, struct buf *out)
{
	const struct finding *x = findings_cursor_next(l->cursor);

	if (!x)
		return false;
	buf_add_cstr(out, findings_cursor_is_first(l->cursor) ? "" : ",\n");
	finding_doc(x, l->trusted, now_ns, out);
	return true;
}

static bool next_group(struct list_answer *l, struct buf *out)
{
	const struct finding *first;
	const struct findings_group *g = findings_groups_next(&l->groups, l->findings, &l->at, SIZE_MAX, &first);

	if (!g)
		return false;
	buf_add_cstr(out, l->begun ? ",\n" : "");
	l->begun = true;
	findings_group_doc(g, first, l->trusted, out);
	return true;
}

static int next_findings(void *state, struct buf *out)
{
	struct list_answer *l = state;
	uint64_t now_ns = uv_hrtime();

	while (out->n < PART_BYTES) {
		if (l->cursor ? next_finding(l, now_ns, out) : next_group(l, out))
			continue;
		buf_add_cstr(out, "]}\n");
		return out->error ? -1 : 0;
	}
	return out->error ? -1 : 1;
}

static void end_findings(void *state)
{
	struct list_answer *l = state;

	findings_cursor_free(l->cursor);
	findings_groups_done(&l->groups);
	free(l);
}

static int list_new(const struct metrics_view *view, const struct finding_filter *filter, bool trusted,
		    struct list_answer **ret, struct err *err)
{
	struct list_answer *l = calloc(1, sizeof(*l));
	int r;

	if (!l)
		return err_nomem(err);
	*l = (struct list_answer){ .findings = view->findings, .trusted = trusted };
	if (filter->grouped)
		r = findings_groups_init(&l->groups, view->findings, filter, err);
	else
		r = findings_cursor_new(view->findings, filter, &l->cursor, err);
	if (r < 0) {
		free(l);
		return r;
	}
	*ret = l;
	return 0;
}

static size_t count_of(const struct list_answer *l)
{
	return l->cursor ? findings_cursor_count(l->cursor) : l->groups.n_findings;
}

void api_findings(const struct metrics_view *view, const struct http_request *q, struct http_response *r)
{
	CLEANUP(buf_done) struct buf kinds = BUF_INIT(KINDS_MAX);
	struct unknown_words unknown = { .text = BUF_INIT(64u << 10) };
	struct finding_filter filter, resolved;
	struct list_answer *l = NULL;
	struct err err;

	if (finding_filter_parse(q, &filter, &err) < 0) {
		api_fail(r, 400, err.msg);
		return;
	}
	resolved = kind_words_filter(view, &filter, &kinds);
	if (list_new(view, &resolved, q->trusted, &l, &err) < 0) {
		api_fail(r, 500, err.msg);
		return;
	}
	r->content_type = JSON;
	buf_printf(&r->body, "{\"apiVersion\":\"driftd/v1\",\"kind\":\"%s\"",
		   filter.grouped ? "FindingGroupList" : "FindingList");
	unknown_words_find(view, &filter, &unknown);
	if (!count_of(l))
		unknown_places_find(view, &filter, &unknown);
	completeness_doc(view, unknown.text.n == 0, &r->body);
	json_lines(&r->body, "unknownFilters", buf_str(&unknown.text));
	if (unknown.mistaken)
		json_bool(&r->body, "mistaken", true);
	buf_done(&unknown.text);
	json_number(&r->body, "count", count_of(l));
	buf_add_cstr(&r->body, ",\"items\":[\n");
	r->stream = (struct http_stream){ .next = next_findings, .done = end_findings, .state = l };
}

/* ---- one ---- */

void api_finding(const struct metrics_view *view, const struct http_request *q, struct http_response *r)
{
	struct finding_answer a;

	if (!finding_answer_get(view->findings, view->desk, q, &a))
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

/* ---- objects ---- */

struct parameter {
	const char *name;
	str value;
	bool due;
};

/* The parameters of the request into @p. False: one is not known, comes twice, or is missing, and @r says so. */
static bool take_parameters(const struct http_request *q, struct parameter *p, size_t n, struct http_response *r)
{
	const char *name, *value;
	struct err err;

	for (size_t at = 0; http_query_each(q, &at, &name, &value);) {
		size_t i = 0;

		while (i < n && strcmp(p[i].name, name) != 0)
			i++;
		if (i == n || p[i].value.n) {
			(void)!err_set(&err, EINVAL, "the parameter '%.60s' is %s", name,
				       i == n ? "not known" : "there twice");
			api_fail(r, 400, err.msg);
			return false;
		}
		p[i].value = str_from(value);
	}
	for (size_t i = 0; i < n; i++) {
		if (p[i].due && !p[i].value.n) {
			(void)!err_set(&err, EINVAL, "the parameter '%s' is missing", p[i].name);
			api_fail(r, 400, err.msg);
			return false;
		}
	}
	return true;
}

void api_objects(const struct metrics_view *view, const struct http_request *q, struct http_response *r)
{
	struct parameter p[] = { { .name = "kind", .due = true },
				 { .name = "name", .due = true },
				 { .name = "namespace" },
				 { .name = "cluster" } };
	struct object_query query;

	if (!take_parameters(q, p, ARRAY_LEN(p), r))
		return;
	query = (struct object_query){
		.kind = p[0].value, .name = p[1].value, .namespace = p[2].value, .cluster = p[3].value
	};
	r->content_type = JSON;
	objects_doc(view, &query, &r->body);
}

void api_releases(const struct metrics_view *view, const struct http_request *q, struct http_response *r)
{
	struct parameter p[] = { { .name = "cluster" }, { .name = "namespace" }, { .name = "name" } };
	struct release_filter f;
	struct err err;

	if (!take_parameters(q, p, ARRAY_LEN(p), r))
		return;
	f = (struct release_filter){ .cluster = p[0].value, .namespace = p[1].value, .name = p[2].value };
	r->content_type = JSON;
	if (releases_doc(view, &f, &r->body, &err) < 0)
		api_fail(r, 500, err.msg);
}

void api_references(const struct metrics_view *view, const struct http_request *q, struct http_response *r)
{
	if (!take_parameters(q, NULL, 0, r))
		return;
	r->content_type = JSON;
	sources_doc(view, q->trusted, &r->body);
}

void api_reference(const struct metrics_view *view, const struct http_request *q, struct http_response *r)
{
	const struct source_view *v =
		source_view_find(view->sources, view->n_sources, str_from(http_route_value(q, "name")));

	if (!v) {
		api_fail(r, 404, "no reference that has a source is called so");
		return;
	}
	r->content_type = JSON;
	source_doc(v, q->trusted, &r->body);
}

/* The index of the reference among the cluster's; @n: there is none. */
static size_t find_judge(const struct cluster *c, str reference, size_t *n)
{
	const struct reference_judge *judges = cluster_judges(c, n);
	size_t i = 0;

	while (i < *n && !str_eq(judges[i].reference->name, reference))
		i++;
	return i;
}

void api_explain(const struct metrics_view *view, const struct http_request *q, struct http_response *r)
{
	struct parameter p[] = { { .name = "cluster", .due = true },   { .name = "apiVersion", .due = true },
				 { .name = "kind", .due = true },      { .name = "name", .due = true },
				 { .name = "reference", .due = true }, { .name = "namespace" } };
	const struct object *o;
	struct cluster *c;
	size_t judge, n;
	struct err err;

	if (!take_parameters(q, p, ARRAY_LEN(p), r))
		return;
	c = cluster_find(view->clusters, view->n_clusters, p[0].value);
	o = c ? cluster_find_object(c, p[1].value, p[2].value, p[5].value, p[3].value) : NULL;
	if (!o) {
		api_fail(r, 404, "no such object is watched");
		return;
	}
	judge = find_judge(c, p[4].value, &n);
	if (judge == n) {
		api_fail(r, 404, "no such reference is for the cluster");
		return;
	}
	r->content_type = JSON;
	if (explain_doc(c, judge, o, &r->body, &err) < 0)
		api_fail(r, 500, err.msg);
}

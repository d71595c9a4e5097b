/* Answers requests of the API with documents. */
#include "daemon/api/api.h"

#include "daemon/api/api_internal.h"
#include "daemon/api/finding_doc.h"
#include "value/json_out.h"

#include <errno.h>

#define JSON "application/json"

static void fail(struct http_response *r, unsigned status, const char *message, const char *mistakes)
{
	r->status = status;
	r->content_type = JSON;
	buf_clear(&r->body);
	buf_printf(&r->body, "{\"apiVersion\":\"driftd/v1\",\"kind\":\"Error\",\"code\":%u", status);
	json_text(&r->body, "message", str_from(message));
	json_lines(&r->body, "mistakes", str_from(mistakes));
	buf_add_cstr(&r->body, "}\n");
}

void api_fail(struct http_response *r, unsigned status, const char *message)
{
	fail(r, status, message, "");
}

void api_refuse(struct http_response *r, const char *mistakes)
{
	fail(r, 422, "the configuration is refused, the old one stays in force", mistakes);
}

void api_reload(struct http_response *r, bool in_force)
{
	r->status = in_force ? 200 : 202;
	r->content_type = JSON;
	buf_add_cstr(&r->body, "{\"apiVersion\":\"driftd/v1\",\"kind\":\"Reload\"");
	json_bool(&r->body, "inForce", in_force);
	buf_add_cstr(&r->body, "}\n");
}

void api_status(const struct metrics_view *view, struct http_response *r)
{
	r->content_type = JSON;
	status_doc(view, &r->body);
}

/* ---- one ---- */

void api_finding(const struct metrics_view *view, const struct http_request *q, struct http_response *r)
{
	struct finding_answer a;

	if (!finding_answer_get(view->findings, view->store_client, q, &a))
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

/* Copy the parameters of the request into @p. Return false when one is unknown, repeated or missing; @r then has the
 * error. */
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

static void forget_open(void *state)
{
	objects_open_free(state);
}

static bool look_for_open(void *state, uint64_t until_ns)
{
	return objects_open_look(state, until_ns);
}

static void ask_for_objects(const struct metrics_view *view, const struct http_request *q, struct http_response *r)
{
	struct parameter p[] = { { .name = "kind", .due = true },
				 { .name = "name", .due = true },
				 { .name = "namespace" },
				 { .name = "cluster" } };
	struct object_query query;
	struct objects_open *o;
	struct err err;

	if (!take_parameters(q, p, ARRAY_LEN(p), r))
		return;
	query = (struct object_query){
		.kind = p[0].value, .name = p[1].value, .namespace = p[2].value, .cluster = p[3].value
	};
	if (objects_open_new(view, &query, &o, &err) < 0)
		api_fail(r, 500, err.msg);
	else
		http_work(q, o, look_for_open, forget_open);
}

void api_objects(const struct metrics_view *view, const struct http_request *q, struct http_response *r)
{
	struct objects_open *o = q->state;
	struct err err;

	if (!o) {
		ask_for_objects(view, q, r);
		return;
	}
	r->content_type = JSON;
	if (objects_doc(view, o, &r->body, &err) < 0)
		api_fail(r, 500, err.msg);
	objects_open_free(o);
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
	const struct source_state *v =
		source_state_find(view->sources, view->n_sources, str_from(http_route_value(q, "name")));

	if (!v) {
		api_fail(r, 404, "no reference that has a source is called so");
		return;
	}
	r->content_type = JSON;
	source_doc(v, q->trusted, &r->body);
}

/* Take one parameter of a request for words. */
static int take_word_parameter(struct word_query *w, const char *name, const char *value, struct err *err)
{
	if (strcmp(name, "of") == 0)
		w->of = value;
	else if (strcmp(name, "beginning") == 0)
		w->beginning = str_from(value);
	else if (strcmp(name, "labels") == 0 || strcmp(name, "after") == 0)
		return err_set(err, EINVAL, "words are not narrowed by '%s'", name);
	else if (strcmp(name, "among") != 0)
		return finding_filter_add(&w->filter, name, value, err);
	else if (strcmp(value, "objects") == 0)
		w->objects = true;
	else
		return err_set(err, EINVAL, "among '%.40s': objects is expected", value);
	return 0;
}

static void forget_words(void *state)
{
	words_free(state);
}

static bool look_for_words(void *state, uint64_t until_ns)
{
	return words_look(state, until_ns);
}

static int take_words_query(const struct http_request *q, struct word_query *w, struct err *err)
{
	const char *name, *value;
	size_t at = 0;
	int r = 0;

	while (r == 0 && http_query_each(q, &at, &name, &value))
		r = take_word_parameter(w, name, value, err);
	return r;
}

/* Answer with words, which are searched on many turns of the loop. */
void api_words(const struct metrics_view *view, const struct http_request *q, struct http_response *r)
{
	struct word_query query = { .of = "" };
	struct words *w = q->state;
	struct err err;
	int status;

	r->content_type = JSON;
	if (w) {
		status = words_doc(w, &r->body, &err);
		words_free(w);
	} else {
		status = take_words_query(q, &query, &err);
		if (status == 0)
			status = words_new(view, &query, &w, &err);
		if (status == 0)
			http_work(q, w, look_for_words, forget_words);
	}
	if (status < 0)
		api_fail(r, status == -EINVAL ? 400 : 500, err.msg);
}

/* The index of the reference among those of the cluster; @n: it is not among them. */
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

/* gotmpl: Go's text/template with the functions of kube-compare. The fields are described in the corpus' README. */
#include "suites.h"

#include "go/zoneinfo.h"
#include "template/fn/library.h"
#include "template/tmpl.h"
#include "text/re2.h"

struct objects {
	val list;
	struct arena *arena;
};

static bool wanted(str pattern, str got)
{
	return pattern.n == 0 || str_eq(pattern, STR("*")) || str_eq(pattern, got);
}

static int lookup(void *ctx, const struct tmpl_lookup *q, const val **ret, size_t *n, struct err *err)
{
	struct objects *o = ctx;
	val *found = arena_array(o->arena, val_count(o->list) + 1, sizeof(val));

	if (!found)
		return err_nomem(err);
	*n = 0;
	for (uint32_t i = 0; i < val_count(o->list); i++) {
		val object = val_at(o->list, i), meta = VAL_GET(object, "metadata");

		if (str_eq(val_str(VAL_GET(object, "apiVersion")), q->api_version) &&
		    str_eq(val_str(VAL_GET(object, "kind")), q->kind) &&
		    wanted(q->namespace, val_str(VAL_GET(meta, "namespace"))) &&
		    wanted(q->name, val_str(VAL_GET(meta, "name"))))
			found[(*n)++] = object;
	}
	*ret = found;
	return 0;
}

/* "numbers": "float64": every integer becomes a double. */
static val as_doubles(struct arena *a, val v)
{
	if (v.kind == VAL_INT)
		return val_double((double)v.i);
	if (val_is_list(v)) {
		val *items = arena_array(a, v.n, sizeof(val));

		for (uint32_t i = 0; i < v.n; i++)
			items[i] = as_doubles(a, v.items[i]);
		v.items = items;
	} else if (val_is_map(v)) {
		struct member *members = arena_array(a, v.n, sizeof(struct member));

		for (uint32_t i = 0; i < v.n; i++)
			members[i] = (struct member){ v.members[i].key, as_doubles(a, v.members[i].value) };
		v.members = members;
	}
	return v;
}

static void judge_error(val line, const char *stage, const struct buf *text, str partial, struct verdict *v)
{
	val want = line_text(line, "error", v), want_partial = line_text(line, "partial", v);

	if (!val_exists(want))
		verdict_failf(v, STR("output"), "%s error: %.*s", stage, STR_ARG(buf_str(text)));
	else if (!str_eq(val_str(VAL_GET(line, "stage")), str_from(stage)))
		verdict_failf(v, val_str(want), "%s error: %.*s", stage, STR_ARG(buf_str(text)));
	else
		verdict_text(v, val_str(want), buf_str(text));
	if (v->outcome == PASSED && val_exists(want_partial))
		verdict_text(v, val_str(want_partial), partial);
}

static void judge_match(str pattern, str out, struct verdict *v)
{
	CLEANUP(re2_freep) struct re2 *re = NULL;
	CLEANUP(buf_done) struct buf text = BUF_INIT(1 << 20);
	struct re2_search s;
	struct err err;
	int r = re2_compile(pattern, v->limits, &re, &text, &err);

	if (r == 0)
		r = re2_search_init(&s, re, out, &err);
	if (r < 0) {
		verdict_fail(v, pattern, str_from(err.msg));
		return;
	}
	r = re2_search_next(&s, &err);
	if (r != 1 || s.spans[0].start != 0 || (size_t)s.spans[0].end != out.n)
		verdict_fail(v, pattern, out);
	re2_search_done(&s);
}

static void judge_output(val line, str out, struct verdict *v)
{
	val want = line_text(line, "out", v), match = line_text(line, "match", v);

	if (val_exists(match))
		judge_match(val_str(match), out, v);
	else if (val_exists(want))
		verdict_text(v, val_str(want), out);
	else
		verdict_fail(v, val_str(line_text(line, "error", v)), out);
}

static void execute(const struct tmpl *t, val line, struct verdict *v)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(64u << 20);
	CLEANUP(buf_done) struct buf text = BUF_INIT(1u << 20);
	struct objects objects = { VAL_GET(line, "crs"), v->arena };
	struct tmpl_env env = {
		.limits = v->limits, .lookup = lookup, .ctx = &objects, .zones = &go_zoneinfo, .error_text = &text
	};
	val dot = VAL_GET(line, "data");
	struct err err;

	if (str_eq(val_str(VAL_GET(line, "numbers")), STR("float64"))) {
		dot = as_doubles(v->arena, dot);
		objects.list = as_doubles(v->arena, objects.list);
	}
	if (tmpl_execute(t, dot, &env, &out, &err) < 0) {
		if (text.n == 0)
			buf_add_cstr(&text, err.msg);
		judge_error(line, "exec", &text, buf_str(&out), v);
	} else {
		judge_output(line, buf_str(&out), v);
	}
}

void judge_gotmpl(val line, struct verdict *v)
{
	CLEANUP(tmpl_freep) struct tmpl *t = NULL;
	CLEANUP(buf_done) struct buf text = BUF_INIT(1u << 20);
	val files = VAL_GET(line, "files");
	size_t n = 1 + val_count(files);
	struct tmpl_source *sources = arena_array(v->arena, n, sizeof(*sources));
	struct err err;

	sources[0] = (struct tmpl_source){ val_str(VAL_GET(line, "name")), val_str(line_text(line, "template", v)) };
	for (uint32_t i = 0; i < val_count(files); i++) {
		val file = val_at(files, i);

		sources[i + 1] =
			(struct tmpl_source){ val_str(VAL_GET(file, "name")), val_str(line_text(file, "text", v)) };
	}
	if (tmpl_parse(sources, n, &tmpl_library, v->limits, &t, &text, &err) < 0)
		judge_error(line, "parse", &text, STR(""), v);
	else
		execute(t, line, v);
}

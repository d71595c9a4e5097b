/* Event rules by examples: tests/data/rules/triples. */
#include "support/triples.h"

#include "rules/event_set.h"
#include "value/json.h"

static const struct limits limits = LIMITS_DEFAULT;

static int decode(str text, struct arena *a, val *ret, struct err *err)
{
	struct json_options o = { .limits = &limits };
	size_t used;

	return json_decode_value(text, &o, a, ret, &used, err);
}

/* The program is a path, the input the segments of a change. */
static int run_event_path(const struct triple *t, struct arena *a, struct buf *out)
{
	struct event_path p;
	str segments[8];
	struct err err;
	uint32_t n = 0;
	val list;
	int r = event_path_read(t->program, a, &p, &err);

	if (r == 0)
		r = event_path_check(&p, &err);
	if (r == 0)
		r = decode(t->input, a, &list, &err);
	if (r < 0)
		return triple_error(r, &err, out);
	for (; n < val_count(list) && n < ARRAY_LEN(segments); n++)
		segments[n] = val_str(val_at(list, n));
	buf_printf(out, "matches%s, anchor %zu, %zu segments", event_path_matches(&p, segments, n) ? "" : " not",
		   event_path_anchor(&p, segments, n), p.n);
	return 0;
}

/* ---- files ---- */

static int parse(str text, struct event_set **ret, struct buf *out)
{
	struct problems problems = { 0 };
	struct err err;
	int r = event_set_parse(text, "f", &limits, ret, &problems, &err);
	CLEANUP(freep) char *said = problems_text(&problems);

	if (r < 0)
		buf_add_cstr(out, problems_any(&problems) ? said : err.msg);
	problems_done(&problems);
	return r;
}

static void print_text(struct buf *out, const char *what, str text)
{
	if (text.n)
		buf_printf(out, " %s '%.*s'", what, STR_ARG(text));
}

static void print_patterns(struct buf *out, const char *what, const struct event_patterns *patterns)
{
	for (size_t i = 0; i < patterns->n; i++)
		buf_printf(out, "%s%s '%.*s'", i ? "" : " ", i ? "" : what, STR_ARG(patterns->p[i]));
}

static void print_rule(struct buf *out, const struct event_set_rule *x)
{
	buf_printf(out, "%.*s%s%s %s %.*s%s", STR_ARG(x->where), x->typed ? " " : "",
		   x->typed ? event_type_name(x->rule.type) : "",
		   x->rule.any_change ? "any" : event_change_name(x->rule.change), STR_ARG(x->rule.path.text),
		   x->rule.path.exact ? " exactly" : "");
	if (x->equal)
		buf_printf(out, " equal %d", (int)x->equal);
	if (x->severity)
		buf_printf(out, " severity %s", severity_name((enum severity)x->severity));
	if (x->hold_ns >= 0)
		buf_printf(out, " for %lld", (long long)x->hold_ns);
	print_text(out, "message", x->rule.message);
	print_text(out, "action", x->rule.action);
	print_patterns(out, "kinds", &x->selector.kinds);
	print_patterns(out, "namespaces", &x->selector.namespaces);
	print_patterns(out, "names", &x->selector.names);
	print_patterns(out, "templates", &x->selector.templates);
	print_patterns(out, "managers", &x->selector.managers);
	if (x->selector.labels.n)
		buf_printf(out, " labels %zu", x->selector.labels.n);
	buf_add_byte(out, '\n');
}

static int run_event_set(const struct triple *t, struct arena *a, struct buf *out)
{
	CLEANUP(event_set_freep) struct event_set *s = NULL;
	int r = parse(t->program, &s, out);

	(void)a;
	if (r < 0)
		return r;
	buf_printf(out, "lists %s\n", s->lists_unordered ? "unordered" : "ordered");
	for (size_t i = 0; i < s->n; i++)
		print_rule(out, &s->rules[i]);
	return 0;
}

static int run_event_selector(const struct triple *t, struct arena *a, struct buf *out)
{
	CLEANUP(event_set_freep) struct event_set *s = NULL;
	str text = arena_printf(a, "rules: [%.*s%sequal: set, path: a}]\n",
				STR_ARG(str_sub(t->program, 0, t->program.n - 1)), t->program.n > 2 ? ", " : "");
	const struct event_selector *x;
	struct identity id;
	struct err err;
	val v;
	int r = decode(t->input, a, &v, &err);

	if (r < 0)
		return triple_error(r, &err, out);
	r = parse(text, &s, out);
	if (r < 0)
		return r;
	id = (struct identity){ val_str(VAL_GET(v, "apiVersion")), val_str(VAL_GET(v, "kind")),
				val_str(VAL_GET(v, "namespace")), val_str(VAL_GET(v, "name")) };
	x = &s->rules[0].selector;
	buf_printf(out, "matches%s",
		   event_selector_matches(x, &id, val_str(VAL_GET(v, "template")), VAL_GET(v, "labels")) &&
				   event_selector_matches_manager(x, val_str(VAL_GET(v, "manager")))
			   ? ""
			   : " not");
	return 0;
}

static const struct triple_file files[] = {
	{ "event_path", run_event_path },
	{ "event_set", run_event_set },
	{ "event_selector", run_event_selector },
};

int main(void)
{
	return triples_main(TEST_DATA "/rules/triples", files, ARRAY_LEN(files));
}

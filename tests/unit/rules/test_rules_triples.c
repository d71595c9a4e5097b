/* Event rules by examples: tests/data/rules/triples. */
#include "support/triples.h"

#include "rules/crd_schema.h"
#include "rules/event_set.h"
#include "rules/rule_path.h"
#include "value/json.h"

#include <errno.h>

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

/* ---- schemas of definitions, places of rules ---- */

static void print_json(val v, struct buf *out)
{
	struct err err;

	if (!val_exists(v))
		buf_add_cstr(out, "none");
	else if (json_encode(v, JSON_PLAIN, NULL, out, &err) < 0)
		buf_add_cstr(out, err.msg);
}

/* The program is an apiVersion, a kind and a place; the input a definition. What describes the place comes out, with a
 * rule of its own. */
static int run_crd_schema(const struct triple *t, struct arena *a, struct buf *out)
{
	str rest = t->program, api_version = { 0 }, kind = { 0 };
	struct key_table *keys;
	struct cel_at at = { 0 };
	struct err err;
	val crd, schema;
	int r = decode(t->input, a, &crd, &err);

	(void)str_next_part(&rest, ' ', &api_version);
	(void)str_next_part(&rest, ' ', &kind);
	if (r == 0 && rest.n)
		r = cel_at_parse(rest, &at, &err);
	if (r < 0)
		return triple_error(r, &err, out);
	keys = key_table_new();
	if (!keys)
		return -ENOMEM;
	schema = crd_schema(crd, api_version, kind);
	if (val_exists(schema))
		schema = schema_with_rules(schema, &at, val_string(STR("ours")), keys, a);
	buf_printf(out, "%s%s, ", crd_is(crd) ? "a definition" : "no definition",
		   crd_is_for(crd, api_version, kind) ? " of it" : "");
	print_json(schema, out);
	key_table_free(keys);
	return 0;
}

/* The program is a fieldPath, the input the value that it is of, at "x". Each segment with the text up to its end. */
static int run_rule_path(const struct triple *t, struct arena *a, struct buf *out)
{
	const struct path_segment x = { .text = STR("x") };
	uint32_t end = 1;
	struct cel_where where = { STR("x"), { &x, 1 }, &end };
	struct err err;
	val v;
	int r = decode(t->input, a, &v, &err);

	if (r < 0)
		return triple_error(r, &err, out);
	if (!rule_path_below(&where, t->program, v, a))
		return -ENOMEM;
	for (size_t i = 0; i < where.at.n; i++) {
		const struct path_segment *s = &where.at.segments[i];

		buf_printf(out, "%s%.*s:", i ? " " : "", (int)where.ends[i], where.text.p);
		if (s->kind == PATH_INDEX)
			buf_printf(out, "%llu", (unsigned long long)s->index);
		else
			buf_add_str(out, s->text);
	}
	return 0;
}

static const struct triple_file files[] = {
	{ "event_path", run_event_path }, { "event_set", run_event_set }, { "event_selector", run_event_selector },
	{ "crd_schema", run_crd_schema }, { "rule_path", run_rule_path },
};

int main(void)
{
	return triples_main(TEST_DATA "/rules/triples", files, ARRAY_LEN(files));
}

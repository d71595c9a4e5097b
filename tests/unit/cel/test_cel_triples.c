/* CEL by examples: tests/data/cel/triples. */
#include "support/triples.h"

#include "cel/cel.h"
#include "cel/cel_issues.h"
#include "cel/cel_rules.h"
#include "go/zoneinfo.h"
#include "value/json.h"

#include <errno.h>

static const struct limits limits = LIMITS_DEFAULT;

static int decode_input(const struct triple *t, struct arena *a, val *ret, struct err *err)
{
	struct json_options o = { .limits = &limits };
	size_t used;

	*ret = val_null();
	return t->has_input ? json_decode_value(t->input, &o, a, ret, &used, err) : 0;
}

/* The result as cel_print writes it, or the text of the error; @places: with the place in the source. */
static int evaluate(const struct triple *t, struct arena *a, enum cel_dialect dialect, bool places, struct buf *out)
{
	struct cel_variable self = { STR("self"), &cel_type_dyn };
	struct cel_env env = { .dialect = dialect, .variables = &self, .n_variables = 1 };
	CLEANUP(cel_program_freep) struct cel_program *p = NULL;
	struct cel_run how = { .arena = a, .limits = &limits, .zones = &go_zoneinfo, .places = places };
	struct err err = { 0 };
	cv in, result;
	val input;
	int r = decode_input(t, a, &input, &err);

	if (r == 0)
		r = cel_compile(t->program, &env, &limits, &p, places ? out : NULL, &err);
	if (r < 0)
		return places ? r : triple_error(r, &err, out);
	in = cel_value(a, input, NULL);
	r = cel_evaluate(p, &in, &how, &result, &err);
	if (r < 0)
		return triple_error(r, &err, out);
	if (!cv_is_error(result)) {
		cel_print(result, a, out);
		return 0;
	}
	if (places)
		cel_error_format(result.err, t->program, out);
	else
		buf_add_str(out, result.err->text);
	return -EINVAL;
}

static int run_value(const struct triple *t, struct arena *a, struct buf *out)
{
	return evaluate(t, a, CEL_KUBERNETES, false, out);
}

static int run_extensions(const struct triple *t, struct arena *a, struct buf *out)
{
	return evaluate(t, a, CEL_STANDARD, false, out);
}

static int run_places(const struct triple *t, struct arena *a, struct buf *out)
{
	return evaluate(t, a, CEL_KUBERNETES, true, out);
}

static void add_failures(const struct cel_validation *v, struct buf *out)
{
	for (const struct cel_failure *f = v->failures; f; f = f->next) {
		buf_printf(out, "%s%.*s: %s: %.*s", f->warning ? "warning: " : "", STR_ARG(f->path.text),
			   cel_reason_name(f->reason), STR_ARG(f->message));
		if (f->message_problem.n)
			buf_printf(out, " (%.*s)", STR_ARG(f->message_problem));
		buf_add_byte(out, '\n');
	}
	if (!v->failures)
		buf_add_cstr(out, "valid\n");
}

/* The program is a schema, or a list of rules without one; the input {"self": …, "oldSelf": …, "ratchet": true}. */
static int run_rules(const struct triple *t, struct arena *a, struct buf *out)
{
	CLEANUP(cel_rules_freep) struct cel_rules *rules = NULL;
	struct json_options o = { .limits = &limits };
	val absent = { 0 }, program, input;
	struct cel_validation v = { .root = { .text = STR("self") },
				    .arena = a,
				    .limits = &limits,
				    .zones = &go_zoneinfo,
				    .budget = CEL_TOTAL_COST,
				    .call_limit = CEL_CALL_COST };
	struct err err;
	size_t used;
	int r = json_decode_value(t->program, &o, a, &program, &used, &err);

	if (r == 0)
		r = decode_input(t, a, &input, &err);
	if (r == 0)
		r = cel_rules_compile(val_is_map(program) ? program : absent, val_is_map(program) ? absent : program,
				      false, &limits, &rules, &err);
	if (r == 0) {
		v.object = VAL_GET(input, "self");
		v.old = VAL_GET(input, "oldSelf");
		v.ratchet = VAL_GET(input, "ratchet").b;
		r = cel_rules_validate(rules, &v, &err);
	}
	if (r < 0)
		return triple_error(r, &err, out);
	add_failures(&v, out);
	return 0;
}

/* A property name as an identifier. */
static int run_escape(const struct triple *t, struct arena *a, struct buf *out)
{
	str ident, name;

	if (cel_escape(t->program, a, &ident) <= 0 || cel_unescape(ident, a, &name) <= 0 || !str_eq(name, t->program)) {
		buf_add_cstr(out, "no identifier");
		return -EINVAL;
	}
	buf_add_str(out, ident);
	return 0;
}

static const struct triple_file files[] = {
	{ "language", run_value },    { "macros", run_value },     { "optional", run_value },
	{ "strings", run_value },     { "format", run_value },     { "lists", run_value },
	{ "conversions", run_value }, { "times", run_value },      { "extensions", run_extensions },
	{ "net", run_value },         { "urls_regex", run_value }, { "quantity_semver", run_value },
	{ "places", run_places },     { "rules", run_rules },      { "escape", run_escape },
};

int main(void)
{
	return triples_main(TEST_DATA "/cel/triples", files, ARRAY_LEN(files));
}

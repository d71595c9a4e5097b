/* Judge of cel/k8s: rules over schemas, field paths, escaping, and costs. */
#include "suite_cel.h"

#include "cel/cel_reads.h"
#include "go/zoneinfo.h"
#include "support/object_part.h"

#include <stdio.h>

static bool flag(val line, const char *name)
{
	val v = val_get(line, str_from(name));

	return v.kind == VAL_BOOL && v.b;
}

/* @schema with the one rule @rule at its root. */
static val with_rule(struct verdict *v, val schema, str rule)
{
	struct member m = { key_make(NULL, v->arena, STR("rule")), val_string(rule) };
	val entry = val_map(v->arena, &m, 1), list = val_list(v->arena, &entry, 1);

	return val_map_with(v->arena, schema, key_make(NULL, v->arena, STR("x-kubernetes-validations")), list);
}

static struct cel_validation validation(val line, struct verdict *v)
{
	val budget = VAL_GET(line, "cost_budget"), limit = VAL_GET(line, "per_call_limit");

	return (struct cel_validation){ .object = VAL_GET(line, "obj"),
					.old = VAL_GET(line, "old"),
					.root = { .text = STR("root") },
					.ratchet = flag(line, "ratchet"),
					.arena = v->arena,
					.limits = v->limits,
					.zones = &go_zoneinfo,
					.budget = val_exists(budget) ? budget.i : CEL_TOTAL_COST,
					.call_limit = val_exists(limit) ? limit.i : CEL_CALL_COST };
}

/* ---- what rules read ---- */

static bool add_way(void *ctx, const str *names, size_t n)
{
	return object_ways_add(ctx, names, n);
}

static bool same_failures(const struct cel_failure *a, const struct cel_failure *b)
{
	for (; a && b; a = a->next, b = b->next) {
		if (a->kind != b->kind || a->rule != b->rule || !str_eq(a->path.text, b->path.text) ||
		    !str_eq(a->message, b->message))
			return false;
	}
	return !a && !b;
}

/* Rules say the same of an object that has nothing but what they are said to read. */
static void judge_reads(val line, struct verdict *v, const struct cel_rules *set, const struct cel_validation *whole)
{
	struct cel_validation part = validation(line, v);
	struct object_ways ways;
	struct err err;

	if (cel_rules_transition(set) || part.ratchet || val_exists(part.old))
		return;
	object_ways_init(&ways, NULL);
	if (!cel_rules_reads(set, add_way, &ways)) {
		verdict_failf(v, STR("reads"), "none");
		object_ways_done(&ways);
		return;
	}
	part.object = object_part(&ways, part.object, v->arena);
	if (cel_rules_validate(set, &part, &err) < 0)
		verdict_failf(v, STR("reads"), "%s", err.msg);
	else if (part.budget != whole->budget || part.evaluated != whole->evaluated ||
		 !same_failures(part.failures, whole->failures))
		verdict_failf(v, STR("as of the whole object"), "what is read of it says something else");
	object_ways_done(&ways);
}

static const char *kind_name(const struct cel_failure *f)
{
	static const char *const names[] = { "failed", "runtime", "compile", "cost" };

	return names[f->kind];
}

/* Run one rule over the line's object; false when the set itself could not be made (reported). */
static bool run_one(val line, struct verdict *v, str rule, struct cel_rules **set, struct cel_validation *how)
{
	struct err err;

	*how = validation(line, v);
	if (cel_rules_compile(with_rule(v, VAL_GET(line, "schema"), rule), (val){ 0 }, flag(line, "root"), v->limits,
			      set, &err) == 0 &&
	    cel_rules_validate(*set, how, &err) == 0) {
		judge_reads(line, v, *set, how);
		return v->outcome == PASSED;
	}
	verdict_failf(v, rule, "%s", err.msg);
	return false;
}

static bool expect_cost(struct verdict *v, str rule, const struct cel_validation *how, val cost)
{
	if (!val_exists(cost) || CEL_TOTAL_COST - how->budget == cost.i)
		return true;
	verdict_failf(v, rule, "cost %lld, not %lld", (long long)(CEL_TOTAL_COST - how->budget), (long long)cost.i);
	return false;
}

static void judge_valid(val line, struct verdict *v, str rule, val cost)
{
	CLEANUP(cel_rules_freep) struct cel_rules *set = NULL;
	struct cel_validation how;

	if (!run_one(line, v, rule, &set, &how))
		return;
	if (how.failures)
		verdict_failf(v, rule, "%.*s", STR_ARG(how.failures->message));
	else if (flag(VAL_GET(line, "expect"), "skipped") && how.evaluated)
		verdict_failf(v, rule, "it was not skipped");
	else
		(void)expect_cost(v, rule, &how, cost);
}

static void judge_error(val line, struct verdict *v, val expected)
{
	CLEANUP(cel_rules_freep) struct cel_rules *set = NULL;
	str rule = val_str(VAL_GET(expected, "rule")), message = val_str(VAL_GET(expected, "message"));
	struct cel_validation how;

	if (!run_one(line, v, rule, &set, &how))
		return;
	if (how.n_failures != 1)
		verdict_failf(v, rule, "%zu errors instead of %.*s", how.n_failures, STR_ARG(message));
	else if (!str_eq(str_from(kind_name(how.failures)), val_str(VAL_GET(expected, "kind"))))
		verdict_failf(v, rule, "%s: %.*s", kind_name(how.failures), STR_ARG(how.failures->message));
	else
		verdict_error_text(v, message,
				   str_find(how.failures->message, message) >= 0 ? message : how.failures->message);
}

static void judge_outside(val line, struct verdict *v)
{
	val valid = VAL_GET(line, "valid"), errors = VAL_GET(line, "errors"), costs = VAL_GET(line, "costs");

	for (uint32_t i = 0; i < val_count(valid) && v->outcome == PASSED; i++)
		judge_valid(line, v, val_str(val_at(valid, i)), val_dig(line, "expect", "cost", NULL));
	for (uint32_t i = 0; i < val_count(errors) && v->outcome == PASSED; i++)
		judge_error(line, v, val_at(errors, i));
	for (uint32_t i = 0; i < val_count(costs) && v->outcome == PASSED; i++)
		judge_valid(line, v, val_str(VAL_GET(val_at(costs, i), "rule")), VAL_GET(val_at(costs, i), "cost"));
}

/* ---- rules in the schema ---- */

static str as_warning(struct verdict *v, const struct cel_failure *f)
{
	return arena_printf(v->arena, "%.*s: Invalid value: ", STR_ARG(f->path.text));
}

static bool is_expected(struct verdict *v, const struct cel_failure *f, val e)
{
	CLEANUP(buf_done) struct buf value = BUF_INIT(65536);
	struct err err;
	str whole = arena_printf(v->arena, "%.*s: Invalid value: %.*s", STR_ARG(f->path.text), STR_ARG(f->message));

	if (f->warning || !str_eq(f->path.text, val_str(VAL_GET(e, "field"))) ||
	    !str_eq(str_from(kind_name(f)), val_str(VAL_GET(e, "kind"))) ||
	    !str_eq(str_from(cel_reason_name(f->reason)), val_str(VAL_GET(e, "type"))))
		return false;
	if (str_find(whole, val_str(VAL_GET(e, "message"))) >= 0)
		return true;
	if (json_encode(f->value, JSON_PLAIN, NULL, &value, &err) < 0)
		return false;
	whole = arena_printf(v->arena, "%.*s: Invalid value: %.*s: %.*s", STR_ARG(f->path.text),
			     STR_ARG(buf_str(&value)), STR_ARG(f->message));
	return str_find(whole, val_str(VAL_GET(e, "message"))) >= 0;
}

static void show(struct verdict *v, const struct cel_validation *how, str expected)
{
	CLEANUP(buf_done) struct buf b = BUF_INIT(65536);

	for (const struct cel_failure *f = how->failures; f; f = f->next)
		buf_printf(&b, "%s%s %s %.*s: %.*s; ", f->warning ? "warning " : "", kind_name(f),
			   cel_reason_name(f->reason), STR_ARG(f->path.text), STR_ARG(f->message));
	verdict_fail(v, expected, buf_str(&b));
}

static void judge_inside(val line, struct verdict *v)
{
	CLEANUP(cel_rules_freep) struct cel_rules *set = NULL;
	val errors = val_dig(line, "expect", "errors", NULL), warnings = val_dig(line, "expect", "warnings", NULL);
	struct cel_validation how = validation(line, v);
	struct err err;

	if (cel_rules_compile(VAL_GET(line, "schema"), (val){ 0 }, flag(line, "root"), v->limits, &set, &err) < 0 ||
	    cel_rules_validate(set, &how, &err) < 0) {
		verdict_failf(v, STR("a rule set"), "%s", err.msg);
		return;
	}
	judge_reads(line, v, set, &how);
	if (v->outcome != PASSED)
		return;
	if (how.n_failures != val_count(errors) || how.n_warnings != val_count(warnings)) {
		show(v, &how, arena_printf(v->arena, "%u errors, %u warnings", val_count(errors), val_count(warnings)));
		return;
	}
	for (uint32_t i = 0; i < val_count(errors); i++) {
		const struct cel_failure *f = how.failures;

		while (f && !is_expected(v, f, val_at(errors, i)))
			f = f->next;
		if (!f)
			show(v, &how, val_str(VAL_GET(val_at(errors, i), "message")));
	}
	for (uint32_t i = 0; i < val_count(warnings); i++) {
		const struct cel_failure *f = how.failures;

		while (f && !(f->warning && str_has_prefix(val_str(val_at(warnings, i)), as_warning(v, f)) &&
			      str_has_suffix(val_str(val_at(warnings, i)), f->message)))
			f = f->next;
		if (!f)
			show(v, &how, val_str(val_at(warnings, i)));
	}
	if (v->outcome == PASSED && val_exists(val_dig(line, "expect", "remaining_budget", NULL)) &&
	    how.budget != val_dig(line, "expect", "remaining_budget", NULL).i)
		verdict_failf(v, STR("the remaining budget"), "%lld", (long long)how.budget);
}

/* ---- the others ---- */

static void judge_compilation(val line, struct verdict *v)
{
	CLEANUP(cel_rules_freep) struct cel_rules *set = NULL;
	val rules = val_dig(line, "expect", "rules", NULL);
	struct err err;

	if (cel_rules_compile(VAL_GET(line, "schema"), (val){ 0 }, flag(line, "root"), v->limits, &set, &err) < 0) {
		verdict_failf(v, STR("a rule set"), "%s", err.msg);
		return;
	}
	for (uint32_t i = 0; i < val_count(rules) && v->outcome == PASSED; i++) {
		val e = val_at(rules, i);
		const struct cel_rule *r = cel_rules_at(set, i);
		str error = val_str(VAL_GET(e, "error")), message = val_str(VAL_GET(e, "messageExpression_error"));

		if (!r)
			verdict_failf(v, STR("a rule"), "none");
		else if (error.n ? str_find(r->error, error) < 0 : r->error.p != NULL)
			verdict_fail(v, error, r->error);
		else if (!error.n && flag(e, "transition") != r->transition)
			verdict_failf(v, r->rule, "transition");
		else if (message.n ? str_find(r->message_error, message) < 0 : r->message_error.p != NULL)
			verdict_fail(v, message, r->message_error);
		else if (error.n)
			verdict_error_text(v, val_str(VAL_GET(e, "detail")), r->error);
	}
}

static void judge_field_path(val line, struct verdict *v)
{
	const struct cel_schema *s;
	struct cel_where path = { .text = { "", 0 } };
	str expected = val_str(val_dig(line, "expect", "path", NULL));
	val error = val_dig(line, "expect", "error", NULL);
	struct err err = { 0 };
	int r = cel_schema_build(VAL_GET(line, "schema"), false, v->limits, v->arena, &s, &err);

	if (r == 0)
		r = cel_field_path(val_str(VAL_GET(line, "fieldPath")), s, v->arena, &path, &err);
	if (val_exists(error) && r == 0)
		verdict_fail(v, val_str(error), path.text);
	else if (val_exists(error))
		verdict_error_text(v, val_str(error),
				   str_find(str_from(err.msg), val_str(error)) >= 0 ? val_str(error)
										    : str_from(err.msg));
	else if (r < 0)
		verdict_fail(v, expected, str_from(err.msg));
	else
		verdict_text(v, expected, path.text);
}

static void judge_escaping(val line, struct verdict *v)
{
	str name = val_str(VAL_GET(line, "name")), escaped = val_str(VAL_GET(line, "escaped")), got;
	val malformed = VAL_GET(line, "malformed");

	if (val_exists(malformed)) {
		str text = val_is_string(malformed) ? val_str(malformed) : escaped;

		if (cel_unescape(text, v->arena, &got) > 0)
			verdict_fail(v, STR("malformed"), got);
		return;
	}
	if (val_exists(VAL_GET(line, "escapable")) && !flag(line, "escapable")) {
		if (cel_escape(name, v->arena, &got) > 0)
			verdict_fail(v, STR("not escapable"), got);
		return;
	}
	if (cel_escape(name, v->arena, &got) <= 0)
		verdict_fail(v, escaped, STR("not escapable"));
	else
		verdict_text(v, escaped, got);
	if (v->outcome == PASSED && (cel_unescape(got, v->arena, &got) <= 0 || !str_eq(got, name)))
		verdict_fail(v, name, got);
}

void judge_cel_rules(val line, struct verdict *v)
{
	if (val_exists(VAL_GET(line, "fieldPath")))
		judge_field_path(line, v);
	else if (!val_exists(VAL_GET(line, "schema")))
		judge_escaping(line, v);
	else if (val_exists(val_dig(line, "expect", "rules", NULL)))
		judge_compilation(line, v);
	else if (val_exists(VAL_GET(line, "valid")) || val_exists(VAL_GET(line, "errors")) ||
		 val_exists(VAL_GET(line, "costs")))
		judge_outside(line, v);
	else
		judge_inside(line, v);
}

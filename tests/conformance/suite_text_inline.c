/* text/inline: the inline diff functions. */
#include "suite_text.h"

#include "text/inline_diff.h"
#include "value/json.h"

#define OUT_MAX (16u << 20)

/* The result is the one of the line, or one of its <name>_any_of. */
static void expect_result(val call, str got, struct verdict *v)
{
	val any = VAL_GET(call, "result_any_of");

	for (uint32_t i = 0; i < val_count(any); i++) {
		if (str_eq(val_str(val_at(any, i)), got))
			return;
	}
	verdict_text(v, val_str(val_is_list(any) ? val_at(any, 0) : line_text(call, "result", v)), got);
}

static void expect_captured(val call, const struct inline_captures *caps, struct verdict *v)
{
	val want = VAL_GET(call, "captured");

	if (caps->groups.n != val_count(want)) {
		verdict_failf(v, STR("other captures"), "%zu groups", caps->groups.n);
		return;
	}
	for (size_t i = 0; i < caps->groups.n && v->outcome == PASSED; i++) {
		val values = val_get(want, caps->groups.p[i].name);

		if (val_count(values) != caps->groups.p[i].values.n)
			verdict_failf(v, caps->groups.p[i].name, "%zu values", caps->groups.p[i].values.n);
		for (uint32_t k = 0; k < val_count(values) && v->outcome == PASSED; k++)
			verdict_text(v, val_str(val_at(values, k)), caps->groups.p[i].values.p[k]);
	}
}

static void expect_groups(val call, str pattern, struct verdict *v)
{
	CLEANUP(buf_done) struct buf quoted = BUF_INIT(OUT_MAX);
	val want = VAL_GET(call, "groups");
	struct inline_groups groups;

	if (!val_is_list(want) || !inline_groups(pattern, &groups))
		return;
	if (groups.v.n != val_count(want))
		verdict_failf(v, STR("other groups"), "%zu groups", groups.v.n);
	for (uint32_t i = 0; i < val_count(want) && v->outcome == PASSED; i++) {
		val g = val_at(want, i);

		if (!str_eq(val_str(val_at(g, 0)), groups.v.p[i].name) ||
		    val_at(g, 1).i != (int64_t)groups.v.p[i].start || val_at(g, 2).i != (int64_t)groups.v.p[i].end)
			verdict_failf(v, val_str(val_at(g, 0)), "group %u differs", i);
	}
	inline_quote(pattern, &groups, &quoted);
	if (v->outcome == PASSED)
		verdict_text(v, val_str(VAL_GET(call, "quoted")), buf_str(&quoted));
	vec_done(&groups.v);
}

static void judge_call(val call, struct inline_captures *caps, struct verdict *v)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(OUT_MAX);
	str pattern = val_str(line_text(call, "template", v));
	enum inline_func func;
	struct err err;
	int r;

	if (!inline_func_from_name(val_str(VAL_GET(call, "func")), &func)) {
		verdict_fail(v, STR("a function"), val_str(VAL_GET(call, "func")));
		return;
	}
	r = inline_diff(func, pattern, val_str(line_text(call, "value", v)), v->limits, caps, &out, &err);
	if (val_exists(VAL_GET(call, "panic"))) {
		if (r == 0)
			verdict_fail(v, STR("an error"), buf_str(&out));
		return;
	}
	if (r < 0) {
		verdict_fail(v, STR("a result"), str_from(err.msg));
		return;
	}
	expect_result(call, buf_str(&out), v);
	expect_captured(call, caps, v);
	expect_groups(call, pattern, v);
}

static void judge_validation(val line, struct verdict *v)
{
	CLEANUP(buf_done) struct buf message = BUF_INIT(OUT_MAX);
	enum inline_func func;
	struct err err;

	if (!inline_func_from_name(val_str(VAL_GET(line, "func")), &func))
		return;
	if (inline_validate(func, val_str(line_text(line, "template", v)), v->limits, &message, &err) < 0)
		verdict_fail(v, STR("a validation"), str_from(err.msg));
	else if (v->outcome == PASSED)
		verdict_text(v, val_str(VAL_GET(line, "validate_error")), buf_str(&message));
}

static void judge_fields(val line, struct verdict *v)
{
	CLEANUP(buf_done) struct buf problems = BUF_INIT(OUT_MAX);
	CLEANUP(buf_done) struct buf want = BUF_INIT(OUT_MAX);
	CLEANUP(buf_done) struct buf got = BUF_INIT(OUT_MAX);
	val fields = VAL_GET(line, "fields"), out;
	struct inline_field list[64];
	uint32_t n = 0;
	struct err err;
	int r;

	for (; n < val_count(fields) && n < 64; n++) {
		list[n] = (struct inline_field){ 0 };
		list[n].path = val_str(VAL_GET(val_at(fields, n), "path"));
		if (!inline_func_from_name(val_str(VAL_GET(val_at(fields, n), "func")), &list[n].func))
			return;
	}
	r = inline_apply(list, n, VAL_GET(line, "template"), VAL_GET(line, "cluster"), v->limits, NULL, v->arena, &out,
			 &problems, &err);
	if (val_exists(VAL_GET(line, "panic"))) {
		if (r == 0)
			verdict_fail(v, STR("an error"), STR("a result"));
		return;
	}
	if (r < 0 || json_encode(VAL_GET(line, "template_out"), JSON_PLAIN, NULL, &want, &err) < 0 ||
	    json_encode(out, JSON_PLAIN, NULL, &got, &err) < 0) {
		verdict_fail(v, STR("a result"), str_from(err.msg));
		return;
	}
	verdict_text(v, buf_str(&want), buf_str(&got));
	if (v->outcome == PASSED)
		verdict_text(v, val_str(VAL_GET(line, "error")), buf_str(&problems));
}

void judge_inline(val line, struct verdict *v)
{
	struct inline_captures caps = { .arena = v->arena };
	str op = val_str(VAL_GET(line, "op"));
	val steps = VAL_GET(line, "steps");

	if (str_eq(op, STR("fields"))) {
		judge_fields(line, v);
	} else if (str_eq(op, STR("steps"))) {
		for (uint32_t i = 0; i < val_count(steps) && v->outcome == PASSED; i++)
			judge_call(val_at(steps, i), &caps, v);
	} else {
		judge_call(line, &caps, v);
		judge_validation(line, v);
	}
	inline_captures_done(&caps);
}

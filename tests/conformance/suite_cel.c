/* Judge of ../shared/conformance/cel: expressions (spec, k8slib) here, rules over schemas (k8s)
 * in suite_cel_rules.c. */
#include "suite_cel.h"

#include "base/number.h"
#include "go/zoneinfo.h"

#include <math.h>
#include <stdio.h>

/* ---- typed values -> values ---- */

struct reader {
	struct verdict *v;
	bool bad;
};

static cv read_value(struct reader *r, val v);

static cv by_function(struct reader *r, const char *function, str text)
{
	struct cel_env env = { .dialect = CEL_KUBERNETES };
	CLEANUP(cel_program_freep) struct cel_program *p = NULL;
	struct cel_run run = { .arena = r->v->arena, .limits = r->v->limits, .zones = &go_zoneinfo };
	str expr = arena_printf(r->v->arena, "%s('%.*s')", function, STR_ARG(text));
	struct err err;
	cv v;

	if (cel_compile(expr, &env, r->v->limits, &p, NULL, &err) < 0 || cel_evaluate(p, NULL, &run, &v, &err) < 0 ||
	    cv_is_error(v))
		r->bad = true;
	return r->bad ? cv_null() : v;
}

/* Values that one function makes from a text. What it makes must not point into the program. */
static bool read_by_function(struct reader *r, str kind, str text, cv *ret)
{
	static const char *const names[] = { "timestamp", "duration", "quantity", "ip", "cidr", "semver", "url" };

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		if (str_eq(kind, str_from(names[i]))) {
			/* The value is kept comparable as text: a program's constants die with it. */
			*ret = cv_string(text);
			if (i < 2)
				*ret = by_function(r, names[i], text);
			return true;
		}
	}
	return false;
}

static cv read_list(struct reader *r, val list)
{
	cv *items = arena_array(r->v->arena, val_count(list), sizeof(cv));

	for (uint32_t i = 0; items && i < val_count(list); i++)
		items[i] = read_value(r, val_at(list, i));
	return cv_list(items, val_count(list));
}

static cv read_map(struct reader *r, val pairs)
{
	struct cv_map *m = cv_map_new(r->v->arena, val_count(pairs));

	for (uint32_t i = 0; m && i < val_count(pairs); i++) {
		val pair = val_at(pairs, i);

		if (cv_map_put(r->v->arena, m, read_value(r, val_at(pair, 0)), read_value(r, val_at(pair, 1))) < 0)
			r->bad = true;
	}
	return cv_from_map(m);
}

static cv read_number(struct reader *r, str kind, str text)
{
	uint64_t u = 0;
	int64_t i;
	double d;

	if (str_eq(kind, STR("int"))) {
		r->bad |= !int64_parse(text, &i);
		return cv_int(i);
	}
	if (str_eq(kind, STR("uint"))) {
		for (size_t k = 0; k < text.n; k++)
			u = u * 10 + (uint64_t)(text.p[k] - '0');
		return cv_uint(u);
	}
	if (str_eq(text, STR("NaN")))
		return cv_double((double)NAN);
	if (str_has_suffix(text, STR("Infinity")))
		return cv_double(text.p[0] == '-' ? -(double)INFINITY : (double)INFINITY);
	r->bad |= !double_parse(text, &d);
	return cv_double(d);
}

static cv read_value(struct reader *r, val v)
{
	str kind = val_count(v) == 1 ? key_str(v.members[0].key) : (str){ "", 0 }, text, bytes;
	val content = val_count(v) == 1 ? v.members[0].value : (val){ 0 };
	cv ret;

	text = val_str(content);
	if (str_eq(kind, STR("int")) || str_eq(kind, STR("uint")) || str_eq(kind, STR("double")))
		return read_number(r, kind, text);
	if (str_eq(kind, STR("string")))
		return cv_string(text);
	if (str_eq(kind, STR("bytes"))) {
		r->bad |= !base64_decode(text, r->v->arena, &bytes);
		return cv_bytes(bytes);
	}
	if (str_eq(kind, STR("bool")))
		return cv_bool(content.b);
	if (str_eq(kind, STR("null")))
		return cv_null();
	if (str_eq(kind, STR("list")))
		return read_list(r, content);
	if (str_eq(kind, STR("map")))
		return read_map(r, content);
	if (str_eq(kind, STR("type")))
		return cv_type(text);
	if (str_eq(kind, STR("optional")))
		return val_is_null(content) ? cv_none() : cv_some(r->v->arena, read_value(r, content));
	if (read_by_function(r, kind, text, &ret))
		return ret;
	r->bad = true;
	return cv_null();
}

/* ---- comparing: strictly by kind ---- */

static bool matches(struct verdict *v, val expected, cv got);

static bool match_list(struct verdict *v, val list, cv got)
{
	if (got.kind != CV_LIST || cv_count(got) != val_count(list))
		return false;
	for (uint32_t i = 0; i < val_count(list); i++) {
		if (!matches(v, val_at(list, i), cv_item(v->arena, got, i)))
			return false;
	}
	return true;
}

static bool match_map(struct verdict *v, val pairs, cv got)
{
	if (got.kind != CV_MAP || cv_count(got) != val_count(pairs))
		return false;
	for (uint32_t i = 0; i < val_count(pairs); i++) {
		val pair = val_at(pairs, i);
		bool found = false;

		for (uint32_t k = 0; k < cv_count(got) && !found; k++) {
			cv key, value;

			cv_entry_at(v->arena, got, k, &key, &value);
			found = matches(v, val_at(pair, 0), key) && matches(v, val_at(pair, 1), value);
		}
		if (!found)
			return false;
	}
	return true;
}

static bool matches(struct verdict *v, val expected, cv got)
{
	struct reader r = { v, false };
	str kind = val_count(expected) == 1 ? key_str(expected.members[0].key) : (str){ "", 0 };
	val content = val_count(expected) == 1 ? expected.members[0].value : (val){ 0 };
	CLEANUP(buf_done) struct buf b = BUF_INIT(65536);
	cv want;

	if (str_eq(kind, STR("list")))
		return match_list(v, content, got);
	if (str_eq(kind, STR("map")))
		return match_map(v, content, got);
	if (str_eq(kind, STR("optional"))) {
		if (got.kind != CV_OPTIONAL)
			return false;
		return val_is_null(content) ? !got.ref : got.ref && matches(v, content, *got.ref);
	}
	if (got.kind >= CV_IP && got.kind <= CV_FORMAT) {
		cel_print(got, v->arena, &b);
		return str_eq(buf_str(&b),
			      arena_printf(v->arena, "%.*s(\"%.*s\")", STR_ARG(kind), STR_ARG(val_str(content))));
	}
	want = read_value(&r, expected);
	if (r.bad || want.kind != got.kind)
		return false;
	if (want.kind == CV_DOUBLE)
		return (isnan(want.d) && isnan(got.d)) || (want.d == got.d && signbit(want.d) == signbit(got.d));
	return cv_same(&(struct cel_work){ v->arena, 1000000 }, want, got);
}

/* ---- environments ---- */

static const struct cel_type *read_type(struct arena *a, val t)
{
	static const struct {
		const char *name;
		const struct cel_type *type;
	} names[] = {
		{ "int", &cel_type_int },
		{ "uint", &cel_type_uint },
		{ "double", &cel_type_double },
		{ "bool", &cel_type_bool },
		{ "string", &cel_type_string },
		{ "bytes", &cel_type_bytes },
		{ "null", &cel_type_null },
		{ "dyn", &cel_type_dyn },
		{ "any", &cel_type_dyn },
		{ "duration", &cel_type_duration },
		{ "timestamp", &cel_type_timestamp },
	};
	static const struct {
		const char *name;
		const char *type;
	} messages[] = {
		{ "google.protobuf.BoolValue", "b" },   { "google.protobuf.Int32Value", "i" },
		{ "google.protobuf.Int64Value", "i" },  { "google.protobuf.UInt32Value", "u" },
		{ "google.protobuf.UInt64Value", "u" }, { "google.protobuf.FloatValue", "d" },
		{ "google.protobuf.DoubleValue", "d" }, { "google.protobuf.StringValue", "s" },
		{ "google.protobuf.BytesValue", "y" },
	};
	const struct cel_type *params[3];
	val inner;

	for (size_t i = 0; val_is_string(t) && i < ARRAY_LEN(names); i++) {
		if (str_eq(val_str(t), str_from(names[i].name)))
			return names[i].type;
	}
	if (val_exists(inner = VAL_GET(t, "list")))
		return cel_type_list(a, read_type(a, inner));
	if (val_exists(inner = VAL_GET(t, "map")))
		return cel_type_map(a, read_type(a, val_at(inner, 0)), read_type(a, val_at(inner, 1)));
	if (val_exists(inner = VAL_GET(t, "optional")))
		return cel_type_optional(a, read_type(a, inner));
	if (val_exists(inner = VAL_GET(t, "wrapper")))
		return cel_type_wrapper(a, read_type(a, inner));
	if (val_exists(inner = VAL_GET(t, "type")))
		return cel_type_of(a, read_type(a, inner));
	if (val_exists(inner = VAL_GET(t, "param")))
		return cel_type_param(a, val_str(inner));
	if (val_exists(inner = VAL_GET(t, "abstract"))) {
		val list = VAL_GET(t, "params");

		for (uint32_t i = 0; i < val_count(list) && i < 3; i++)
			params[i] = read_type(a, val_at(list, i));
		return cel_type_opaque(a, val_str(inner), params, val_count(list));
	}
	inner = VAL_GET(t, "message");
	for (size_t i = 0; i < ARRAY_LEN(messages); i++) {
		const char *at = messages[i].type;

		if (str_eq(val_str(inner), str_from(messages[i].name)))
			return cel_type_wrapper(a, cel_type_read(a, &at));
	}
	return &cel_type_dyn;
}

#define ENV_MAX 32

struct case_env {
	struct cel_env env;
	struct cel_variable variables[ENV_MAX];
	struct cel_declared_function functions[ENV_MAX];
	cv values[ENV_MAX];
};

static void read_env(val line, struct verdict *v, enum cel_dialect dialect, struct case_env *e)
{
	val types = VAL_GET(line, "type_env"), bindings = VAL_GET(line, "bindings");
	struct reader r = { v, false };

	*e = (struct case_env){ .env = { .dialect = dialect } };
	e->env.container = val_str(VAL_GET(line, "container"));
	e->env.unchecked = VAL_GET(line, "disable_check").b;
	e->env.variables = e->variables;
	e->env.functions = e->functions;
	for (uint32_t i = 0; i < val_count(types) && i < ENV_MAX; i++) {
		val t = val_at(types, i), overloads = VAL_GET(t, "function");
		str name = val_str(VAL_GET(t, "name"));

		for (uint32_t k = 0; k < val_count(overloads) && e->env.n_functions < ENV_MAX; k++) {
			val o = val_at(overloads, k), params = VAL_GET(o, "params");
			struct cel_declared_function *f = &e->functions[e->env.n_functions++];

			f->name = name;
			f->member = VAL_GET(o, "instance").b;
			f->signature.result = read_type(v->arena, VAL_GET(o, "result"));
			for (uint32_t p = 0; p < val_count(params) && p < 8; p++)
				f->signature.params[f->signature.n++] = read_type(v->arena, val_at(params, p));
		}
		if (val_count(overloads))
			continue;
		e->variables[e->env.n_variables] =
			(struct cel_variable){ name, read_type(v->arena, VAL_GET(t, "type")) };
		e->values[e->env.n_variables] = (cv){ .kind = CV_ERROR };
		if (val_exists(val_get(bindings, name)))
			e->values[e->env.n_variables] = read_value(&r, val_get(bindings, name));
		e->env.n_variables++;
	}
	for (uint32_t i = 0; i < val_count(bindings) && e->env.n_variables < ENV_MAX; i++) {
		str name = key_str(bindings.members[i].key);
		bool known = false;

		for (uint32_t k = 0; k < e->env.n_variables; k++)
			known |= str_eq(e->variables[k].name, name);
		if (known)
			continue;
		e->variables[e->env.n_variables] = (struct cel_variable){ name, &cel_type_dyn };
		e->values[e->env.n_variables++] = read_value(&r, bindings.members[i].value);
	}
}

/* ---- judging ---- */

struct outcome_of {
	bool compiled;
	cv value;
	str text; /* of the mistakes, the error or the value */
	str type;
};

static void run(val line, struct verdict *v, enum cel_dialect dialect, struct cel_program **p, struct outcome_of *o)
{
	CLEANUP(buf_done) struct buf issues = BUF_INIT(65536), text = BUF_INIT(65536), type = BUF_INIT(4096);
	struct cel_run how = {
		.arena = v->arena, .limits = v->limits, .zones = &go_zoneinfo, .cost_limit = UINT64_MAX
	};
	struct case_env *e = arena_alloc(v->arena, sizeof(*e));
	struct err err = { 0 };

	read_env(line, v, dialect, e);
	o->compiled = cel_compile(val_str(VAL_GET(line, "expr")), &e->env, v->limits, p, &issues, &err) == 0;
	if (!o->compiled) {
		o->text = arena_str(v->arena, issues.n ? buf_str(&issues) : str_from(err.msg));
		return;
	}
	cel_type_format(cel_program_type(*p), &type);
	o->type = arena_str(v->arena, buf_str(&type));
	if (VAL_GET(line, "check_only").b)
		return;
	if (cel_evaluate(*p, e->values, &how, &o->value, &err) < 0)
		o->value = cv_error(&cel_error_memory);
	cel_print(o->value, v->arena, &text);
	o->text = arena_str(v->arena, buf_str(&text));
}

static void expect_error(const char *where, const struct outcome_of *o, val texts, struct verdict *v)
{
	str text = val_is_list(texts) ? val_str(val_at(texts, 0)) : val_str(texts);

	if (o->compiled && !cv_is_error(o->value)) {
		verdict_failf(v, STR("an error"), "%s: %.*s", where, STR_ARG(o->text));
		return;
	}
	verdict_error_text(v, text, str_find(o->text, text) >= 0 ? text : o->text);
}

static void expect_value(const char *where, const struct outcome_of *o, val value, struct verdict *v)
{
	CLEANUP(buf_done) struct buf b = BUF_INIT(65536);
	struct err err;

	if (o->compiled && !cv_is_error(o->value) && matches(v, value, o->value))
		return;
	if (json_encode(value, JSON_PLAIN, NULL, &b, &err) < 0)
		buf_clear(&b);
	verdict_failf(v, buf_str(&b), "%s: %s%.*s", where, o->compiled ? "" : "not compiled: ", STR_ARG(o->text));
}

static void expect_type(const struct outcome_of *o, val type, struct verdict *v)
{
	CLEANUP(buf_done) struct buf b = BUF_INIT(4096);

	cel_type_format(read_type(v->arena, type), &b);
	if (!o->compiled)
		verdict_fail(v, buf_str(&b), o->text);
	else
		verdict_text(v, buf_str(&b), o->type);
}

/* What Kubernetes makes of a case: as stated, unless the line says otherwise. */
static void judge_in_kubernetes(val line, struct verdict *v)
{
	CLEANUP(cel_program_freep) struct cel_program *p = NULL;
	val k8s = VAL_GET(line, "k8s"), value = VAL_GET(line, "value");
	struct outcome_of o = { 0 };

	run(line, v, CEL_KUBERNETES, &p, &o);
	if (val_exists(VAL_GET(k8s, "value")))
		expect_value("kubernetes", &o, VAL_GET(k8s, "value"), v);
	else if (val_exists(VAL_GET(k8s, "error"))) {
		if (!(VAL_GET(line, "check_only").b && o.compiled))
			expect_error("kubernetes", &o, (val){ 0 }, v);
	} else if (val_exists(value))
		expect_value("kubernetes", &o, value, v);
	else if (val_exists(VAL_GET(line, "error")))
		expect_error("kubernetes", &o, VAL_GET(line, "error"), v);
}

static void judge_spec(val line, struct verdict *v)
{
	CLEANUP(cel_program_freep) struct cel_program *p = NULL;
	val typed = VAL_GET(line, "typed_result");
	struct outcome_of o = { 0 };

	run(line, v, CEL_STANDARD, &p, &o);
	if (val_exists(typed)) {
		expect_type(&o, VAL_GET(typed, "type"), v);
		if (val_exists(VAL_GET(typed, "value")) && v->outcome == PASSED)
			expect_value("standard", &o, VAL_GET(typed, "value"), v);
	} else if (val_exists(VAL_GET(line, "value"))) {
		expect_value("standard", &o, VAL_GET(line, "value"), v);
	} else {
		expect_error("standard", &o, VAL_GET(line, "error"), v);
	}
	/* Kubernetes always checks: what happens unchecked is only told where it differs in its value. */
	if (v->outcome == PASSED &&
	    (!VAL_GET(line, "disable_check").b || val_exists(val_dig(line, "k8s", "value", NULL))))
		judge_in_kubernetes(line, v);
}

static void judge_library(val line, struct verdict *v)
{
	CLEANUP(cel_program_freep) struct cel_program *p = NULL;
	struct outcome_of o = { 0 };

	run(line, v, CEL_KUBERNETES, &p, &o);
	if (val_exists(VAL_GET(line, "value")))
		expect_value("kubernetes", &o, VAL_GET(line, "value"), v);
	else
		expect_error("kubernetes", &o,
			     val_exists(VAL_GET(line, "error")) ? VAL_GET(line, "error")
								: VAL_GET(line, "compile_error"),
			     v);
}

/* A line of the language's own tests. One that has none of their fields says what holds in Kubernetes, whichever folder
 * it is from. */
static bool is_spec(val line)
{
	static const char *const fields[] = { "typed_result", "container", "disable_macros", "disable_check",
					      "check_only",   "type_env",  "bindings",       "k8s",
					      "cel_go",       "wkt" };

	for (size_t i = 0; i < ARRAY_LEN(fields); i++) {
		if (val_exists(val_get(line, str_from(fields[i]))))
			return true;
	}
	return val_is_list(VAL_GET(line, "error"));
}

void judge_cel(val line, struct verdict *v)
{
	if (VAL_GET(line, "needs_proto").b) {
		verdict_skip(v, "needs protobuf messages");
		return;
	}
	if (!val_exists(VAL_GET(line, "expr")))
		judge_cel_rules(line, v);
	else if (is_spec(line))
		judge_spec(line, v);
	else
		judge_library(line, v);
}

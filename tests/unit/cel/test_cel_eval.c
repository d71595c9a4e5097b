/* What an evaluation may cost and allocate, and where its errors are. What expressions mean is in
 * tests/data/cel/triples. */
#include "cel/cel.h"

#include "value/json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

static const char object_text[] = "{\"n\":3,\"d\":1.5,\"s\":\"text\",\"l\":[1,2,3],\"m\":{\"a\":1},\"nil\":null}";

static str run(str expr, val self, struct arena *a, const struct limits *lim)
{
	struct cel_variable var = { STR("self"), &cel_type_dyn };
	struct cel_env env = { .dialect = CEL_KUBERNETES, .variables = &var, .n_variables = 1 };
	CLEANUP(cel_program_freep) struct cel_program *p = NULL;
	CLEANUP(buf_done) struct buf text = BUF_INIT(1u << 20);
	struct cel_run how = { .arena = a, .limits = lim };
	struct err err = { 0 };
	cv in = cel_value(a, self, NULL), out;

	if (cel_compile(expr, &env, lim, &p, &text, &err) == 0) {
		assert_int_equal(cel_evaluate(p, &in, &how, &out, &err), 0);
		cel_print(out, a, &text);
	}
	return arena_str(a, buf_str(&text));
}

/* The value of an expression that compiles. Its errors need the program no more. */
static cv run_value(str expr, val self, struct arena *a, const struct limits *lim)
{
	struct cel_variable var = { STR("self"), &cel_type_dyn };
	struct cel_env env = { .dialect = CEL_KUBERNETES, .variables = &var, .n_variables = 1 };
	CLEANUP(cel_program_freep) struct cel_program *p = NULL;
	struct cel_run how = { .arena = a, .limits = lim, .places = true };
	struct err err;
	cv in = cel_value(a, self, NULL), out;

	assert_int_equal(cel_compile(expr, &env, lim, &p, NULL, &err), 0);
	assert_int_equal(cel_evaluate(p, &in, &how, &out, &err), 0);
	return out;
}

/* Nothing is allocated by an evaluation that builds no value: the arena is never touched. */
static void test_no_allocation(void **state)
{
	struct limits lim = LIMITS_DEFAULT;
	struct json_options o = { .limits = &lim };
	struct cel_variable var = { STR("self"), &cel_type_dyn };
	struct cel_env env = { .dialect = CEL_KUBERNETES, .variables = &var, .n_variables = 1 };
	CLEANUP(cel_program_freep) struct cel_program *p = NULL;
	CLEANUP(doc_unrefp) struct doc *doc = NULL;
	struct arena a;
	struct cel_run how = { .arena = &a, .limits = &lim };
	struct err err;
	cv in, out;

	(void)state;
	assert_int_equal(json_decode(str_from(object_text), &o, &doc, &err), 0);
	assert_int_equal(
		cel_compile(STR("self.n <= 5 && self.l.all(x, x > 0) && self.s.startsWith('te') && 'a' in self.m"),
			    &env, &lim, &p, NULL, &err),
		0);
	arena_init(&a, 0, 0);
	in = cel_value(&a, doc->root, NULL);
	assert_int_equal(cel_evaluate(p, &in, &how, &out, &err), 0);
	assert_true(cv_is_true(out));
	assert_null(a.blocks);
	arena_done(&a);
}

static str chain(struct arena *a, int operators)
{
	CLEANUP(buf_done) struct buf b = BUF_INIT(1u << 20);

	buf_add_cstr(&b, "true");
	for (int i = 0; i < operators; i++)
		buf_add_cstr(&b, " == true");
	return arena_str(a, buf_str(&b));
}

static void test_recursion_limit(void **state)
{
	struct limits lim = LIMITS_DEFAULT;
	struct arena a;

	(void)state;
	arena_init(&a, 0, 0);
	assert_true(str_eq(run(chain(&a, 249), val_null(), &a, &lim), STR("true")));
	assert_true(str_find(run(chain(&a, 250), val_null(), &a, &lim), STR("max recursion depth exceeded")) >= 0);
	arena_done(&a);
}

/* A rule that would run for ever ends at its limit, and nothing absorbs that. */
static void test_cost_limit(void **state)
{
	struct limits lim = LIMITS_DEFAULT;
	struct arena a;
	str got;

	(void)state;
	arena_init(&a, 0, 0);
	got = run(STR("lists.range(1000).all(a, lists.range(1000).all(b, lists.range(1000).all(c, a + b + c >= 0))) || "
		      "true"),
		  val_null(), &a, &lim);
	assert_true(str_find(got, STR("actual cost limit exceeded")) >= 0);
	arena_done(&a);
}

/* Where an error arose, however far out it is seen. That all of it costs too much is no fault of one place. */
static void test_error_places(void **state)
{
	static const struct {
		const char *expr, *said;
	} cases[] = {
		{ "1 / 0", "ERROR: <input>:1:3: division by zero\n | 1 / 0\n | ..^" },
		{ "self.m.b.c", "ERROR: <input>:1:7: no such key: b\n | self.m.b.c\n | ......^" },
		{ "true &&\n  self.l[3] > 0",
		  "ERROR: <input>:2:9: index out of bounds: 3\n |   self.l[3] > 0\n | ........^" },
		{ "'é' + self.n", "ERROR: <input>:1:5: no such overload\n | 'é' + self.n\n | .．..^" },
		{ "self.l.map(x, 6 / (x - 2))",
		  "ERROR: <input>:1:17: division by zero\n | self.l.map(x, 6 / (x - 2))\n | ................^" },
		{ "self.nope || 1 / 0 > 0",
		  "ERROR: <input>:1:5: no such key: nope\n | self.nope || 1 / 0 > 0\n | ....^" },
		{ "self.l.map(x, x + 'a')",
		  "ERROR: <input>:1:17: no such overload\n | self.l.map(x, x + 'a')\n | ................^" },
		{ "duration(self.s)", "ERROR: <input>:1:9: " },
		{ "lists.range(100000).all(x, lists.range(1000).all(y, x + y >= 0))", "operation cancelled: " },
	};
	struct limits lim = LIMITS_DEFAULT;
	struct json_options o = { .limits = &lim };
	CLEANUP(doc_unrefp) struct doc *doc = NULL;
	struct err err;

	(void)state;
	assert_int_equal(json_decode(str_from(object_text), &o, &doc, &err), 0);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(buf_done) struct buf said = BUF_INIT(1u << 20);
		struct arena a;
		cv out;

		arena_init(&a, 0, 0);
		out = run_value(str_from(cases[i].expr), doc->root, &a, &lim);
		assert_true(cv_is_error(out));
		cel_error_format(out.err, str_from(cases[i].expr), &said);
		if (!str_has_prefix(buf_str(&said), str_from(cases[i].said)))
			fail_msg("%s: %.*s", cases[i].expr, STR_ARG(buf_str(&said)));
		arena_done(&a);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_error_places),
		cmocka_unit_test(test_no_allocation),
		cmocka_unit_test(test_recursion_limit),
		cmocka_unit_test(test_cost_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The file of built-in rules: the place of every mistake, and the uuids that rules get. */
#include "rules/inspection/insp_builtin.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const struct limits limits = LIMITS_DEFAULT;

static const struct {
	const char *text, *problems;
} cases[] = {
	{ "", "f:1:1: should contain a list of rules" },
	{ "a: 1\n", "f:1:1: should contain a list of rules" },
	{ "- actions: [{op: fail, args: [m]}]\n---\n- {}\n",
	  "f: more than one document; it should contain a list of rules" },
	{ "- - 1\n- 2\n", "f:1:3: a rule must be a map\nf:2:3: a rule must be a map" },
	{ "\n- priority: high\n  scope: [x]\n  color: red\n  actions: []\n",
	  "f:2:3: unknown field 'color'\nf:2:13: priority must be an integer\nf:3:10: scope must be a string or null\n"
	  "f:5:12: actions must not be empty" },
	{ "- conditions:\n  - op: eq\n    args: [1, 1]\n  - op: '!!eq'\n    args: 5\n    loop: x\n    multiple: most\n"
	  "  phase: early\n  actions:\n  - {op: add-trait, args: {nam: x}}\n",
	  "f:4:9: conditions[1]: multiple exclamation marks are not allowed\n"
	  "f:5:11: conditions[1]: args must be either a list or a map\n"
	  "f:6:11: conditions[1]: loop must be a list, a map or a single replacement field\n"
	  "f:7:15: conditions[1]: invalid multiple: it is any, all, first or last\n"
	  "f:10:10: actions[0]: action 'add-trait' is not available in the early phase\n"
	  "f:10:27: actions[0]: unexpected argument(s): nam\n"
	  "f:10:27: actions[0]: missing required argument(s): name" },
	{ "- {uuid: Abc, actions: [{op: fail, args: [m]}]}\n- {uuid: aBC, actions: [{op: fail, args: [m]}]}\n",
	  "f:2:10: another rule has the same uuid" },
	{ "- {uuid: 00000000-0000-0000-0000-000000000000, actions: [{op: fail, args: [m]}]}\n"
	  "- actions: [{op: fail, args: [m]}]\n",
	  "f:2:3: another rule has the same uuid" },
};

static void test_mistakes(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct problems problems = { 0 };
		struct insp_builtins b = { 0 };
		CLEANUP(freep) char *text = NULL;
		struct err err;

		assert_int_equal(insp_builtins_parse(str_from(cases[i].text), "f", &limits, &b, &problems, &err),
				 -EINVAL);
		text = problems_text(&problems);
		assert_string_equal(text, cases[i].problems);
		problems_done(&problems);
	}
}

static void test_uuids(void **state)
{
	static const char text[] = "- {priority: -7, actions: [{op: fail, args: [m]}]}\n"
				   "- {uuid: named, phase: null, actions: [{op: fail, args: [m]}]}\n"
				   "- {uuid: null, actions: [{op: fail, args: [m]}]}\n";
	static const char *const uuids[] = { "00000000-0000-0000-0000-000000000000", "named",
					     "00000000-0000-0000-0000-000000000001" };
	struct problems problems = { 0 };
	struct insp_builtins b;
	struct err err;

	(void)state;
	assert_int_equal(insp_builtins_parse(STR(text), "f", &limits, &b, &problems, &err), 0);
	assert_int_equal(b.rules.n, ARRAY_LEN(uuids));
	for (size_t i = 0; i < ARRAY_LEN(uuids); i++) {
		assert_true(str_eq(b.rules.p[i]->uuid, str_from(uuids[i])));
		assert_true(str_eq(val_str(VAL_GET(b.rules.p[i]->source, "uuid")), str_from(uuids[i])));
	}
	assert_int_equal(b.rules.p[0]->priority, -7);
	assert_int_equal(b.rules.p[1]->phase, INSP_MAIN);
	insp_builtins_done(&b);
	problems_done(&problems);
}

/* The uuids of the first file, of the second, and of both. */
static const struct {
	const char *first, *second, *uuids;
} files[] = {
	{ "[{actions: [{op: fail, args: [a]}]}]",
	  "[{actions: [{op: fail, args: [b]}]}, {uuid: x, actions: [{op: fail, args: [c]}]}]",
	  "000000000000 000000000001 x " },
	{ "[{uuid: x, actions: [{op: fail, args: [a]}]}]",
	  "[{uuid: X, actions: [{op: fail, args: [b]}]}, {actions: [{op: fail, args: [c]}]}]", "x 000000000000 " },
	{ "[{uuid: 00000000-0000-0000-0000-000000000000, actions: [{op: fail, args: [a]}]}]",
	  "[{actions: [{op: fail, args: [b]}]}]", "000000000000 000000000001 " },
	{ "[]", "[]", "" },
};

static void test_several(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(files); i++) {
		CLEANUP(buf_done) struct buf uuids = BUF_INIT(1000);
		struct problems problems = { 0 };
		struct insp_builtins b, more;
		struct err err;

		assert_int_equal(insp_builtins_parse(str_from(files[i].first), "f", &limits, &b, &problems, &err), 0);
		assert_int_equal(insp_builtins_parse(str_from(files[i].second), "g", &limits, &more, &problems, &err),
				 0);
		assert_int_equal(insp_builtins_add(&b, &more, &err), 0);
		for (size_t k = 0; k < b.rules.n; k++) {
			str uuid = b.rules.p[k]->uuid;

			buf_printf(&uuids, "%.*s ", STR_ARG(str_sub(uuid, uuid.n > 12 ? uuid.n - 12 : 0, uuid.n)));
		}
		buf_add(&uuids, "", 0);
		assert_string_equal(uuids.n ? uuids.p : "", files[i].uuids);
		insp_builtins_done(&b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_mistakes),
		cmocka_unit_test(test_uuids),
		cmocka_unit_test(test_several),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

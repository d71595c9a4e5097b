/* What may be said of a failure over values that may not be shown. */
#include "rules/failure_text.h"

#include "value/json.h"
#include "value/path.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const struct limits limits = LIMITS_DEFAULT;

static struct doc *decode(const char *json)
{
	const struct json_options o = { .limits = &limits };
	struct doc *d = NULL;
	struct err err;

	assert_int_equal(json_decode(str_from(json), &o, &d, &err), 0);
	return d;
}

/* Where it is, what is there or what was: one of them is enough. */
static void what_hides(void **state)
{
	static const struct {
		const char *path, *value, *old; /* old NULL: none is known */
		bool hides;
	} cases[] = {
		{ "spec.size", "2", "3", false },
		{ "spec.size", "2", NULL, false },
		{ "spec.password", "\"abcd\"", NULL, true },
		{ "other", "{\"size\":2,\"password\":\"abcd\"}", NULL, true },
		{ "other", "{\"size\":2}", "{\"size\":2,\"password\":\"abcd\"}", true },
		{ "other", "{\"size\":2}", "{\"size\":3}", false },
		{ "spec.password", "2", "3", true },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(doc_unrefp)
		struct doc *object = decode("{\"spec\":{\"size\":2,\"password\":\"abcd\"},\"other\":{}}");
		CLEANUP(doc_unrefp) struct doc *value = decode(cases[i].value);
		CLEANUP(doc_unrefp) struct doc *old = cases[i].old ? decode(cases[i].old) : NULL;
		CLEANUP(arena_done) struct arena a = ARENA_INIT(0);
		struct cel_failure f = { .value = value->root, .old = old ? old->root : (val){ 0 } };

		assert_true(path_parse(str_from(cases[i].path), &a, &f.path.at));
		if (failure_hides(NULL, object->root, &f) != cases[i].hides)
			fail_msg("case %zu", i);
	}
}

static void messages(void **state)
{
	static const struct cel_rule fixed = { .rule = { " self < 3 ", 10 }, .message = { " too large ", 11 } };
	static const struct cel_rule bare = { .rule = { "\tself < 3\n", 10 } };
	static const struct {
		const struct cel_rule *rule;
		int kind;
		bool hidden;
		const char *says;
	} cases[] = {
		{ &fixed, CEL_FAILED, false, "it says" },
		{ &fixed, CEL_FAILED, true, "too large" },
		{ &bare, CEL_FAILED, true, "failed rule: self < 3" },
		{ NULL, CEL_FAILED, true, "failed rule: " },
		{ &fixed, CEL_COST, true, "it says" },
		{ &fixed, CEL_COMPILE, true, "it says" },
		{ &fixed, CEL_RUNTIME, false, "it says" },
		{ &fixed, CEL_RUNTIME, true, "the evaluation failed (the error is hidden) evaluating rule: too large" },
		{ &bare, CEL_RUNTIME, true, "the evaluation failed (the error is hidden) evaluating rule: self < 3" },
	};
	CLEANUP(arena_done) struct arena a = ARENA_INIT(0);

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const struct cel_failure f = { .rule = cases[i].rule,
					       .kind = (uint8_t)cases[i].kind,
					       .message = STR("it says") };
		str says = failure_message(&f, cases[i].hidden, &a);

		if (!str_eq(says, str_from(cases[i].says)))
			fail_msg("case %zu: %.*s", i, STR_ARG(says));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(what_hides), cmocka_unit_test(messages) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}

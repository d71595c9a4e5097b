/* What a verdict saw: objects that are the same to it have the same verdict, and a change of what is not named is none.
 */
#include "compare/read_set.h"

#include "value/json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct limits limits = LIMITS_DEFAULT;

static val parse(const char *text, struct arena *a)
{
	struct json_options o = { .limits = &limits };
	size_t used;
	struct err err;
	val v;

	assert_int_equal(json_decode_value(str_from(text), &o, a, &v, &used, &err), 0);
	return v;
}

static void test_cases(void **state)
{
	static const struct {
		const char *rendered, *before, *after;
		bool same;
	} cases[] = {
		{ "{\"a\":1}", "{\"a\":1,\"c\":1}", "{\"a\":1,\"b\":2}", true },
		{ "{\"a\":1}", "{\"a\":1}", "{\"a\":1,\"b\":2}", false }, /* omitting may remove what holds no more */
		{ "{\"a\":1}", "{\"a\":1}", "{\"a\":2}", false },
		{ "{\"a\":1}", "{\"b\":1}", "{\"b\":2,\"c\":0}", true },
		{ "{\"a\":{\"x\":1}}", "{\"a\":{\"x\":1,\"y\":1}}", "{\"a\":{\"x\":1,\"y\":2,\"0\":3}}", true },
		{ "{\"a\":{\"x\":1}}", "{\"a\":{\"y\":1}}", "{\"a\":{\"z\":2}}", true },
		{ "{\"a\":{\"x\":1}}", "{\"a\":{\"y\":1}}", "{\"a\":{}}", false },
		{ "{\"a\":{\"x\":1}}", "{\"a\":{\"y\":1}}", "{}", false },
		{ "{\"a\":{\"x\":1}}", "{\"a\":{\"y\":1}}", "{\"a\":null}", false },
		{ "{\"a\":{\"x\":1}}", "{\"a\":[1]}", "{\"a\":[2]}", false },
		{ "{\"a\":{}}", "{\"a\":{\"y\":1}}", "{\"a\":{\"y\":2}}", true },
		{ "{\"a\":null}", "{\"a\":{\"y\":1}}", "{\"a\":{\"y\":2}}", false },
		{ "{\"a\":[{\"name\":\"x\"}]}", "{\"a\":[{\"name\":\"x\",\"y\":1}]}",
		  "{\"a\":[{\"name\":\"x\",\"y\":2}]}", false },
		{ "{\"a\":1}", "{\"a\":1}", "{\"a\":1.0}", false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		CLEANUP(arena_done) struct arena a = ARENA_INIT(0);
		struct read_part named = { READS_NAMED, ref_names(parse(cases[i].rendered, &a), NULL, &a), 0 };
		val before = parse(cases[i].before, &a), after = parse(cases[i].after, &a);

		if ((read_set_hash(&named, before) == read_set_hash(&named, after)) != cases[i].same)
			fail_msg("%s: %s and %s", cases[i].rendered, cases[i].before, cases[i].after);
		assert_false(read_set_hash(&(struct read_part){ .scope = READS_ALL }, before) ==
			     read_set_hash(&(struct read_part){ .scope = READS_ALL }, after));
		assert_true(read_set_hash(&(struct read_part){ .scope = READS_NOTHING }, before) ==
			    read_set_hash(&(struct read_part){ .scope = READS_NOTHING }, after));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_cases) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Files of event rules: what no example shows. The mistakes are in tests/data/rules/triples. */
#include "rules/event_set.h"

#include "base/buf.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const struct limits defaults = LIMITS_DEFAULT;

/* "rules" with @n of them. */
static struct buf file_of(size_t n)
{
	struct buf b = BUF_INIT(1u << 20);

	buf_add_cstr(&b, "rules:\n");
	for (size_t i = 0; i < n; i++)
		buf_printf(&b, "- {type: allow, path: a.b%zu}\n", i);
	return b;
}

static void test_too_many_rules(void **state)
{
	CLEANUP(buf_done) struct buf most = file_of(EVENT_SET_RULES_MAX), more = file_of(EVENT_SET_RULES_MAX + 1);
	CLEANUP(event_set_freep) struct event_set *s = NULL, *none = NULL;
	CLEANUP(problems_done) struct problems problems = { 0 };
	struct err err;

	(void)state;
	assert_int_equal(event_set_parse(buf_str(&most), "f", &defaults, &s, &problems, &err), 0);
	assert_int_equal(s->n, EVENT_SET_RULES_MAX);
	assert_int_equal(event_set_parse(buf_str(&more), "f", &defaults, &none, &problems, &err), -EINVAL);
	assert_null(none);
	assert_int_equal(problems.list.n, 1);
	assert_string_equal(problems.list.p[0], "f:10002:3: more than 10000 rules");
}

/* Any amount is too little, or enough. */
static void test_without_memory(void **state)
{
	str text = STR("rules:\n- {type: allow, path: 'a.{\"b\", c}.@', names: [x], labels: a=b}\n");
	struct limits limits = defaults;
	int r = -ENOMEM;

	(void)state;
	for (limits.arena_bytes = 64; r < 0; limits.arena_bytes += 64) {
		CLEANUP(event_set_freep) struct event_set *s = NULL;
		CLEANUP(problems_done) struct problems problems = { 0 };
		struct err err;

		r = event_set_parse(text, "f", &limits, &s, &problems, &err);
		assert_true(r == 0 || r == -ENOMEM);
		assert_int_equal(r == 0, s != NULL);
		assert_true(limits.arena_bytes < 1u << 20);
	}
}

static void test_a_file(void **state)
{
	CLEANUP(event_set_freep) struct event_set *s = NULL;
	CLEANUP(problems_done) struct problems problems = { 0 };
	struct err err;

	(void)state;
	assert_int_equal(event_set_load(TEST_DATA "/absent.yaml", &defaults, &s, &problems, &err), -EINVAL);
	assert_null(s);
	assert_int_equal(problems.list.n, 1);
	assert_non_null(strstr(problems.list.p[0], "absent.yaml"));
}

/* The text decides, not where it stands. */
static void test_content(void **state)
{
	static const char *const texts[] = { "rules: [{type: allow, path: a}]", "rules: [{type: allow, path: b}]" };
	CLEANUP(event_set_freep) struct event_set *a = NULL, *again = NULL, *b = NULL;
	CLEANUP(problems_done) struct problems problems = { 0 };
	struct err err;

	(void)state;
	assert_int_equal(event_set_parse(str_from(texts[0]), "f", &defaults, &a, &problems, &err), 0);
	assert_int_equal(event_set_parse(str_from(texts[0]), "g", &defaults, &again, &problems, &err), 0);
	assert_int_equal(event_set_parse(str_from(texts[1]), "f", &defaults, &b, &problems, &err), 0);
	assert_true(a->content == again->content);
	assert_true(a->content != b->content);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_too_many_rules),
		cmocka_unit_test(test_without_memory),
		cmocka_unit_test(test_a_file),
		cmocka_unit_test(test_content),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The rules that an object violates: each is found by all that it is, however many there are. */
#include "daemon/watch/rules/open_rules.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#define RULES 100 /* the table grows several times */

static str numbered(char *text, size_t size, const char *word, size_t i)
{
	return (str){ text, (size_t)snprintf(text, size, "%s%zu", word, i) };
}

static void add(struct open_rules *x, bool costly, enum rule_source source, const char *rule, const char *path,
		const char *acceptance)
{
	assert_true(open_rules_add(x, costly, source, str_from(rule), str_from(path), acceptance));
}

static void test_each_is_found(void **state)
{
	struct open_rules *x = calloc(1, sizeof(*x));
	char rule[32], path[32];

	(void)state;
	assert_non_null(x);
	assert_null(open_rules_find(NULL, false, RULES_OF_CRD, STR("r"), STR("p")));
	assert_null(open_rules_find(x, false, RULES_OF_CRD, STR("r"), STR("p")));
	for (size_t i = 0; i < RULES; i++)
		assert_true(open_rules_add(x, i % 2, RULES_OF_CRD, numbered(rule, sizeof(rule), "r", i),
					   numbered(path, sizeof(path), "p", i / 3), i == 7 ? "a-7" : ""));
	assert_int_equal(x->list.n, RULES);
	for (size_t i = 0; i < RULES; i++) {
		str r = numbered(rule, sizeof(rule), "r", i), p = numbered(path, sizeof(path), "p", i / 3);

		assert_ptr_equal(open_rules_find(x, i % 2, RULES_OF_CRD, r, p), &x->list.p[i]);
		assert_string_equal(x->list.p[i].acceptance, i == 7 ? "a-7" : "");
		assert_null(open_rules_find(x, !(i % 2), RULES_OF_CRD, r, p));
		assert_null(open_rules_find(x, i % 2, RULES_OF_FILE, r, p));
		assert_null(open_rules_find(x, i % 2, RULES_OF_CRD, r, STR("p")));
	}
	assert_null(open_rules_find(x, false, RULES_OF_CRD, STR("r"), STR("p0")));
	open_rules_free(x);
	open_rules_free(NULL);
}

/* One that has moved is found where it is now, and only there; the others stay. */
static void test_moved(void **state)
{
	struct open_rules *x = calloc(1, sizeof(*x));

	(void)state;
	assert_non_null(x);
	add(x, false, RULES_OF_CRD, "r", "list[0]", "");
	add(x, false, RULES_OF_CRD, "r", "list[1]", "a");
	add(x, true, RULES_OF_FILE, "s", "list[1]", "");
	assert_true(open_rules_move(x, 1, STR("list[2]")));
	assert_null(open_rules_find(x, false, RULES_OF_CRD, STR("r"), STR("list[1]")));
	assert_ptr_equal(open_rules_find(x, false, RULES_OF_CRD, STR("r"), STR("list[2]")), &x->list.p[1]);
	assert_string_equal(x->list.p[1].acceptance, "a");
	assert_ptr_equal(open_rules_find(x, false, RULES_OF_CRD, STR("r"), STR("list[0]")), &x->list.p[0]);
	assert_ptr_equal(open_rules_find(x, true, RULES_OF_FILE, STR("s"), STR("list[1]")), &x->list.p[2]);
	open_rules_free(x);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_each_is_found), cmocka_unit_test(test_moved) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}

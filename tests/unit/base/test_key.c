/* Keys: interned once, in any order. */
#include "base/key.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

static void test_equal_keys_are_one(void **state)
{
	CLEANUP(key_table_freep) struct key_table *t = key_table_new();
	CLEANUP(arena_done) struct arena a;
	const struct key *x, *y, *loose;

	(void)state;
	arena_init(&a, 0, 0);
	x = key_make(t, &a, STR("metadata"));
	y = key_make(t, &a, STR("metadata"));
	loose = key_make(NULL, &a, STR("metadata"));
	assert_ptr_equal(x, y);
	assert_ptr_not_equal(x, loose);
	assert_true(key_eq(x, loose));
	assert_int_equal(x->hash, loose->hash);
	assert_int_equal(x->hash, key_hash(STR("metadata")));
	assert_string_equal(x->p, "metadata");
	assert_false(key_eq(x, key_make(t, &a, STR("metadatb"))));
	x = key_make(t, &a, (str){ "a\0b", 3 });
	assert_ptr_equal(x, key_make(t, &a, (str){ "a\0b", 3 }));
	assert_ptr_not_equal(x, key_make(t, &a, STR("a")));
	assert_ptr_equal(key_make(t, &a, STR("")), key_make(t, &a, (str){ NULL, 0 }));
}

static void test_long_keys_are_not_interned(void **state)
{
	CLEANUP(key_table_freep) struct key_table *t = key_table_new();
	CLEANUP(arena_done) struct arena a;
	char text[KEY_TABLE_LONGEST + 1];
	str longest = { text, KEY_TABLE_LONGEST }, longer = { text, KEY_TABLE_LONGEST + 1 };

	(void)state;
	arena_init(&a, 0, 0);
	memset(text, 'k', sizeof(text));
	assert_ptr_equal(key_make(t, &a, longest), key_make(t, &a, longest));
	assert_ptr_not_equal(key_make(t, &a, longer), key_make(t, &a, longer));
	assert_true(key_eq(key_make(t, &a, longer), key_make(t, &a, longer)));
}

static void test_a_full_table_refuses_and_still_finds(void **state)
{
	CLEANUP(key_table_freep) struct key_table *t = key_table_new();
	CLEANUP(arena_done) struct arena a;
	const struct key *first = NULL, *last = NULL;
	char name[16];

	(void)state;
	arena_init(&a, 0, 0);
	for (int i = 0; i < KEY_TABLE_MOST; i++) {
		(void)snprintf(name, sizeof(name), "key%d", i);
		last = key_make(t, &a, str_from(name));
		assert_non_null(last);
		first = first ? first : last;
	}
	assert_int_equal(a.used, 0); /* all of them live in the table */
	assert_ptr_equal(key_make(t, &a, str_from(name)), last);
	assert_ptr_not_equal(key_make(t, &a, STR("one more")), key_make(t, &a, STR("one more")));
	assert_true(a.used > 0);
	assert_ptr_equal(key_make(t, &a, STR("key0")), first);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_equal_keys_are_one),
		cmocka_unit_test(test_long_keys_are_not_interned),
		cmocka_unit_test(test_a_full_table_refuses_and_still_finds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

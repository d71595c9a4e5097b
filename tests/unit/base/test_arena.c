/* Arenas: alignment, ceilings, marks. */
#include "base/arena.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void test_pieces_are_aligned_and_apart(void **state)
{
	CLEANUP(arena_done) struct arena a;
	char *before = NULL;
	size_t n_before = 0;

	(void)state;
	arena_init(&a, 64, 0);
	assert_int_equal(a.used, 0);
	for (size_t n = 0; n < 300; n++) {
		char *p = arena_alloc(&a, n);

		assert_non_null(p);
		assert_int_equal((uintptr_t)p % ARENA_ALIGN, 0);
		memset(p, (int)n, n);
		if (before && p > before)
			assert_true(p >= before + n_before);
		before = p;
		n_before = n;
	}
}

static void test_the_ceiling_holds(void **state)
{
	CLEANUP(arena_done) struct arena a;
	size_t taken = 0;

	(void)state;
	arena_init(&a, 64, 1000);
	assert_null(arena_alloc(&a, 1001));
	while (arena_alloc(&a, 40))
		taken += 40;
	assert_true(taken <= 1000 && taken >= 900);
	assert_true(a.used <= 1000);
	arena_reset(&a);
	assert_non_null(arena_alloc(&a, 40));
}

static void test_one_piece_may_be_the_whole_ceiling(void **state)
{
	CLEANUP(arena_done) struct arena a;

	(void)state;
	arena_init(&a, 64, 1000);
	assert_non_null(arena_alloc(&a, 1000));
	assert_null(arena_alloc(&a, 1));
}

static void test_sizes_do_not_wrap(void **state)
{
	static const size_t sizes[] = { SIZE_MAX,      SIZE_MAX - 6, SIZE_MAX - 7,
					SIZE_MAX - 64, SIZE_MAX / 2, SIZE_MAX / 4 + 1 };
	CLEANUP(arena_done) struct arena a;

	(void)state;
	arena_init(&a, 0, 0);
	for (int used = 0; used < 2; used++) {
		for (size_t i = 0; i < ARRAY_LEN(sizes); i++)
			assert_null(arena_alloc(&a, sizes[i]));
		assert_null(arena_array(&a, SIZE_MAX / 8 + 2, 8));
		assert_null(arena_zalloc(&a, SIZE_MAX));
		assert_non_null(arena_alloc(&a, 1)); /* and once more with a block at hand */
	}
}

static void test_reset_keeps_the_largest_block(void **state)
{
	CLEANUP(arena_done) struct arena a;
	char *big;

	(void)state;
	arena_init(&a, 64, 0);
	arena_reset(&a); /* of an empty one: nothing */
	(void)!arena_alloc(&a, 60);
	(void)!arena_alloc(&a, 200);
	big = arena_alloc(&a, 100000);
	assert_true(a.used > 100000);
	arena_reset(&a);
	assert_int_equal(a.used, 100000);
	assert_ptr_equal(arena_alloc(&a, 50000), big);
	for (int i = 0; i < 1000; i++) { /* memory in use stays the same */
		arena_reset(&a);
		assert_ptr_equal(arena_alloc(&a, 90000), big);
	}
	assert_int_equal(a.used, 100000);
}

static void test_texts(void **state)
{
	CLEANUP(arena_done) struct arena a;
	str s, long_text;
	char *zeros;

	(void)state;
	arena_init(&a, 0, 0);
	s = arena_str(&a, (str){ "a\0b", 3 });
	assert_int_equal(s.n, 3);
	assert_memory_equal(s.p, "a\0b", 4);
	s = arena_str(&a, (str){ NULL, 0 });
	assert_non_null(s.p);
	assert_string_equal(s.p, "");
	long_text = arena_printf(&a, "%0*d", 5000, 7);
	assert_int_equal(long_text.n, 5000);
	assert_int_equal(long_text.p[4999], '7');
	zeros = arena_zalloc(&a, 100);
	for (int i = 0; i < 100; i++)
		assert_int_equal(zeros[i], 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pieces_are_aligned_and_apart),       cmocka_unit_test(test_the_ceiling_holds),
		cmocka_unit_test(test_one_piece_may_be_the_whole_ceiling), cmocka_unit_test(test_sizes_do_not_wrap),
		cmocka_unit_test(test_reset_keeps_the_largest_block),      cmocka_unit_test(test_texts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* What is sorted in slices is what is sorted at once. */
#include "base/slice_sort.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

struct element {
	uint32_t key, place; /* where it was: equal ones keep their order */
	char more[20];
};

static size_t compared;

static int compare(const void *a, const void *b)
{
	const struct element *x = a, *y = b;

	compared++;
	return (x->key > y->key) - (x->key < y->key);
}

static uint32_t random_below(uint64_t *state, uint32_t n)
{
	*state = *state * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (uint32_t)(*state >> 33) % n;
}

static void test_sorted(void **state)
{
	static const struct {
		size_t n;
		uint32_t keys; /* there are; 0: rising, 1: all alike */
	} cases[] = { { 0, 9 },     { 1, 9 },     { 2, 9 },     { 511, 9 },     { 512, 9 },    { 513, 9 },
		      { 1023, 70 }, { 1024, 70 }, { 1025, 70 }, { 1536, 0 },    { 1537, 5 },   { 3000, 1 },
		      { 5000, 1 },  { 7777, 0 },  { 9999, 10 }, { 20000, 900 }, { 32768, 99 }, { 50001, 1u << 30 } };
	uint64_t seed = 7;

	(void)state;
	for (size_t c = 0; c < ARRAY_LEN(cases); c++) {
		size_t n = cases[c].n, most = 0, before;
		struct element *all = calloc(n + 1, sizeof(*all));
		struct slice_sort s;
		bool more = true;

		assert_non_null(all);
		for (size_t i = 0; i < n; i++) {
			all[i].place = (uint32_t)i;
			all[i].key = cases[c].keys ? random_below(&seed, cases[c].keys) : (uint32_t)i;
			all[i].more[i % sizeof(all[i].more)] = (char)i;
		}
		assert_true(slice_sort_begin(&s, all, n, sizeof(*all), compare));
		while (more) {
			before = compared;
			more = slice_sort_step(&s);
			most = compared - before > most ? compared - before : most;
		}
		assert_false(slice_sort_step(&s));
		slice_sort_done(&s);
		assert_in_range(most, 0, (size_t)SLICE_SORT_STEP * 10);
		for (size_t i = 0; i < n; i++) {
			assert_int_equal(all[i].more[all[i].place % sizeof(all[i].more)], (char)all[i].place);
			if (i)
				assert_true(all[i - 1].key < all[i].key ||
					    (all[i - 1].key == all[i].key && all[i - 1].place < all[i].place));
		}
		free(all);
	}
}

/* Whoever gives up has nothing to give back but by done. */
static void test_given_up(void **state)
{
	struct element *all = calloc(2000, sizeof(*all));
	struct slice_sort s;

	(void)state;
	assert_non_null(all);
	assert_true(slice_sort_begin(&s, all, 2000, sizeof(*all), compare));
	assert_true(slice_sort_step(&s));
	slice_sort_done(&s);
	slice_sort_done(&s);
	free(all);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sorted),
		cmocka_unit_test(test_given_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

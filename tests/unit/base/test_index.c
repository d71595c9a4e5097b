/* Indexes: growth, removal, iteration, of things that hold their keys. */
#include "base/index.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define KEYS 40000 /* more than a table that moves at once has */

struct thing {
	size_t number;
	char key[16];
};

static struct thing things[2][KEYS]; /* two of each key */

static str key_of(const void *thing)
{
	return str_from(((const struct thing *)thing)->key);
}

static int setup(void **state)
{
	(void)state;
	for (size_t i = 0; i < KEYS; i++) {
		for (size_t k = 0; k < 2; k++) {
			things[k][i].number = i;
			(void)snprintf(things[k][i].key, sizeof(things[k][i].key), "key%zu", i);
		}
	}
	return 0;
}

static void test_put_get_replace(void **state)
{
	struct index x = INDEX_OF(key_of);
	struct thing *a = &things[0][7], *b = &things[1][7];
	void *old = a;

	(void)state;
	assert_null(index_get(&x, STR("key7")));
	assert_null(index_remove(&x, STR("key7")));
	assert_true(index_put(&x, a, &old));
	assert_null(old);
	assert_true(index_put(&x, b, &old));
	assert_ptr_equal(old, a);
	assert_int_equal(x.n, 1);
	assert_true(index_put(&x, &things[0][8], NULL));
	assert_ptr_equal(index_get(&x, STR("key7")), b);
	assert_null(index_get(&x, STR("key")));
	assert_ptr_equal(index_remove(&x, STR("key7")), b);
	assert_null(index_get(&x, STR("key7")));
	assert_ptr_equal(index_get(&x, STR("key8")), &things[0][8]);
	index_done(&x);
	index_done(&x);
	assert_true(index_put(&x, a, NULL));
	index_done(&x);
}

static uint32_t next_random(uint32_t *x)
{
	*x ^= *x << 13;
	*x ^= *x >> 17;
	*x ^= *x << 5;
	return *x;
}

/* Everything of the model is there, nothing else is, and iterating meets each once. */
static void check_model(const struct index *x, struct thing *const *model)
{
	size_t at = 0, met = 0, n = 0;
	const struct thing *t;

	for (size_t i = 0; i < KEYS; i++) {
		assert_ptr_equal(index_get(x, key_of(&things[0][i])), model[i]);
		n += model[i] != NULL;
	}
	while ((t = index_each(x, &at))) {
		assert_ptr_equal(t, model[t->number]);
		met++;
	}
	assert_int_equal(met, n);
	assert_int_equal(x->n, n);
}

/* Tables of few slots make long runs of collisions; removing in the midst of them is what goes wrong first. */
static void test_against_a_model(void **state)
{
	static struct thing *model[KEYS];
	struct index x = INDEX_OF(key_of);
	uint32_t random = 2463534242u;

	(void)state;
	for (size_t step = 0; step < 300000; step++) {
		/* few keys, then many, then few again */
		size_t range = step < 10000 ? 13 : step < 280000 ? KEYS : 13, i = next_random(&random) % range;
		struct thing *t = &things[next_random(&random) % 2][i];
		void *old = NULL;

		if (next_random(&random) % 5 < 3) {
			assert_true(index_put(&x, t, &old));
			assert_ptr_equal(old, model[i]);
			model[i] = t;
		} else {
			assert_ptr_equal(index_remove(&x, key_of(t)), model[i]);
			model[i] = NULL;
		}
		if (step < 10000 ? step % 500 == 0 : step % 10000 == 0)
			check_model(&x, model);
	}
	check_model(&x, model);
	index_done(&x);
}

/* In slices; the things may be gone when their next is taken, and what is left goes with index_done. */
static void test_drain(void **state)
{
	struct index x = INDEX_OF(key_of);
	struct thing *t;
	size_t sum, n;

	(void)state;
	assert_null(index_drain(&x));
	for (int round = 0; round < 2; round++) {
		for (size_t i = 1; i <= 100; i++) {
			t = malloc(sizeof(*t));
			assert_non_null(t);
			*t = things[0][i];
			assert_true(index_put(&x, t, NULL));
		}
		for (sum = n = 0; (round == 0 || n < 99) && (t = index_drain(&x)); n++) {
			sum += t->number;
			free(t);
		}
		assert_int_equal(n, round == 0 ? 100 : 99);
		if (round == 0)
			assert_int_equal(sum, 5050);
	}
	assert_int_equal(x.n, 1);
	free(index_drain(&x));
	index_done(&x);
	assert_null(index_get(&x, STR("key1")));
}

/* Things go and come under way: those that were in and stay in come, once or more. */
static void test_each_slowly(void **state)
{
	uint32_t random = 7;

	(void)state;
	for (int round = 0; round < 20; round++) {
		unsigned seen[KEYS] = { 0 };
		bool stays[KEYS] = { 0 };
		struct index x = INDEX_OF(key_of);
		size_t left = SIZE_MAX;
		struct thing *t;

		for (size_t i = 0; i < KEYS; i += 1 + next_random(&random) % 3) {
			assert_true(index_put(&x, &things[0][i], NULL));
			stays[i] = true;
		}
		while ((t = index_each_slowly(&x, &left))) {
			size_t i = next_random(&random) % KEYS;

			seen[t - things[0]]++;
			if (next_random(&random) % 2 == 0)
				assert_true(index_put(&x, &things[0][i], NULL));
			else if (index_remove(&x, key_of(&things[0][i])))
				stays[i] = false;
		}
		for (size_t i = 0; i < KEYS; i++)
			assert_true(!stays[i] || seen[i]);
		assert_null(index_each_slowly(&x, &left));
		index_done(&x);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_put_get_replace),
		cmocka_unit_test(test_against_a_model),
		cmocka_unit_test(test_drain),
		cmocka_unit_test(test_each_slowly),
	};

	return cmocka_run_group_tests(tests, setup, NULL);
}

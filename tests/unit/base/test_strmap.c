/* Maps: growth, removal, iteration. */
#include "base/strmap.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static void test_put_get_replace(void **state)
{
	struct strmap m = { 0 };
	int a, b;
	void *old = &a;

	(void)state;
	assert_null(strmap_get(&m, STR("x")));
	assert_null(strmap_remove(&m, STR("x")));
	assert_true(strmap_put(&m, STR("x"), &a, &old));
	assert_null(old);
	assert_true(strmap_put(&m, STR("x"), &b, &old));
	assert_ptr_equal(old, &a);
	assert_int_equal(m.n, 1);
	assert_true(strmap_put(&m, STR(""), &a, NULL)); /* the empty key is one */
	assert_true(strmap_put(&m, (str){ "x\0y", 3 }, NULL, NULL));
	assert_true(strmap_has(&m, (str){ "x\0y", 3 }));
	assert_null(strmap_get(&m, (str){ "x\0y", 3 }));
	assert_ptr_equal(strmap_get(&m, STR("")), &a);
	assert_ptr_equal(strmap_remove(&m, STR("x")), &b);
	assert_false(strmap_has(&m, STR("x")));
	strmap_done(&m);
	strmap_done(&m);
}

#define KEYS 20000 /* more than a table that grows at once has */

static uint32_t next_random(uint32_t *x)
{
	*x ^= *x << 13;
	*x ^= *x >> 17;
	*x ^= *x << 5;
	return *x;
}

/* Every key of the model is there, no other is, and iterating meets each once. */
static void check_model(const struct strmap *m, const int *model, int *values)
{
	const struct strmap_entry *e;
	size_t at = 0, met = 0, n = 0;
	char name[16];

	for (int i = 0; i < KEYS; i++) {
		(void)snprintf(name, sizeof(name), "key%d", i);
		assert_int_equal(strmap_has(m, str_from(name)), model[i] >= 0);
		assert_ptr_equal(strmap_get(m, str_from(name)), model[i] >= 0 ? &values[model[i]] : NULL);
		n += model[i] >= 0;
	}
	while ((e = strmap_each(m, &at))) {
		long i = strtol(e->key + 3, NULL, 10);

		assert_ptr_equal(e->value, &values[model[i]]);
		met++;
	}
	assert_int_equal(met, n);
	assert_int_equal(m->n, n);
}

/* Tables of few slots make long runs of collisions; removing in the midst of them is what goes wrong first. */
static void test_against_a_model(void **state)
{
	static int model[KEYS], values[KEYS];
	struct strmap m = { 0 };
	uint32_t x = 2463534242u;
	char name[16];

	(void)state;
	for (int i = 0; i < KEYS; i++)
		model[i] = -1;
	for (int step = 0; step < 150000; step++) {
		/* few keys, then many, then few again */
		int range = step < 10000 ? 13 : step < 140000 ? KEYS : 13;
		int i = (int)(next_random(&x) % (uint32_t)range), v = (int)(next_random(&x) % KEYS);
		void *old = NULL;

		(void)snprintf(name, sizeof(name), "key%d", i);
		if (next_random(&x) % 5 < 3) {
			assert_true(strmap_put(&m, str_from(name), &values[v], &old));
			assert_ptr_equal(old, model[i] >= 0 ? &values[model[i]] : NULL);
			model[i] = v;
		} else {
			assert_ptr_equal(strmap_remove(&m, str_from(name)), model[i] >= 0 ? &values[model[i]] : NULL);
			model[i] = -1;
		}
		if (step < 10000 ? step % 500 == 0 : step % 5000 == 0)
			check_model(&m, model, values);
	}
	check_model(&m, model, values);
	strmap_done(&m);
}

/* In slices; what is left goes with strmap_done. */
static void test_drain(void **state)
{
	struct strmap m = { 0 };
	char key[16];
	size_t at = 0, sum = 0, n = 0;
	void *value;

	(void)state;
	assert_false(strmap_drain(&m, &at, &value));
	for (int round = 0; round < 2; round++) {
		for (size_t i = 1; i <= 100; i++) {
			(void)snprintf(key, sizeof(key), "%zu", i);
			assert_true(strmap_put(&m, str_from(key), (void *)i, NULL));
		}
		for (at = sum = n = 0; (round == 0 || n < 50) && strmap_drain(&m, &at, &value); n++)
			sum += (size_t)value;
		if (round == 0) {
			assert_int_equal(sum, 5050);
			assert_int_equal(m.n, 0);
			assert_null(strmap_get(&m, STR("1")));
		}
	}
	strmap_done(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_put_get_replace),
		cmocka_unit_test(test_against_a_model),
		cmocka_unit_test(test_drain),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Values: equality, hash, merging, limits. */
#include "value/val.h"

#include "base/hash.h"
#include "support/json_values.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static struct member member(struct arena *a, const char *key, int64_t i)
{
	return (struct member){ key_make(NULL, a, str_from(key)), val_int(i) };
}

static void assert_in_order(val map)
{
	for (uint32_t i = 1; i < map.n; i++)
		assert_true(str_cmp(key_str(map.members[i - 1].key), key_str(map.members[i].key)) < 0);
}

static void test_maps_are_sorted_and_the_last_wins(void **state)
{
	static const size_t sizes[] = { 0, 1, 2, 8, 9, 15, 16, 17, 31, 33, 64, 100, 257, 1000 };
	CLEANUP(arena_done) struct arena a;

	(void)state;
	arena_init(&a, 0, 0);
	for (size_t s = 0; s < ARRAY_LEN(sizes); s++) {
		for (size_t distinct = 1; distinct <= sizes[s]; distinct = distinct * 2 + 1) {
			size_t n = sizes[s];
			struct member *m = arena_array(&a, n, sizeof(*m));
			val map;

			for (size_t i = 0; i < n; i++) {
				char name[32];

				(void)snprintf(name, sizeof(name), "k%zu", i * 7919 % distinct);
				m[i] = member(&a, name, (int64_t)i);
			}
			map = val_map(&a, m, n);
			assert_true(val_is_map(map));
			assert_in_order(map);
			for (size_t i = 0; i < n; i++) { /* the last of each key is what is found */
				val got = val_get(map, key_str(m[i].key));
				size_t last = i;

				for (size_t j = i; j < n; j++)
					last = key_eq(m[j].key, m[i].key) ? j : last;
				assert_int_equal(got.i, (int64_t)last);
				assert_int_equal(val_get_key(map, m[i].key).i, (int64_t)last);
			}
		}
	}
}

static void test_keys_order_by_bytes(void **state)
{
	static const char *const keys[] = { "b", "", "a\xC3\xA9", "ab", "a", "B", "\xF0\x9F\x98\x80", "a\x7F", "aa" };
	static const char *const sorted[] = { "", "B", "a", "aa", "ab", "a\x7F", "a\xC3\xA9", "b", "\xF0\x9F\x98\x80" };
	CLEANUP(arena_done) struct arena a;
	struct member m[ARRAY_LEN(keys)];
	val map;

	(void)state;
	arena_init(&a, 0, 0);
	for (size_t i = 0; i < ARRAY_LEN(keys); i++)
		m[i] = member(&a, keys[i], 1);
	map = val_map(&a, m, ARRAY_LEN(keys));
	assert_int_equal(map.n, ARRAY_LEN(sorted));
	for (size_t i = 0; i < ARRAY_LEN(sorted); i++)
		assert_true(str_eq(key_str(map.members[i].key), str_from(sorted[i])));
}

static void test_getters_take_any_value(void **state)
{
	CLEANUP(arena_done) struct arena a;
	val v;

	(void)state;
	arena_init(&a, 0, 0);
	v = value_of_json("{\"a\":{\"b\":[1,{\"c\":\"x\"}]},\"n\":null}", &a);
	assert_true(str_eq(val_str(val_get(val_at(val_dig(v, "a", "b", NULL), 1), STR("c"))), STR("x")));
	assert_false(val_exists(val_dig(v, "a", "x", "y", NULL)));
	assert_false(val_exists(val_dig(v, "a", "b", "c", NULL)));
	assert_false(val_exists(val_at(v, 0)));
	assert_false(val_exists(val_at(val_dig(v, "a", "b", NULL), 2)));
	assert_true(val_is_null(VAL_GET(v, "n")));
	assert_int_equal(val_str(v).n, 0);
	assert_int_equal(val_count(VAL_GET(v, "n")), 0);
	assert_int_equal(val_count(val_string(STR("abc"))), 0);
	assert_int_equal(val_nodes(v), 7); /* the map, a, b, 1, the inner map, c, n */
	assert_true(val_equal(val_dig(v, NULL), v));
	assert_false(val_exists(val_get_key(val_int(1), key_make(NULL, &a, STR("a")))));
	assert_int_equal(val_uint(INT64_MAX).kind, VAL_INT);
	assert_int_equal(val_uint((uint64_t)INT64_MAX + 1).kind, VAL_UINT);
	assert_string_equal(val_kind_name(VAL_GET(v, "a")), "object");
	assert_string_equal(val_kind_name((val){ 0 }), "absent");
}

static void test_with_and_without(void **state)
{
	static const struct {
		const char *map, *key, *with, *without;
	} cases[] = {
		{ "{}", "k", "{\"k\":7}", "{}" },
		{ "{\"k\":1}", "k", "{\"k\":7}", "{}" },
		{ "{\"a\":1,\"z\":2}", "k", "{\"a\":1,\"k\":7,\"z\":2}", "{\"a\":1,\"z\":2}" },
		{ "{\"a\":1,\"k\":3,\"z\":2}", "k", "{\"a\":1,\"k\":7,\"z\":2}", "{\"a\":1,\"z\":2}" },
		{ "{\"l\":1}", "k", "{\"k\":7,\"l\":1}", "{\"l\":1}" },
		{ "{\"j\":1}", "k", "{\"j\":1,\"k\":7}", "{\"j\":1}" },
		{ "{\"a\":1,\"k\":2}", "k", "{\"a\":1,\"k\":7}", "{\"a\":1}" },
		{ "{\"k\":1,\"z\":2}", "k", "{\"k\":7,\"z\":2}", "{\"z\":2}" },
		{ "[1,2]", "k", "{\"k\":7}", "{}" },
		{ "null", "k", "{\"k\":7}", "{}" },
	};
	CLEANUP(arena_done) struct arena a;

	(void)state;
	arena_init(&a, 0, 0);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		val map = value_of_json(cases[i].map, &a), before = value_of_json(cases[i].map, &a);

		assert_true(val_equal(val_map_with(&a, map, key_make(NULL, &a, str_from(cases[i].key)), val_int(7)),
				      value_of_json(cases[i].with, &a)));
		assert_true(val_equal(val_map_without(&a, map, str_from(cases[i].key)),
				      value_of_json(cases[i].without, &a)));
		assert_true(val_equal(map, before));
	}
}

static void test_equality_by_kind(void **state)
{
	static const char *const distinct[] = {
		"null",
		"false",
		"true",
		"0",
		"1",
		"-1",
		"0.5",
		"1.0",
		"1e300",
		"\"\"",
		"\"0\"",
		"\"a\"",
		"\"a\\u0000\"",
		"[]",
		"[null]",
		"[1]",
		"[1,1]",
		"[[]]",
		"{}",
		"{\"a\":null}",
		"{\"a\":1}",
		"{\"b\":1}",
		"{\"a\":1,\"b\":1}",
		"[{}]",
	};
	CLEANUP(arena_done) struct arena a;

	(void)state;
	arena_init(&a, 0, 0);
	for (size_t i = 0; i < ARRAY_LEN(distinct); i++) {
		for (size_t j = 0; j < ARRAY_LEN(distinct); j++) {
			val x = value_of_json(distinct[i], &a), y = value_of_json(distinct[j], &a);

			if (val_equal(x, y) != (i == j) || (val_compare(x, y) == 0) != (i == j))
				fail_msg("%s and %s", distinct[i], distinct[j]);
		}
	}
	assert_true(val_equal(val_double(0.0), val_double(-0.0)));
	assert_int_equal(val_compare(val_double(0.0), val_double(-0.0)), 0);
	assert_false(val_equal(val_double(NAN), val_double(NAN)));
	assert_true(val_equal((val){ 0 }, (val){ 0 }));
}

/* ---- who writes the values does not choose their hashes ---- */

static void test_values_made_to_have_one_hash(void **state)
{
	static const struct {
		const char *a, *b;
	} cases[] = {
		/* the same bits, by which a multiplication of hash_mix would always be by 0, by -1, by 1 */
		{ "-3335678366873096957", "-4.135910586914464e+85" },
		{ "3335678366873096956", "1.0741570115158874e-85" },
		{ "-3335678366873096958", "-4.135910586914463e+85" },
		{ "0.0", "-0.0" }, /* equal, but not to who reads their texts, or divides by them */
		{ "[0.0]", "[-0.0]" },
	};
	CLEANUP(arena_done) struct arena a;

	(void)state;
	arena_init(&a, 0, 0);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		if (val_hash(value_of_json(cases[i].a, &a)) == val_hash(value_of_json(cases[i].b, &a)))
			fail_msg("%s and %s", cases[i].a, cases[i].b);
	}
}

#define KEYS 300000

static int by_hash(const void *a, const void *b)
{
	const struct key *x = *(const struct key *const *)a, *y = *(const struct key *const *)b;

	return (x->hash > y->hash) - (x->hash < y->hash);
}

static void test_keys_of_one_hash_make_different_maps(void **state)
{
	CLEANUP(arena_done) struct arena a;
	const struct key **keys;
	size_t n = 0;

	(void)state;
	arena_init(&a, 0, 0);
	keys = arena_array(&a, KEYS, sizeof(*keys));
	for (int i = 0; i < KEYS; i++) {
		char name[32];

		(void)snprintf(name, sizeof(name), "the key %d", i);
		keys[i] = key_make(NULL, &a, str_from(name));
	}
	qsort(keys, KEYS, sizeof(*keys), by_hash);
	for (size_t i = 1; i < KEYS; i++) {
		struct member x = { keys[i - 1], val_int(1) }, y = { keys[i], val_int(1) };

		if (x.key->hash != y.key->hash)
			continue;
		n++;
		assert_true(val_hash(val_map_sorted(&x, 1)) != val_hash(val_map_sorted(&y, 1)));
	}
	print_message("%zu pairs of keys\n", n); /* ten, on average */
}

static void test_ways_end_in_different_values(void **state)
{
	static const char *const objects[] = {
		"{}",
		"{\"a\": null}",
		"{\"a\": []}",
		"{\"a\": {}}",
		"{\"a\": \"\"}",
		"{\"a\": 1}",
		"{\"a\": [1]}",
		"{\"a\": [[]]}",
		"{\"a\": [null]}",
		"{\"a\": [{}]}",
		"{\"a\": [{}, {}]}",
		"{\"a\": {\"b\": 1}}",
		"{\"a\": [{\"b\": 1}]}",
		"{\"a\": [{\"b\": null}]}",
		"{\"a\": [{\"b\": [1]}]}",
		"[]",
		"null",
	};
	const str way[] = { STR("a"), VAL_EACH_ITEM, STR("b") };
	CLEANUP(arena_done) struct arena a;

	(void)state;
	arena_init(&a, 0, 0);
	for (size_t i = 0; i < ARRAY_LEN(objects); i++) {
		for (size_t j = 0; j < i; j++) {
			val x = value_of_json(objects[i], &a), y = value_of_json(objects[j], &a);

			if (val_hash_way(x, way, ARRAY_LEN(way)) == val_hash_way(y, way, ARRAY_LEN(way)))
				fail_msg("%s and %s", objects[i], objects[j]);
		}
	}
}

/* ---- random trees: the three functions agree, and the order is one ---- */

static uint32_t seed = 2463534242u;

static uint32_t roll(uint32_t n)
{
	seed ^= seed << 13;
	seed ^= seed >> 17;
	seed ^= seed << 5;
	return seed % n;
}

static val random_val(struct arena *a, int depth)
{
	static const char *const texts[] = { "", "a", "ab", "b", "\xC3\xA9" };
	struct member m[5];
	val items[4];
	size_t n;

	switch (roll(depth > 0 ? 8 : 6)) {
	case 0:
		return val_null();
	case 1:
		return val_bool(roll(2));
	case 2:
		return val_int((int64_t)roll(3) - 1);
	case 3:
		return val_double((double)roll(3) / 2);
	case 4:
		return val_uint(UINT64_MAX - roll(2));
	case 5:
		return val_string(str_from(texts[roll(ARRAY_LEN(texts))]));
	case 6:
		n = roll(ARRAY_LEN(items));
		for (size_t i = 0; i < n; i++)
			items[i] = random_val(a, depth - 1);
		return val_list(a, items, n);
	default:
		n = roll(ARRAY_LEN(m));
		for (size_t i = 0; i < n; i++)
			m[i] = (struct member){ key_make(NULL, a, str_from(texts[roll(ARRAY_LEN(texts))])),
						random_val(a, depth - 1) };
		return val_map(a, m, n);
	}
}

static int sign(int x)
{
	return (x > 0) - (x < 0);
}

static void test_numbers_by_their_values(void **state)
{
	const val large = { .kind = VAL_UINT, .u = UINT64_C(1) << 63 };
	static const struct {
		double d;
		int64_t i;
		bool same;
	} cases[] = {
		{ 1.0, 1, true },
		{ -0.0, 0, true },
		{ 1.5, 1, false },
		{ 9007199254740993.0, 9007199254740993, false }, /* 2^53 + 1 is no double */
		{ -0x1p63, INT64_MIN, true },
		{ 0x1p63, INT64_MAX, false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		val d = val_double(cases[i].d), n = val_int(cases[i].i);
		val in_list = { .kind = VAL_LIST, .n = 1, .items = &d },
		    other = { .kind = VAL_LIST, .n = 1, .items = &n };

		assert_int_equal(val_same(d, n), cases[i].same);
		assert_int_equal(val_same(in_list, other), cases[i].same);
		assert_int_equal(val_same_hash(in_list) == val_same_hash(other), cases[i].same);
	}
	assert_true(val_same(large, val_double(0x1p63)));
	assert_true(val_same_hash(large) == val_same_hash(val_double(0x1p63)));
	assert_false(val_same(val_int(1), val_string(STR("1"))));
}

static void test_equal_compare_and_hash_agree(void **state)
{
	CLEANUP(arena_done) struct arena a;
	CLEANUP(key_table_freep) struct key_table *keys = key_table_new();
	val v[120];

	(void)state;
	arena_init(&a, 0, 0);
	for (size_t i = 0; i < ARRAY_LEN(v); i++) {
		v[i] = i % 3 == 2 ? val_copy(&a, keys, v[roll((uint32_t)i)]) : random_val(&a, 3);
		assert_true(val_exists(v[i]));
	}
	for (size_t i = 0; i < ARRAY_LEN(v); i++) {
		for (size_t j = 0; j < ARRAY_LEN(v); j++) {
			int order = val_compare(v[i], v[j]);

			assert_int_equal(val_equal(v[i], v[j]), order == 0);
			assert_int_equal(sign(order), -sign(val_compare(v[j], v[i])));
			if (order == 0)
				assert_true(val_hash(v[i]) == val_hash(v[j]));
			else
				assert_true(val_hash(v[i]) != val_hash(v[j])); /* 64 bits: never in practice */
		}
	}
	for (int i = 0; i < 200000; i++) { /* transitive */
		val x = v[roll(ARRAY_LEN(v))], y = v[roll(ARRAY_LEN(v))], z = v[roll(ARRAY_LEN(v))];

		if (val_compare(x, y) <= 0 && val_compare(y, z) <= 0)
			assert_true(val_compare(x, z) <= 0);
	}
}

static void test_copies_share_nothing(void **state)
{
	CLEANUP(arena_done) struct arena to;
	struct arena from;
	val v, copy;

	(void)state;
	arena_init(&to, 0, 0);
	arena_init(&from, 0, 0);
	v = value_of_json("{\"a\":[1,\"x\",{\"b\":\"y\"}],\"c\":{}}", &from);
	copy = val_copy(&to, NULL, v);
	assert_true(val_equal(v, copy));
	arena_done(&from);
	assert_true(val_equal(copy, value_of_json("{\"a\":[1,\"x\",{\"b\":\"y\"}],\"c\":{}}", &to)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_maps_are_sorted_and_the_last_wins),
		cmocka_unit_test(test_keys_order_by_bytes),
		cmocka_unit_test(test_getters_take_any_value),
		cmocka_unit_test(test_with_and_without),
		cmocka_unit_test(test_equality_by_kind),
		cmocka_unit_test(test_numbers_by_their_values),
		cmocka_unit_test(test_values_made_to_have_one_hash),
		cmocka_unit_test(test_ways_end_in_different_values),
		cmocka_unit_test(test_keys_of_one_hash_make_different_maps),
		cmocka_unit_test(test_equal_compare_and_hash_agree),
		cmocka_unit_test(test_copies_share_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Elements in pairs, and what paths call them. */
#include "support/json_values.h"
#include "topology/list_pairs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static const struct list_keys by_name = { .p = { { .name = { "name", 4 } } }, .n = 1, .sure = true, .named = true };
static const struct list_keys by_habit = { .p = { { .name = { "name", 4 } } }, .n = 1, .named = true };
static const struct list_keys by_port = { .p = { { .name = { "port", 4 } },
						 { .name = { "protocol", 8 }, .otherwise = { "TCP", 3 } } },
					  .n = 2,
					  .sure = true };

/* Pairs, then what is created, by their paths. */
static void print(val before, val after, const struct list_keys *keys, struct arena *a, struct buf *out)
{
	struct list_pairs p;
	int r = list_pairs_make(before, after, keys, a, &p);

	assert_true(r >= 0);
	for (uint32_t i = 0; r && i < before.n; i++) {
		struct path_segment s = list_element_segment(keys, &p.before[i], before.items[i], i, a);

		assert_true(p.to_after[i] == 0 || p.to_before[p.to_after[i] - 1] == i + 1);
		assert_int_equal(path_item(before, &s), i);
		path_format((struct path){ &s, 1 }, out);
		buf_printf(out, "%u ", p.to_after[i]);
	}
	for (uint32_t i = 0; r && i < after.n; i++) {
		struct path_segment s = list_element_segment(keys, &p.after[i], after.items[i], i, a);

		assert_int_equal(path_item(after, &s), i);
		if (p.to_before[i])
			continue;
		buf_add_byte(out, '+');
		path_format((struct path){ &s, 1 }, out);
		buf_add_byte(out, ' ');
	}
	if (!r)
		buf_add_cstr(out, "none ");
	buf_add_byte(out, '\0');
}

static void test_pairs(void **state)
{
	static const struct {
		const struct list_keys *keys;
		const char *before, *after, *pairs;
	} cases[] = {
		{ &by_name, "[{\"name\":\"a\"},{\"name\":\"b\"}]", "[{\"name\":\"b\"},{\"name\":\"c\"}]",
		  "[name=\"a\"]0 [name=\"b\"]1 +[name=\"c\"] " },
		{ &by_name, "[{\"name\":\"a\"}]", "[{\"name\":\"a\"},{\"name\":\"b\"},{\"name\":\"a\"}]",
		  "[name=\"a\"]1 +[name=\"b\"] +[name=\"a\"#2] " },
		{ &by_name, "[{\"name\":\"a\"},{\"name\":\"a\"}]",
		  "[{\"name\":\"a\"},{\"name\":\"a\"},{\"name\":\"a\"}]",
		  "[name=\"a\"]1 [name=\"a\"#2]2 +[name=\"a\"#3] " },
		{ &by_name, "[{\"name\":\"a\"},{\"name\":\"b\"},{\"name\":\"a\"}]", "[{\"name\":\"a\"}]",
		  "[name=\"a\"]1 [name=\"b\"]0 [name=\"a\"#2]0 " },
		{ &by_name, "[{\"name\":\"a\"}]", "[{},{\"name\":\"a\"},7]", "[name=\"a\"]2 +[0] +[2] " },
		{ &by_name, "[{},{\"name\":\"a\"},{}]", "[{\"name\":\"a\"},{}]", "[0]2 [name=\"a\"]1 [2]0 " },
		{ &by_name, "[{\"name\":\"0\"},{}]", "[{}]", "[name=\"0\"]0 [1]1 " },
		{ &by_name, "[{}]", "[{}]", "none " },
		{ &by_name, "[]", "[{\"name\":\"\"}]", "+[name=\"\"] " },
		{ &by_habit, "[{\"name\":\"a\"}]", "[{},{\"name\":\"a\"}]", "[name=\"a\"]2 +[0] " },
		{ &by_habit, "[{\"name\":\"a\"},{}]", "[{\"name\":\"a\"}]", "none " }, /* the first list says */
		{ &by_habit, "[]", "[{},{\"name\":\"a\"}]", "+[0] +[name=\"a\"] " },
		{ &by_port, "[{\"port\":53},{\"port\":53,\"protocol\":\"UDP\"}]",
		  "[{\"port\":53,\"protocol\":\"UDP\"},{\"port\":53,\"protocol\":\"TCP\"}]",
		  "[port=53,protocol=\"TCP\"]2 [port=53,protocol=\"UDP\"]1 " },
		{ &by_port, "[{\"port\":53,\"protocol\":\"\"},{\"port\":54,\"protocol\":null}]",
		  "[{\"port\":54},{\"port\":53}]", "[port=53,protocol=\"TCP\"]2 [port=54,protocol=\"TCP\"]1 " },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(arena_done) struct arena a = ARENA_INIT(0);
		CLEANUP(buf_done) struct buf out = BUF_INIT(1u << 16);

		print(value_of_json(cases[i].before, &a), value_of_json(cases[i].after, &a), cases[i].keys, &a, &out);
		if (strcmp(out.p, cases[i].pairs) != 0)
			fail_msg("case %zu: %s, not %s", i, out.p, cases[i].pairs);
	}
}

/* One key a hundred thousand times: no pair is searched for among the others. */
static void test_many(void **state)
{
	const uint32_t n = 100000;
	CLEANUP(arena_done) struct arena a = ARENA_INIT(0);
	val one = value_of_json("{\"name\":\"a\"}", &a), *items = arena_array(&a, n, sizeof(*items)), list, fewer;
	struct list_pairs p;

	(void)state;
	for (uint32_t i = 0; i < n; i++)
		items[i] = one;
	list = (val){ .kind = VAL_LIST, .n = n, .items = items };
	fewer = list;
	fewer.n = n - 1;
	assert_int_equal(list_pairs_make(fewer, list, &by_name, &a, &p), 1);
	assert_int_equal(p.to_before[n - 1], 0);
	assert_int_equal(list_pairs_make(list, list, &by_name, &a, &p), 1);
	for (uint32_t i = 0; i < n; i++) {
		assert_int_equal(p.to_after[i], i + 1);
		assert_int_equal(p.after[i].again, i);
	}
}

/* A list of up to @most elements with few keys, some of which stand behind another member, and some without. */
static val draw_list(unsigned *seed, uint32_t most, struct arena *a)
{
	CLEANUP(buf_done) struct buf b = BUF_INIT(1u << 20);
	unsigned n = (unsigned)rand_r(seed) % (most + 1);

	buf_add_byte(&b, '[');
	for (unsigned i = 0; i < n; i++) {
		unsigned key = (unsigned)rand_r(seed) % (most + 2), form = (unsigned)rand_r(seed) % 8;

		buf_add_cstr(&b, i ? "," : "");
		if (form == 0)
			buf_add_cstr(&b, "{\"other\":1}");
		else
			buf_printf(&b, form == 1 ? "{\"a\":1,\"name\":\"k%u\"}" : "{\"name\":\"k%u\"}", key);
	}
	buf_add_byte(&b, ']');
	return value_of_json(b.p, a);
}

/* The same with two elements that have swapped their places, or as it is. */
static val draw_other(unsigned *seed, val list, uint32_t most, struct arena *a)
{
	uint32_t x, y;
	val *items;

	if (list.n == 0 || rand_r(seed) % 4 == 0)
		return draw_list(seed, most, a);
	items = arena_array(a, list.n, sizeof(*items));
	memcpy(items, list.items, list.n * sizeof(*items));
	x = (uint32_t)rand_r(seed) % list.n;
	y = rand_r(seed) % 2 ? x : (uint32_t)rand_r(seed) % list.n;
	items[x] = list.items[y];
	items[y] = list.items[x];
	return (val){ .kind = VAL_LIST, .n = list.n, .items = items };
}

static bool has_same_key(val x, val y)
{
	return val_same(VAL_GET(x, "name"), VAL_GET(y, "name"));
}

static uint32_t again_of(val list, uint32_t i)
{
	uint32_t again = 0;

	for (uint32_t k = 0; k < i; k++)
		again += has_same_key(list.items[k], list.items[i]);
	return again;
}

/* As the header says it, slowly: the one of the other list that has the same key as often before it. */
static uint32_t partner_of(val list, uint32_t i, val other)
{
	for (uint32_t k = 0; k < other.n; k++) {
		if (has_same_key(list.items[i], other.items[k]) && again_of(list, i) == again_of(other, k))
			return k + 1;
	}
	return 0;
}

static void test_drawn_lists(void **state)
{
	static const uint32_t sizes[] = { 3, 8, 12, 13, 40 };
	unsigned seed = 1;

	(void)state;
	for (int i = 0; i < 4000; i++) {
		CLEANUP(arena_done) struct arena a = ARENA_INIT(0);
		uint32_t most = sizes[i % (int)ARRAY_LEN(sizes)], least = 0;
		val before = draw_list(&seed, most, &a), after = draw_other(&seed, before, most, &a);
		bool in_order = true;
		struct list_pairs p;
		int r = list_pairs_make(before, after, &by_name, &a, &p);

		assert_true(r >= 0);
		for (uint32_t k = 0; r && k < before.n; k++) {
			uint32_t partner = partner_of(before, k, after);

			assert_int_equal(p.to_after[k], partner);
			assert_int_equal(p.before[k].again, again_of(before, k));
			in_order &= !partner || partner > least;
			least = partner ? partner : least;
		}
		for (uint32_t k = 0; r && k < after.n; k++) {
			assert_int_equal(p.to_before[k], partner_of(after, k, before));
			assert_int_equal(p.after[k].again, again_of(after, k));
		}
		assert_true(!r || list_pairs_in_order(&p, before.n) == in_order);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_pairs), cmocka_unit_test(test_many),
					    cmocka_unit_test(test_drawn_lists) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}

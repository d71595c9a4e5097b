/* Event rules: which rule wins, what anchors gather, how lists are paired; large lists. More in the corpus. */
#include "rules/event_rules.h"

#include "base/buf.h"
#include "base/limits.h"
#include "support/json_values.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define RULES_MAX 4

/* Rules are "TYPE CHANGE PATH"; events "N CHANGE PATH: LEAVES". */
static const struct {
	const char *before, *after, *rules[RULES_MAX], *events;
} cases[] = {
	{ "{\"a\":{\"b\":1}}", "{\"a\":{\"b\":2}}", { "warn any a", "error any a.b" }, "1 modify a.b: a.b\n" },
	{ "{\"a\":{\"b\":1}}", "{\"a\":{\"b\":2}}", { "error any a.*", "allow any a.b" }, "1 modify a.b: a.b\n" },
	{ "{\"a\":1}", "{\"a\":2}", { "warn any a", "error create a" }, "0 modify a: a\n" },
	{ "{\"a\":1}", "{\"a\":2}", { "error none a" }, "" },
	{ "{\"a\":1}", "{\"a\":1.0}", { "error any *" }, "" },
	{ "{\"a\":1}", "{\"a\":\"1\"}", { "error any *" }, "0 modify a: a\n" },
	{ "{}", "{\"m\":{\"x\":1,\"y\":{}}}", { "error create @m" }, "0 create m: m.x m.y\n" },
	{ "{\"m\":{\"x\":1}}", "{\"m\":{\"y\":1}}", { "error any @m" }, "0 modify m: m.x m.y\n" },
	/* A key with dots: no node has the path of the anchor. */
	{ "{\"l\":{\"a.b/c\":1}}", "{\"l\":{\"a.b/c\":2}}", { "warn any l.@" }, "0 modify l.a.b/c: l.a.b/c\n" },
	/* Or another node has it than those above the leaf. */
	{ "{\"l\":{\"a\":{\"x\":1},\"a.b\":1}}",
	  "{\"l\":{\"a\":{\"x\":1},\"a.b\":2}}",
	  { "warn any l.@" },
	  "0 none l.a: l.a.b\n" },
	{ "{\"l\":[1,2,2]}", "{\"l\":[2,1,3]}", { "warn any l" }, "0 delete l.2: l.2\n0 create l.3: l.3\n" },
	{ "{\"k\":[{\"id\":1,\"v\":1},{\"id\":2,\"v\":1}]}",
	  "{\"k\":[{\"id\":2,\"v\":1},{\"id\":1,\"v\":2}]}",
	  { "warn any k.@" },
	  "0 modify k.1: k.1.v\n" },
	{ "{\"k\":[{\"id\":\"x\"}]}", "{\"k\":[{\"id\":\"x\"},{}]}", { "warn any k" }, "0 create k.1: k.1\n" },
	{ "{\"a\":null}", "{\"a\":{\"b\":1}}", { "warn create a" }, "0 create a.b: a.b\n" },
	{ "1", "2", { "warn any *" }, "0 modify : \n" },
};

static void read_rule(const char *text, struct arena *a, struct event_rule *ret)
{
	str rest = str_from(text), type, change;
	struct err err;

	assert_true(str_next_part(&rest, ' ', &type) && str_next_part(&rest, ' ', &change));
	assert_true(event_type_read(type, &ret->type));
	assert_int_equal(event_path_read(rest, a, &ret->path, &err), 0);
	assert_int_equal(event_path_check(&ret->path, &err), 0);
	assert_int_equal(event_change_read(change, &ret->path, &ret->any_change, &ret->change, &err), 0);
}

/* The list at "k" has the key "id". */
static void keys_of(void *ctx, const struct event_place *list, val elements, struct list_keys *ret)
{
	(void)ctx;
	(void)elements;
	if (str_eq(list->key, STR("k")))
		*ret = (struct list_keys){ .p = { { .name = STR("id") } }, .n = 1, .sure = true };
}

static const struct event_lists lists = { .keys = keys_of };

static void print(const struct events *events, struct arena *a, struct buf *out)
{
	for (size_t i = 0; i < events->n; i++) {
		const struct event *e = &events->p[i];

		buf_printf(out, "%zu %s %.*s:", e->rule, event_change_name(e->change),
			   STR_ARG(event_place_path(&e->about->at, a)));
		for (size_t k = 0; k < e->n_matched; k++)
			buf_printf(out, " %.*s", STR_ARG(event_place_path(&e->matched[k]->at, a)));
		buf_add_byte(out, '\n');
	}
	buf_add_byte(out, '\0');
}

static void run_case(size_t i)
{
	struct event_rule rules[RULES_MAX] = { 0 };
	struct buf got = BUF_INIT(1u << 16);
	struct doc *before = document_of_json(str_from(cases[i].before)),
		   *after = document_of_json(str_from(cases[i].after));
	struct event_node *root;
	struct events events;
	struct arena a;
	struct err err;
	size_t n = 0;

	arena_init(&a, 0, 0);
	for (; n < RULES_MAX && cases[i].rules[n]; n++)
		read_rule(cases[i].rules[n], &a, &rules[n]);
	assert_int_equal(event_tree(before->root, after->root, &lists, &a, &root, &err), 0);
	assert_int_equal(event_rules_apply(rules, n, root, &a, &events, &err), 0);
	print(&events, &a, &got);
	if (strcmp(got.p, cases[i].events) != 0)
		fail_msg("%s -> %s: %s", cases[i].before, cases[i].after, got.p);
	buf_done(&got);
	arena_done(&a);
	doc_unref(before);
	doc_unref(after);
}

static void test_cases(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		run_case(i);
}

/* A hundred thousand elements that are the same in another order, and as many equal ones: nothing is compared with
 * everything, and no recursion goes along a list. */
static void test_large_lists(void **state)
{
	struct buf forward = BUF_INIT(1u << 24), backward = BUF_INIT(1u << 24);
	struct event_node *root;
	struct doc *before, *after;
	struct arena a;
	struct err err;

	(void)state;
	buf_add_cstr(&forward, "[0");
	buf_add_cstr(&backward, "[0");
	for (int i = 1; i < 100000; i++) {
		buf_printf(&forward, ",%d,7", i);
		buf_printf(&backward, ",7,%d", 100000 - i);
	}
	buf_add_byte(&forward, ']');
	buf_add_byte(&backward, ']');
	before = document_of_json(buf_str(&forward));
	after = document_of_json(buf_str(&backward));
	arena_init(&a, 0, 0);
	assert_int_equal(event_tree(before->root, after->root, &lists, &a, &root, &err), 0);
	assert_null(event_next_leaf(root, NULL));
	arena_done(&a);
	doc_unref(before);
	doc_unref(after);
	buf_done(&forward);
	buf_done(&backward);
}

/* Memory that ends is an error, whenever it does. */
static void test_without_memory(void **state)
{
	struct doc *before = document_of_json(STR("{\"k\":[{\"id\":1,\"v\":[1,2]}],\"l\":[1,{\"a\":1}]}"));
	struct doc *after = document_of_json(STR("{\"k\":[{\"id\":2,\"v\":[2,1]}],\"l\":[{\"a\":2},1]}"));
	struct event_node *root;
	int r = -1;

	(void)state;
	for (size_t max = 64; r < 0; max += 64) {
		struct arena a;
		struct err err;

		arena_init(&a, 64, max);
		r = event_tree(before->root, after->root, &lists, &a, &root, &err);
		assert_true(r == 0 || err.code);
		arena_done(&a);
		assert_true(max < 1u << 20);
	}
	doc_unref(before);
	doc_unref(after);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cases),
		cmocka_unit_test(test_large_lists),
		cmocka_unit_test(test_without_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Documents: sharing and release. */
#include "value/doc.h"
#include "value/json.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct doc *parse(const char *text)
{
	struct limits limits = LIMITS_DEFAULT;
	struct json_options o = { .limits = &limits };
	struct doc *doc = NULL;
	struct err err;

	assert_int_equal(json_decode(str_from(text), &o, &doc, &err), 0);
	return doc;
}

static void test_references(void **state)
{
	struct doc *d = parse("[\"x\"]");

	(void)state;
	assert_ptr_equal(doc_ref(d), d);
	assert_null(doc_ref(NULL));
	doc_unref(NULL);
	doc_unref(d);
	assert_true(str_eq(val_str(val_at(d->root, 0)), STR("x")));
	doc_unref(d);
}

/* A document made of parts of others: they live as long as it does, through any number of steps. */
static void test_sharing_keeps_the_other_alive(void **state)
{
	struct doc *a = parse("{\"x\":[\"first\"]}"), *b = parse("{\"y\":\"second\"}"), *c, *d;
	struct err err;
	val items[2];

	(void)state;
	c = doc_new(0, 0);
	items[0] = VAL_GET(a->root, "x");
	items[1] = VAL_GET(b->root, "y");
	c->root = val_list(&c->arena, items, 2);
	assert_int_equal(doc_share(c, a, &err), 0);
	assert_int_equal(doc_share(c, b, &err), 0);
	assert_true(doc_bytes(c) >= sizeof(*c) + 2 * sizeof(val));
	doc_unref(a);
	doc_unref(b);
	d = doc_new(0, 0);
	d->root = val_at(c->root, 0);
	assert_int_equal(doc_share(d, c, &err), 0);
	doc_unref(c);
	assert_true(str_eq(val_str(val_at(d->root, 0)), STR("first")));
	doc_unref(d);
}

static void test_the_ceiling_is_the_arenas(void **state)
{
	CLEANUP(doc_unrefp) struct doc *d = doc_new(16, 64);

	(void)state;
	assert_non_null(arena_alloc(&d->arena, 64));
	assert_null(arena_alloc(&d->arena, 1));
}

static void *count_up_and_down(void *doc)
{
	for (int i = 0; i < 20000; i++)
		doc_unref(doc_ref(doc));
	doc_unref(doc);
	return NULL;
}

static void test_threads_share(void **state)
{
	struct doc *d = parse("{}");
	pthread_t threads[4];

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(threads); i++)
		assert_int_equal(pthread_create(&threads[i], NULL, count_up_and_down, doc_ref(d)), 0);
	for (size_t i = 0; i < ARRAY_LEN(threads); i++)
		pthread_join(threads[i], NULL);
	assert_int_equal(d->refs, 1);
	doc_unref(d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_references),
		cmocka_unit_test(test_sharing_keeps_the_other_alive),
		cmocka_unit_test(test_the_ceiling_is_the_arenas),
		cmocka_unit_test(test_threads_share),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

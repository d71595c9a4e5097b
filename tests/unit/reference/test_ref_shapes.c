/* What templates render is read the same whether shapes of it are known or not. */
#include "reference/ref_shapes.h"
#include "support/memory_source.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <pthread.h>

#define OBJECTS 400

static struct limits limits = LIMITS_DEFAULT;

static unsigned draw(unsigned *seed, unsigned n)
{
	*seed = *seed * 1103515245 + 12345;
	return (*seed >> 16) % n;
}

static void add_object(unsigned *seed, struct buf *out)
{
	static const char *const texts[] = { "web",  "1",          "1.5",        "true", "",  "a: b", "x y",
					     "null", "app",        "x1",         "2",    "3", "on",   "8080",
					     "a-b",  "2026-01-01", "a:5000/b@c", "#",    "'", "0x1F", "nan" };
	const char *comma = "";

	buf_printf(out, "{metadata: {name: n%u}, data: {", draw(seed, 100));
	for (char key = 'a'; key <= 'c'; key++) {
		if (key == 'c' && draw(seed, 2))
			continue;
		buf_printf(out, "%s%c: \"%s\"", comma, key, texts[draw(seed, ARRAY_LEN(texts))]);
		comma = ", ";
	}
	buf_add_cstr(out, "}}");
}

/* The value, or the error. */
static void render(const struct ref_template *t, val object, struct doc **ret, struct buf *error)
{
	struct tmpl_env env = { .limits = &limits, .error_text = error };
	struct err err;

	*ret = NULL;
	if (ref_render(t, object, &env, NULL, ret, &err) < 0)
		*ret = NULL;
}

/* How many were read by a shape. */
static size_t check_object(const struct reference *ref, val object)
{
	size_t known = 0;

	for (size_t i = 0; i < ref->n_templates; i++) {
		CLEANUP(buf_done) struct buf error = BUF_INIT(1 << 20);
		CLEANUP(buf_done) struct buf expected_error = BUF_INIT(1 << 20);
		CLEANUP(doc_unrefp) struct doc *doc = NULL;
		CLEANUP(doc_unrefp) struct doc *expected = NULL;
		struct ref_text text = *ref->templates[i]->text;
		struct ref_template without = *ref->templates[i];

		text.shapes = NULL;
		without.text = &text;
		render(ref->templates[i], object, &doc, &error);
		render(&without, object, &expected, &expected_error);
		assert_true(!doc == !expected);
		assert_true(!doc || val_equal(doc->root, expected->root));
		assert_true(str_eq(buf_str(&error), buf_str(&expected_error)));
		known += doc && doc->n_shared > 0;
	}
	return known;
}

struct checker {
	const struct reference *ref;
	unsigned seed;
	size_t known;
};

static void *check_many(void *arg)
{
	struct checker *c = arg;

	for (int i = 0; i < OBJECTS; i++) {
		CLEANUP(buf_done) struct buf text = BUF_INIT(1 << 16);
		const struct yaml_options o = { .limits = &limits };
		struct doc *object = NULL;
		struct err err;

		add_object(&c->seed, &text);
		assert_int_equal(yaml_decode(buf_str(&text), &o, &object, &err), 0);
		c->known += check_object(c->ref, object->root);
		doc_unref(object);
	}
	return NULL;
}

static void test_same(void **state)
{
	CLEANUP(doc_unrefp) struct doc *doc = data_document(TEST_DATA "/reference/shapes.yaml");
	struct problems problems = { 0 };
	struct checker c[2] = { { .seed = 1 }, { .seed = 2 } };
	struct reference *ref;
	pthread_t thread;
	struct err err;

	(void)state;
	assert_int_equal(memory_reference(&doc->root, &ref, &problems, &err), 0);
	assert_non_null(ref->shapes);
	c[0].ref = c[1].ref = ref;
	assert_int_equal(pthread_create(&thread, NULL, check_many, &c[1]), 0);
	check_many(&c[0]);
	pthread_join(thread, NULL);
	assert_true(c[0].known > OBJECTS / 8 && c[1].known > OBJECTS / 8);
	reference_unref(ref);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_same) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}

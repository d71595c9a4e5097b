/* Loading references: tests/data/reference/load.yaml. */
#include "support/memory_source.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static int failures;

static void expect(val name, const char *what, str expected, str actual)
{
	if (str_eq(expected, actual))
		return;
	/* cppcheck-suppress wrongPrintfScanfArgNum ; STR_ARG is two arguments */
	fprintf(stderr, "%.*s: %s: expected\n  %.*s\ngot\n  %.*s\n", STR_ARG(val_str(name)), what, STR_ARG(expected),
		STR_ARG(actual));
	failures++;
}

static void check_templates(val c, const struct reference *ref)
{
	val list = VAL_GET(c, "templates");

	if (val_count(list) != ref->n_templates)
		/* cppcheck-suppress wrongPrintfScanfArgNum ; STR_ARG is two arguments */
		fprintf(stderr, "%.*s: %zu templates\n", STR_ARG(val_str(VAL_GET(c, "name"))), ref->n_templates);
	failures += val_count(list) != ref->n_templates;
	for (uint32_t i = 0; i < val_count(list) && i < ref->n_templates; i++) {
		const struct ref_template *t = ref->templates[i];
		const struct identity *id = &t->identity;
		struct buf b = BUF_INIT(4096);

		buf_printf(&b, "%.*s %.*s/%.*s/%.*s/%.*s %s", STR_ARG(t->path), STR_ARG(id->kind),
			   STR_ARG(id->api_version), STR_ARG(id->namespace), STR_ARG(id->name),
			   ref_group_name(t->component->group));
		if (t->description.n)
			buf_printf(&b, " %.*s", STR_ARG(t->description));
		expect(VAL_GET(c, "name"), "template", val_str(val_at(list, i)), buf_str(&b));
		buf_done(&b);
	}
	if (val_exists(VAL_GET(c, "hash")))
		expect(VAL_GET(c, "name"), "hash", val_str(VAL_GET(c, "hash")), str_from(ref->hash));
}

static void check_problems(val c, const struct problems *p)
{
	val list = VAL_GET(c, "problems");

	for (uint32_t i = 0; i < val_count(list) || i < p->list.n; i++)
		expect(VAL_GET(c, "name"), "problem", val_str(val_at(list, i)),
		       i < p->list.n ? str_from(p->list.p[i]) : STR("(none)"));
}

static void test_cases(void **state)
{
	struct doc *doc = data_document(TEST_DATA "/reference/load.yaml");

	(void)state;
	assert_non_null(doc);
	assert_true(val_count(doc->root) > 0);
	for (uint32_t i = 0; i < val_count(doc->root); i++) {
		val c = val_at(doc->root, i), files = VAL_GET(c, "files");
		struct problems problems = { 0 };
		struct reference *ref = NULL;
		struct err err;
		int r = memory_reference(&files, &ref, &problems, &err);

		if (r == 0)
			check_templates(c, ref);
		assert_true(r == 0 || problems_any(&problems));
		check_problems(c, &problems);
		reference_unref(ref);
		problems_done(&problems);
	}
	doc_unref(doc);
	assert_int_equal(failures, 0);
}

static void test_includes_do_not_explode(void **state)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(1 << 20);
	struct limits limits = LIMITS_DEFAULT;
	struct yaml_options o = { .limits = &limits };
	struct problems problems = { 0 };
	struct reference *ref = NULL;
	struct doc *doc = NULL;
	struct err err;

	(void)state;
	buf_add_cstr(&text, "metadata.yaml: |\n  apiVersion: v2\n  parts: []\n  fieldsToOmit:\n    items:\n");
	for (int i = 0; i < 60; i++)
		buf_printf(&text, "      l%02d: [{include: l%02d}, {include: l%02d}]\n", i, i + 1, i + 1);
	buf_add_cstr(&text, "      l60: [{pathToKey: a}]\n");
	assert_int_equal(yaml_decode(buf_str(&text), &o, &doc, &err), 0);
	assert_true(memory_reference(&doc->root, &ref, &problems, &err) < 0);
	assert_true(problems_any(&problems));
	problems_done(&problems);
	doc_unref(doc);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cases),
		cmocka_unit_test(test_includes_do_not_explode),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

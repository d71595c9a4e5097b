/* Owners of fields: tests/data/compare/blame.yaml. */
#include "compare/blame.h"
#include "support/memory_source.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void test_fields(void **state)
{
	struct doc *doc = data_document(TEST_DATA "/compare/blame.yaml");
	val cases, fields, object;

	(void)state;
	assert_non_null(doc);
	cases = VAL_GET(doc->root, "cases");
	fields = VAL_GET(doc->root, "managedFields");
	object = VAL_GET(doc->root, "object");
	assert_true(val_count(cases) > 0);
	for (uint32_t i = 0; i < val_count(cases); i++) {
		val c = val_at(cases, i);
		str want = val_str(VAL_GET(c, "manager"));
		struct blame b = { 0 };
		struct path p;
		struct arena a;
		bool found;

		arena_init(&a, 0, 0);
		assert_true(path_parse(val_str(VAL_GET(c, "path")), &a, &p));
		found = blame_field(fields, object, p, &b);
		if (found != (want.n > 0) || (found && !str_eq(b.manager, want)))
			fail_msg("%.*s: %.*s", STR_ARG(val_str(VAL_GET(c, "path"))), STR_ARG(b.manager));
		if (str_eq(want, STR("scaler")))
			assert_true(str_eq(b.subresource, STR("scale")) && str_eq(b.operation, STR("Update")) &&
				    str_eq(b.time, STR("2024-02-01T00:00:00Z")));
		arena_done(&a);
	}
	doc_unref(doc);
}

static void test_removal(void **state)
{
	static const char text[] = "before: [{manager: a, time: t1}, {manager: b, time: t1}]\n"
				   "moved: [{manager: a, time: t1}, {manager: b, time: t2}]\n"
				   "new: [{manager: a, time: t1}, {manager: b, time: t1}, {manager: c, time: t0}]\n";
	struct limits limits = LIMITS_DEFAULT;
	struct yaml_options o = { .limits = &limits };
	struct doc *doc = NULL;
	struct blame b;
	struct err err;
	val before;

	(void)state;
	assert_int_equal(yaml_decode(STR(text), &o, &doc, &err), 0);
	before = VAL_GET(doc->root, "before");
	assert_false(blame_removal(before, before, &b));
	assert_true(blame_removal(before, VAL_GET(doc->root, "moved"), &b));
	assert_true(str_eq(b.manager, STR("b")));
	assert_true(blame_removal(before, VAL_GET(doc->root, "new"), &b));
	assert_true(str_eq(b.manager, STR("c")));
	assert_true(blame_after(VAL_GET(doc->root, "moved"), STR("t0"), &b));
	assert_true(str_eq(b.manager, STR("b")));
	assert_false(blame_after(VAL_GET(doc->root, "moved"), b.time, &b));
	doc_unref(doc);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_fields), cmocka_unit_test(test_removal) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}

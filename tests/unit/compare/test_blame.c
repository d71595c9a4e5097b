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
		uint64_t steps = BLAME_STEPS;
		struct blame b = { 0 };
		struct path p;
		struct arena a;
		bool found;

		arena_init(&a, 0, 0);
		assert_true(path_parse(val_str(VAL_GET(c, "path")), &a, &p));
		found = blame_field(fields, object, p, &steps, &b);
		if (found != (want.n > 0) || (found && !str_eq(b.manager, want)))
			fail_msg("%.*s: %.*s", STR_ARG(val_str(VAL_GET(c, "path"))), STR_ARG(b.manager));
		if (str_eq(want, STR("scaler")))
			assert_true(str_eq(b.subresource, STR("scale")) && str_eq(b.operation, STR("Update")) &&
				    str_eq(b.time, STR("2024-02-01T00:00:00Z")));
		arena_done(&a);
	}
	doc_unref(doc);
}

/* Every item of a list is looked for among the keys of all: that has an end. */
static void test_limit(void **state)
{
	enum { ITEMS = 3000 };
	CLEANUP(buf_done) struct buf text = BUF_INIT(1u << 20);
	struct limits limits = LIMITS_DEFAULT;
	struct yaml_options o = { .limits = &limits };
	struct path_segment segments[] = { { .kind = PATH_KEY, .text = STR("l") }, { .kind = PATH_INDEX, .index = 0 } };
	struct path p = { segments, ARRAY_LEN(segments) };
	uint64_t steps = BLAME_STEPS;
	struct doc *doc = NULL;
	struct blame b;
	struct err err;
	uint32_t known = 0;

	(void)state;
	buf_add_cstr(&text, "fields: [{manager: a, time: t, fieldsV1: {'f:l': {");
	for (int i = 0; i < ITEMS; i++)
		buf_printf(&text, "%s'v:%d': {}", i ? ", " : "", i);
	buf_add_cstr(&text, "}}}]\nl: [");
	for (int i = 0; i < ITEMS; i++)
		buf_printf(&text, "%s%d", i ? ", " : "", i);
	buf_add_byte(&text, ']');
	assert_int_equal(yaml_decode(buf_str(&text), &o, &doc, &err), 0);
	while (segments[1].index < ITEMS && blame_field(VAL_GET(doc->root, "fields"), doc->root, p, &steps, &b)) {
		known++;
		segments[1].index++;
	}
	assert_in_range(known, 10, ITEMS / 2);
	assert_int_equal(steps, 0);
	doc_unref(doc);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_fields), cmocka_unit_test(test_limit) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}

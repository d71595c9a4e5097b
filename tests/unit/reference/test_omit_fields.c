/* Omitting fields: tests/data/reference/omit.yaml. */
#include "support/memory_source.h"
#include "value/json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static struct omit_path path_of(val list, struct arena *a)
{
	str *keys = arena_array(a, val_count(list), sizeof(*keys));
	struct omit_path p = { keys, val_count(list), false };

	for (uint32_t i = 0; i < p.n; i++)
		keys[i] = val_str(val_at(list, i));
	if (p.n && str_has_suffix(keys[p.n - 1], STR("*"))) {
		keys[p.n - 1].n--;
		p.prefix = true;
	}
	return p;
}

static void test_cases(void **state)
{
	struct doc *doc = data_document(TEST_DATA "/reference/omit.yaml");

	(void)state;
	assert_non_null(doc);
	for (uint32_t i = 0; i < val_count(doc->root); i++) {
		val c = val_at(doc->root, i), paths = VAL_GET(c, "paths"), left;
		struct omit_path *list;
		struct omit_list omit;
		struct arena a;
		struct err err;

		arena_init(&a, 0, 0);
		list = arena_array(&a, val_count(paths), sizeof(*list));
		for (uint32_t k = 0; k < val_count(paths); k++)
			list[k] = path_of(val_at(paths, k), &a);
		assert_int_equal(omit_list_make(list, val_count(paths), &a, &omit, &err), 0);
		left = omit_fields(VAL_GET(c, "object"), omit, &a);
		if (!val_equal(left, VAL_GET(c, "left"))) {
			struct buf b = BUF_INIT(4096);

			assert_int_equal(json_encode(left, JSON_PLAIN, NULL, &b, &err), 0);
			fail_msg("case %u: left %.*s", i, STR_ARG(buf_str(&b)));
		}
		arena_done(&a);
	}
	doc_unref(doc);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_cases) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}

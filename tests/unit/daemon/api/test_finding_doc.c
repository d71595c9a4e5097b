/* A finding as a document. */
#include "daemon/api/finding_doc.h"

#include "value/json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void test_members(void **state)
{
	const struct finding x = {
		.kind = FINDING_DRIFT,
		.severity = SEVERITY_ERROR,
		.subject = { .name = STR("a\n\"") },
		.paths = STR("spec.a\"b\nspec.c"),
		.manager = STR("kubectl\"edit"),
	};
	struct limits limits = LIMITS_DEFAULT;
	struct json_options o = { .limits = &limits };
	CLEANUP(buf_done) struct buf text = BUF_INIT(4096);
	CLEANUP(doc_unrefp) struct doc *d = NULL;
	struct err err;

	(void)state;
	finding_doc(&x, true, 0, &text);
	assert_int_equal(json_decode(buf_str(&text), &o, &d, &err), 0);
	assert_true(str_eq(val_str(VAL_GET(d->root, "type")), STR("drift")));
	assert_true(str_eq(val_str(VAL_GET(d->root, "severity")), STR("error")));
	assert_true(str_eq(val_str(VAL_GET(d->root, "name")), STR("a\n\"")));
	assert_true(str_eq(val_str(VAL_GET(d->root, "manager")), STR("kubectl\"edit")));
	assert_true(str_eq(val_str(val_at(VAL_GET(d->root, "paths"), 0)), STR("spec.a\"b")));
	assert_int_equal(val_count(VAL_GET(d->root, "paths")), 2);
	assert_false(val_exists(VAL_GET(d->root, "part")));
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_members) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}

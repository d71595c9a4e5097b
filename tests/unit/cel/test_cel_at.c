/* The places that rules of files apply to. */
#include "cel/cel_at.h"

#include "base/buf.h"
#include "value/json.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static int collect(void *ctx, val self, val old, const struct cel_where *path, struct err *err)
{
	struct buf *out = ctx;

	buf_printf(out, "%.*s=", STR_ARG(path->text));
	if (json_encode(self, JSON_PLAIN, NULL, out, err) < 0)
		return -1;
	buf_add_cstr(out, val_exists(old) ? "+ " : " ");
	return 0;
}

static void test_walk(void **state)
{
	static const struct {
		const char *path;
		const char *found; /* "+": the old value is known */
	} cases[] = {
		{ "", "={\"a\":[{\"b\":1},{\"b\":2},{}],\"m\":{\"x\":3,\"y.z\":4},\"n\":null}+ " },
		{ ".a[*].b", "a[0].b=1 a[1].b=2 " },
		{ "m.*", "m.x=3+ m[y.z]=4+ " },
		{ ".m['y.z']", "m[y.z]=4+ " },
		{ ".n", "" },
		{ ".nope.x", "" },
		{ ".m[*]", "" },
	};
	struct limits lim = LIMITS_DEFAULT;
	struct json_options o = { .limits = &lim };
	CLEANUP(doc_unrefp) struct doc *doc = NULL;
	struct err err;

	(void)state;
	assert_int_equal(json_decode(STR("{\"a\":[{\"b\":1},{\"b\":2},{}],\"m\":{\"x\":3,\"y.z\":4},\"n\":null}"), &o,
				     &doc, &err),
			 0);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(buf_done) struct buf out = BUF_INIT(4096);
		struct cel_at at;

		assert_int_equal(cel_at_parse(str_from(cases[i].path), &at, &err), 0);
		assert_int_equal(cel_at_walk(&at, doc->root, doc->root, collect, &out, &err), 0);
		assert_string_equal(buf_str(&out).p, cases[i].found);
	}
}

static void test_malformed(void **state)
{
	static const char *const paths[] = { ".", "a..b", "a[", "a[x]", "a['b'", "a[*]b", "a.['b']" };
	struct cel_at at;
	struct err err;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(paths); i++)
		assert_true(cel_at_parse(str_from(paths[i]), &at, &err) < 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_walk), cmocka_unit_test(test_malformed) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}

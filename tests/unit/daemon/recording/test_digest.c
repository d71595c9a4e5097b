/* What a recording has instead of values that it may not have: of the same type, the same for the same value, and no
 * value. */
#include "daemon/recording/digest.h"

#include "go/base64.h"
#include "mask/found.h"
#include "value/json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const str sensitive[] = { STR("pin") };
static const struct mask_fields fields = { .sensitive = sensitive, .n_sensitive = ARRAY_LEN(sensitive) };

static struct arena arena;
static struct digester digester;

static int setup(void **state)
{
	struct err err;

	(void)state;
	arena = ARENA_INIT(0);
	return digester_init(&digester, &err);
}

static int teardown(void **state)
{
	(void)state;
	arena_done(&arena);
	return 0;
}

static val read_json(const char *text)
{
	size_t used;
	struct err err;
	val v;

	assert_int_equal(json_decode_value(str_from(text), JSON_DEFAULTS, &arena, &v, &used, &err), 0);
	return v;
}

static val digested(struct digester *d, const char *text)
{
	struct err err;
	val v;

	assert_int_equal(digest_object(d, &fields, read_json(text), &arena, &v, &err), 0);
	return v;
}

static void expect_digest(str s)
{
	if (!str_has_prefix(s, STR(MASK_DIGEST_PREFIX)) || s.n != sizeof(MASK_DIGEST_PREFIX) - 1 + 32)
		fail_msg("'%.*s' is no digest", STR_ARG(s));
}

static void test_secret(void **state)
{
	static const char text[] = "{\"apiVersion\":\"v1\",\"kind\":\"Secret\",\"metadata\":{\"name\":\"s\"},"
				   "\"data\":{\"a\":\"eA==\",\"b\":\"eA==\",\"c\":\"eQ==\"},"
				   "\"stringData\":{\"d\":\"x\"}}";
	val v = digested(&digester, text), data = VAL_GET(v, "data");
	str bytes;

	(void)state;
	assert_true(str_eq(val_str(VAL_GET(VAL_GET(v, "metadata"), "name")), STR("s")));
	assert_true(str_eq(val_str(VAL_GET(data, "a")), val_str(VAL_GET(data, "b"))));
	assert_false(str_eq(val_str(VAL_GET(data, "a")), val_str(VAL_GET(data, "c"))));
	assert_int_equal(go_base64_decode(&go_base64_std, val_str(VAL_GET(data, "c")), &arena, &bytes, NULL), 0);
	expect_digest(bytes); /* a reader decodes it */
	expect_digest(val_str(VAL_GET(VAL_GET(v, "stringData"), "d")));
}

static void test_types(void **state)
{
	val v = digested(&digester, "{\"kind\":\"Widget\",\"size\":3,\"pin\":{\"text\":\"x\",\"same\":\"x\",\"int\":7,"
				    "\"double\":7.25,\"yes\":true,\"no\":false,\"null\":null}}");
	val pin = VAL_GET(v, "pin");

	(void)state;
	assert_int_equal(VAL_GET(v, "size").i, 3);
	expect_digest(val_str(VAL_GET(pin, "text")));
	assert_true(str_eq(val_str(VAL_GET(pin, "text")), val_str(VAL_GET(pin, "same"))));
	assert_int_equal(VAL_GET(pin, "int").kind, VAL_INT);
	assert_int_not_equal(VAL_GET(pin, "int").i, 7);
	assert_int_equal(VAL_GET(pin, "double").kind, VAL_DOUBLE);
	assert_true(VAL_GET(pin, "double").d != 7.25);
	assert_int_equal(VAL_GET(pin, "yes").kind, VAL_BOOL);
	assert_int_equal(VAL_GET(pin, "no").kind, VAL_BOOL);
	assert_int_not_equal(VAL_GET(pin, "yes").b, VAL_GET(pin, "no").b);
	assert_true(val_is_null(VAL_GET(pin, "null")));
}

/* Without the key nobody can try values. That booleans are swapped is a bit of the key: of 64 keys some swap, some do
 * not. */
static void test_keys(void **state)
{
	str before = { 0 };
	unsigned swapped = 0;

	(void)state;
	for (size_t i = 0; i < 64; i++) {
		struct digester d;
		struct err err;
		val v;
		str text;

		assert_int_equal(digester_init(&d, &err), 0);
		v = digested(&d, "{\"pin\":[\"x\",true]}");
		text = val_str(val_at(VAL_GET(v, "pin"), 0));
		assert_false(str_eq(text, before));
		before = text;
		swapped += !val_at(VAL_GET(v, "pin"), 1).b;
	}
	assert_in_range(swapped, 1, 63);
}

static val spec_of(val managed, uint32_t i)
{
	return VAL_GET(VAL_GET(val_at(managed, i), "fieldsV1"), "f:spec");
}

/* The keys of managedFields: fields by their names, items by values, of which none is left that may be hidden. */
static void test_managed(void **state)
{
	static const char list[] =
		"[{\"manager\":\"kubectl\",\"fieldsV1\":{\"f:spec\":{\"f:pin\":{},"
		"\"k:{\\\"name\\\":\\\"a\\\"}\":{\".\":{}},"
		"\"k:{\\\"pin\\\":\\\"x\\\"}\":{\"f:b\":{}},"
		"\"v:\\\"x\\\"\":{\"f:a\":{}}}}},"
		"{\"manager\":\"helm\",\"fieldsV1\":{\"f:spec\":{\"v:\\\"x\\\"\":{},\"k:what\":{}}}}]";
	CLEANUP(buf_done) struct buf text = BUF_INIT(1 << 16);
	struct err err;
	val v;

	(void)state;
	assert_int_equal(digest_managed(&digester, &fields, read_json(list), &arena, &v, &err), 0);
	assert_int_equal(val_count(v), 2);
	assert_true(str_eq(val_str(VAL_GET(val_at(v, 0), "manager")), STR("kubectl")));
	assert_int_equal(val_count(spec_of(v, 0)), 4);
	assert_true(val_exists(VAL_GET(spec_of(v, 0), "f:pin")));
	assert_true(val_exists(VAL_GET(VAL_GET(spec_of(v, 0), "k:{\"name\":\"a\"}"), ".")));
	assert_true(val_exists(VAL_GET(spec_of(v, 1), "v:null"))); /* nobody knows what it says */
	assert_int_equal(val_count(spec_of(v, 1)), 2);
	for (uint32_t i = 0; i < 2; i++) { /* the same value has the same name */
		str key = key_str(spec_of(v, 1).members[i].key);

		if (!str_eq(key, STR("v:null")))
			assert_true(val_exists(VAL_GET(val_get(spec_of(v, 0), key), "f:a")));
	}
	assert_int_equal(json_encode(v, JSON_PLAIN, NULL, &text, &err), 0);
	assert_null(strchr(buf_str(&text).p, 'x'));
	assert_int_equal(digest_managed(&digester, &fields, (val){ 0 }, &arena, &v, &err), 0);
	assert_true(val_is_list(v));
	assert_int_equal(val_count(v), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_secret, setup, teardown),
		cmocka_unit_test_setup_teardown(test_types, setup, teardown),
		cmocka_unit_test_setup_teardown(test_keys, setup, teardown),
		cmocka_unit_test_setup_teardown(test_managed, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

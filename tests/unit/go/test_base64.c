/* Base64 and base32 against Go: texts, the offsets of its errors, and every short input there and back. */
#include "go/base32.h"
#include "go/base64.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static const struct {
	const char *text;
	const char *bytes; /* NULL: corrupt */
	size_t bad;        /* where */
} padded[] = {
	{ "", "", 0 },          { "Zg==", "f", 0 },        { "Zm8=", "fo", 0 },
	{ "Zm9v", "foo", 0 },   { "Zm9vYg==", "foob", 0 }, { "Zm\n9v\r\n", "foo", 0 },
	{ "Zg=\n=\n", "f", 0 }, { "Zh==", "f", 0 },        { "Z", NULL, 0 },
	{ "Zg", NULL, 0 },      { "Zm8", NULL, 0 },        { "Zg=", NULL, 3 },
	{ "Zg=x", NULL, 3 },    { "Z===", NULL, 1 },       { "====", NULL, 0 },
	{ "Zm9v=", NULL, 4 },   { "Zg==Zg==", NULL, 4 },   { "Zm 9v", NULL, 2 },
	{ "Zm9-", NULL, 3 },    { "Zm9vZ", NULL, 4 },
};

static void test_padded(void **state)
{
	CLEANUP(arena_done) struct arena a = ARENA_INIT(0);

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(padded); i++) {
		str got = STR("before");
		size_t bad = 99;
		int r = go_base64_decode(&go_base64_std, str_from(padded[i].text), &a, &got, &bad);

		if (padded[i].bytes) {
			assert_int_equal(r, 0);
			assert_true(str_eq(got, str_from(padded[i].bytes)));
			assert_int_equal(got.p[got.n], '\0');
		} else {
			assert_int_equal(r, -EBADMSG);
			assert_int_equal(bad, padded[i].bad);
			assert_true(str_eq(got, STR("before")));
		}
	}
}

static void test_raw(void **state)
{
	CLEANUP(arena_done) struct arena a = ARENA_INIT(0);
	str got;

	(void)state;
	assert_int_equal(go_base64_decode(&go_base64_raw, STR("Zm8"), &a, &got, NULL), 0);
	assert_true(str_eq(got, STR("fo")));
	assert_int_equal(go_base64_decode(&go_base64_raw, STR("Zm9v"), &a, &got, NULL), 0);
	assert_int_equal(go_base64_decode(&go_base64_raw, STR("Zm8="), &a, &got, NULL), -EBADMSG);
	assert_int_equal(go_base64_decode(&go_base64_raw, STR("Zm9vZ"), &a, &got, NULL), -EBADMSG);
}

static void test_there_and_back(void **state)
{
	static const struct go_base64 backwards = { "/+9876543210zyxwvutsrqponmlkjihgfedcbaZYXWVUTSRQPONMLKJIHGFEDCBA",
						    false };
	const struct go_base64 *all[] = { &go_base64_std, &go_base64_raw, &backwards };
	unsigned char bytes[70];
	char text[GO_BASE64_LEN(sizeof(bytes))];

	(void)state;
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (unsigned char)(i * 37 + 11);
	for (size_t e = 0; e < ARRAY_LEN(all); e++) {
		for (size_t n = 0; n <= sizeof(bytes); n++) {
			CLEANUP(arena_done) struct arena a = ARENA_INIT(0);
			str got;
			size_t len = go_base64_write(all[e], bytes, n, text);

			assert_true(len <= GO_BASE64_LEN(n));
			assert_int_equal(go_base64_decode(all[e], (str){ text, len }, &a, &got, NULL), 0);
			assert_int_equal(got.n, n);
			assert_memory_equal(got.p, bytes, n);
		}
	}
}

static void test_buffer(void **state)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(20);
	struct buf small = BUF_INIT(3);

	(void)state;
	buf_add_cstr(&out, "Basic ");
	go_base64_encode(&out, STR("a:b"));
	assert_string_equal(out.p, "Basic YTpi");
	go_base64_encode(&small, STR("a"));
	assert_int_equal(small.error, -E2BIG);
	buf_done(&small);
}

static void test_base32(void **state)
{
	static const struct {
		const char *text, *bytes; /* NULL: corrupt */
		size_t bad;
	} cases[] = {
		{ "", "", 0 },
		{ "MY======", "f", 0 },
		{ "MZXW6YQ=", "foob", 0 },
		{ "MZXW\n6YTB\r", "fooba", 0 },
		{ "MZXW6YTBOI======", "foobar", 0 },
		{ "MY", NULL, 0 },
		{ "MY=====", NULL, 7 },
		{ "MY=A====", NULL, 2 },
		{ "my======", NULL, 0 },
		{ "MZX=====", NULL, 3 },
		{ "M=======", NULL, 1 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(arena_done) struct arena a = ARENA_INIT(0);
		CLEANUP(buf_done) struct buf again = BUF_INIT(100);
		str got;
		size_t bad = 99;
		int r = go_base32_decode(str_from(cases[i].text), &a, &got, &bad);

		assert_int_equal(r, cases[i].bytes ? 0 : -EBADMSG);
		if (r < 0) {
			assert_int_equal(bad, cases[i].bad);
			continue;
		}
		assert_true(str_eq(got, str_from(cases[i].bytes)));
		go_base32_encode(&again, got);
		if (!strpbrk(cases[i].text, "\r\n"))
			assert_string_equal(buf_str(&again).p, cases[i].text);
	}
}

/* What is behind the bytes does not show in the last digit. */
static void test_base32_of_a_part(void **state)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(100);

	(void)state;
	go_base32_encode(&out, (str){ "f\xff", 1 });
	assert_string_equal(out.p, "MY======");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_base32_of_a_part), cmocka_unit_test(test_padded), cmocka_unit_test(test_raw),
		cmocka_unit_test(test_there_and_back),   cmocka_unit_test(test_buffer), cmocka_unit_test(test_base32),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Answers and broken transfers as codes and messages. */
#include "kubeclient/kc_result.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void test_statuses(void **state)
{
	static const struct {
		int status;
		const char *body;
		int code;
		const char *message;
		uint64_t retry_ms;
		bool too_new;
	} rows[] = {
		{ 400, "", EINVAL, "x: 400 Bad Request", 0, false },
		{ 401, "no", ENOKEY, "x: 401 Unauthorized: no", 0, false },
		{ 403, " two\nlines\t\xff ", EACCES, "x: 403 Forbidden: two lines  ", 0, false },
		{ 404, "", ENOENT, "x: 404 Not Found", 0, false },
		{ 410, "", ESTALE, "x: 410 Gone", 0, false },
		{ 418, "", EPROTO, "x: 418 ", 0, false },
		{ 422, "", EINVAL, "x: 422 Unprocessable Entity", 0, false },
		{ 429, "{\"kind\":\"Status\",\"details\":{\"retryAfterSeconds\":3}}", EAGAIN,
		  "x: 429 Too Many Requests", 3000, false },
		{ 500, "{\"kind\":\"Status\",\"reason\":\"Expired\",\"message\":\"too old\"}", ESTALE,
		  "x: 500 Internal Server Error: too old", 0, false },
		{ 500, "{\"kind\":\"Status\",\"reason\":\"Gone\"}", ESTALE, "x: 500 Internal Server Error", 0, false },
		{ 502, "{\"kind\":\"Pod\"}", EREMOTEIO, "x: 502 Bad Gateway: {\"kind\":\"Pod\"}", 0, false },
		{ 503, "", EREMOTEIO, "x: 503 Service Unavailable", 0, false },
		{ 504, "{\"kind\":\"Status\",\"details\":{\"causes\":[7,{\"reason\":\"ResourceVersionTooLarge\"}]}}",
		  EREMOTEIO, "x: 504 Gateway Timeout", 0, true },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct kc_result r = { .status = rows[i].status };

		kc_result_status(&r, "x", str_from(rows[i].body));
		assert_int_equal(r.err.code, rows[i].code);
		assert_string_equal(r.err.msg, rows[i].message);
		assert_int_equal(r.retry_after_ms, rows[i].retry_ms);
		assert_int_equal(r.too_new, rows[i].too_new);
	}
}

static void test_long_body_is_cut(void **state)
{
	struct kc_result r = { .status = 500 };
	char body[1000];

	(void)state;
	memset(body, 'x', sizeof(body));
	kc_result_status(&r, "x", (str){ body, sizeof(body) });
	assert_true(strlen(r.err.msg) < 400);
	assert_true(str_has_suffix(str_from(r.err.msg), STR("xxx...")));
}

static void test_codes(void **state)
{
	static const struct {
		int status, code;
		const char *label;
	} rows[] = {
		{ 503, EREMOTEIO, "503" },   { 0, ECONNREFUSED, "refused" }, { 0, EHOSTUNREACH, "dns" },
		{ 0, ETIMEDOUT, "timeout" }, { 200, EKEYREJECTED, "tls" },   { 200, ECONNRESET, "broken" },
		{ 200, ENOMEM, "other" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct kc_result r = { .status = rows[i].status, .err.code = rows[i].code };
		char label[12];

		kc_result_code(&r, label);
		assert_string_equal(label, rows[i].label);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_statuses),
		cmocka_unit_test(test_long_body_is_cut),
		cmocka_unit_test(test_codes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Answers and broken transfers as codes and messages. */
#include "kubeclient/kc_result.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

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
		{ 302, "{\"kind\":\"Status\",\"message\":\"no\"}", EPROTO, "x: 302 Found: no", 0, false },
		{ 302, "<html>", EPROTO, "x: 302 Found: redirects are not followed", 0, false },
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
		{ 500, "{\"kind\":\"Status\",\"message\":\"no postgres://u:hunter2@db/x\"}", EREMOTEIO,
		  "x: 500 Internal Server Error: (hidden: it may hold a secret)", 0, false },
		{ 500, "password=hunter2", EREMOTEIO, "x: 500 Internal Server Error: (hidden: it may hold a secret)", 0,
		  false },
		{ 500, "secrets \"db-password\" not found", EREMOTEIO,
		  "x: 500 Internal Server Error: secrets \"db-password\" not found", 0, false },
		{ 502, "{\"kind\":\"Pod\"}", EREMOTEIO, "x: 502 Bad Gateway: {\"kind\":\"Pod\"}", 0, false },
		{ 503, "", EREMOTEIO, "x: 503 Service Unavailable", 0, false },
		{ 504, "{\"kind\":\"Status\",\"details\":{\"causes\":[7,{\"reason\":\"ResourceVersionTooLarge\"}]}}",
		  EREMOTEIO, "x: 504 Gateway Timeout", 0, true },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct kc_result r = { .status = rows[i].status };

		kc_result_status(&r, "x", "", foreign_bytes(str_from(rows[i].body)));
		assert_int_equal(r.err.code, rows[i].code);
		assert_string_equal(r.err.msg, rows[i].message);
		assert_int_equal(r.retry_after_ms, rows[i].retry_ms);
		assert_int_equal(r.too_new, rows[i].too_new);
	}
}

/* Ahead of whatever the server says, and only of what the API itself forbids. */
static void test_advice(void **state)
{
	static const struct {
		int status;
		const char *body, *message;
	} rows[] = {
		{ 403, "{\"kind\":\"Status\",\"reason\":\"Forbidden\",\"message\":\"no\"}",
		  "x: 403 Forbidden (needs it): no" },
		{ 403, "{\"kind\":\"Status\",\"message\":\"no\"}", "x: 403 Forbidden: no" },
		{ 403, "<html>", "x: 403 Forbidden: <html>" },
		{ 400, "plain", "x: 400 Bad Request (needs it): plain" },
	};
	struct kc_result long_one = { .status = 403 };
	char body[1000] = "{\"kind\":\"Status\",\"reason\":\"Forbidden\",\"message\":\"";

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct kc_result r = { .status = rows[i].status };

		kc_result_status(&r, "x", " (needs it)", foreign_bytes(str_from(rows[i].body)));
		assert_string_equal(r.err.msg, rows[i].message);
	}
	memset(body + strlen(body), 'x', sizeof(body) - strlen(body) - 3);
	memcpy(body + sizeof(body) - 3, "\"}", 3);
	kc_result_status(&long_one, "x", " (needs it)", foreign_bytes(str_from(body)));
	assert_true(str_has_prefix(str_from(long_one.err.msg), STR("x: 403 Forbidden (needs it): xxx")));
}

static void test_long_body_is_cut(void **state)
{
	struct kc_result r = { .status = 500 };
	char body[1000];

	(void)state;
	memset(body, 'x', sizeof(body));
	kc_result_status(&r, "x", "", foreign_bytes((str){ body, sizeof(body) }));
	assert_true(strlen(r.err.msg) < 400);
	assert_true(str_has_suffix(str_from(r.err.msg), STR("xxx...")));
}

static void test_redirects(void **state)
{
	static const struct {
		const char *url, *shown;
	} rows[] = {
		{ "https://login.example.com:8443/a/b", " (to https://login.example.com:8443/a/b)" },
		{ "https://me:pass@login.example.com/a?token=1#frag", " (to https://login.example.com/a)" },
		{ "https://login.example.com?token=1", " (to https://login.example.com)" },
		{ "https://login.example.com#a@b", " (to https://login.example.com)" },
		{ "https://[fd00::1]/", " (to https://[fd00::1]/)" },
		{ "https://a@b:pass@h/x", " (to https://h/x)" },
		{ "https://h/a\nb\x1b[1m", " (to https://h/a b [1m)" },
		{ "https://me:pa/ss@h/x", "" },
		{ "https://me:pa?ss@h/x", "" },
		{ "https://me:pass", "" },
		{ "https:///x", "" },
		{ "/relative?x", "" },
		{ "", "" },
		{ NULL, "" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct kc_result r = { .status = 307 };
		char expected[300];

		kc_result_headers(&r, NULL, rows[i].url);
		kc_result_status(&r, "x", "", foreign_bytes(STR("")));
		(void)snprintf(expected, sizeof(expected), "x: 307 Temporary Redirect: redirects are not followed%s",
			       rows[i].shown);
		assert_string_equal(r.err.msg, expected);
		assert_int_equal(r.err.code, EPROTO);
	}
}

static void test_long_redirect_is_cut(void **state)
{
	struct kc_result r = { .status = 302 };
	char url[1000] = "https://h/";

	(void)state;
	memset(url + 10, 'x', sizeof(url) - 11);
	kc_result_headers(&r, NULL, url);
	assert_true(strlen(r.redirect) < 100);
	assert_true(str_has_suffix(str_from(r.redirect), STR("xxx...")));
}

static void test_no_json(void **state)
{
	static const struct {
		const char *type, *body;
		bool complete;
		const char *message; /* NULL: it is left to the parser */
	} rows[] = {
		{ NULL, "", true, "200 OK, but the answer is empty" },
		{ NULL, " \n", true, "200 OK, but the answer is empty" },
		{ "text/html; charset=utf-8", "\n<html>\n<head>", true,
		  "200 OK, but the answer is not JSON (text/html): it begins with \"<html> <head>\"" },
		{ NULL, "0123456789012345678901234567890123456789-more", false,
		  "200 OK, but the answer is not JSON: it begins with "
		  "\"0123456789012345678901234567890123456789...\"" },
		{ "application/json", "{\"items\":[{", true,
		  "200 OK, but the answer ends in the middle of a JSON document after 11 bytes" },
		{ NULL, "{\"a\":\"\\\"}", true,
		  "200 OK, but the answer ends in the middle of a JSON document after 9 bytes" },
		{ NULL, "{\"items\":[{", false, NULL },
		{ NULL, "{\"a\":\"{\\\"[\"}", true, NULL },
		{ NULL, "{\"a\":nonsense}", true, NULL },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct kc_result r = { .status = 200 };
		struct err err = { .code = EINVAL, .msg = "parser" };

		kc_result_headers(&r, rows[i].type, NULL);
		kc_result_no_json(&r, foreign_bytes(str_from(rows[i].body)), rows[i].complete, &err);
		assert_string_equal(err.msg, rows[i].message ? rows[i].message : "parser");
		assert_int_equal(err.code, rows[i].message ? EBADMSG : EINVAL);
	}
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
		cmocka_unit_test(test_advice),
		cmocka_unit_test(test_long_body_is_cut),
		cmocka_unit_test(test_redirects),
		cmocka_unit_test(test_long_redirect_is_cut),
		cmocka_unit_test(test_no_json),
		cmocka_unit_test(test_codes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

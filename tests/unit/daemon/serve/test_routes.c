/* Request targets, and which route answers them. */
#include "daemon/serve/routes.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void nothing(void *ctx, const struct http_request *request, struct http_response *response)
{
	(void)ctx;
	(void)request;
	(void)response;
}

static const struct http_route table[] = {
	{ "GET", "/", nothing },
	{ "GET", "/api/v1/findings", nothing },
	{ "GET", "/api/v1/findings/{id}", nothing },
	{ "POST", "/api/v1/findings/{id}/accept", nothing },
	{ "DELETE", "/api/v1/findings/{id}/accept", nothing },
	{ 0 },
};

static int parse(const char *raw, struct uri *u)
{
	struct err err;

	return uri_parse(u, str_from(raw), &err);
}

static void finds(const char *method, const char *raw, int index, bool is_known)
{
	struct uri u;
	bool known;
	const struct http_route *r;

	assert_int_equal(parse(raw, &u), 0);
	r = routes_find(table, method, &u, &known);
	assert_int_equal(r ? (int)(r - table) : -1, index);
	if (!r)
		assert_int_equal(known, is_known);
	uri_done(&u);
}

static void test_find(void **state)
{
	(void)state;
	finds("GET", "/", 0, true);
	finds("HEAD", "/", 0, true);
	finds("POST", "/", -1, true);
	finds("GET", "/api/v1/findings?x=1", 1, true);
	finds("GET", "http://h:1/api/v1/findings", 1, true);
	finds("GET", "HTTP://h", 0, true);
	finds("GET", "/api/v1/findings/", -1, false); /* a name is not empty */
	finds("GET", "/api/v1/findings/a%2Fb", 2, true);
	finds("GET", "/api/v1/findings/a/b", -1, false);
	finds("GET", "//api/v1/findings", -1, false);
	finds("GET", "/api/v1/findings/a/accept", -1, true);
	finds("HEAD", "/api/v1/findings/a/accept", -1, true);
	finds("DELETE", "/api/v1/findings/a/accept", 4, true);
	finds("get", "/", -1, true);
}

static void test_below(void **state)
{
	static const struct {
		const char *raw;
		bool is;
	} cases[] = {
		{ "/v1/rules", true },       { "/v1/rules?x", true },    { "/v1/rules/", true },
		{ "/v1/rules/a/b//", true }, { "/v1/rules%2Fa", false }, { "/v1%2Frules/", false },
		{ "/v1/rulesx", false },     { "/v1", false },           { "/", false },
	};
	struct uri u;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		assert_int_equal(parse(cases[i].raw, &u), 0);
		if (routes_below("/v1/rules", &u) != cases[i].is)
			fail_msg("%s", cases[i].raw);
		uri_done(&u);
	}
}

static void test_allowed(void **state)
{
	struct buf out = BUF_INIT(256);
	struct uri u;

	(void)state;
	assert_int_equal(parse("/api/v1/findings/x/accept", &u), 0);
	routes_allowed(table, &u, &out);
	assert_string_equal(out.p, "POST, DELETE");
	uri_done(&u);
	buf_clear(&out);
	assert_int_equal(parse("/", &u), 0);
	routes_allowed(table, &u, &out);
	assert_string_equal(out.p, "GET, HEAD");
	uri_done(&u);
	buf_done(&out);
}

static void test_values(void **state)
{
	struct uri u;

	(void)state;
	assert_int_equal(parse("/api/v1/findings/a%2fb%C3%A4/accept?q=a+b%26c&flag&=&&x=1=2", &u), 0);
	assert_string_equal(u.path, "/api/v1/findings/a/b\xc3\xa4/accept");
	assert_string_equal(routes_value(table[3].pattern, &u, "id"), "a/b\xc3\xa4");
	assert_null(routes_value(table[3].pattern, &u, "name"));
	assert_int_equal(u.n_parameters, 4);
	assert_string_equal(u.parameters[0].value, "a b&c");
	assert_string_equal(u.parameters[1].name, "flag");
	assert_string_equal(u.parameters[1].value, "");
	assert_string_equal(u.parameters[3].value, "1=2");
	uri_done(&u);
}

static void test_refused(void **state)
{
	static const char *const bad[] = { "",     "x",    "*",       "?a=b", "/%",  "/%4",     "/%zz",
					   "/a%0", "/%00", "/?a=%00", "/%ff", "/?%", "/?a=%g1", "/%ed%a0%80" };
	char many[2 * URI_SEGMENTS_MAX + 4] = "", *p = many;
	struct uri u;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		assert_int_equal(parse(bad[i], &u), -EBADMSG);
	for (size_t i = 0; i <= URI_SEGMENTS_MAX; i++)
		p = stpcpy(p, "/a");
	assert_int_equal(parse(many, &u), -E2BIG);
	assert_int_equal(parse(many + 2, &u), 0);
	assert_int_equal(u.n_segments, URI_SEGMENTS_MAX);
	uri_done(&u);
}

static void test_many_parameters(void **state)
{
	char raw[URI_BYTES_MAX + 2];
	struct uri u;
	size_t n = 2;

	(void)state;
	memcpy(raw, "/?", 2);
	for (; n < 2 + 2 * URI_PARAMETERS_MAX; n += 2)
		memcpy(raw + n, "a&", 2);
	raw[n] = '\0';
	assert_int_equal(parse(raw, &u), 0);
	assert_int_equal(u.n_parameters, URI_PARAMETERS_MAX);
	uri_done(&u);
	memcpy(raw + n, "b", 2);
	assert_int_equal(parse(raw, &u), -E2BIG);
	memset(raw, '/', URI_BYTES_MAX + 1);
	raw[URI_BYTES_MAX + 1] = '\0';
	assert_int_equal(parse(raw, &u), -E2BIG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_find),   cmocka_unit_test(test_below),   cmocka_unit_test(test_allowed),
		cmocka_unit_test(test_values), cmocka_unit_test(test_refused), cmocka_unit_test(test_many_parameters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

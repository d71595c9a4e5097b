/* URLs against Go's net/url. */
#include "go/url.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void check_str(str got, const char *want)
{
	char copy[200];

	assert_true(got.n < sizeof(copy));
	if (got.n)
		memcpy(copy, got.p, got.n);
	copy[got.n] = '\0';
	assert_string_equal(copy, want);
}

/* An escape is over where its text is, whatever stands behind that. */
static void test_cut_escapes(void **state)
{
	static const char url[] = "http://h/%41";
	CLEANUP(arena_done) struct arena a = ARENA_INIT(0);
	struct go_url u;

	(void)state;
	assert_int_equal(go_url_parse(STR(url), &a, &u, NULL), 0);
	for (size_t n = sizeof(url) - 3; n < sizeof(url) - 1; n++)
		assert_int_not_equal(go_url_parse((str){ url, n }, &a, &u, NULL), 0);
}

static void test_parts(void **state)
{
	CLEANUP(arena_done) struct arena a = ARENA_INIT(0);
	CLEANUP(buf_done) struct buf user = BUF_INIT(100);
	struct go_url u;
	str path;

	(void)state;
	assert_int_equal(go_url_parse(STR("HTTPS://me:p%40ss@Ex.com:80/a%2Fb/c%20d?q=1&r#f%21"), &a, &u, NULL), 0);
	check_str(u.scheme, "https");
	check_str(u.user, "me");
	check_str(u.password, "p@ss");
	check_str(u.host, "Ex.com:80");
	check_str(go_url_hostname(&u), "Ex.com");
	check_str(go_url_port(&u), "80");
	check_str(u.path, "/a/b/c d");
	check_str(u.query, "q=1&r");
	check_str(u.fragment, "f!");
	assert_int_equal(go_url_escaped_path(&u, &a, &path), 0);
	check_str(path, "/a%2Fb/c%20d");
	go_url_userinfo(&u, &user);
	assert_string_equal(user.p, "me:p%40ss");
	assert_int_equal(go_url_parse(STR("http://[fe80::1%25en%20]:8"), &a, &u, NULL), 0);
	check_str(go_url_hostname(&u), "fe80::1%en ");
	check_str(go_url_port(&u), "8");
	assert_int_equal(go_url_parse(STR("/a b\"c"), &a, &u, NULL), 0);
	assert_int_equal(go_url_escaped_path(&u, &a, &path), 0);
	check_str(path, "/a%20b%22c");
}

static void test_errors(void **state)
{
	static const struct {
		const char *text;
		bool request;
		const char *why;
	} cases[] = {
		{ "", true, "parse \"\": empty url" },
		{ "a", true, "parse \"a\": invalid URI for request" },
		{ ":x", false, "parse \":x\": missing protocol scheme" },
		{ "a:b:c/#", false, NULL },
		{ "1:b", false, "parse \"1:b\": first path segment in URL cannot contain colon" },
		{ "http://h:p/", false, "parse \"http://h:p/\": invalid port \":p\" after host" },
		{ "http://[::1", false, "parse \"http://[::1\": missing ']' in host" },
		{ "http://a b/", true, "parse \"http://a b/\": invalid character \" \" in host name" },
		{ "http://a%41/", true, "parse \"http://a%41/\": invalid URL escape \"%41\"" },
		{ "http://u|@h/", true, "parse \"http://u|@h/\": net/url: invalid userinfo" },
		{ "/%zz#f", false, "parse \"/%zz\": invalid URL escape \"%zz\"" },
		{ "/#%", false, "parse \"/#%\": invalid URL escape \"%\"" },
		{ "/\x01", false, "parse \"/\\x01\": net/url: invalid control character in URL" },
		{ "//h/x", true, NULL },
		{ "///x", false, NULL },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(arena_done) struct arena a = ARENA_INIT(0);
		CLEANUP(buf_done) struct buf why = BUF_INIT(200);
		struct go_url u;
		int r = cases[i].request ? go_url_parse_request(str_from(cases[i].text), &a, &u, &why)
					 : go_url_parse(str_from(cases[i].text), &a, &u, &why);

		assert_int_equal(r, cases[i].why ? -EBADMSG : 0);
		assert_string_equal(buf_str(&why).p, cases[i].why ? cases[i].why : "");
	}
}

/* What a request names has no fragment, and no host without a scheme. */
static void test_of_requests(void **state)
{
	static const struct {
		const char *text, *scheme, *host, *path, *query;
	} cases[] = {
		{ "http://h:8/p#f?a=b", "http", "h:8", "/p#f", "a=b" },
		{ "//h/x", "", "", "//h/x", "" },
		{ "/p?", "", "", "/p", "" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(arena_done) struct arena a = ARENA_INIT(0);
		struct go_url u = { 0 };

		assert_int_equal(go_url_parse_request(str_from(cases[i].text), &a, &u, NULL), 0);
		check_str(u.scheme, cases[i].scheme);
		check_str(u.host, cases[i].host);
		check_str(u.path, cases[i].path);
		check_str(u.query, cases[i].query);
		assert_int_equal(u.fragment.n, 0);
	}
}

/* What is read and written again. */
static void test_strings(void **state)
{
	static const struct {
		const char *text, *again;
	} cases[] = {
		{ "http://h", "http://h" },
		{ "HTTP://H/%7Ea", "http://H/%7Ea" },
		{ "mailto:a@b", "mailto:a@b" },
		{ "file:///x", "file:///x" },
		{ "file:/x", "file:/x" },
		{ "/a?", "/a?" },
		{ "//u:@h/p", "//u:@h/p" },
		{ "*", "*" },
		{ "./a:b", "./a:b" },
		{ "http://h/a b#c d", "http://h/a%20b#c%20d" },
		{ "", "" },
		{ "x?a=b#", "x?a=b" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(arena_done) struct arena a = ARENA_INIT(0);
		CLEANUP(buf_done) struct buf out = BUF_INIT(200);
		struct go_url u;

		assert_int_equal(go_url_parse(str_from(cases[i].text), &a, &u, NULL), 0);
		go_url_string(&u, &out);
		assert_string_equal(buf_str(&out).p, cases[i].again);
	}
}

static void test_escaping(void **state)
{
	static const struct {
		enum go_url_part part;
		const char *escaped;
	} cases[] = {
		{ GO_URL_PATH, "a%20/:=+&%3F%25%C3%A9%21~" },
		{ GO_URL_PATH_SEGMENT, "a%20%2F:=+&%3F%25%C3%A9%21~" },
		{ GO_URL_USER, "a%20%2F%3A=+&%3F%25%C3%A9%21~" },
		{ GO_URL_QUERY, "a+%2F%3A%3D%2B%26%3F%25%C3%A9%21~" },
		{ GO_URL_FRAGMENT, "a%20/:=+&?%25%C3%A9!~" },
	};
	str plain = STR("a /:=+&?%\xc3\xa9!~");

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(arena_done) struct arena a = ARENA_INIT(0);
		CLEANUP(buf_done) struct buf out = BUF_INIT(200);
		str back;

		go_url_escape(&out, plain, cases[i].part);
		assert_int_equal(go_url_unescape(buf_str(&out), cases[i].part, &a, &back, NULL), 0);
		assert_true(str_eq(back, plain));
		assert_string_equal(out.p, cases[i].escaped);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parts),       cmocka_unit_test(test_cut_escapes), cmocka_unit_test(test_errors),
		cmocka_unit_test(test_of_requests), cmocka_unit_test(test_strings),     cmocka_unit_test(test_escaping),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

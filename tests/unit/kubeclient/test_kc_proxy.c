/* Proxies: which one is used for which server, and what may be a proxy. The rows about NO_PROXY are those that Go's
 * httpproxy documents and tests. */
#include "kubeclient/kc_proxy.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void test_exceptions(void **state)
{
	static const struct {
		const char *none, *server;
		bool used;
	} rows[] = {
		{ NULL, "https://api.example.com:6443", true },
		{ NULL, "https://localhost:6443", false },
		{ NULL, "https://127.0.0.1:6443", false },
		{ NULL, "https://127.9.9.9:6443", false },
		{ NULL, "https://[::1]:6443", false },
		{ NULL, "https://[::ffff:127.0.0.1]:6443", false },
		{ NULL, "https://10.0.0.1:6443", true },
		{ "*", "https://api.example.com:6443", false },
		{ "example.com", "https://example.com:6443", false },
		{ "example.com", "https://api.example.com:6443", false },
		{ "EXAMPLE.com", "https://API.example.COM:6443", false },
		{ "example.com", "https://notexample.com:6443", true },
		{ ".example.com", "https://example.com:6443", true },
		{ ".example.com", "https://api.example.com:6443", false },
		{ "*.example.com", "https://api.example.com:6443", false },
		{ "*.example.com", "https://example.com:6443", true },
		{ "example.com:6443", "https://api.example.com:6443", false },
		{ "example.com:443", "https://api.example.com:6443", true },
		{ " a.example , , example.com ", "https://api.example.com:6443", false },
		{ "10.0.0.0/8", "https://10.200.3.4:6443", false },
		{ "10.0.0.0/9", "https://10.200.3.4:6443", true },
		{ "10.200.3.4/32", "https://10.200.3.4:6443", false },
		{ "0.0.0.0/0", "https://10.200.3.4:6443", false },
		{ "0.0.0.0/0", "https://[fd00::1]:6443", true },
		{ "fd00::/8", "https://[fd00::1]:6443", false },
		{ "fd00::/129", "https://[fd00::1]:6443", true },
		{ "10.200.3.4", "https://10.200.3.4:6443", false },
		{ "10.200.3.4:6443", "https://10.200.3.4:6443", false },
		{ "10.200.3.4:443", "https://10.200.3.4:6443", true },
		{ "[fd00::1]:6443", "https://[fd00::1]:6443", false },
		{ "fd00::1", "https://[fd00:0::1]:6443", false },
		{ "10.0.0.0/8", "https://ten.example:6443", true },
		{ ":6443", "https://api.example.com:6443", true },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		const struct kc_proxy_env env = { .https = "http://proxy.example:3128", .none = rows[i].none };
		struct kc_proxy p;
		struct err err;

		assert_int_equal(kc_proxy_init(&p, rows[i].server, NULL, &env, &err), 0);
		if ((*p.url != '\0') != rows[i].used || (p.shown != NULL) != rows[i].used)
			fail_msg("NO_PROXY '%s', %s: '%s'", rows[i].none ? rows[i].none : "", rows[i].server, p.url);
		kc_proxy_done(&p);
		/* That of the kubeconfig has no exceptions. */
		assert_int_equal(kc_proxy_init(&p, rows[i].server, "socks5://p.example", &env, &err), 0);
		assert_string_equal(p.url, "socks5h://p.example:1080");
		kc_proxy_done(&p);
	}
}

static void test_urls(void **state)
{
	static const struct {
		const char *configured, *http, *https, *server, *url, *shown;
	} rows[] = {
		{ NULL, NULL, NULL, "https://a.example:1", "", NULL },
		{ NULL, "http://h.example", "http://s.example", "https://a.example:1", "http://s.example:80",
		  "http://s.example:80" },
		{ NULL, "http://h.example", "http://s.example", "http://a.example:1", "http://h.example:80",
		  "http://h.example:80" },
		{ NULL, "http://h.example", NULL, "https://a.example:1", "", NULL },
		{ NULL, NULL, "s.example:3128", "https://a.example:1", "http://s.example:3128",
		  "http://s.example:3128" },
		{ NULL, NULL, "u:p%40@s.example", "https://a.example:1", "http://u:p%40@s.example:80",
		  "http://s.example:80" },
		{ "HTTP://u:p@p.example/path?q#f", NULL, NULL, "https://a.example:1", "http://u:p@p.example:80",
		  "http://p.example:80" },
		{ "http://:p@p.example:3128", NULL, NULL, "https://a.example:1", "http://:p@p.example:3128",
		  "http://p.example:3128" },
		{ "https://u@p.example", NULL, NULL, "https://a.example:1", "https://u@p.example:443",
		  "https://p.example:443" },
		{ "socks5h://u:p@[::1]:9", NULL, NULL, "https://a.example:1", "socks5h://u:p@[::1]:9",
		  "socks5h://[::1]:9" },
		{ "socks5://localhost/run/socket", NULL, NULL, "https://a.example:1", "socks5h://localhost:1080",
		  "socks5://localhost:1080" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		const struct kc_proxy_env env = { .http = rows[i].http, .https = rows[i].https };
		struct kc_proxy p;
		struct err err;

		if (kc_proxy_init(&p, rows[i].server, rows[i].configured, &env, &err) < 0)
			fail_msg("row %zu: %s", i, err.msg);
		assert_string_equal(p.url, rows[i].url);
		assert_int_equal(p.shown == NULL, rows[i].shown == NULL);
		if (p.shown)
			assert_string_equal(p.shown, rows[i].shown);
		kc_proxy_done(&p);
	}
}

static void test_refused(void **state)
{
	static const struct {
		const char *configured, *https, *message;
	} rows[] = {
		{ "ftp://hush@p.example", NULL, "proxy-url: must begin with http://, https:// or socks5://" },
		{ "p.example", NULL, "proxy-url: must begin with http://, https:// or socks5://" },
		{ "http://hush:hush@p.example:hush", NULL, "proxy-url: not a URL" },
		{ "http://", NULL, "proxy-url: " },
		{ NULL, "gopher://u:hush@p.example", "$HTTPS_PROXY: must begin with" },
		{ NULL, "http://u:hush@p.example:99999", "$HTTPS_PROXY: not a URL" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		const struct kc_proxy_env env = { .https = rows[i].https };
		struct kc_proxy p;
		struct err err;

		assert_int_equal(kc_proxy_init(&p, "https://a.example:1", rows[i].configured, &env, &err), -EINVAL);
		if (strncmp(err.msg, rows[i].message, strlen(rows[i].message)) != 0 || strstr(err.msg, "hush"))
			fail_msg("row %zu: %s", i, err.msg);
		assert_null(p.url);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_exceptions), cmocka_unit_test(test_urls),
					    cmocka_unit_test(test_refused) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}

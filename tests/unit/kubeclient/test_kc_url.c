/* Paths and queries of requests. */
#include "kubeclient/kc_url.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void test_collections(void **state)
{
	static const struct {
		struct kc_resource r;
		const char *namespace, *path;
	} rows[] = {
		{ { "", "v1", "Pod", "pods", true, true, true, 0, NULL }, NULL, "/api/v1/pods" },
		{ { "", "v1", "Pod", "pods", true, true, true, 0, NULL }, "", "/api/v1/pods" },
		{ { "", "v1", "Pod", "pods", true, true, true, 0, NULL }, "web", "/api/v1/namespaces/web/pods" },
		{ { "", "v1", "Node", "nodes", false, true, true, 0, NULL }, "web", "/api/v1/nodes" },
		{ { "apps", "v1", "Deployment", "deployments", true, true, true, 0, NULL },
		  NULL,
		  "/apis/apps/v1/deployments" },
		{ { "a.b", "v1", "X", "xs", true, true, true, 0, NULL },
		  "../x y",
		  "/apis/a.b/v1/namespaces/..%2Fx%20y/xs" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		CLEANUP(buf_done) struct buf b = BUF_INIT(KC_URL_MAX);

		kc_url_collection(&b, &rows[i].r, rows[i].namespace);
		assert_string_equal(b.p, rows[i].path);
	}
}

static void test_query(void **state)
{
	CLEANUP(buf_done) struct buf b = BUF_INIT(KC_URL_MAX);

	(void)state;
	buf_add_cstr(&b, "/x");
	kc_url_query(&b, "empty", STR(""));
	kc_url_query(&b, "labelSelector", STR("a=b,c in (d)"));
	kc_url_query(&b, "resourceVersion", STR("12"));
	assert_string_equal(b.p, "/x?labelSelector=a%3Db%2Cc+in+%28d%29&resourceVersion=12");
}

static void test_servers(void **state)
{
	static const struct {
		const char *server, *tls_name, *base, *connect_to, *host;
	} rows[] = {
		{ "https://x.example", NULL, "https://x.example:443", NULL, NULL },
		{ "https://x.example:6443/", NULL, "https://x.example:6443", NULL, NULL },
		{ "http://127.0.0.1:8001/k8s/c1/", NULL, "http://127.0.0.1:8001/k8s/c1", NULL, NULL },
		{ "https://[::1]:6443", NULL, "https://[::1]:6443", NULL, NULL },
		{ "https://10.0.0.1:6443/p", "api.example", "https://api.example:6443/p",
		  "api.example:6443:10.0.0.1:6443", "10.0.0.1:6443" },
	};
	static const char *const refused[] = { "x.example",     "ftp://x",     "https://u:p@x",
					       "https://x?y=1", "https://x#f", "https://" };
	struct kc_server s;
	struct err err;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		assert_int_equal(kc_server_init(&s, rows[i].server, rows[i].tls_name, &err), 0);
		assert_string_equal(s.base, rows[i].base);
		assert_true(!s.connect_to == !rows[i].connect_to);
		if (s.connect_to)
			assert_string_equal(s.connect_to, rows[i].connect_to);
		if (s.host)
			assert_string_equal(s.host, rows[i].host);
		kc_server_done(&s);
	}
	for (size_t i = 0; i < ARRAY_LEN(refused); i++)
		assert_int_equal(kc_server_init(&s, refused[i], NULL, &err), -EINVAL);
	assert_int_equal(kc_server_init(&s, "https://x", "bad name/", &err), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_collections),
		cmocka_unit_test(test_query),
		cmocka_unit_test(test_servers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

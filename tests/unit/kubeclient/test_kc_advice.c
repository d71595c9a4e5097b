/* What is advised: schemes, and rights. */
#include "kubeclient/kc_advice.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#define NO_TLS " (it does not speak TLS: is the port right, or should it be http://?)"
#define TLS " (it speaks TLS: should it be https://?)"

static void test_scheme(void **state)
{
	static const struct {
		bool tls;
		const char *error, *body, *advice;
	} rows[] = {
		{ true, "error:0A00010B:SSL routines::wrong version number", "", NO_TLS },
		{ true, "error:0A0000C6:SSL routines::packet length too long", "", NO_TLS },
		{ true, "SSL certificate problem: self-signed certificate", "", "" },
		{ true, "", "Client sent an HTTP request to an HTTPS server.", "" }, /* of a proxy behind TLS */
		{ false, "", "Client sent an HTTP request to an HTTPS server.\n", TLS },
		{ false, "", "<center>The plain HTTP request was sent to HTTPS port</center>", TLS },
		{ false, "Received HTTP/0.9 when not allowed", "", TLS },
		{ false, "Connection refused", "no", "" },
		{ false, "wrong version number", "", "" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		assert_string_equal(kc_advice_scheme(rows[i].tls, foreign_bytes(str_from(rows[i].error)),
						     foreign_bytes(str_from(rows[i].body))),
				    rows[i].advice);
}

static void test_grant(void **state)
{
	static const struct {
		const char *verb, *path, *needs;
	} rows[] = {
		{ "list", "/api/v1/configmaps?limit=500", "list on configmaps" },
		{ "watch", "/api/v1/namespaces/shop/configmaps?watch=1", "watch on configmaps in namespace shop" },
		{ "list", "/apis/apps/v1/deployments", "list on deployments of apps" },
		{ "list", "/apis/apps/v1/namespaces/shop/deployments",
		  "list on deployments of apps in namespace shop" },
		{ "list", "/api/v1/namespaces", "list on namespaces" },
		{ "get", "/api/v1/namespaces/shop", "get on namespaces" },
		{ "get", "/api/v1/namespaces/", "get on namespaces" },
		{ "get", "/apis", "get on the URL /apis" },
		{ "get", "/api", "get on the URL /api" },
		{ "get", "/apis/apps/v1", "get on the URL /apis/apps/v1" },
		{ "get", "/version?x", "get on the URL /version" },
		{ "list", "/apis/e.x/v1/a\x1b[31mb", "list on a [31mb of e.x" },
		{ "get", "", "get" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		CLEANUP(buf_done) struct buf b = BUF_INIT(1024);
		char expected[200];

		kc_advice_grant(rows[i].verb, rows[i].path, &b);
		(void)snprintf(expected, sizeof(expected), " (needs %s; driftd rbac prints what to grant)",
			       rows[i].needs);
		assert_string_equal(b.p, expected);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_scheme),
		cmocka_unit_test(test_grant),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

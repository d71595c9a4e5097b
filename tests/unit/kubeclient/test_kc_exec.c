/* Credential plugins: what they are told, what they may answer. */
#include "kubeclient/kc_exec.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#define V1 "client.authentication.k8s.io/v1"
#define HEAD "{\"kind\":\"ExecCredential\",\"apiVersion\":\"" V1 "\",\"status\":"

static void test_parse(void **state)
{
	static const struct {
		const char *text, *token, *part;
		int64_t expires;
	} rows[] = {
		{ HEAD "{\"token\":\"t\"}}", "t", NULL, 0 },
		{ HEAD "{\"token\":\"t\",\"expirationTimestamp\":\"2030-01-01T00:00:00Z\"}}", "t", NULL, 1893456000 },
		{ HEAD "{\"token\":\"t\",\"expirationTimestamp\":\"2030-01-01T02:00:00.5+02:00\"}}", "t", NULL,
		  1893456000 },
		{ HEAD "{\"clientCertificateData\":\"c\",\"clientKeyData\":\"k\"}}", NULL, NULL, 0 },
		{ HEAD "{\"clientCertificateData\":\"c\"}}", NULL, "only one of", 0 },
		{ HEAD "{}}", NULL, "neither", 0 },
		{ HEAD "{\"token\":7}}", NULL, "must be a string", 0 },
		{ HEAD "{\"token\":\"a\\r\\nX: y\"}}", NULL, "control characters", 0 },
		{ HEAD "{\"token\":\"t\",\"expirationTimestamp\":\"tomorrow\"}}", NULL, "RFC 3339", 0 },
		{ "{\"kind\":\"Pod\"}", NULL, "no ExecCredential", 0 },
		{ "{\"kind\":\"ExecCredential\",\"apiVersion\":\"v9\"}", NULL, "apiVersion 'v9'", 0 },
		{ "secret", NULL, "not JSON", 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct kc_credential c = { 0 };
		struct err err;
		int r = kc_exec_parse(str_from(rows[i].text), V1, &c, &err);

		assert_int_equal(r < 0, rows[i].part != NULL);
		if (rows[i].part && !strstr(err.msg, rows[i].part))
			fail_msg("row %zu: %s", i, err.msg);
		if (rows[i].token)
			assert_string_equal(c.token, rows[i].token);
		assert_int_equal(c.expires, rows[i].expires);
		kc_credential_done(&c);
	}
}

struct run {
	int code;
	char token[64], msg[512];
	bool closed;
};

static void on_done(void *ctx, struct kc_credential *c, const struct err *err)
{
	struct run *r = ctx;

	r->code = c ? 0 : err->code;
	snprintf(r->token, sizeof(r->token), "%s", c ? c->token : "");
	snprintf(r->msg, sizeof(r->msg), "%s", c ? "" : err->msg);
}

static struct run run_shell(const char *script, uint64_t limit_ms)
{
	const char *const args[] = { "-c", script, NULL };
	const struct kube_pair env = { "ANSWER", HEAD "{\"token\":\"fresh\"}}" };
	const struct kube_exec config = {
		.api_version = V1, .command = "sh", .args = args, .env = &env, .n_env = 1, .install_hint = "Install it."
	};
	struct kube_exec absent = config;
	struct run result = { .code = -1 };
	struct kc_exec x = {
		.config = script ? &config : &absent, .limit_ms = limit_ms, .done = on_done, .ctx = &result
	};
	uv_loop_t loop;
	struct err err;

	absent.command = "/nowhere/plugin";
	absent.args = NULL;
	uv_loop_init(&loop);
	x.loop = &loop;
	assert_int_equal(kc_exec_start(&x, &err), 0);
	uv_run(&loop, UV_RUN_DEFAULT);
	assert_int_equal(uv_loop_close(&loop), 0);
	return result;
}

static void test_runs(void **state)
{
	struct run r = run_shell("printf %s \"$ANSWER\"", 10000);

	(void)state;
	assert_int_equal(r.code, 0);
	assert_string_equal(r.token, "fresh");
	r = run_shell("case $KUBERNETES_EXEC_INFO in *'\"interactive\":false'*) echo no >&2; exit 3;; esac", 10000);
	assert_int_equal(r.code, ENOKEY);
	assert_non_null(strstr(r.msg, "status 3: no"));
	r = run_shell("exec sleep 60", 100);
	assert_int_equal(r.code, ETIMEDOUT);
	r = run_shell("yes", 10000);
	assert_int_equal(r.code < 0, 0);
	assert_int_not_equal(r.code, 0);
	r = run_shell(NULL, 1000);
	assert_int_equal(r.code, ENOKEY);
	assert_non_null(strstr(r.msg, "Install it."));
}

static void on_closed(void *ctx)
{
	((struct run *)ctx)->closed = true;
}

static void test_close_while_running(void **state)
{
	const char *const args[] = { "60", NULL };
	const struct kube_exec config = { .api_version = V1, .command = "sleep", .args = args };
	struct run result = { .code = -1 };
	struct kc_exec x = { .config = &config, .limit_ms = 60000, .done = on_done, .ctx = &result };
	uv_loop_t loop;
	struct err err;

	(void)state;
	uv_loop_init(&loop);
	x.loop = &loop;
	assert_int_equal(kc_exec_start(&x, &err), 0);
	kc_exec_close(&x, on_closed);
	uv_run(&loop, UV_RUN_DEFAULT);
	assert_int_equal(uv_loop_close(&loop), 0);
	assert_true(result.closed);
	assert_int_equal(result.code, -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_parse), cmocka_unit_test(test_runs),
					    cmocka_unit_test(test_close_while_running) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}

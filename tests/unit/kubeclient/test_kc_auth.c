/* Credentials: files that cannot be used, fields that cannot be sent, plugins, and routes to the server. */
#include "support/kubeconfig_text.h"
#include "unit/kubeclient/kc_bench.h"

#define V1 "client.authentication.k8s.io/v1"
/* A plugin whose answer is @status. */
#define PLUGIN(status)                                                                                                 \
	"{exec: {apiVersion: " V1 ", command: sh, interactiveMode: Never, provideClusterInfo: true, args: [-c, 'echo " \
	"$0', '{\"kind\":\"ExecCredential\",\"apiVersion\":\"" V1 "\",\"status\":" status "}']}}"

static char folder[] = "/tmp/driftd-auth-XXXXXX";

static const char *write_file(const char *name, const char *text)
{
	static char path[128];
	FILE *f;

	(void)snprintf(path, sizeof(path), "%s/%s", folder, name);
	f = fopen(path, "w");
	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
	return path;
}

/* Creates a client and expects that it is refused. */
static void expect_refused(const char *cluster, const char *user, int code, const char *part)
{
	CLEANUP(kubeconfig_unrefp) struct kubeconfig *k = NULL;
	const struct limits limits = LIMITS_DEFAULT;
	struct kube_target target;
	struct kc_options o = { .target = &target, .limits = &limits };
	struct kc_client *c = NULL;
	char text[1024];
	uv_loop_t loop;
	struct err err;

	(void)snprintf(
		text, sizeof(text),
		"clusters: [{name: c, cluster: {server: \"https://x.example\"%s}}]\nusers: [{name: u, user: %s}]\n"
		"contexts: [{name: x, context: {cluster: c, user: u}}]\ncurrent-context: x\n",
		cluster, user);
	assert_int_equal(uv_loop_init(&loop), 0);
	assert_int_equal(kubeconfig_parse(str_from(text), "f", &k, &err), 0);
	assert_int_equal(kubeconfig_target(k, NULL, &target, &err), 0);
	assert_int_equal(kc_client_new(&loop, &o, &c, &err), -code);
	if (!strstr(err.msg, part))
		fail_msg("not '%s': %s", part, err.msg);
	assert_int_equal(uv_loop_close(&loop), 0);
}

static void test_files(void **state)
{
	char user[256];

	(void)state;
	expect_refused("", "{tokenFile: /nowhere/token}", ENOENT, "token file");
	(void)snprintf(user, sizeof(user), "{tokenFile: %s}", write_file("empty", " \n"));
	expect_refused("", user, EINVAL, "it is empty");
	(void)snprintf(user, sizeof(user), "{tokenFile: %s}", write_file("control", "a\r\nX: y"));
	expect_refused("", user, EINVAL, "it holds control characters");
	expect_refused("", "{token: \"a\\nb\"}", EINVAL, "the token holds control characters");
	(void)snprintf(user, sizeof(user), ", certificate-authority: %s", write_file("no.pem", "no PEM"));
	expect_refused(user, "{}", EINVAL, "no PEM text in it");
	expect_refused(", certificate-authority: /nowhere/ca", "{}", ENOENT, "certificate-authority");
	expect_refused("", "{client-certificate: /nowhere/c, client-key: /nowhere/k}", ENOENT, "client-certificate");
}

static void test_routes(void **state)
{
	(void)state;
	expect_refused(", proxy-url: 'ftp://x'", "{}", EINVAL, "proxy-url: must begin with");
	expect_refused(", tls-server-name: 'a b'", "{}", EINVAL, "tls-server-name: not a host name");
}

/* The request is made, but no server is reached: the proxy does not exist. */
static void test_proxy_is_used(void **state)
{
	struct bench http = { .cluster = ", proxy-url: 'http://127.0.0.1:1'", .list_once = true };
	struct bench socks = { .cluster = ", proxy-url: 'socks5://127.0.0.1:1'", .list_once = true };
	char expected[64];

	(void)state;
	(void)snprintf(expected, sizeof(expected), "result:%d ", ECONNREFUSED);
	expect_log(&http, expected);
	bench_done(&http);
	run_user(&socks, "{}", "-");
	assert_null(strstr(socks.log.p, "result:0 "));
	bench_done(&socks);
}

static void test_insecure_is_reported(void **state)
{
	struct bench b = { .cluster = ", insecure-skip-tls-verify: true",
			   .steps = { DISCOVERY, { .match = INITIAL, .body = END_MARK("9"), .hold = true } } };

	(void)state;
	expect_log(&b, "listing synced:start:0 ");
	expect_notice(&b, "insecure-skip-tls-verify is set");
	bench_done(&b);
}

/* Requests wait for the plugin, and carry what it answered. */
static void test_plugin(void **state)
{
	struct bench b = { .tls = true,
			   .steps = { { .match = "GET /base/api |Bearer fresh",
					.body = "{\"kind\":\"APIVersions\",\"versions\":[]}" },
				      { .match = "GET /base/apis |Bearer fresh", .body = GROUPS(DEPLOYMENTS) },
				      { .match = INITIAL "|Bearer fresh", .body = END_MARK("9"), .hold = true } } };

	(void)state;
	run_user(&b, PLUGIN("{\"token\":\"fresh\",\"expirationTimestamp\":\"2099-01-01T00:00:00Z\"}"),
		 "synced:start:0 ");
	assert_non_null(strstr(b.log.p, "listing synced:start:0 "));
	bench_done(&b);
}

static void test_plugin_fails(void **state)
{
	struct bench b = { .tls = true, .list_once = true };
	char expected[64];

	(void)state;
	run_user(&b, PLUGIN("{}"), "-");
	(void)snprintf(expected, sizeof(expected), "result:%d ", EINVAL);
	assert_string_equal(b.log.p, expected);
	expect_notice(&b, "credential plugin 'sh': its answer has neither a token nor a client certificate");
	bench_done(&b);
}

/* The plugin's answer is refused: it is asked again, once. */
static void test_plugin_is_asked_again(void **state)
{
	struct bench b = {
		.tls = true,
		.list_once = true,
		.steps = { { .match = "GET /base/api |Bearer fresh", .head = "HTTP/1.1 401 No\r\n", .body = "" },
			   { .match = "GET /base/api |Bearer fresh", .head = "HTTP/1.1 401 No\r\n", .body = "" },
			   { .match = "GET /base/apis |Bearer fresh", .body = GROUPS("") } }
	};
	char expected[64];

	(void)state;
	run_user(&b, PLUGIN("{\"token\":\"fresh\"}"), "-");
	(void)snprintf(expected, sizeof(expected), "result:%d ", ENOKEY);
	assert_string_equal(b.log.p, expected);
	assert_int_equal(b.counters.failures[0].n, 2);
	bench_done(&b);
}

static void test_impersonation(void **state)
{
	struct bench uid = { .steps = { NO_CORE,
					{ .match = "GET /base/apis |Impersonate-User: jane|Impersonate-Uid: 7",
					  .body = GROUPS(DEPLOYMENTS) },
					{ .match = INITIAL, .body = END_MARK("9"), .hold = true } } };
	struct bench control = { .list_once = true };
	char expected[64];

	(void)state;
	run_user(&uid, "{as: jane, as-uid: '7'}", "synced:start:0 ");
	bench_done(&uid);
	run_user(&control, "{as: \"a\\nX: y\"}", "-");
	(void)snprintf(expected, sizeof(expected), "result:%d ", EINVAL);
	assert_string_equal(control.log.p, expected);
	expect_notice(&control, "cannot be sent as a header");
	bench_done(&control);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_files),
		cmocka_unit_test(test_routes),
		cmocka_unit_test(test_proxy_is_used),
		cmocka_unit_test(test_insecure_is_reported),
		cmocka_unit_test(test_plugin),
		cmocka_unit_test(test_plugin_fails),
		cmocka_unit_test(test_plugin_is_asked_again),
		cmocka_unit_test(test_impersonation),
	};
	static const char *const files[] = { "empty", "control", "no.pem" };
	char path[128];
	int r;

	if (!mkdtemp(folder))
		return 1;
	r = cmocka_run_group_tests(tests, NULL, NULL);
	for (size_t i = 0; i < ARRAY_LEN(files); i++) {
		(void)snprintf(path, sizeof(path), "%s/%s", folder, files[i]);
		unlink(path);
	}
	rmdir(folder);
	return r;
}

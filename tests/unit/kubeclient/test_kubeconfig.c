/* Kubeconfigs: merging, contexts, what is refused. */
#include "kubeclient/kubeconfig.h"

#include "base/file.h"
#include "support/kubeconfig_text.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

#define DATA TEST_DATA "/kubeclient/"

static struct kubeconfig *load(const char *path, const char *list)
{
	struct kubeconfig_source src = { .path = path, .list = list };
	struct kubeconfig *k = NULL;
	struct err err;

	if (kubeconfig_load(&src, &k, &err) < 0)
		fail_msg("%s", err.msg);
	return k;
}

static uint64_t hash_of(const char *text, const char *path)
{
	CLEANUP(kubeconfig_unrefp) struct kubeconfig *k = NULL;
	struct kube_target t;
	struct err err;

	if (kubeconfig_parse(str_from(text), path, &k, &err) < 0 || kubeconfig_target(k, NULL, &t, &err) < 0)
		fail_msg("%s\n%s", err.msg, text);
	return kube_target_hash(&t, 1);
}

static void test_fields(void **state)
{
	CLEANUP(kubeconfig_unrefp) struct kubeconfig *k = load(DATA "full.yaml", NULL);
	struct kube_target t;
	struct err err;

	(void)state;
	assert_string_equal(kubeconfig_current_context(k), "prod");
	assert_int_equal(kubeconfig_n_contexts(k), 6);
	assert_string_equal(kubeconfig_context_name(k, 1), "lab");
	assert_int_equal(kubeconfig_target(k, NULL, &t, &err), 0);
	assert_string_equal(t.context, "prod");
	assert_string_equal(t.namespace, "web");
	assert_string_equal(t.cluster->server, "https://api.prod.example:6443/prefix/");
	assert_string_equal(t.cluster->tls_server_name, "internal.example");
	assert_true(str_has_prefix(t.cluster->ca_data, STR("-----BEGIN CERTIFICATE-----\n")));
	assert_string_equal(t.cluster->proxy_url, "socks5://proxy.example:1080");
	assert_true(t.cluster->disable_compression);
	assert_false(t.cluster->insecure);
	assert_string_equal(t.user->cert_file, DATA "pki/robot.crt");
	assert_string_equal(t.user->key_file, "/abs/robot.key");
	assert_string_equal(t.user->token_file, DATA "token");
	assert_string_equal(t.user->as, "someone");
	assert_string_equal(t.user->as_uid, "42");
	assert_string_equal(t.user->as_groups[1], "b");
	assert_null(t.user->as_groups[2]);
	assert_int_equal(t.user->n_as_extra, 2);
	assert_string_equal(t.user->as_extra[1].key, "Scopes");
	assert_string_equal(t.user->as_extra[1].value, "y");
	assert_string_equal(t.cluster->where, DATA "full.yaml:6:3");
}

static void test_exec(void **state)
{
	CLEANUP(kubeconfig_unrefp) struct kubeconfig *k = load(DATA "full.yaml", NULL);
	struct kube_target t;
	struct err err;

	(void)state;
	assert_int_equal(kubeconfig_target(k, "lab", &t, &err), 0);
	assert_string_equal(t.namespace, "default");
	assert_true(t.cluster->insecure);
	assert_non_null(t.user->exec);
	assert_string_equal(t.user->exec->command, DATA "./bin/plugin");
	assert_string_equal(t.user->exec->args[1], "--now");
	assert_string_equal(t.user->exec->env[0].key, "A");
	assert_true(t.user->exec->provide_cluster_info);
}

static void test_targets_refused(void **state)
{
	static const struct {
		const char *context;
		int code;
		const char *part;
	} rows[] = {
		{ "absent", ENOENT, "context 'absent' does not exist" },
		{ "lost", ENOENT, "cluster 'nowhere' does not exist" },
		{ "old", EINVAL, "auth-provider 'gcp' was removed from Kubernetes in 1.26; use an exec" },
		{ "terminal", EINVAL, "interactiveMode: Always" },
	};
	CLEANUP(kubeconfig_unrefp) struct kubeconfig *k = load(DATA "full.yaml", NULL);
	struct kube_target t;
	struct err err;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		assert_int_equal(kubeconfig_target(k, rows[i].context, &t, &err), -rows[i].code);
		if (!strstr(err.msg, rows[i].part))
			fail_msg("%s: %s", rows[i].context, err.msg);
	}
	assert_int_equal(kubeconfig_target(k, "nobody", &t, &err), 0);
	assert_string_equal(t.user->name, "anonymous");
}

/* The first line of a certificate and more, in base64. */
#define PEM "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCngK"

static void test_contradictions_refused(void **state)
{
	static const struct {
		const char *cluster, *user, *part;
	} rows[] = {
		{ "{}", "{}", "has no server" },
		{ "{server: x.example}", "{}", "must begin with https://" },
		{ "{server: \"https://x\", certificate-authority: a, insecure-skip-tls-verify: true}", "{}",
		  "exclude each other" },
		{ "{server: \"https://x\"}", "{client-certificate: a}",
		  "only one of client certificate and client key" },
		{ "{server: \"https://x\"}", "{client-key: a}", "only one of client certificate and client key" },
		{ "{server: \"https://x\"}", "{client-certificate: a, client-certificate-data: " PEM ", client-key: a}",
		  "has both client-certificate and client-certificate-data" },
		{ "{server: \"https://x\"}", "{client-certificate: a, client-key: a, client-key-data: " PEM "}",
		  "has both client-key and client-key-data" },
		{ "{server: \"https://x\"}", "{auth-provider: {name: gcp}}", "auth-provider 'gcp' was removed" },
		{ "{server: \"https://x\"}", "{auth-provider: {}}", "auth-provider 'unnamed' was removed" },
		{ "{server: \"https://x\"}", "{token: hush, username: u}", "both a token and a username" },
		{ "{server: \"https://x\"}", "{token: hush, password: p}", "both a token and a username" },
		{ "{server: \"https://x\"}", "{tokenFile: hush, username: u}", "both a token and a username" },
		{ "{server: \"https://x\"}", "{as-uid: \"1\"}", "but no user (as)" },
		{ "{server: \"https://x\"}", "{as-groups: [g]}", "but no user (as)" },
		{ "{server: \"https://x\"}", "{as-user-extra: {a: [b]}}", "but no user (as)" },
		{ "{server: \"https://x\"}", "{exec: {command: x}}", "exec apiVersion must be" },
		{ "{server: \"https://x\"}", "{exec: {apiVersion: client.authentication.k8s.io/v1}}",
		  "exec has no command" },
		{ "{server: \"https://x\"}",
		  "{exec: {apiVersion: client.authentication.k8s.io/v1, command: x, interactiveMode: Always}}",
		  "exec wants a terminal" },
		{ "{server: \"https://x\", certificate-authority: a, certificate-authority-data: " PEM "}", "{}",
		  "has both certificate-authority and certificate-authority-data" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		CLEANUP(kubeconfig_unrefp) struct kubeconfig *k = NULL;
		struct kube_target t;
		struct err err;
		char text[1024];

		snprintf(text, sizeof(text),
			 "clusters: [{name: c, cluster: %s}]\nusers: [{name: u, user: %s}]\n"
			 "contexts: [{name: x, context: {cluster: c, user: u}}]\ncurrent-context: x\n",
			 rows[i].cluster, rows[i].user);
		if (kubeconfig_parse(str_from(text), "f", &k, &err) < 0)
			fail_msg("row %zu: %s", i, err.msg);
		assert_int_equal(kubeconfig_target(k, NULL, &t, &err), -EINVAL);
		if (!strstr(err.msg, rows[i].part) || strstr(err.msg, "hush"))
			fail_msg("row %zu: %s", i, err.msg);
	}
}

static void count_warning(void *ctx, const char *message)
{
	assert_non_null(strstr(message, "/absent"));
	++*(int *)ctx;
}

/* The first file wins whole; a missing one is reported and skipped. */
static void test_list_merges(void **state)
{
	int warnings = 0;
	struct kubeconfig_source src = {
		.list = DATA "absent:" DATA "full.yaml::" DATA "second.yaml",
		.warn = count_warning,
		.warn_ctx = &warnings,
	};
	CLEANUP(kubeconfig_unrefp) struct kubeconfig *k = NULL;
	struct kube_target t;
	struct err err;

	(void)state;
	assert_int_equal(kubeconfig_load(&src, &k, &err), 0);
	assert_int_equal(warnings, 1);
	assert_string_equal(kubeconfig_current_context(k), "prod");
	assert_int_equal(kubeconfig_target(k, "prod", &t, &err), 0);
	assert_string_equal(t.cluster->server, "https://api.prod.example:6443/prefix/");
	assert_int_equal(kubeconfig_target(k, "other", &t, &err), 0);
	assert_string_equal(t.cluster->server, "http://127.0.0.1:8001");
}

static void test_sources(void **state)
{
	CLEANUP(kubeconfig_unrefp) struct kubeconfig *k = NULL;
	struct kubeconfig_source src = { .path = DATA "absent", .list = DATA "full.yaml" };
	struct kube_target t;
	struct err err;

	(void)state;
	assert_int_equal(kubeconfig_load(&src, &k, &err), -ENOENT);
	src = (struct kubeconfig_source){ .home = DATA };
	assert_int_equal(kubeconfig_load(&src, &k, &err), -ENOENT);
	src = (struct kubeconfig_source){
		.home = DATA, .service_host = "fd00::1", .service_port = "6443", .account_dir = "/acct"
	};
	assert_int_equal(kubeconfig_load(&src, &k, &err), 0);
	assert_int_equal(kubeconfig_target(k, NULL, &t, &err), 0);
	assert_string_equal(t.cluster->server, "https://[fd00::1]:6443");
	assert_string_equal(t.cluster->ca_file, "/acct/ca.crt");
	assert_string_equal(t.user->token_file, "/acct/token");
}

/* Both variables are needed, as for client-go. */
static void test_no_pod(void **state)
{
	static const struct kubeconfig_source rows[] = {
		{ .service_host = "10.0.0.1" },
		{ .service_host = "10.0.0.1", .service_port = "" },
		{ .service_host = "", .service_port = "443" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct kubeconfig *k = NULL;
		struct err err;

		assert_int_equal(kubeconfig_load(&rows[i], &k, &err), -ENOENT);
		assert_non_null(strstr(err.msg, "this is not a pod"));
	}
}

/* The extension for credential plugins, as the JSON that kubectl would make of it. */
static void test_exec_config(void **state)
{
	static const struct {
		const char *extensions, *json;
	} rows[] = {
		{ "[]", NULL },
		{ "[{name: other, extension: {a: b}}]", NULL },
		{ "[{name: client.authentication.k8s.io/exec}]", NULL },
		{ "[{name: client.authentication.k8s.io/exec, extension: {b: [1, on, ~, '2'], a: 1.5}}]",
		  "{\"a\":1.5,\"b\":[1,true,null,\"2\"]}" },
		{ "[{name: other, extension: 1}, {name: client.authentication.k8s.io/exec, extension: \"a\\nb\"}]",
		  "\"a\\nb\"" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		CLEANUP(kubeconfig_unrefp) struct kubeconfig *k = NULL;
		struct kube_target t;
		struct err err;
		char text[512];

		(void)snprintf(text, sizeof(text),
			       "clusters: [{name: b, cluster: {server: 'https://b'}}, {name: c, cluster: {server: "
			       "'https://c', extensions: %s}}]\ncontexts: [{name: x, context: {cluster: c}}]\n"
			       "current-context: x\n",
			       rows[i].extensions);
		if (kubeconfig_parse(str_from(text), "f", &k, &err) < 0 || kubeconfig_target(k, NULL, &t, &err) < 0)
			fail_msg("%s\n%s", err.msg, text);
		if (rows[i].json)
			assert_string_equal(t.cluster->exec_config, rows[i].json);
		else
			assert_null(t.cluster->exec_config);
	}
}

static void expect_refused(str text, str message)
{
	CLEANUP(kubeconfig_unrefp) struct kubeconfig *k = NULL;
	CLEANUP(freep) char *expected = NULL;
	struct err err;

	assert_true(asprintf(&expected, "kubeconfig: %.*s", STR_ARG(message)) > 0);
	if (kubeconfig_parse(text, "f", &k, &err) == 0)
		fail_msg("accepted, expected: %s", expected);
	assert_string_equal(err.msg, expected);
	assert_null(strstr(err.msg, "secret"));
}

static void test_texts_refused(void **state)
{
	CLEANUP(freep) char *content = NULL;
	struct err err;
	size_t n = 0;
	str rest, line, message = { 0 };
	const char *begin = NULL;

	(void)state;
	assert_int_equal(file_read(DATA "refused.txt", 1 << 20, &content, &n, &err), 0);
	rest = (str){ content, n };
	while (str_next_part(&rest, '\n', &line)) {
		if (!str_has_prefix(line, STR("=== ")))
			continue;
		if (begin)
			expect_refused((str){ begin, (size_t)(line.p - begin) }, message);
		message = str_sub(line, 4, line.n);
		begin = line.p + line.n + 1;
	}
	assert_non_null(begin);
	expect_refused((str){ begin, (size_t)(content + n - begin) }, message);
}

static void test_empty_and_null(void **state)
{
	static const char *const texts[] = { "", "null", "---\n", "clusters: null\nusers: ~\ncontexts:\n" };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		CLEANUP(kubeconfig_unrefp) struct kubeconfig *k = NULL;
		struct kube_target t;
		struct err err;

		assert_int_equal(kubeconfig_parse(str_from(texts[i]), "f", &k, &err), 0);
		assert_int_equal(kubeconfig_target(k, NULL, &t, &err), -ENOENT);
	}
}

/* What makes a client another one, and what does not. */
static void test_hash(void **state)
{
	static const char text[] = "clusters: [{name: c, cluster: {server: 'https://a', certificate-authority: ca}}]\n"
				   "users: [{name: u, user: {token: t, as: x, as-groups: [g, h]}}]\n"
				   "contexts: [{name: n, context: {cluster: c, user: u, namespace: d}}]\n"
				   "current-context: n\n";
	static const struct {
		const char *from, *to;
		bool other;
	} cases[] = {
		{ "clusters:", "# a comment\nclusters:", false },
		{ "name: n", "name: n, x: y", false },
		{ "https://a", "https://b", true },
		{ "https://a'", "https://a', insecure-skip-tls-verify: false", false },
		{ "https://a'", "https://a', disable-compression: true", true },
		{ "https://a'", "https://a', extensions: [{name: x, extension: {a: b}}]", false },
		{ "https://a'",
		  "https://a', extensions: [{name: client.authentication.k8s.io/exec, extension: {a: b}}]", true },
		{ "https://a'", "https://a', tls-server-name: s", true },
		{ "https://a'", "https://a', proxy-url: 'http://p:1'", true },
		{ "token: t", "token: u", true },
		{ "token: t", "tokenFile: t", true },
		{ "token: t", "username: t, password: p", true },
		{ "token: t", "client-certificate: t, client-key: k", true },
		{ "as: x", "as: y", true },
		{ "[g, h]", "[gh]", true },
		{ "[g, h]", "[g, h], as-user-extra: {a: [b]}", true },
		{ "as: x", "as: x, exec: {apiVersion: client.authentication.k8s.io/v1, command: /x, args: [a]}", true },
		{ "namespace: d", "namespace: e", true },
	};
	uint64_t first = hash_of(text, "/dir/config");

	(void)state;
	assert_true(hash_of(text, "/dir/config") == first);
	assert_true(hash_of(text, "/other/config") != first); /* relative paths lead elsewhere */
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const char *at = strstr(text, cases[i].from);
		char changed[1024];

		assert_non_null(at);
		(void)snprintf(changed, sizeof(changed), "%.*s%s%s", (int)(at - text), text, cases[i].to,
			       at + strlen(cases[i].from));
		if ((hash_of(changed, "/dir/config") != first) != cases[i].other)
			fail_msg("'%s' to '%s'", cases[i].from, cases[i].to);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fields),
		cmocka_unit_test(test_exec),
		cmocka_unit_test(test_targets_refused),
		cmocka_unit_test(test_contradictions_refused),
		cmocka_unit_test(test_list_merges),
		cmocka_unit_test(test_sources),
		cmocka_unit_test(test_texts_refused),
		cmocka_unit_test(test_empty_and_null),
		cmocka_unit_test(test_no_pod),
		cmocka_unit_test(test_exec_config),
		cmocka_unit_test(test_hash),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

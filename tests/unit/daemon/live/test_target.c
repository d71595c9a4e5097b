/* The cluster that a command speaks to. */
#include "daemon/live/target.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

static const char config[] = "current-context: one\n"
			     "clusters:\n"
			     "- {name: one, cluster: {server: 'https://one', certificate-authority-data: "
			     "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCngK}}\n"
			     "- {name: two, cluster: {server: 'https://two', insecure-skip-tls-verify: true}}\n"
			     "users:\n"
			     "- {name: one, user: {token: first}}\n"
			     "- {name: two, user: {username: u, password: p}}\n"
			     "contexts:\n"
			     "- {name: one, context: {cluster: one, user: one}}\n"
			     "- {name: two, context: {cluster: two, user: two}}\n";

static char path[64];

static int write_config(void **state)
{
	FILE *f;
	int fd;

	(void)state;
	snprintf(path, sizeof(path), "/tmp/live-target-XXXXXX");
	fd = mkstemp(path);
	f = fd < 0 ? NULL : fdopen(fd, "w");
	return !f || fputs(config, f) < 0 || fclose(f) != 0;
}

static int remove_config(void **state)
{
	(void)state;
	return unlink(path);
}

static int init(struct live_target *t, struct live_flags *o, struct err *err)
{
	struct kubeconfig_source source = { .path = path };

	return live_target_init(t, o, &source, err);
}

#define TEXT(s) ((char *)(uintptr_t)(s))

static void test_nothing_given(void **state)
{
	struct live_flags o = { .context = TEXT(""), .token = TEXT(""), .server = TEXT("") };
	struct live_target t;
	struct err err;

	(void)state;
	assert_int_equal(init(&t, &o, &err), 0);
	assert_string_equal(t.target.cluster->server, "https://one");
	assert_string_equal(t.target.user->token, "first");
	assert_true(t.timeout_ms > 0);
	live_target_done(&t);
}

static void test_token_replaces_password(void **state)
{
	struct live_flags o = { .context = TEXT("two"), .token = TEXT("x") };
	struct live_target t;
	struct err err;

	(void)state;
	assert_int_equal(init(&t, &o, &err), 0);
	assert_string_equal(t.target.user->token, "x");
	assert_null(t.target.user->username);
	assert_null(t.target.user->password);
	live_target_done(&t);
}

static void test_cluster_and_user(void **state)
{
	struct live_flags o = { .cluster = TEXT("two"), .user = TEXT("one") };
	struct live_target t;
	struct err err;

	(void)state;
	assert_int_equal(init(&t, &o, &err), 0);
	assert_string_equal(t.target.cluster->server, "https://two");
	assert_string_equal(t.target.user->token, "first");
	live_target_done(&t);
	o.cluster = TEXT("three");
	assert_int_equal(init(&t, &o, &err), -ENOENT);
	live_target_done(&t);
}

static void test_server(void **state)
{
	struct live_flags o = { .server = TEXT("host:1") };
	struct kubeconfig_source none = { 0 };
	struct live_target t;
	struct err err;

	(void)state;
	assert_int_equal(init(&t, &o, &err), 0);
	assert_string_equal(t.target.cluster->server, "https://host:1");
	live_target_done(&t);
	assert_int_equal(live_target_init(&t, &o, &none, &err), 0);
	assert_string_equal(t.target.cluster->server, "http://host:1");
	live_target_done(&t);
	o.server = NULL;
	assert_int_equal(live_target_init(&t, &o, &none, &err), -ENOENT);
	live_target_done(&t);
}

static void test_verification(void **state)
{
	struct live_flags o = { .insecure = true };
	struct live_target t;
	struct err err;

	(void)state;
	assert_int_equal(init(&t, &o, &err), 0);
	assert_true(t.target.cluster->insecure);
	assert_null(t.target.cluster->ca_data.p);
	live_target_done(&t);
	o.certificate_authority = TEXT("/ca");
	assert_int_equal(init(&t, &o, &err), -EINVAL);
	live_target_done(&t);
	o.insecure = false;
	assert_int_equal(init(&t, &o, &err), 0);
	assert_string_equal(t.target.cluster->ca_file, "/ca");
	assert_null(t.target.cluster->ca_data.p);
	live_target_done(&t);
}

static void test_contradictions(void **state)
{
	struct live_flags certificate = { .client_certificate = TEXT("/c") };
	struct live_flags uid = { .as_uid = TEXT("7") };
	struct live_flags timeout = { .request_timeout = TEXT("soon") };
	struct live_flags *all[] = { &certificate, &uid, &timeout };
	struct live_target t;
	struct err err;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(all); i++) {
		assert_int_equal(init(&t, all[i], &err), -EINVAL);
		live_target_done(&t);
	}
}

static void test_timeouts(void **state)
{
	static const struct {
		const char *text;
		uint64_t ms;
	} good[] = { { "0", 0 },        { "30", 30000 },  { "1.5s", 1500 },         { "1m30s", 90000 },
		     { "2h", 7200000 }, { "100ms", 100 }, { "1h1m1s1ms", 3661001 }, { ".5s", 500 },
		     { "1ns", 1 },      { "+2s", 2000 } };
	static const char *const bad[] = {
		"", "x", "1x", "s", "-1", "-1s", "1.2.3s", "1 s", "1.5", "99999999999999999h"
	};
	uint64_t ms;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(good); i++) {
		if (!live_timeout_parse(good[i].text, &ms) || ms != good[i].ms)
			fail_msg("%s", good[i].text);
	}
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		if (live_timeout_parse(bad[i], &ms))
			fail_msg("%s", bad[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nothing_given),    cmocka_unit_test(test_token_replaces_password),
		cmocka_unit_test(test_cluster_and_user), cmocka_unit_test(test_server),
		cmocka_unit_test(test_verification),     cmocka_unit_test(test_contradictions),
		cmocka_unit_test(test_timeouts),
	};

	return cmocka_run_group_tests_name("live_target", tests, write_config, remove_config);
}

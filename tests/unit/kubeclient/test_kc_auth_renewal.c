/* Credentials over time: files that change or break, plugins whose answers expire, refusals, and a server without TLS.
 * No server is needed: what a request would carry is asked for. */
#include "kubeclient/kc_auth.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#define V1 "client.authentication.k8s.io/v1"

static char path[] = "/tmp/driftd-renewal-XXXXXX";
static const struct kc_tuning tuning = KC_TUNING_DEFAULT;

struct bed {
	uv_loop_t loop;
	uv_timer_t timer;
	struct kube_cluster cluster;
	struct kube_user user;
	struct kube_exec exec;
	const char *args[3];
	struct kube_pair env[2];
	struct kube_target target;
	struct kc_auth auth;
	unsigned notices, changes;
	char last_notice[512];
	bool over;
};

static void write_file(const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

static void on_notice(void *ctx, enum kc_notice_kind kind, const char *message)
{
	struct bed *b = ctx;

	b->notices++;
	(void)snprintf(b->last_notice, sizeof(b->last_notice), "%d %s", (int)kind, message);
}

static void on_changed(void *ctx)
{
	struct bed *b = ctx;

	b->changes++;
	uv_stop(&b->loop);
}

static void on_time(uv_timer_t *t)
{
	((struct bed *)t->data)->over = true;
	uv_stop(t->loop);
}

static void on_closed(void *ctx)
{
	struct bed *b = ctx;

	b->over = true;
}

static void begin(struct bed *b)
{
	struct err err;

	uv_loop_init(&b->loop);
	uv_timer_init(&b->loop, &b->timer);
	b->timer.data = b;
	b->cluster.server = "https://x.example";
	b->user.name = "u";
	b->user.where = "f:1:1";
	b->target = (struct kube_target){ .cluster = &b->cluster, .user = &b->user };
	b->auth.notice = on_notice;
	b->auth.changed = on_changed;
	b->auth.ctx = b;
	if (kc_auth_init(&b->auth, &b->loop, &b->target, &tuning, &err) < 0)
		fail_msg("%s", err.msg);
	kc_auth_start(&b->auth);
}

static void begin_token_file(struct bed *b, const char *text)
{
	write_file(text);
	b->user.token_file = path;
	begin(b);
}

/* A plugin that answers with the number of its run; @script prints the members of its status. */
static void begin_plugin(struct bed *b, const char *script)
{
	write_file("");
	b->args[0] = "-c";
	b->args[1] = script;
	b->env[0] = (struct kube_pair){ "RUNS", path };
	b->env[1] = (struct kube_pair){ "HEAD", "{\"kind\":\"ExecCredential\",\"apiVersion\":\"" V1
						"\",\"status\":{\"token\":\"t" };
	b->exec = (struct kube_exec){
		.api_version = V1, .command = "sh", .args = b->args, .env = b->env, .n_env = ARRAY_LEN(b->env)
	};
	b->user.exec = &b->exec;
	begin(b);
}
#define COUNT "echo run >>$RUNS; n=$(wc -l <$RUNS); "
#define FOREVER COUNT "printf '%s%s\"}}' \"$HEAD\" $n"
/* Good for 20 seconds the first time, then it fails. */
#define SHORT                                                                                                          \
	COUNT "[ $n = 1 ] || exit 3; printf '%s%s\",\"expirationTimestamp\":\"%s\"}}' \"$HEAD\" $n "                   \
	      "$(date -u -d '+20 seconds' +%Y-%m-%dT%H:%M:%SZ)"

static void end(struct bed *b)
{
	kc_auth_close(&b->auth, on_closed);
	uv_close((uv_handle_t *)&b->timer, NULL);
	b->over = false;
	uv_run(&b->loop, UV_RUN_DEFAULT);
	assert_true(b->over);
	assert_int_equal(uv_loop_close(&b->loop), 0);
	kc_auth_done(&b->auth);
}

static void wait_for_change(struct bed *b)
{
	unsigned before = b->changes;

	b->over = false;
	uv_update_time(&b->loop);
	uv_timer_start(&b->timer, on_time, 20000, 0);
	while (b->changes == before && !b->over)
		uv_run(&b->loop, UV_RUN_DEFAULT);
	uv_timer_stop(&b->timer);
	assert_int_not_equal(b->changes, before);
}

/* The headers of a request, one after the other; the code of a failure. */
static int headers_of(struct bed *b, char *ret, size_t size)
{
	struct curl_slist *headers = NULL;
	struct kc_trust trust = { 0 };
	struct err err;
	size_t n = 0;
	int r;

	*ret = '\0';
	r = kc_auth_apply(&b->auth, &trust, &headers, &err);
	for (const struct curl_slist *h = headers; h; h = h->next)
		n += (size_t)snprintf(ret + n, size - n, "%s|", h->data);
	curl_slist_free_all(headers);
	return r;
}

static void expect_headers(struct bed *b, const char *expected)
{
	char text[512];

	assert_int_equal(headers_of(b, text, sizeof(text)), 0);
	assert_string_equal(text, expected);
}

static void test_token_file_is_followed(void **state)
{
	struct bed b = { 0 };

	(void)state;
	begin_token_file(&b, "one\n");
	expect_headers(&b, "Authorization: Bearer one|");
	write_file("two\n");
	wait_for_change(&b);
	expect_headers(&b, "Authorization: Bearer two|");
	assert_int_equal(b.notices, 0);
	end(&b);
}

/* The old content stays; the same problem is told once, another one again, and again after it was good. */
static void test_broken_file(void **state)
{
	struct bed b = { 0 };
	uint64_t now;

	(void)state;
	begin_token_file(&b, "one\n");
	now = uv_now(&b.loop);
	for (int i = 0; i < 3; i++) {
		write_file("secret\nlines");
		assert_true(kc_auth_ready(&b.auth, now += tuning.token_ms));
		assert_int_equal(b.notices, 1);
	}
	assert_null(strstr(b.last_notice, "secret"));
	assert_non_null(strstr(b.last_notice, "stay as they were: token file"));
	expect_headers(&b, "Authorization: Bearer one|");
	assert_int_equal(unlink(path), 0);
	assert_true(kc_auth_ready(&b.auth, now += tuning.token_ms));
	assert_int_equal(b.notices, 2);
	write_file("two");
	assert_true(kc_auth_ready(&b.auth, now += tuning.token_ms));
	expect_headers(&b, "Authorization: Bearer two|");
	assert_int_equal(unlink(path), 0);
	assert_true(kc_auth_ready(&b.auth, now + tuning.token_ms));
	assert_int_equal(b.notices, 3);
	end(&b);
}

/* A request that was refused is sent again when there is something else to send by now. */
static void test_refused_token_file(void **state)
{
	struct bed b = { 0 };
	uint64_t sent_with;

	(void)state;
	begin_token_file(&b, "one");
	sent_with = b.auth.generation;
	assert_false(kc_auth_refused(&b.auth, sent_with, uv_now(&b.loop)));
	write_file("two");
	assert_true(kc_auth_refused(&b.auth, sent_with, uv_now(&b.loop)));
	expect_headers(&b, "Authorization: Bearer two|");
	assert_true(kc_auth_refused(&b.auth, sent_with, uv_now(&b.loop)));
	assert_false(kc_auth_refused(&b.auth, b.auth.generation, uv_now(&b.loop)));
	end(&b);
}

static void test_refused_static_token(void **state)
{
	struct bed b = { .user = { .token = "static" } };

	(void)state;
	begin(&b);
	assert_false(kc_auth_refused(&b.auth, b.auth.generation, uv_now(&b.loop)));
	end(&b);
}

static void test_plugin_expires(void **state)
{
	struct bed b = { 0 };
	uint64_t now;
	char text[64];

	(void)state;
	begin_plugin(&b, SHORT);
	assert_false(kc_auth_ready(&b.auth, uv_now(&b.loop)));
	wait_for_change(&b);
	expect_headers(&b, "Authorization: Bearer t1|");
	now = uv_now(&b.loop);
	/* After half its life: there is time to try again. */
	assert_in_range(b.auth.exec_due_ms - now, 1000, 10000);
	assert_in_range(b.auth.exec_valid_ms - now, 2000, 20000);
	/* Requests do not wait for the renewal, and go on when it fails, as long as the old one is good. */
	assert_true(kc_auth_ready(&b.auth, b.auth.exec_due_ms));
	assert_true(b.auth.exec.running);
	wait_for_change(&b);
	assert_int_equal(b.notices, 1);
	expect_headers(&b, "Authorization: Bearer t1|");
	b.auth.exec_valid_ms = uv_now(&b.loop);
	assert_int_equal(headers_of(&b, text, sizeof(text)), -ENOKEY);
	assert_string_equal(text, "");
	assert_false(kc_auth_ready(&b.auth, b.auth.exec_due_ms));
	wait_for_change(&b);
	assert_int_equal(b.notices, 1); /* the same failure */
	end(&b);
}

/* Asked again after a refusal, not in a loop. */
static void test_plugin_refused(void **state)
{
	struct bed b = { 0 };
	uint64_t first, now;

	(void)state;
	begin_plugin(&b, FOREVER);
	assert_false(kc_auth_ready(&b.auth, uv_now(&b.loop)));
	wait_for_change(&b);
	first = b.auth.generation;
	now = uv_now(&b.loop);
	assert_true(kc_auth_refused(&b.auth, first, now));
	assert_false(kc_auth_ready(&b.auth, now));
	assert_true(kc_auth_refused(&b.auth, first, now)); /* another request: it waits for the same run */
	wait_for_change(&b);
	expect_headers(&b, "Authorization: Bearer t2|");
	assert_true(kc_auth_refused(&b.auth, first, now)); /* a late one */
	assert_false(kc_auth_refused(&b.auth, b.auth.generation, now + 1));
	assert_true(kc_auth_ready(&b.auth, now + 1));
	assert_true(kc_auth_refused(&b.auth, b.auth.generation, now + 60000));
	assert_false(kc_auth_ready(&b.auth, now + 60000));
	end(&b);
}

/* As kubectl: impersonation is no secret, everything else is; a plugin is not even started. */
static void test_plain_http(void **state)
{
	static const struct kube_exec plugin = { .api_version = V1, .command = "/nowhere/plugin" };
	static const struct {
		struct kube_user user;
		const char *headers;
		unsigned notices;
	} rows[] = {
		{ { .token = "t", .as = "jane" }, "Impersonate-User: jane|", 1 },
		{ { .token_file = "/nowhere/token" }, "", 1 },
		{ { .username = "u", .password = "p" }, "", 1 },
		{ { .cert_file = "/nowhere/cert", .key_file = "/nowhere/key" }, "", 1 },
		{ { .exec = &plugin }, "", 1 },
		{ { .as = "jane" }, "Impersonate-User: jane|", 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct bed b = { .user = rows[i].user, .auth = { .plain = true } };

		begin(&b);
		assert_true(kc_auth_ready(&b.auth, uv_now(&b.loop)));
		assert_true(kc_auth_ready(&b.auth, uv_now(&b.loop) + 1000000));
		expect_headers(&b, rows[i].headers);
		assert_false(kc_auth_refused(&b.auth, b.auth.generation, uv_now(&b.loop)));
		assert_int_equal(b.notices, rows[i].notices);
		end(&b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_token_file_is_followed),
		cmocka_unit_test(test_broken_file),
		cmocka_unit_test(test_refused_token_file),
		cmocka_unit_test(test_refused_static_token),
		cmocka_unit_test(test_plugin_expires),
		cmocka_unit_test(test_plugin_refused),
		cmocka_unit_test(test_plain_http),
	};
	int fd = mkstemp(path), r;

	if (fd < 0)
		return 1;
	close(fd);
	r = cmocka_run_group_tests(tests, NULL, NULL);
	unlink(path);
	return r;
}

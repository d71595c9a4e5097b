/* Users and passwords: who is known, what is remembered, how many are hashed at a time, and what is forgotten when it
 * ends. */
#include "daemon/serve/http_auth.h"

#include "base/str.h"

#include <crypt.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static struct {
	uv_loop_t loop;
	struct http_auth *auth;
	uint64_t now_ns;
	size_t queued, running, running_max, hashed; /* hashed: verdicts that came */
	size_t right, wrong;
	char hashes[2][64];
	struct web_user users[2];
	struct web_config web;
	int queue_fails;
} t;

/* NOLINTBEGIN(bugprone-reserved-identifier): the linker's names */
uint64_t __wrap_uv_hrtime(void);
int __real_uv_queue_work(uv_loop_t *loop, uv_work_t *work, uv_work_cb run, uv_after_work_cb done);
int __wrap_uv_queue_work(uv_loop_t *loop, uv_work_t *work, uv_work_cb run, uv_after_work_cb done);

uint64_t __wrap_uv_hrtime(void)
{
	return t.now_ns;
}

static uv_after_work_cb after;

static void on_verdict(uv_work_t *work, int status)
{
	t.running--;
	t.hashed++;
	after(work, status);
}

int __wrap_uv_queue_work(uv_loop_t *loop, uv_work_t *work, uv_work_cb run, uv_after_work_cb done)
{
	if (t.queue_fails)
		return t.queue_fails;
	after = done;
	t.queued++;
	if (++t.running > t.running_max)
		t.running_max = t.running;
	return __real_uv_queue_work(loop, work, run, on_verdict);
}
/* NOLINTEND(bugprone-reserved-identifier) */

/* The cheapest that there is. */
static void hash(const char *password, char out[64])
{
	char salt[CRYPT_GENSALT_OUTPUT_SIZE];
	struct crypt_data data = { 0 };

	assert_non_null(crypt_gensalt_rn("$2b$", 4, NULL, 0, salt, sizeof(salt)));
	(void)snprintf(out, 64, "%s", crypt_r(password, salt, &data));
}

static int setup(void **state)
{
	struct err err;

	(void)state;
	memset(&t, 0, sizeof(t));
	t.now_ns = 1000;
	hash("alice's", t.hashes[0]);
	hash("bob's", t.hashes[1]);
	t.users[0] = (struct web_user){ .name = "alice", .hash = t.hashes[0] };
	t.users[1] = (struct web_user){ .name = "bob", .hash = t.hashes[1] };
	t.web = (struct web_config){ .users = t.users, .n_users = 2 };
	return uv_loop_init(&t.loop) != 0 || http_auth_new(&t.loop, &t.web, &t.auth, &err) < 0;
}

static int teardown(void **state)
{
	(void)state;
	http_auth_free(t.auth);
	(void)uv_run(&t.loop, UV_RUN_DEFAULT);
	return uv_loop_close(&t.loop);
}

static void done(void *ctx, bool right)
{
	assert_ptr_equal(ctx, &t);
	t.right += right;
	t.wrong += !right;
}

static enum http_verdict check(const char *user, const char *password)
{
	return http_auth_check(t.auth, user, password, done, &t);
}

static void who_is_known(void **state)
{
	static const struct {
		const char *user, *password;
		bool right;
	} cases[] = { { "alice", "alice's", true },
		      { "bob", "bob's", true },
		      { "alice", "bob's", false },
		      { "bob", "alice's", false },
		      { "carol", "alice's", false }, /* that of the first */
		      { "", "", false },
		      { "alice", "", false },
		      { "Alice", "alice's", false },
		      { "alice", "alice's ", false } };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		enum http_verdict now = cases[i].right ? HTTP_AUTH_RIGHT : HTTP_AUTH_WRONG;

		t.right = t.wrong = 0;
		assert_int_equal(check(cases[i].user, cases[i].password), HTTP_AUTH_LATER);
		assert_int_equal(t.right + t.wrong, 0);
		(void)uv_run(&t.loop, UV_RUN_DEFAULT);
		assert_int_equal(t.right, cases[i].right);
		assert_int_equal(t.wrong, !cases[i].right);
		assert_int_equal(check(cases[i].user, cases[i].password), now); /* it is remembered */
		assert_int_equal(t.hashed, i + 1);
	}
	/* The blank between both is none of either. */
	assert_int_equal(check("alicealice's", ""), HTTP_AUTH_LATER);
	(void)uv_run(&t.loop, UV_RUN_DEFAULT);
}

static void what_is_too_long(void **state)
{
	char text[1100];

	(void)state;
	memset(text, 'x', sizeof(text));
	text[1024] = '\0';
	assert_int_equal(check("alice", text), HTTP_AUTH_WRONG);
	assert_int_equal(check(text, "alice's"), HTTP_AUTH_WRONG);
	assert_int_equal(t.queued, 0);
	text[1023] = '\0';
	assert_int_equal(check("alice", text), HTTP_AUTH_LATER);
	assert_int_equal(check(text, "alice's"), HTTP_AUTH_LATER);
	(void)uv_run(&t.loop, UV_RUN_DEFAULT);
	assert_int_equal(t.wrong, 2);
}

static void for_ten_minutes(void **state)
{
	const uint64_t minutes = UINT64_C(600) * 1000000000;

	(void)state;
	assert_int_equal(check("alice", "alice's"), HTTP_AUTH_LATER);
	assert_int_equal(check("alice", "guess"), HTTP_AUTH_LATER);
	(void)uv_run(&t.loop, UV_RUN_DEFAULT);
	t.now_ns += minutes - 1;
	assert_int_equal(check("alice", "alice's"), HTTP_AUTH_RIGHT);
	assert_int_equal(check("alice", "guess"), HTTP_AUTH_WRONG);
	t.now_ns++;
	assert_int_equal(check("alice", "alice's"), HTTP_AUTH_LATER);
	assert_int_equal(check("alice", "guess"), HTTP_AUTH_LATER);
	(void)uv_run(&t.loop, UV_RUN_DEFAULT);
	assert_int_equal(t.right, 2);
	assert_int_equal(t.wrong, 2);
}

/* Who guesses does not push out who knows; the oldest guess is forgotten first. */
static void many_guesses(void **state)
{
	char guess[16];

	(void)state;
	assert_int_equal(check("alice", "alice's"), HTTP_AUTH_LATER);
	(void)uv_run(&t.loop, UV_RUN_DEFAULT);
	for (int i = 0; i < 65; i++) {
		(void)snprintf(guess, sizeof(guess), "%d", i);
		assert_int_equal(check("alice", guess), HTTP_AUTH_LATER);
		(void)uv_run(&t.loop, UV_RUN_DEFAULT);
	}
	assert_int_equal(check("alice", "alice's"), HTTP_AUTH_RIGHT);
	assert_int_equal(check("alice", "64"), HTTP_AUTH_WRONG);
	assert_int_equal(check("alice", "1"), HTTP_AUTH_WRONG);
	assert_int_equal(check("alice", "0"), HTTP_AUTH_LATER);
	(void)uv_run(&t.loop, UV_RUN_DEFAULT);
}

static void two_at_a_time(void **state)
{
	char guess[16];

	(void)state;
	for (int i = 0; i < 9; i++) {
		(void)snprintf(guess, sizeof(guess), "%d", i);
		assert_int_equal(check("alice", i == 4 ? "alice's" : guess), HTTP_AUTH_LATER);
		assert_int_equal(t.queued, i < 2 ? i + 1 : 2);
	}
	(void)uv_run(&t.loop, UV_RUN_DEFAULT);
	assert_int_equal(t.running_max, 2);
	assert_int_equal(t.queued, 9);
	assert_int_equal(t.right, 1);
	assert_int_equal(t.wrong, 8);
	assert_int_equal(check("bob", "bob's"), HTTP_AUTH_LATER); /* the list begins anew */
	(void)uv_run(&t.loop, UV_RUN_DEFAULT);
	assert_int_equal(t.right, 2);
}

/* Those that run end by themselves, the others at once; nobody is told. */
static void it_ends_before(void **state)
{
	char guess[16];

	(void)state;
	for (int i = 0; i < 5; i++) {
		(void)snprintf(guess, sizeof(guess), "%d", i);
		assert_int_equal(check("alice", guess), HTTP_AUTH_LATER);
	}
	http_auth_free(t.auth);
	t.auth = NULL;
	(void)uv_run(&t.loop, UV_RUN_DEFAULT);
	assert_int_equal(t.hashed, 2);
	assert_int_equal(t.right + t.wrong, 0);
	http_auth_free(NULL);
}

/* A thread that cannot be had is tried with the next one. */
static void no_thread(void **state)
{
	(void)state;
	t.queue_fails = UV_ENOMEM;
	assert_int_equal(check("alice", "alice's"), HTTP_AUTH_LATER);
	t.queue_fails = 0;
	assert_int_equal(check("bob", "bob's"), HTTP_AUTH_LATER);
	(void)uv_run(&t.loop, UV_RUN_DEFAULT);
	assert_int_equal(t.right, 2);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = { CASE(who_is_known), CASE(what_is_too_long), CASE(for_ten_minutes),
					    CASE(many_guesses), CASE(two_at_a_time),    CASE(it_ends_before),
					    CASE(no_thread) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}

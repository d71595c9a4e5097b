/* Which object ended the process: children judge, and end in every way that there is. */
#include "daemon/watch/in_hand.h"

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static char dir[] = "/tmp/in_hand.XXXXXX";
static char path[64];

static const struct finding_subject bad = {
	.cluster = STR("c"), .kind = STR("ConfigMap"), .name = STR("bad"), .uid = STR("1"), .resource_version = STR("7")
};
static const struct finding_subject good = {
	.cluster = STR("c"), .kind = STR("ConfigMap"), .name = STR("good"), .uid = STR("2")
};

static struct in_hand *open_page(void)
{
	struct in_hand *h = NULL;
	struct err err;

	if (in_hand_open(path, &h, &err) < 0)
		fail_msg("%s", err.msg);
	return h;
}

enum ending { IN_GOOD_ORDER, BETWEEN_OBJECTS, LAID_DOWN, WITH_IT };

/* A life that judges one good object and @s, and ends by @number. */
static void live(const struct finding_subject *s, enum ending ending, int number)
{
	pid_t child = fork();
	int status;

	assert_true(child >= 0);
	if (child == 0) {
		const struct rlimit none = { 0 };
		struct in_hand *h = open_page();

		(void)setrlimit(RLIMIT_CORE, &none);
		(void)signal(number, SIG_DFL); /* the harness has handlers of its own */
		in_hand_catch_signals(h);
		in_hand_set(h, &good);
		in_hand_clear(h);
		in_hand_set(h, s);
		if (ending == LAID_DOWN)
			in_hand_lay_down(h);
		else if (ending != WITH_IT)
			in_hand_clear(h);
		if (ending == IN_GOOD_ORDER)
			in_hand_close(h);
		else
			(void)kill(getpid(), number);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	if (ending == IN_GOOD_ORDER)
		assert_int_equal(status, 0);
	else
		assert_true(WIFSIGNALED(status) && WTERMSIG(status) == number);
}

static int begin(void **state)
{
	(void)state;
	(void)unlink(path);
	return 0;
}

/* Looks without a trace: what it saw is there for the next one. */
static int condemned(const struct finding_subject *s)
{
	pid_t child = fork();
	int status;

	if (child == 0)
		_exit(in_hand_condemned(open_page(), s) & 0xFF);
	assert_int_equal(waitpid(child, &status, 0), child);
	return (signed char)WEXITSTATUS(status);
}

static void test_a_signal_condemns(void **state)
{
	static const int numbers[] = { SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL };
	struct finding_subject again = bad;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(numbers); i++) {
		(void)unlink(path);
		live(&bad, WITH_IT, numbers[i]);
		assert_int_equal(condemned(&bad), numbers[i]);
		assert_int_equal(condemned(&good), -1);
	}
	again.resource_version = STR("8");
	assert_int_equal(condemned(&again), SIGILL); /* whatever becomes of it */
	again.uid = STR("9");
	assert_int_equal(condemned(&again), -1); /* another one of its name */
	live(&good, IN_GOOD_ORDER, SIGTERM);
	assert_int_equal(condemned(&bad), -1);
}

static void test_several(void **state)
{
	(void)state;
	live(&bad, WITH_IT, SIGABRT);
	live(&good, WITH_IT, SIGSEGV);
	live(&good, BETWEEN_OBJECTS, SIGABRT);
	assert_int_equal(condemned(&bad), SIGABRT);
	assert_int_equal(condemned(&good), SIGSEGV);
	for (int i = 0; i < 40; i++) { /* more than there is room for: the oldest is tried again */
		char name[16];
		struct finding_subject s = bad;

		(void)snprintf(name, sizeof(name), "bad-%d", i);
		s.name = str_from(name);
		live(&s, WITH_IT, SIGABRT);
		assert_int_equal(condemned(&s), SIGABRT);
	}
	assert_int_equal(condemned(&bad), -1);
}

/* kill -9 may come from anybody, and meets an object by chance; not twice the same. */
static void test_a_kill_is_no_proof(void **state)
{
	struct finding_subject slow = bad;

	(void)state;
	slow.uid = STR("10");
	live(&bad, WITH_IT, SIGKILL);
	assert_int_equal(condemned(&bad), -1);
	live(&good, WITH_IT, SIGKILL);
	assert_int_equal(condemned(&good), -1);
	live(&good, BETWEEN_OBJECTS, SIGKILL); /* it was judged in the meantime */
	live(&good, WITH_IT, SIGKILL);
	assert_int_equal(condemned(&good), -1);
	live(&bad, WITH_IT, SIGKILL);
	live(&bad, WITH_IT, SIGKILL);
	assert_int_equal(condemned(&bad), 0);
	live(&good, BETWEEN_OBJECTS, SIGABRT);
	assert_int_equal(condemned(&good), -1);
	live(&slow, WITH_IT, SIGKILL);
	live(&slow, LAID_DOWN, SIGKILL); /* which says nothing of it */
	assert_int_equal(condemned(&slow), -1);
	live(&slow, WITH_IT, SIGKILL);
	assert_int_equal(condemned(&slow), 0);
}

struct other {
	struct in_hand_place *place;
	int number;
};

static void *end_it(void *ctx)
{
	const struct other *o = ctx;

	in_hand_set_at(o->place, &bad);
	if (o->number == SIGKILL)
		(void)kill(getpid(), SIGKILL);
	(void)raise(o->number); /* to this thread */
	return NULL;
}

/* Another thread judges the bad object, and ends the process while the owner's has the good one in hand. */
static void live_with_threads(int number)
{
	pid_t child = fork();
	pthread_t thread;
	int status;

	assert_true(child >= 0);
	if (child == 0) {
		const struct rlimit none = { 0 };
		struct in_hand *h = open_page();
		struct other o = { in_hand_join(h), number };

		(void)setrlimit(RLIMIT_CORE, &none);
		(void)signal(number, SIG_DFL);
		in_hand_catch_signals(h);
		in_hand_set(h, &good);
		if (pthread_create(&thread, NULL, end_it, &o) == 0)
			(void)pthread_join(thread, NULL);
		_exit(1);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == number);
}

static void test_threads(void **state)
{
	struct in_hand_place *places[IN_HAND_SLOTS];
	struct in_hand *h;

	(void)state;
	live_with_threads(SIGSEGV);
	assert_int_equal(condemned(&bad), SIGSEGV);
	assert_int_equal(condemned(&good), -1);
	(void)unlink(path);
	live_with_threads(SIGKILL); /* by either of them: both are suspect */
	assert_int_equal(condemned(&bad), -1);
	live(&good, BETWEEN_OBJECTS, SIGKILL); /* it was judged in the meantime */
	live_with_threads(SIGKILL);
	assert_int_equal(condemned(&bad), 0);
	assert_int_equal(condemned(&good), -1);
	h = open_page();
	for (size_t i = 1; i < IN_HAND_SLOTS; i++) {
		places[i] = in_hand_join(h);
		assert_non_null(places[i]);
	}
	assert_null(in_hand_join(h));
	in_hand_leave(places[2]);
	assert_ptr_equal(in_hand_join(h), places[2]);
	in_hand_close(h);
	assert_null(in_hand_join(NULL));
	in_hand_set_at(NULL, &bad);
	in_hand_lay_down_at(NULL);
	in_hand_leave(NULL);
}

static void test_what_is_no_page(void **state)
{
	FILE *f = fopen(path, "w");
	struct in_hand *h;
	struct err err;

	(void)state;
	assert_non_null(f);
	assert_int_equal(fputs("something else", f) < 0, 0);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(condemned(&bad), -1);
	live(&bad, WITH_IT, SIGABRT);
	assert_int_equal(condemned(&bad), SIGABRT);
	assert_int_equal(truncate(path, 1 << 20), 0);
	assert_int_equal(condemned(&bad), -1);
	live(&bad, WITH_IT, SIGABRT);
	assert_int_equal(condemned(&bad), SIGABRT);
	assert_int_equal(in_hand_open("/nonexistent/x", &h, &err), -ENOENT);
	in_hand_set(NULL, &bad);
	in_hand_clear(NULL);
	in_hand_lay_down(NULL);
	in_hand_catch_signals(NULL);
	assert_int_equal(in_hand_condemned(NULL, &bad), -1);
	in_hand_close(NULL);
}

static int setup(void **state)
{
	(void)state;
	if (!mkdtemp(dir))
		return -1;
	(void)snprintf(path, sizeof(path), "%s/in-hand", dir);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	(void)unlink(path);
	return rmdir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_a_signal_condemns, begin),  cmocka_unit_test_setup(test_several, begin),
		cmocka_unit_test_setup(test_a_kill_is_no_proof, begin), cmocka_unit_test_setup(test_threads, begin),
		cmocka_unit_test_setup(test_what_is_no_page, begin),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}

/* Which object ended the process: children judge, and end in every way that there is. */
#include "daemon/watch/process/crash_marker.h"

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

static char dir[] = "/tmp/crash_marker.XXXXXX";
static char path[64];

static const struct finding_subject bad = {
	.cluster = STR("c"), .kind = STR("ConfigMap"), .name = STR("bad"), .uid = STR("1"), .resource_version = STR("7")
};
static const struct finding_subject good = {
	.cluster = STR("c"), .kind = STR("ConfigMap"), .name = STR("good"), .uid = STR("2")
};

/* What the kernel counts: CMakeLists.txt wraps the function. */
static struct oom_kills oom_kills = { .boot_id = "a", .n = 3 };

struct oom_kills __wrap_oom_kills_now(void);

struct oom_kills __wrap_oom_kills_now(void)
{
	return oom_kills;
}

/* After @last. */
static struct crash_marker *open_page(enum ended last)
{
	struct crash_marker *h = NULL;
	struct err err;

	if (crash_marker_open(path, last, &h, &err) < 0)
		fail_msg("%s", err.msg);
	return h;
}

enum ending { IN_GOOD_ORDER, BETWEEN_OBJECTS, LAID_DOWN, WITH_IT };

/* A life after one that ended as @last says: it judges one good object and @s, and ends by @number. */
static void live_after(enum ended last, const struct finding_subject *s, enum ending ending, int number)
{
	pid_t child = fork();
	int status;

	assert_true(child >= 0);
	if (child == 0) {
		const struct rlimit none = { 0 };
		struct crash_marker *h = open_page(last);

		(void)setrlimit(RLIMIT_CORE, &none);
		(void)signal(number, SIG_DFL); /* the harness has handlers of its own */
		crash_marker_watch(h);
		crash_marker_set(h, &good);
		crash_marker_clear(h);
		crash_marker_set(h, s);
		if (ending == LAID_DOWN)
			crash_marker_unset(h);
		else if (ending != WITH_IT)
			crash_marker_clear(h);
		if (ending == IN_GOOD_ORDER)
			crash_marker_close(h);
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

static void live(const struct finding_subject *s, enum ending ending, int number)
{
	live_after(ENDED_UNKNOWN, s, ending, number);
}

static int begin(void **state)
{
	(void)state;
	(void)unlink(path);
	return 0;
}

#define NOT_CONDEMNED -1
#define LASTED -2
#define MEMORY -3

/* Looks without a trace, after @last: what it saw is there for the next one. The signal, or one of these. */
static int condemned_after(enum ended last, const struct finding_subject *s)
{
	static const int words[CRASH_MARKER_CAUSES] = {
		[CRASH_MARKER_LASTED] = LASTED, [CRASH_MARKER_MEMORY] = MEMORY
	};
	pid_t child = fork();
	int status;

	if (child == 0) {
		struct crash_marker_end end;

		if (!crash_marker_condemned(open_page(last), s, &end))
			_exit(NOT_CONDEMNED & 0xFF);
		_exit((end.cause == CRASH_MARKER_SIGNAL ? end.signal : words[end.cause]) & 0xFF);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	return (signed char)WEXITSTATUS(status);
}

static int condemned(const struct finding_subject *s)
{
	return condemned_after(ENDED_UNKNOWN, s);
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
		assert_int_equal(condemned(&good), NOT_CONDEMNED);
	}
	again.resource_version = STR("8");
	assert_int_equal(condemned(&again), NOT_CONDEMNED); /* it has changed */
	again = bad;
	again.uid = STR("9");
	assert_int_equal(condemned(&again), NOT_CONDEMNED); /* another one of its name */
	assert_int_equal(condemned(&bad), SIGILL);
	live(&good, IN_GOOD_ORDER, SIGTERM);
	assert_int_equal(condemned(&bad), NOT_CONDEMNED);
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
	assert_int_equal(condemned(&bad), NOT_CONDEMNED);
}

/* kill -9 may come from anybody, and meets an object by chance, even twice the same. */
static void test_a_kill_is_no_proof(void **state)
{
	(void)state;
	for (int i = 0; i < 3; i++) {
		live(&bad, WITH_IT, SIGKILL);
		assert_int_equal(condemned(&bad), NOT_CONDEMNED);
	}
	for (int i = 0; i < 3; i++)
		live_after(ENDED_OTHERWISE, &bad, WITH_IT, SIGKILL);
	assert_int_equal(condemned(&bad), NOT_CONDEMNED);
	live_after(ENDED_FOR_MEMORY, &good, BETWEEN_OBJECTS, SIGKILL);
	assert_int_equal(condemned(&bad), NOT_CONDEMNED);
}

/* Nor is what somebody else sends, if it is the signal of a fault. */
static void test_signals_of_others(void **state)
{
	static const int numbers[] = { SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL };
	int judges[2];

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(numbers); i++) {
		int status;
		pid_t child;
		char byte;

		assert_int_equal(pipe(judges), 0);
		child = fork();
		assert_true(child >= 0);
		if (child == 0) {
			const struct rlimit none = { 0 };
			struct crash_marker *h = open_page(ENDED_UNKNOWN);

			(void)setrlimit(RLIMIT_CORE, &none);
			(void)signal(numbers[i], SIG_DFL);
			crash_marker_watch(h);
			crash_marker_set(h, &bad);
			(void)!write(judges[1], "j", 1);
			for (;;)
				pause();
		}
		assert_int_equal(read(judges[0], &byte, 1), 1);
		assert_int_equal(kill(child, numbers[i]), 0);
		assert_int_equal(waitpid(child, &status, 0), child);
		assert_true(WIFSIGNALED(status) && WTERMSIG(status) == numbers[i]);
		assert_int_equal(condemned(&bad), NOT_CONDEMNED);
		close(judges[0]);
		close(judges[1]);
	}
}

/* Memory may have run out while any object was judged; not twice the same. */
static void test_memory(void **state)
{
	struct finding_subject slow = bad, newer = bad;

	(void)state;
	slow.uid = STR("10");
	newer.resource_version = STR("8");
	live(&bad, WITH_IT, SIGKILL);
	assert_int_equal(condemned_after(ENDED_FOR_MEMORY, &bad), NOT_CONDEMNED);
	live(&good, WITH_IT, SIGKILL);
	assert_int_equal(condemned_after(ENDED_FOR_MEMORY, &good), NOT_CONDEMNED);
	live(&good, BETWEEN_OBJECTS, SIGKILL); /* it was judged in the meantime */
	live_after(ENDED_FOR_MEMORY, &good, WITH_IT, SIGKILL);
	assert_int_equal(condemned_after(ENDED_FOR_MEMORY, &good), NOT_CONDEMNED);
	live(&newer, WITH_IT, SIGKILL);
	live_after(ENDED_FOR_MEMORY, &bad, WITH_IT, SIGKILL); /* in another version: it was the object that was large */
	assert_int_equal(condemned_after(ENDED_FOR_MEMORY, &bad), MEMORY);
	assert_int_equal(condemned(&newer), NOT_CONDEMNED);
	live(&good, BETWEEN_OBJECTS, SIGABRT);
	assert_int_equal(condemned(&good), NOT_CONDEMNED);
	live(&slow, WITH_IT, SIGKILL);
	live_after(ENDED_FOR_MEMORY, &slow, LAID_DOWN, SIGKILL); /* which says nothing of it */
	assert_int_equal(condemned_after(ENDED_FOR_MEMORY, &slow), NOT_CONDEMNED);
	live(&slow, WITH_IT, SIGKILL);
	assert_int_equal(condemned_after(ENDED_FOR_MEMORY, &slow), MEMORY);
}

/* Nobody says how it ended, but the kernel has counted one more. */
static void test_memory_as_the_kernel_counts(void **state)
{
	(void)state;
	live(&bad, WITH_IT, SIGKILL);
	oom_kills.n++;
	live(&bad, WITH_IT, SIGKILL); /* this one is somebody's */
	assert_int_equal(condemned(&bad), NOT_CONDEMNED);
	live(&bad, WITH_IT, SIGKILL);
	oom_kills.n++;
	assert_int_equal(condemned_after(ENDED_OTHERWISE, &bad), NOT_CONDEMNED); /* of another process, then */
	live(&bad, WITH_IT, SIGKILL);
	(void)snprintf(oom_kills.boot_id, sizeof(oom_kills.boot_id), "b");
	oom_kills.n = 9; /* the machine was started anew */
	assert_int_equal(condemned(&bad), NOT_CONDEMNED);
	live(&bad, WITH_IT, SIGKILL);
	oom_kills.n++;
	assert_int_equal(condemned(&bad), MEMORY);
}

/* What the thread that looks on has found, as long as it takes. */
static void test_it_lasted(void **state)
{
	unsigned busy_s = CRASH_MARKER_LONG_S;
	FILE *f;

	(void)state;
	for (unsigned s = busy_s - 1; s <= busy_s; s++) {
		live(&bad, WITH_IT, SIGKILL);
		f = fopen(path, "r+");
		assert_non_null(f);
		assert_int_equal(fseek(f, 8 + 8, SEEK_SET), 0);
		assert_int_equal(fwrite(&s, sizeof(s), 1, f), 1);
		assert_int_equal(fclose(f), 0);
		assert_int_equal(condemned(&bad), s < busy_s ? NOT_CONDEMNED : LASTED);
	}
}

static unsigned noted_time(void)
{
	unsigned noted = 0;
	FILE *f = fopen(path, "r");

	if (!f)
		return 0; /* the child has not begun */
	if (fseek(f, 8 + 8, SEEK_SET) != 0 || fread(&noted, sizeof(noted), 1, f) != 1)
		noted = 0;
	(void)fclose(f);
	return noted;
}

/* It has the object in hand until it is killed. */
static pid_t begin_to_judge(bool busy)
{
	pid_t child = fork();

	assert_true(child >= 0);
	if (child == 0) {
		struct crash_marker *h = open_page(ENDED_UNKNOWN);
		volatile bool on = true;

		crash_marker_watch(h);
		crash_marker_set(h, &bad);
		while (on && !busy)
			pause();
		while (on) {
		}
	}
	return child;
}

/* Waits for as long as it takes on a busy machine. */
static void test_time_is_noted(void **state)
{
	pid_t busy = begin_to_judge(true);
	int status;

	(void)state;
	for (int i = 0; i < 900 && !noted_time(); i++)
		usleep(100000);
	assert_int_equal(kill(busy, SIGKILL), 0); /* before anything can fail: it would go on for ever */
	assert_int_equal(waitpid(busy, &status, 0), busy);
	assert_true(noted_time() >= 1);
}

/* One that waits is not at fault: the machine has other things to do. Nor does the thread that looks on keep it busy.
 */
static void test_waiting_is_not_noted(void **state)
{
	pid_t waits = begin_to_judge(false);
	struct rusage used;
	int status;

	(void)state;
	usleep(2500000);
	assert_int_equal(kill(waits, SIGKILL), 0);
	assert_int_equal(wait4(waits, &status, 0, &used), waits);
	assert_int_equal(noted_time(), 0);
	assert_int_equal(used.ru_utime.tv_sec + used.ru_stime.tv_sec, 0);
	assert_in_range(used.ru_utime.tv_usec + used.ru_stime.tv_usec, 0, 300000);
}

static void test_what_a_manager_says(void **state)
{
	static const struct {
		const char *text;
		enum ended is;
	} cases[] = { { "oom-kill\n", ENDED_FOR_MEMORY },
		      { "signal\n", ENDED_OTHERWISE },
		      { "success\n", ENDED_OTHERWISE },
		      { "watchdog\n", ENDED_OTHERWISE },
		      { "oom-kill", ENDED_FOR_MEMORY },
		      { "oom-kill killed KILL\n", ENDED_FOR_MEMORY },
		      { "\n", ENDED_UNKNOWN },
		      { "", ENDED_UNKNOWN },
		      { "oom-killer\n", ENDED_OTHERWISE } };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		FILE *f = fopen(path, "w");

		assert_non_null(f);
		assert_true(fputs(cases[i].text, f) >= 0);
		assert_int_equal(fclose(f), 0);
		if (ended_take(path) != cases[i].is)
			fail_msg("'%s'", cases[i].text);
		assert_int_equal(ended_take(path), ENDED_UNKNOWN); /* it was about one end */
	}
}

struct other {
	struct crash_marker_place *place;
	int number;
};

static void *end_it(void *ctx)
{
	const struct other *o = ctx;

	crash_marker_set_at(o->place, &bad);
	if (o->number == SIGKILL)
		(void)kill(getpid(), SIGKILL);
	(void)raise(o->number); /* to this thread */
	return NULL;
}

/* Another thread judges the bad object, and ends the process while the owner's has the good one in hand. */
static void live_with_threads(enum ended last, int number)
{
	pid_t child = fork();
	pthread_t thread;
	int status;

	assert_true(child >= 0);
	if (child == 0) {
		const struct rlimit none = { 0 };
		struct crash_marker *h = open_page(last);
		struct other o = { crash_marker_join(h), number };

		(void)setrlimit(RLIMIT_CORE, &none);
		(void)signal(number, SIG_DFL);
		crash_marker_watch(h);
		crash_marker_set(h, &good);
		if (pthread_create(&thread, NULL, end_it, &o) == 0)
			(void)pthread_join(thread, NULL);
		_exit(1);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == number);
}

static void test_threads(void **state)
{
	struct crash_marker_place *places[CRASH_MARKER_SLOTS];
	struct crash_marker *h;

	(void)state;
	live_with_threads(ENDED_UNKNOWN, SIGSEGV);
	assert_int_equal(condemned(&bad), SIGSEGV);
	assert_int_equal(condemned(&good), NOT_CONDEMNED);
	(void)unlink(path);
	live_with_threads(ENDED_UNKNOWN, SIGKILL); /* by either of them: both are suspect */
	assert_int_equal(condemned_after(ENDED_FOR_MEMORY, &bad), NOT_CONDEMNED);
	live(&good, BETWEEN_OBJECTS, SIGKILL); /* it was judged in the meantime */
	live_with_threads(ENDED_UNKNOWN, SIGKILL);
	assert_int_equal(condemned_after(ENDED_FOR_MEMORY, &bad), MEMORY);
	assert_int_equal(condemned(&good), NOT_CONDEMNED);
	h = open_page(ENDED_UNKNOWN);
	for (size_t i = 1; i < CRASH_MARKER_SLOTS; i++) {
		places[i] = crash_marker_join(h);
		assert_non_null(places[i]);
	}
	assert_null(crash_marker_join(h));
	crash_marker_leave(places[2]);
	assert_ptr_equal(crash_marker_join(h), places[2]);
	crash_marker_close(h);
	assert_null(crash_marker_join(NULL));
	crash_marker_set_at(NULL, &bad);
	crash_marker_unset_at(NULL);
	crash_marker_leave(NULL);
}

static void test_what_is_no_page(void **state)
{
	FILE *f = fopen(path, "w");
	struct crash_marker_end end;
	struct crash_marker *h;
	struct err err;

	(void)state;
	assert_non_null(f);
	assert_int_equal(fputs("something else", f) < 0, 0);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(condemned(&bad), NOT_CONDEMNED);
	live(&bad, WITH_IT, SIGABRT);
	assert_int_equal(condemned(&bad), SIGABRT);
	assert_int_equal(truncate(path, 1 << 20), 0);
	assert_int_equal(condemned(&bad), NOT_CONDEMNED);
	live(&bad, WITH_IT, SIGABRT);
	assert_int_equal(condemned(&bad), SIGABRT);
	assert_int_equal(crash_marker_open("/nonexistent/x", ENDED_UNKNOWN, &h, &err), -ENOENT);
	crash_marker_set(NULL, &bad);
	crash_marker_clear(NULL);
	crash_marker_unset(NULL);
	crash_marker_watch(NULL);
	assert_false(crash_marker_condemned(NULL, &bad, &end));
	crash_marker_close(NULL);
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
		cmocka_unit_test_setup(test_a_signal_condemns, begin),
		cmocka_unit_test_setup(test_several, begin),
		cmocka_unit_test_setup(test_a_kill_is_no_proof, begin),
		cmocka_unit_test_setup(test_threads, begin),
		cmocka_unit_test_setup(test_what_is_no_page, begin),
		cmocka_unit_test_setup(test_signals_of_others, begin),
		cmocka_unit_test_setup(test_memory, begin),
		cmocka_unit_test_setup(test_memory_as_the_kernel_counts, begin),
		cmocka_unit_test_setup(test_it_lasted, begin),
		cmocka_unit_test_setup(test_time_is_noted, begin),
		cmocka_unit_test_setup(test_waiting_is_not_noted, begin),
		cmocka_unit_test_setup(test_what_a_manager_says, begin),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}

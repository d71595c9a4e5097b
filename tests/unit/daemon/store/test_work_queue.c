/* The queue between the loop and the writer's thread: what each side sees of the other, and how the thread begins and
 * ends. */
#include "daemon/store/work_queue.h"

#include "base/shard.h"
#include "daemon/findings/clock.h"
#include "support/strict_locks.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

static struct {
	struct work_queue q;
	int create_fails;
	size_t created, joined;
	pthread_t self;
	bool takes_signals, stays; /* the thread: any; until it is let go */
	pthread_mutex_t lock;
	pthread_cond_t let_go;
	struct items items;
	struct writer_tasks tasks;
} t;

/* NOLINTBEGIN(bugprone-reserved-identifier): the linker's names */
int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *), void *ctx);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *), void *ctx);
int __real_pthread_join(pthread_t thread, void **ret);
int __wrap_pthread_join(pthread_t thread, void **ret);

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *), void *ctx)
{
	t.created++;
	return t.create_fails ? t.create_fails : __real_pthread_create(thread, attr, run, ctx);
}

int __wrap_pthread_join(pthread_t thread, void **ret)
{
	t.joined++;
	return __real_pthread_join(thread, ret);
}
/* NOLINTEND(bugprone-reserved-identifier) */

static int setup(void **state)
{
	(void)state;
	memset(&t, 0, sizeof(t));
	STAILQ_INIT(&t.items);
	STAILQ_INIT(&t.tasks);
	return pthread_mutex_init(&t.lock, NULL) != 0 || pthread_cond_init(&t.let_go, NULL) != 0 ||
	       !work_queue_init(&t.q, CFG_OUTPUT_JSON, false);
}

static int teardown(void **state)
{
	(void)state;
	work_queue_free_items(&t.q, &t.items);
	assert_int_equal(t.q.n_waiting, 0);
	assert_int_equal(t.q.bytes_waiting, 0);
	work_queue_done(&t.q);
	(void)pthread_cond_destroy(&t.let_go);
	return pthread_mutex_destroy(&t.lock);
}

static void report(const char *text)
{
	struct record r;

	record_init(&r, MESSAGE_NOTICE, SEVERITY_INFO);
	r.text = str_from(text);
	work_queue_emit(&t.q, &(struct emission){ .record = &r });
	record_done(&r);
}

static size_t count(const struct items *items)
{
	const struct item *i;
	size_t n = 0;

	STAILQ_FOREACH(i, items, link)
	n++;
	return n;
}

static uint64_t ms_of_wait(uint64_t ms)
{
	uint64_t from = clock_ns();

	(void)work_queue_take(&t.q, ms, &t.items, &t.tasks);
	return (clock_ns() - from) / 1000000;
}

/* ---- what is handed over ---- */

static void what_is_reported_comes_in_order(void **state)
{
	struct item *i;
	size_t bytes;

	(void)state;
	assert_int_equal(work_queue_take(&t.q, 0, &t.items, &t.tasks), CFG_OUTPUT_JSON);
	assert_true(STAILQ_EMPTY(&t.items));
	report("one");
	report("two");
	assert_int_equal(t.q.n_waiting, 2);
	bytes = t.q.bytes_waiting;
	assert_true(bytes > 2 * sizeof(*i));
	t.q.output = CFG_OUTPUT_JOURNAL;
	assert_int_equal(work_queue_take(&t.q, 0, &t.items, &t.tasks), CFG_OUTPUT_JOURNAL);
	report("three");
	(void)work_queue_take(&t.q, 0, &t.items, &t.tasks);
	assert_int_equal(count(&t.items), 3);
	assert_int_equal(t.q.n_waiting, 3); /* it waits until it is written */
	for (const char *const *text = (const char *const[]){ "one", "two", "three", NULL }; *text; text++) {
		i = items_take(&t.items);
		assert_true(str_find(buf_str(&i->record), str_from(*text)) >= 0);
		work_queue_written(&t.q, i);
	}
	assert_int_equal(t.q.bytes_waiting, 0);
}

static void what_comes_from_the_outbox_waits_too(void **state)
{
	const struct outbox_row row = { .seq = 4, .record = STR("record") };
	struct item *i = item_of_row(&row);

	(void)state;
	assert_non_null(i);
	work_queue_waits(&t.q, &t.items, i);
	assert_int_equal(t.q.n_waiting, 1);
	assert_int_equal(t.q.bytes_waiting, i->bytes);
	assert_ptr_equal(STAILQ_FIRST(&t.items), i);
}

/* Who told is not waited for; one that was told meanwhile is seen at once. */
static void who_waits(void **state)
{
	(void)state;
	t.q.life = WORK_RUNS;
	assert_true(ms_of_wait(120) >= 120);
	assert_true(ms_of_wait(1020) >= 1020);
	report("one");
	assert_true(ms_of_wait(60000) < 30000);
	assert_int_equal(count(&t.items), 1);
	assert_true(ms_of_wait(20) >= 20);
	t.q.life = WORK_ENDS;
	assert_true(ms_of_wait(60000) < 30000);
	assert_true(work_queue_ends(&t.q));
}

/* ---- steps ---- */

static enum step_phase phase(void)
{
	return t.q.status.steps[STEP_OUTBOX].phase;
}

static void steps(void **state)
{
	struct err why;

	(void)state;
	(void)err_set(&why, EIO, "no");
	assert_int_equal(phase(), STEP_IDLE);
	work_queue_rests(&t.q, STEP_OUTBOX);
	assert_int_equal(phase(), STEP_IDLE);
	clock_set(1, 5);
	work_queue_begins(&t.q, STEP_OUTBOX);
	assert_int_equal(phase(), STEP_BUSY);
	clock_set(1, 6);
	work_queue_begins(&t.q, STEP_OUTBOX);
	assert_int_equal(t.q.status.steps[STEP_OUTBOX].since_ns, 5);
	work_queue_goes_on(&t.q, STEP_OUTBOX, true);
	assert_int_equal(phase(), STEP_BUSY);
	assert_int_equal(t.q.status.steps[STEP_OUTBOX].progress_ns, 6);
	work_queue_goes_on(&t.q, STEP_OUTBOX, false);
	assert_int_equal(phase(), STEP_IDLE);
	work_queue_begins(&t.q, STEP_OUTBOX);
	work_queue_rests(&t.q, STEP_OUTBOX);
	assert_int_equal(phase(), STEP_IDLE);
	assert_false(work_queue_is_failing(&t.q, STEP_OUTBOX));
	work_queue_fails(&t.q, STEP_OUTBOX, &why);
	assert_true(work_queue_is_failing(&t.q, STEP_OUTBOX));
	assert_int_equal(t.q.status.steps[STEP_OUTBOX].error.code, EIO);
	work_queue_rests(&t.q, STEP_OUTBOX);
	work_queue_begins(&t.q, STEP_OUTBOX);
	assert_int_equal(phase(), STEP_FAILING);
	assert_int_equal(t.q.status.steps[STEP_SEND].phase, STEP_IDLE);
}

/* ---- the thread ---- */

static void *run(void *ctx)
{
	sigset_t blocked;

	assert_ptr_equal(ctx, &t);
	t.self = pthread_self();
	t.takes_signals = pthread_sigmask(SIG_SETMASK, NULL, &blocked) != 0 || !sigismember(&blocked, SIGTERM) ||
			  !sigismember(&blocked, SIGHUP);
	while (!work_queue_ends(&t.q))
		(void)work_queue_take(&t.q, 60000, &t.items, &t.tasks);
	(void)pthread_mutex_lock(&t.lock);
	while (t.stays)
		(void)pthread_cond_wait(&t.let_go, &t.lock);
	(void)pthread_mutex_unlock(&t.lock);
	work_queue_ended(&t.q);
	return NULL;
}

static void it_begins_and_ends(void **state)
{
	sigset_t before, after;

	(void)state;
	assert_int_equal(pthread_sigmask(SIG_SETMASK, NULL, &before), 0);
	assert_int_equal(work_queue_start(&t.q, run, &t), 0);
	assert_int_equal(pthread_sigmask(SIG_SETMASK, NULL, &after), 0);
	for (int i = 1; i < NSIG; i++)
		assert_int_equal(sigismember(&after, i), sigismember(&before, i));
	report("one");
	assert_true(work_queue_stop(&t.q, 60000));
	assert_false(t.takes_signals);
	assert_int_equal(t.joined, 1);
	assert_int_equal(t.q.life, WORK_ENDED);
	(void)work_queue_take(&t.q, 0, &t.items, &t.tasks);
	assert_int_equal(count(&t.items), 1);
}

/* One that hangs is given up, and asked once more. */
static void it_hangs(void **state)
{
	(void)state;
	t.stays = true;
	assert_int_equal(work_queue_start(&t.q, run, &t), 0);
	assert_false(work_queue_stop(&t.q, 30));
	assert_int_equal(t.q.life, WORK_ENDS);
	assert_int_equal(t.joined, 0);
	(void)pthread_mutex_lock(&t.lock);
	t.stays = false;
	(void)pthread_cond_signal(&t.let_go);
	(void)pthread_mutex_unlock(&t.lock);
	assert_true(work_queue_stop(&t.q, 60000));
	assert_int_equal(t.joined, 1);
}

static void it_cannot_begin(void **state)
{
	(void)state;
	t.create_fails = EAGAIN;
	assert_int_equal(work_queue_start(&t.q, run, &t), EAGAIN);
	assert_int_equal(t.q.life, WORK_NEW);
	assert_true(work_queue_stop(&t.q, 60000));
	assert_int_equal(t.joined, 0);
	assert_int_equal(t.created, 1);
}

/* The same by whoever has one: it is said in words. */
static void a_writer_cannot_begin(void **state)
{
	struct writer_options o = { .output = CFG_OUTPUT_JSON,
				    .history_usec = INT64_MAX / 2,
				    .history_bytes = INT64_MAX };
	struct database *d;
	struct writer *w;
	struct err reported, err = { 0 };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(database_open("", &d, &reported, &err), 0);
		o.database = d;
		assert_int_equal(writer_new(&o, &w, &err), 0);
		t.create_fails = i == 0 ? EAGAIN : 0;
		assert_int_equal(writer_start(w, &err), i == 0 ? -EAGAIN : 0);
		if (i == 0)
			assert_non_null(strstr(err.msg, "start the writer of records: "));
		assert_true(writer_stop(w, 60000));
	}
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = { CASE(what_is_reported_comes_in_order),
					    CASE(what_comes_from_the_outbox_waits_too),
					    CASE(who_waits),
					    CASE(steps),
					    CASE(it_begins_and_ends),
					    CASE(it_hangs),
					    CASE(it_cannot_begin),
					    CASE(a_writer_cannot_begin) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Who looks at a batch: a thread, or its owner who would wait for one. The pool has one thread here. */
#include "kubeclient/kc_ahead.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#define BATCHES KC_AHEAD_BATCHES /* of a line each */
#define PATIENCE_S 60

/* What looks at lines, and counts who did. */
struct looks {
	pthread_t owner;
	uv_sem_t owner_looked;
	bool thread_waits; /* until the owner has looked at another */
	struct kc_prepared prepared[BATCHES];
	unsigned of_owner, of_thread, forgotten, hands;
};

static void *begin(void *ctx)
{
	struct looks *l = ctx;

	l->hands++;
	return l;
}

static struct kc_prepared *look(void *thread_ctx, str text)
{
	struct looks *l = thread_ctx;

	if (pthread_equal(pthread_self(), l->owner)) {
		l->of_owner++;
		uv_sem_post(&l->owner_looked);
	} else {
		if (l->thread_waits)
			uv_sem_wait(&l->owner_looked);
		l->of_thread++;
	}
	return &l->prepared[text.p[0] - 'a'];
}

static struct looks *of_run; /* kc_prepare.forget has no hand */

static void forget(struct kc_prepared *p)
{
	(void)p;
	of_run->forgotten++;
}

static void end(void *thread_ctx)
{
	struct looks *l = thread_ctx;

	l->hands--;
}

/* A loop, and the line "a" in the oldest batch of it, "b" in the next. */
struct run {
	uv_loop_t loop;
	struct kc_prepare prepare;
	struct kc_report report;
	struct kc_ahead ahead;
	struct looks looks;
	uv_work_t hog;
	uv_sem_t hog_begun, hog_ends;
};

static void hog(uv_work_t *work)
{
	struct run *run = work->data;

	uv_sem_post(&run->hog_begun);
	uv_sem_wait(&run->hog_ends);
}

static void on_hogged(uv_work_t *work, int status)
{
	(void)work;
	(void)status;
}

static void begin_run(struct run *run)
{
	*run = (struct run){ .prepare = { begin, look, forget, end } };
	of_run = &run->looks;
	run->looks.owner = pthread_self();
	assert_int_equal(uv_loop_init(&run->loop), 0);
	assert_int_equal(uv_sem_init(&run->looks.owner_looked, 0), 0);
	assert_int_equal(uv_sem_init(&run->hog_begun, 0), 0);
	assert_int_equal(uv_sem_init(&run->hog_ends, 0), 0);
	run->report.handler.prepare = &run->prepare;
	run->report.ctx = &run->looks;
	kc_ahead_init(&run->ahead, &run->loop, &run->report);
	run->ahead.objects = true;
}

/* The only thread has something else to do, until end_hog. */
static void begin_hog(struct run *run)
{
	run->hog.data = run;
	assert_int_equal(uv_queue_work(&run->loop, &run->hog, hog, on_hogged), 0);
	uv_sem_wait(&run->hog_begun);
}

static void end_hog(struct run *run)
{
	uv_sem_post(&run->hog_ends);
}

static void add_batches(struct run *run)
{
	static const char lines[] = "abcdefgh";

	for (size_t i = 0; i < BATCHES; i++) {
		assert_false(kc_ahead_full(&run->ahead));
		assert_true(kc_ahead_add(&run->ahead, (str){ lines + i, 1 }, i));
		kc_ahead_go(&run->ahead);
	}
	assert_true(kc_ahead_full(&run->ahead));
}

/* All lines come in their order, looked at. */
static void take_all(struct run *run)
{
	for (size_t i = 0; i < BATCHES; i++) {
		struct kc_batch *b = kc_ahead_take(&run->ahead, true);
		const struct kc_batch_line *line;

		assert_non_null(b);
		line = kc_batch_next(b);
		assert_non_null(line);
		assert_int_equal(line->text.p[0], "abcdefgh"[i]);
		assert_true(line->looked_at);
		assert_ptr_equal(line->look.prepared, &run->looks.prepared[i]);
		assert_null(kc_batch_next(b));
		kc_batch_free(b);
	}
	assert_null(kc_ahead_take(&run->ahead, true));
}

static void end_run(struct run *run)
{
	kc_ahead_drop(&run->ahead);
	assert_int_equal(uv_run(&run->loop, UV_RUN_DEFAULT), 0);
	assert_int_equal(uv_loop_close(&run->loop), 0);
	assert_int_equal(run->looks.hands, 0);
	assert_int_equal(run->looks.forgotten, run->looks.of_owner + run->looks.of_thread);
	uv_sem_destroy(&run->looks.owner_looked);
	uv_sem_destroy(&run->hog_begun);
	uv_sem_destroy(&run->hog_ends);
}

/* Its owner does it then, each batch once. */
static void test_no_thread_is_free(void **state)
{
	struct run run;

	(void)state;
	begin_run(&run);
	begin_hog(&run);
	add_batches(&run);
	assert_null(kc_ahead_take(&run.ahead, false));
	take_all(&run);
	assert_int_equal(run.looks.of_owner, BATCHES);
	assert_int_equal(run.looks.of_thread, 0);
	end_hog(&run);
	end_run(&run);
}

/* Whatever the thread begins with, it is done only when the owner, who waits for it, has looked at another. */
static void test_the_owner_helps(void **state)
{
	struct run run;

	(void)state;
	begin_run(&run);
	run.looks.thread_waits = true;
	begin_hog(&run);
	add_batches(&run);
	end_hog(&run);
	take_all(&run);
	assert_true(run.looks.of_owner > 0);
	assert_int_equal(run.looks.of_owner + run.looks.of_thread, BATCHES);
	end_run(&run);
}

/* What is dropped is not looked at by its owner, and each hand ends. */
static void test_dropped(void **state)
{
	struct run run;

	(void)state;
	begin_run(&run);
	begin_hog(&run);
	add_batches(&run);
	kc_ahead_drop(&run.ahead);
	assert_int_equal(run.looks.of_owner + run.looks.of_thread, 0);
	assert_int_equal(run.looks.hands, 0);
	end_hog(&run);
	end_run(&run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_thread_is_free),
		cmocka_unit_test(test_the_owner_helps),
		cmocka_unit_test(test_dropped),
	};

	setenv("UV_THREADPOOL_SIZE", "1", 1);
	alarm(PATIENCE_S);
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Questions to the thread of the writer: answered on the loop, forgotten, or never answered. */
#include "daemon/store/store_client.h"

#include "daemon/findings/record.h"
#include "support/strict_locks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>
#include <errno.h>

#define ID "0123456789abcdef0123456789abcdef"

struct fixture {
	struct writer_task look; /* first */
	uv_loop_t loop;
	struct writer *writer;
	struct store_client *store_client;
	size_t n_answers, n_history, n_rules, n_inspected;
	str text; /* of the last record; of @history */
	struct finding_history *history;
	int code;
	bool closed; /* the store_client */
};

static void report_once(struct database *d)
{
	CLEANUP(buf_done) struct buf bytes = BUF_INIT(1u << 20);
	struct record r;
	struct err err;

	record_init(&r, MESSAGE_DRIFT_BEGIN, 4);
	r.text = STR("drift begins");
	record_add(&r, "DRIFTD_DRIFT_ID", STR(ID));
	record_add(&r, "DRIFTD_EVENT", STR("begin"));
	record_encode(&r, &bytes);
	for (int i = 0; i < 2 * FINDING_HISTORY_MAX; i++)
		assert_int_equal(database_add_history(d, &r, i, &err), 0);
	assert_int_equal(database_put_finding(d, ID, STR("{}"), &err), 0);
	assert_int_equal(database_put_last_record(d, ID, STR("is replaced"), &err), 0);
	assert_int_equal(database_put_last_record(d, ID, buf_str(&bytes), &err), 0);
	assert_int_equal(database_put_last_record(d, "nobody's", buf_str(&bytes), &err), 0);
	assert_int_equal(database_prune(d, 0, INT64_MAX, &err), 0);
	record_done(&r);
}

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	struct writer_options o = { .output = CFG_OUTPUT_JSON,
				    .history_usec = INT64_MAX / 2,
				    .history_bytes = INT64_MAX };
	struct err err;

	*state = f;
	if (!f || uv_loop_init(&f->loop) < 0 || database_open("", &o.database, &err, &err) < 0)
		return -1;
	report_once(o.database);
	return writer_new(&o, &f->writer, &err) < 0 || writer_start(f->writer, &err) < 0 ||
	       store_client_new(&f->loop, f->writer, &f->store_client, &err) < 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	if (!f->closed)
		store_client_close(f->store_client);
	(void)uv_run(&f->loop, UV_RUN_DEFAULT);
	assert_int_equal(uv_loop_close(&f->loop), 0);
	assert_true(writer_stop(f->writer, 10000));
	store_client_free(f->store_client);
	finding_history_free(f->history);
	free(f);
	return 0;
}

static void on_answer(void *ctx, struct finding_history *history, const struct err *err)
{
	struct fixture *f = ctx;

	f->n_answers++;
	finding_history_free(f->history);
	f->history = history;
	f->code = history ? 0 : err->code;
}

static struct store_request *ask(struct fixture *f, const char *id)
{
	struct store_request *q = NULL;
	struct err err;

	assert_int_equal(store_client_ask(f->store_client, id, on_answer, f, &q, &err), 0);
	return q;
}

static void wait_for(struct fixture *f, size_t n)
{
	while (f->n_answers < n)
		(void)uv_run(&f->loop, UV_RUN_ONCE);
}

static void test_what_was_reported(void **state)
{
	struct fixture *f = *state;

	ask(f, ID);
	wait_for(f, 1);
	assert_non_null(f->history);
	assert_true(f->history->has_last);
	assert_true(str_eq(f->history->last.text, STR("drift begins")));
	assert_int_equal(f->history->n_history, FINDING_HISTORY_MAX);
	assert_true(f->history->history[0].usec > f->history->history[1].usec);
	assert_true(str_eq(f->history->history[0].event, STR("begin")));
	ask(f, "nobody's"); /* was pruned */
	wait_for(f, 2);
	assert_non_null(f->history);
	assert_false(f->history->has_last);
	assert_int_equal(f->history->n_history, 0);
}

/* ---- what is told while it runs ---- */

#define OTHER "fedcba9876543210fedcba9876543210"

static void report(struct fixture *f, enum message m, const char *event, bool over)
{
	struct finding x = { .kind = FINDING_DRIFT, .announced = true, .id = OTHER, .key = STR("other") };
	struct record r;

	record_init(&r, m, 4);
	r.text = str_from(event);
	record_add(&r, "DRIFTD_DRIFT_ID", STR(OTHER));
	record_add(&r, "DRIFTD_EVENT", str_from(event));
	writer_take(f->writer, &(struct emission){ .finding = &x, .over = over, .record = &r });
	record_done(&r);
}

/* What is known of it, once the history has @n lines. */
static void await_history(struct fixture *f, size_t n)
{
	for (int i = 0; i < 1000 && (!f->history || f->history->n_history != n); i++) {
		f->n_answers = 0;
		ask(f, OTHER);
		wait_for(f, 1);
		(void)usleep(10000);
	}
	assert_non_null(f->history);
	assert_int_equal(f->history->n_history, n);
}

static void test_a_life(void **state)
{
	static const struct {
		enum message message;
		const char *event;
		bool over;
	} steps[] = {
		{ MESSAGE_DRIFT_BEGIN, "begin", false },
		{ MESSAGE_DRIFT_CHANGE, "change", false },
		{ MESSAGE_DRIFT_END, "end", true },
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < ARRAY_LEN(steps); i++) {
		report(f, steps[i].message, steps[i].event, steps[i].over);
		await_history(f, i + 1);
		assert_true(str_eq(f->history->history[0].event, str_from(steps[i].event)));
		assert_int_equal(f->history->has_last, !steps[i].over);
		if (!steps[i].over)
			assert_true(str_eq(f->history->last.text, str_from(steps[i].event)));
	}
}

static void on_kept(void *ctx, const struct err *err)
{
	struct fixture *f = ctx;

	f->n_answers++;
	f->code = err ? err->code : 0;
}

static int count_acceptance(void *ctx, str json, struct err *err)
{
	struct fixture *f = ctx;

	(void)err;
	f->n_rules++;
	assert_true(str_eq(json, STR("{1}")));
	return 0;
}

static void read_acceptances(struct writer_task *task, struct database *d)
{
	struct err err;

	assert_int_equal(database_acceptances(d, count_acceptance, (struct fixture *)task, NULL, &err), 0);
}

/* Each under its id. */
static void test_kept(void **state)
{
	struct fixture *f = *state;
	struct err err;

	f->code = -1;
	assert_int_equal(store_client_keep_acceptance(f->store_client, "a", STR("{1}"), on_kept, f, &err), 0);
	wait_for(f, 1);
	assert_int_equal(f->code, 0);
	assert_int_equal(store_client_keep_acceptance(f->store_client, "b", STR("{2}"), on_kept, f, &err), 0);
	assert_int_equal(store_client_keep_acceptance(f->store_client, "b", (str){ NULL, 0 }, on_kept, f, &err), 0);
	f->look.run = read_acceptances;
	writer_run(f->writer, &f->look);
	assert_int_equal(store_client_keep_acceptance(f->store_client, "a", (str){ NULL, 0 }, on_kept, f, &err), 0);
	wait_for(f, 4);
	assert_int_equal(f->code, 0);
	assert_int_equal(f->n_rules, 1);
}

static int count_rule(void *ctx, const struct kept_rule *rule, struct err *err)
{
	struct fixture *f = ctx;

	(void)err;
	f->n_rules++;
	assert_true(str_eq(rule->uuid, STR("u")) && str_eq(rule->json, STR("{2}")));
	assert_true(str_eq(rule->created_at, STR("then")) && str_eq(rule->updated_at, STR("later")));
	return 0;
}

static void read_rules(struct writer_task *task, struct database *d)
{
	struct err err;

	assert_int_equal(database_rules(d, count_rule, (struct fixture *)task, NULL, &err), 0);
}

static void test_rules(void **state)
{
	struct fixture *f = *state;
	struct kept_rule rule = { STR("u"), STR("{1}"), STR("then"), { NULL, 0 } };
	struct err err;

	assert_int_equal(store_client_put_rule(f->store_client, &rule, on_kept, f, &err), 0);
	rule.json = STR("{2}");
	rule.updated_at = STR("later");
	assert_int_equal(store_client_put_rule(f->store_client, &rule, on_kept, f, &err), 0);
	f->look.run = read_rules;
	writer_run(f->writer, &f->look);
	assert_int_equal(store_client_remove_rule(f->store_client, STR("u"), on_kept, f, &err), 0);
	assert_int_equal(store_client_put_rule(f->store_client, &rule, on_kept, f, &err), 0);
	assert_int_equal(store_client_clear_rules(f->store_client, on_kept, f, &err), 0);
	wait_for(f, 5);
	assert_int_equal(f->code, 0);
	assert_int_equal(f->n_rules, 1);
}

static int see_inspected(void *ctx, str cluster, str versions, struct err *err)
{
	struct fixture *f = ctx;

	(void)err;
	f->n_inspected++;
	assert_true(str_eq(cluster, STR("prod")) && str_eq(versions, (str){ "\0v", 2 }));
	return 0;
}

static void take_inspected(struct writer_task *task, struct database *d)
{
	struct err err;

	assert_int_equal(database_take_inspected(d, see_inspected, task, &err), 0);
}

static void test_what_was_inspected(void **state)
{
	struct fixture *f = *state;
	struct err err;

	writer_keep_inspected(f->writer, STR("prod"), (str){ "\0v", 2 });
	f->look.run = take_inspected;
	writer_run(f->writer, &f->look);
	assert_int_equal(store_client_clear_rules(f->store_client, on_kept, f, &err), 0);
	wait_for(f, 1);
	assert_int_equal(f->n_inspected, 1);
}

/* Who gave an order hears of it, whatever comes of it. */
static void test_an_order_when_it_closes(void **state)
{
	struct fixture *f = *state;
	struct err err;

	assert_int_equal(store_client_keep_acceptance(f->store_client, "a", STR("{}"), on_kept, f, &err), 0);
	store_client_close(f->store_client);
	assert_int_equal(f->n_answers, 1);
	assert_int_equal(f->code, ECANCELED);
	f->closed = true;
	(void)uv_run(&f->loop, UV_RUN_DEFAULT);
	assert_int_equal(f->n_answers, 1);
}

static void test_forgotten(void **state)
{
	struct fixture *f = *state;

	store_client_forget(ask(f, ID));
	ask(f, ID);
	wait_for(f, 1);
	(void)uv_run(&f->loop, UV_RUN_NOWAIT);
	assert_int_equal(f->n_answers, 1);
}

static void test_closed_before(void **state)
{
	struct fixture *f = *state;

	for (int i = 0; i < 10; i++)
		ask(f, ID);
}

static pthread_mutex_t hold = PTHREAD_MUTEX_INITIALIZER;

static void hang(struct writer_task *task, struct database *d)
{
	(void)task;
	(void)d;
	(void)pthread_mutex_lock(&hold);
	(void)pthread_mutex_unlock(&hold);
}

/* The loop is told in time, and once. */
static void test_a_thread_that_hangs(void **state)
{
	struct fixture *f = *state;
	struct writer_task task = { .run = hang };
	struct store_request *q;
	struct err err;
	size_t n = 1;

	(void)pthread_mutex_lock(&hold);
	writer_run(f->writer, &task);
	ask(f, ID);
	while (store_client_ask(f->store_client, ID, on_answer, f, &q, &err) == 0)
		n++;
	assert_int_equal(err.code, EBUSY);
	while (f->n_answers == 0) {
		store_client_tick(f->store_client);
		usleep(100000);
	}
	assert_int_equal(f->n_answers, n);
	assert_int_equal(f->code, ETIMEDOUT);
	(void)pthread_mutex_unlock(&hold);
	f->n_answers = 0;
	while (store_client_ask(f->store_client, ID, on_answer, f, &q, &err) <
	       0) /* those that nobody waits for come back first */
		(void)uv_run(&f->loop, UV_RUN_ONCE);
	wait_for(f, 1);
	assert_int_equal(f->n_answers, 1);
	assert_int_equal(f->code, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_what_was_reported),
		TEST(test_a_life),
		TEST(test_kept),
		TEST(test_rules),
		TEST(test_what_was_inspected),
		TEST(test_an_order_when_it_closes),
		TEST(test_forgotten),
		TEST(test_closed_before),
		TEST(test_a_thread_that_hangs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* What is told only once other hosts know of it, and what happens when this one takes another's place. */
#include "daemon/store/agreement.h"
#include "daemon/store/writer.h"

#include "daemon/findings/finding_json.h"
#include "daemon/store/database/database.h"
#include "support/capture.h"
#include "support/strict_locks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>
#include <errno.h>

#define MINE "00000000000000000000000000000001"
#define THEIRS "00000000000000000000000000000002"
#define STATE_HASH "0123456789abcdef0123456789abcdef"
#define WAIT_MS 5000

struct fixture {
	struct capture capture;
	struct database *database;
	struct writer *writer;
	struct writer_agreement agreement;
	atomic_bool reports, refuses;
	atomic_size_t agreed, put, removed, settled, published;
	atomic_bool done, asked;
	char last[FINDING_ID_SIZE];
	size_t n_findings; /* that the database has */
};

static bool may_report(void *ctx)
{
	struct fixture *f = ctx;

	return atomic_load(&f->reports);
}

static int agree(void *ctx, const struct agreed_step *steps, size_t n, struct err *err)
{
	struct fixture *f = ctx;

	if (atomic_load(&f->refuses))
		return err_set(err, EHOSTUNREACH, "away");
	for (size_t i = 0; i < n; i++) {
		atomic_fetch_add(steps[i].state.n ? &f->put : &f->removed, 1);
		memcpy(f->last, steps[i].finding, sizeof(f->last));
	}
	atomic_fetch_add(&f->agreed, n);
	return 0;
}

static int publish(void *ctx, const struct agreed_step *steps, size_t n, struct err *err)
{
	struct fixture *f = ctx;

	(void)steps;
	(void)err;
	atomic_fetch_add(&f->published, n);
	return 0;
}

static int settle(void *ctx, struct err *err)
{
	struct fixture *f = ctx;

	(void)err;
	atomic_fetch_add(&f->settled, 1);
	return 0;
}

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	struct writer_options o = { .output = CFG_OUTPUT_JSON,
				    .history_usec = INT64_MAX / 2,
				    .history_bytes = INT64_MAX };
	struct err err;

	*state = f;
	if (!f || !capture_begin(&f->capture) || database_open("", &f->database, &err, &err) < 0)
		return -1;
	f->agreement = (struct writer_agreement){ may_report, agree, publish, settle, NULL, NULL, f };
	o.database = f->database;
	o.agreement = &f->agreement;
	return writer_new(&o, &f->writer, &err) < 0 || writer_start(f->writer, &err) < 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;
	bool ended = writer_stop(f->writer, WAIT_MS);

	capture_end(&f->capture);
	free(f);
	return ended ? 0 : -1;
}

static void wait_for(atomic_size_t *what, size_t n)
{
	for (int i = 0; i < WAIT_MS / 10 && atomic_load(what) < n; i++)
		(void)usleep(10000);
	assert_int_equal(atomic_load(what), n);
}

static struct doc *next_record(struct fixture *f)
{
	struct doc *d = NULL;

	for (int i = 0; i < WAIT_MS / 10 && !d; i++) {
		d = capture_next(&f->capture);
		if (!d)
			(void)usleep(10000);
	}
	return d;
}

static struct finding finding(const char *id)
{
	struct finding x = { .kind = FINDING_DRIFT,
			     .severity = SEVERITY_WARNING,
			     .announced = true,
			     .first_seen_usec = 7,
			     .subject = { .cluster = STR("c"), .name = str_from(id) },
			     .key = str_from(id) };

	memcpy(x.id, id, sizeof(x.id));
	memcpy(x.state_hash, STATE_HASH, sizeof(x.state_hash));
	return x;
}

static void fill(struct record *r, const char *id, enum message m, const char *event)
{
	record_init(r, m, 4);
	r->text = STR("drift");
	record_add(r, "DRIFTD_EVENT", str_from(event));
	if (id)
		record_add(r, "DRIFTD_DRIFT_ID", str_from(id));
}

static void report(struct fixture *f, const char *id, bool over)
{
	struct finding x = finding(id);
	struct record r;

	fill(&r, id, over ? MESSAGE_DRIFT_END : MESSAGE_DRIFT_BEGIN, over ? "end" : "begin");
	writer_take(f->writer, &(struct emission){ .finding = &x, .over = over, .record = &r });
	record_done(&r);
}

static void notice(struct fixture *f)
{
	struct record r;

	fill(&r, NULL, MESSAGE_NOTICE, "notice");
	writer_take(f->writer, &(struct emission){ .record = &r });
	record_done(&r);
}

static str field(const struct doc *d, const char *name)
{
	return val_str(val_get(d->root, str_from(name)));
}

static void expect(struct fixture *f, const char *event, const char *id)
{
	CLEANUP(doc_unrefp) struct doc *d = next_record(f);

	assert_non_null(d);
	assert_true(str_eq(field(d, "DRIFTD_EVENT"), str_from(event)));
	assert_true(str_eq(field(d, "DRIFTD_DRIFT_ID"), str_from(id)));
	assert_int_equal(val_get(d->root, STR("STATE")).kind, VAL_ABSENT);
}

static void waits_until_it_tells(void **state)
{
	struct fixture *f = *state;

	report(f, MINE, false);
	notice(f);
	expect(f, "notice", "");
	(void)usleep(200000);
	assert_int_equal(atomic_load(&f->agreed), 0);
	assert_null(capture_next(&f->capture));
	atomic_store(&f->refuses, true);
	atomic_store(&f->reports, true);
	writer_wake(f->writer);
	(void)usleep(300000);
	assert_null(capture_next(&f->capture)); /* not before it is agreed on */
	atomic_store(&f->refuses, false);
	expect(f, "begin", MINE);
	assert_int_equal(atomic_load(&f->put), 1);
	assert_string_equal(f->last, MINE);
	wait_for(&f->settled, 1);
	report(f, MINE, true);
	expect(f, "end", MINE);
	assert_int_equal(atomic_load(&f->removed), 1);
}

/* What nobody is told of other hosts must know as well. */
static void agrees_on_what_is_silent(void **state)
{
	struct fixture *f = *state;
	struct finding x = finding(MINE);

	atomic_store(&f->reports, true);
	writer_take(f->writer, &(struct emission){ .finding = &x });
	wait_for(&f->agreed, 1);
	assert_int_equal(atomic_load(&f->put), 1);
	writer_take(f->writer, &(struct emission){ .finding = &x, .over = true });
	wait_for(&f->agreed, 2);
	assert_int_equal(atomic_load(&f->removed), 1);
	assert_null(capture_next(&f->capture));
}

static int count_finding(void *ctx, const struct finding *x, struct err *err)
{
	struct fixture *f = ctx;

	(void)err;
	f->n_findings++;
	memcpy(f->last, x->id, sizeof(f->last));
	return 0;
}

struct look {
	struct writer_task task; /* first */
	struct fixture *f;
};

static void look(struct writer_task *task, struct database *d)
{
	struct fixture *f = ((struct look *)task)->f;
	size_t malformed;
	struct err err;

	f->n_findings = 0;
	assert_int_equal(database_findings(d, count_finding, f, &malformed, &err), 0);
	atomic_store(&f->asked, true);
}

static void expect_findings(struct fixture *f, size_t n, const char *last)
{
	struct look l = { .task = { .run = look }, .f = f };

	atomic_store(&f->asked, false);
	writer_run(f->writer, &l.task);
	while (!atomic_load(&f->asked))
		(void)usleep(1000);
	assert_int_equal(f->n_findings, n);
	if (n)
		assert_string_equal(f->last, last);
}

static struct fixture *of_takeover;

static void on_done(struct writer_takeover *t, int r, const struct err *err)
{
	(void)t;
	(void)err;
	assert_int_equal(r, 0);
	atomic_store(&of_takeover->done, true);
}

static void take_over(struct fixture *f, struct writer_takeover *t)
{
	of_takeover = f;
	atomic_store(&f->done, false);
	t->done = on_done;
	writer_take_over(f->writer, t);
	while (!atomic_load(&f->done))
		(void)usleep(1000);
}

static void takes_anothers_place(void **state)
{
	CLEANUP(buf_done) struct buf json = BUF_INIT(65536), bytes = BUF_INIT(65536);
	struct fixture *f = *state;
	struct finding x = finding(THEIRS);
	struct writer_takeover t = { .n_states = 1, .n_records = 2 };
	str states[1], records[2] = { [1] = STR("no record") };
	CLEANUP(doc_unrefp) struct doc *d = NULL;
	struct record r;

	finding_to_json(&x, &json);
	states[0] = buf_str(&json);
	fill(&r, THEIRS, MESSAGE_DRIFT_BEGIN, "begin");
	record_encode(&r, &bytes);
	record_encode_state(states[0], &bytes);
	records[0] = buf_str(&bytes);
	t.states = states;
	t.records = records;
	report(f, MINE, false); /* and never told */
	expect_findings(f, 1, MINE);
	take_over(f, &t);
	expect_findings(f, 1, THEIRS);
	assert_null(capture_next(&f->capture));
	atomic_store(&f->reports, true);
	writer_wake(f->writer);
	d = next_record(f);
	while (d && str_eq(field(d, "DRIFTD_EVENT"), STR("notice"))) { /* that some are told again */
		doc_unref(d);
		d = next_record(f);
	}
	assert_non_null(d);
	assert_true(str_eq(field(d, "DRIFTD_DRIFT_ID"), STR(THEIRS)));
	assert_true(str_eq(field(d, "DRIFTD_RECORD_ID"), str_from(r.id)));
	assert_true(str_eq(field(d, "DRIFTD_RESENT"), STR("1")));
	wait_for(&f->agreed, 1);
	assert_string_equal(f->last, THEIRS);
	record_done(&r);
	(void)usleep(200000);
	assert_null(capture_next(&f->capture));
}

static void drops_what_waits(void **state)
{
	struct fixture *f = *state;
	struct writer_takeover t = { .drops = true };

	report(f, MINE, false);
	expect_findings(f, 1, MINE);
	take_over(f, &t);
	expect_findings(f, 1, MINE); /* the truth, should etcd lose all */
	atomic_store(&f->reports, true);
	writer_wake(f->writer);
	report(f, THEIRS, false);
	expect(f, "begin", THEIRS);
	assert_int_equal(atomic_load(&f->agreed), 1);
}

static void publishes(void **state)
{
	struct fixture *f = *state;
	struct writer_takeover t = { .publishes = true, .arena = ARENA_INIT(0) };

	atomic_store(&f->reports, true);
	for (size_t i = 0; i < 250; i++) {
		char id[FINDING_ID_SIZE];

		(void)snprintf(id, sizeof(id), "%032zx", i);
		report(f, id, false);
	}
	wait_for(&f->agreed, 250);
	take_over(f, &t);
	assert_int_equal(atomic_load(&f->published), 250);
	assert_int_equal(t.found.n, 250);
	vec_done(&t.found);
	arena_done(&t.arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(waits_until_it_tells, setup, teardown),
		cmocka_unit_test_setup_teardown(agrees_on_what_is_silent, setup, teardown),
		cmocka_unit_test_setup_teardown(takes_anothers_place, setup, teardown),
		cmocka_unit_test_setup_teardown(drops_what_waits, setup, teardown),
		cmocka_unit_test_setup_teardown(publishes, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

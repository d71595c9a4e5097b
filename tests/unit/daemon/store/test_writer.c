/* The writer turn by turn, without its thread, over an output and a journal that do as they are told: what is told,
 * once, twice or not at all, whatever fails, and what the outbox knows of it. */
#include "daemon/store/writer_internal.h"

#include "base/file.h"
#include "daemon/findings/finding_record.h"
#include "daemon/store/database/database_internal.h"
#include "daemon/store/database/state_key.h"
#include "support/fake_journal.h"
#include "support/strict_locks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>
#include <errno.h>

#define SECOND 1000
#define FINDING_ID(n) "0000000000000000000000000000000" n
#define ONE FINDING_ID("1")
#define TWO FINDING_ID("2")
#define THREE FINDING_ID("3")

static struct {
	struct database *database;
	struct writer *w;
	struct writer_options o;
	int commit_fails, outbox_fails;
	size_t taken; /* entries that were looked at */
	size_t slept, signals;
	bool damaged;        /* at the next look */
	bool outbox_is_busy; /* said of it at the last begin of a transaction */
} t;

/* NOLINTBEGIN(bugprone-reserved-identifier): the linker's names */
int __real_database_begin(struct database *d, struct err *err);
int __wrap_database_begin(struct database *d, struct err *err);

int __real_database_outbox(struct database *d, int (*each)(void *ctx, const struct outbox_row *row, struct err *err),
			   void *ctx, struct err *err);
int __wrap_database_outbox(struct database *d, int (*each)(void *ctx, const struct outbox_row *row, struct err *err),
			   void *ctx, struct err *err);
int __wrap_usleep(useconds_t usec);
bool __wrap_database_is_damaged(const struct database *d, struct err *why);
int __real_pthread_cond_signal(pthread_cond_t *c);
int __wrap_pthread_cond_signal(pthread_cond_t *c);

int __wrap_database_outbox(struct database *d, int (*each)(void *ctx, const struct outbox_row *row, struct err *err),
			   void *ctx, struct err *err)
{
	return t.outbox_fails ? err_set(err, t.outbox_fails, "no") : __real_database_outbox(d, each, ctx, err);
}

bool __wrap_database_is_damaged(const struct database *d, struct err *why)
{
	bool is = t.damaged;

	(void)d;
	if (is)
		(void)!err_set(why, EBADMSG, "it is damaged");
	t.damaged = false;
	return is;
}

int __wrap_usleep(useconds_t usec)
{
	(void)usec;
	t.slept++;
	return 0;
}

int __wrap_pthread_cond_signal(pthread_cond_t *c)
{
	t.signals++;
	return __real_pthread_cond_signal(c);
}

int __wrap_database_begin(struct database *d, struct err *err)
{
	if (t.w)
		t.outbox_is_busy = t.w->queue.status.steps[STEP_OUTBOX].phase == STEP_BUSY;
	return t.commit_fails ? err_set(err, t.commit_fails, "no") : __real_database_begin(d, err);
}
/* NOLINTEND(bugprone-reserved-identifier) */

static void begin(struct writer_options o)
{
	struct err err;

	o.database = t.database;
	o.output = CFG_OUTPUT_JSON;
	o.history_usec = INT64_MAX / 2;
	o.history_bytes = INT64_MAX;
	assert_int_equal(writer_new(&o, &t.w, &err), 0);
	deferral_clock_look(&t.w->clock);
}

static int setup(void **state)
{
	struct err reported, err;

	(void)state;
	memset(&t, 0, sizeof(t));
	fake_begin();
	assert_int_equal(database_open("", &t.database, &reported, &err), 0);
	begin((struct writer_options){ 0 });
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	t.w->queue.life = WORK_NEW;
	assert_true(writer_stop(t.w, 0));
	assert_int_equal(fake.opened, 0);
	fake_end();
	return 0;
}

/* The process is killed, and another one goes on with what is committed. */
static void kill_and(struct writer_options o)
{
	t.w->database = NULL;
	assert_true(writer_stop(t.w, 0));
	begin(o);
}

static void turn(void)
{
	assert_true(writer_turn(t.w, 0));
}

/* As the thread goes on: it sleeps when there is nothing to do. */
static void run_for(uint64_t ms)
{
	uint64_t end = fake.now_ms + ms;

	while (fake.now_ms < end) {
		uint64_t sleep;

		turn();
		sleep = writer_wait_ms(t.w);
		sleep = sleep ? sleep : 1;
		fake_pass(sleep < end - fake.now_ms ? sleep : end - fake.now_ms);
	}
	turn();
}

/* ---- what the loop tells ---- */

static void report_as(enum severity severity, const char *id, const char *event, const char *namespace, int64_t hold_ms)
{
	struct finding x = { .kind = FINDING_DRIFT,
			     .severity = severity,
			     .announced = true,
			     .first_seen_usec = 7,
			     .subject = { .cluster = STR("c"), .name = str_from(id) },
			     .key = str_from(id) };
	bool over = strcmp(event, "end") == 0;
	struct record r;

	memcpy(x.id, id, sizeof(x.id));
	memcpy(x.state_hash, FINDING_ID("f"), sizeof(x.state_hash));
	record_init(&r, over ? MESSAGE_DRIFT_END : MESSAGE_DRIFT_BEGIN, 4);
	r.text = STR("drift");
	record_add(&r, "DRIFTD_EVENT", str_from(event));
	record_add(&r, "DRIFTD_DRIFT_ID", str_from(id));
	record_add(&r, "DRIFTD_NAMESPACE", str_from(namespace));
	record_add(&r, "DRIFTD_SEVERITY", str_from(severity_name(severity)));
	writer_take(t.w, &(struct emission){ .finding = &x,
					     .over = over,
					     .record = &r,
					     .received_ns = fake.now_ms * 1000000,
					     .hold_ns = hold_ms * 1000000 });
	record_done(&r);
}

static void report_of(const char *id, const char *event, const char *namespace, int64_t hold_ms)
{
	report_as(SEVERITY_WARNING, id, event, namespace, hold_ms);
}

static void report(const char *id, const char *event)
{
	report_of(id, event, "n", 0);
}

static void report_notice(void)
{
	struct record r;

	record_init(&r, MESSAGE_NOTICE, 6);
	r.text = STR("notice");
	record_add(&r, "DRIFTD_EVENT", STR("notice"));
	writer_take(t.w, &(struct emission){ .record = &r });
	record_done(&r);
}

/* ---- what comes of it ---- */

struct rows {
	char text[256];
};

static int add_row(void *ctx, const struct outbox_row *row, struct err *err)
{
	struct rows *rows = ctx;
	struct record r;
	size_t n = strlen(rows->text);
	bool known = record_decode(row->record, &r, err) == 0;

	(void)snprintf(rows->text + n, sizeof(rows->text) - n, "%s%.*s %s", n ? ", " : "",
		       STR_ARG(known ? record_get(&r, "DRIFTD_EVENT") : STR("?")),
		       row->deferred       ? "waits"
		       : row->written_usec ? "written"
		       : row->sent         ? "sent"
					   : "new");
	record_done(&r);
	return 0;
}

static void expect_rows(const char *expected)
{
	struct rows rows = { "" };
	struct err err;

	assert_int_equal(database_outbox(t.database, add_row, &rows, &err), 0);
	assert_string_equal(rows.text, expected);
}

static int count(void *ctx, const struct finding *x, struct err *err)
{
	(void)x;
	(void)err;
	++*(size_t *)ctx;
	return 0;
}

static void expect_findings(size_t expected)
{
	size_t n = 0, malformed;
	struct err err;

	assert_int_equal(database_findings(t.database, count, &n, &malformed, &err), 0);
	assert_int_equal(n, expected);
}

static struct writer_status status(void)
{
	struct writer_status s;

	turn();
	writer_status(t.w, &s);
	return s;
}

/* What was told since the last look, "begin 1, end 2!, ...": with "!" what was not durable, with "?" what was told
 * again, with "+" what was merged. */
static void reported_text(char *reported, size_t size)
{
	size_t n = 0;

	for (reported[0] = '\0'; t.taken < fake.entries.n; t.taken++) {
		const struct fake_entry *e = &fake.entries.p[t.taken];
		size_t last = strlen(e->finding);

		n += (size_t)snprintf(reported + n, size - n, "%s%s%s%s%s%s%s", n ? ", " : "", e->event,
				      last ? " " : "", last ? e->finding + last - 1 : "", e->not_durable ? "!" : "",
				      e->resent ? "?" : "", e->merged ? "+" : "");
		assert_true(n < size);
	}
}

static void expect_reported(const char *expected)
{
	char reported[2048];

	reported_text(reported, sizeof(reported));
	assert_string_equal(reported, expected);
}

/* ---- cases ---- */

static void goes_its_way(void **state)
{
	struct writer_status s;

	(void)state;
	assert_int_equal(writer_wait_ms(t.w), 100); /* the outbox is not read yet */
	turn();
	assert_int_equal(t.w->recovery.state, RECOVERED);
	assert_int_equal(writer_wait_ms(t.w), 4000);
	report(ONE, "begin");
	turn();
	expect_reported("begin 1");
	expect_findings(1);
	expect_rows("begin new");
	run_for(SECOND);
	report(TWO, "begin");
	turn();
	expect_reported("begin 2");
	assert_int_equal(writer_wait_ms(t.w), 50);
	fake_pass(49);
	turn();
	expect_rows("begin sent, begin new"); /* its mark waits for more to do */
	fake_pass(1);
	turn();
	expect_rows("begin sent, begin sent");
	assert_int_equal(writer_wait_ms(t.w), 3000);
	assert_int_equal(t.w->acks.state, ACKS_OPEN);
	s = status();
	assert_int_equal(s.records[4], 2);
	assert_int_equal(s.latency.buckets[0], 2);
	assert_int_equal(s.waiting, 0);
	assert_int_equal(s.steps[STEP_READ_BACK].phase, STEP_BUSY);
	assert_int_equal(s.steps[STEP_SEND].phase, STEP_IDLE);
	run_for(9 * SECOND);
	expect_rows("begin sent, begin sent");
	run_for(16 * SECOND);
	expect_rows("begin written, begin written");
	assert_int_equal(status().steps[STEP_READ_BACK].phase, STEP_IDLE);
	assert_int_equal(t.w->acks.state, ACKS_ALL);
	assert_int_equal(writer_wait_ms(t.w), 4000);
	run_for(560 * SECOND);
	expect_rows("begin written, begin written"); /* the journal may lose them with the power */
	run_for(60 * SECOND);
	expect_rows("");
	report(ONE, "end");
	run_for(SECOND);
	expect_reported("end 1");
	expect_findings(1);
}

/* It counts as written by time, and then nobody needs it. */
static void another_output(void **state)
{
	(void)state;
	fake.is_journal = false;
	report(ONE, "begin");
	turn();
	expect_reported("begin 1");
	turn();
	expect_rows("begin sent"); /* at once: nobody can be asked for it */
	run_for(29 * SECOND);
	expect_rows("begin sent");
	run_for(6 * SECOND);
	expect_rows("");
	assert_int_equal(t.w->acks.state, ACKS_ALL);
}

/* Nothing can be read: time does, and it is said. */
static void cannot_be_read_back(void **state)
{
	struct writer_status s;

	(void)state;
	fake.is_away = true;
	report(ONE, "begin");
	run_for(25 * SECOND);
	expect_rows("begin sent");
	s = status();
	assert_int_equal(s.steps[STEP_READ_BACK].phase, STEP_FAILING);
	assert_non_null(strstr(s.steps[STEP_READ_BACK].error.msg, "does not have the record"));
	run_for(20 * SECOND);
	expect_rows("begin written");
	fake.is_away = false;
	report(TWO, "begin");
	run_for(25 * SECOND);
	expect_rows("begin written, begin written");
	fake.is_away = true; /* from now on it is known that it can be read */
	report(THREE, "begin");
	run_for(60 * SECOND);
	expect_rows("begin written, begin written, begin sent");
}

static void later_ones_are_asked_for_too(void **state)
{
	(void)state;
	report(ONE, "begin");
	run_for(30 * SECOND);
	fake.unread = 1;
	report(TWO, "begin");
	run_for(30 * SECOND);
	expect_rows("begin written, begin sent");
	fake.unread = 0;
	run_for(15 * SECOND);
	expect_rows("begin written, begin written");
}

static void at_a_clean_end(void **state)
{
	(void)state;
	report(ONE, "begin");
	turn();
	t.w->queue.life = WORK_ENDS;
	turn();
	expect_rows("begin sent"); /* at once */
	assert_false(writer_turn(t.w, 0));
	writer_end(t.w);
	assert_int_equal(t.slept, 0);
	expect_rows("begin written");
}

static void an_end_without_the_journal(void **state)
{
	(void)state;
	report(ONE, "begin");
	turn();
	fake.unread = 1;
	t.w->queue.life = WORK_ENDS;
	turn();
	assert_false(writer_turn(t.w, 0));
	writer_end(t.w);
	assert_int_equal(t.slept, 10);
	expect_rows("begin sent"); /* it is looked up at the next start */
}

static void an_end_of_another_output(void **state)
{
	(void)state;
	fake.is_journal = false;
	report(ONE, "begin");
	turn();
	t.w->queue.life = WORK_ENDS;
	turn();
	assert_false(writer_turn(t.w, 0));
	writer_end(t.w);
	expect_rows("");
}

/* What it was given, and has, is not told again; what it lost is. */
static void a_kill(void **state)
{
	(void)state;
	report(ONE, "begin");
	report(TWO, "begin");
	turn();
	expect_reported("begin 1, begin 2");
	fake_lose(1);
	t.taken = 1;
	kill_and((struct writer_options){ 0 });
	turn();
	expect_reported("notice, begin 2");
	assert_int_equal(status().resent, 0);
	run_for(25 * SECOND);
	expect_rows("begin written, begin written");
}

static void a_kill_that_lost_nothing(void **state)
{
	(void)state;
	report(ONE, "begin");
	run_for(SECOND);
	fake.has_no_index = true;
	kill_and((struct writer_options){ 0 });
	run_for(SECOND);
	expect_reported("begin 1, notice");
	expect_rows("begin sent");
}

/* It is asked again later; until then nothing is told. */
static void a_kill_and_a_journal_that_fails(void **state)
{
	struct writer_status s;

	(void)state;
	report(ONE, "begin");
	run_for(SECOND);
	expect_reported("begin 1");
	fake.look_fails = -EIO;
	kill_and((struct writer_options){ 0 });
	run_for(SECOND);
	s = status();
	assert_int_equal(s.steps[STEP_RECOVERY].phase, STEP_FAILING);
	assert_string_equal(s.steps[STEP_RECOVERY].error.msg, "look into the journal: Input/output error");
	expect_reported("notice");
	fake.look_fails = 0;
	run_for(SECOND);
	expect_reported("");
	assert_int_equal(status().steps[STEP_RECOVERY].phase, STEP_IDLE);
	expect_rows("begin sent");
}

/* What an older driftd, or a newer one, left there can be told by nobody. */
static void a_row_that_is_none(void **state)
{
	const struct outbox_new row = { .record = STR("no record") };
	int64_t seq;
	struct err err;

	(void)state;
	assert_int_equal(database_add_to_outbox(t.database, &row, &seq, &err), 0);
	run_for(SECOND);
	assert_int_equal(t.w->recovery.state, RECOVERED);
	expect_rows("? sent");
	fake.is_journal = false;
	assert_int_equal(database_add_to_outbox(t.database, &row, &seq, &err), 0);
	kill_and((struct writer_options){ 0 });
	run_for(SECOND);
	assert_int_equal(status().write_failures, 1);
	assert_int_equal(status().waiting, 0);
	expect_reported("notice, notice");
}

static int copy_record(void *ctx, const struct outbox_row *row, struct err *err)
{
	struct record r;

	(void)ctx;
	assert_int_equal(record_decode(row->record, &r, err), 0);
	fake_add(&r);
	record_done(&r);
	t.taken++;
	return 0;
}

/* Who has no reason to ask for what is held does not. */
static void what_is_held_is_not_asked_for(void **state)
{
	static const struct writer_options options[] = { { 0 }, { .was_damaged = true } };
	struct err err;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(options); i++) {
		report_of(ONE, "begin", "n", 60 * SECOND);
		run_for(SECOND);
		assert_int_equal(database_outbox(t.database, copy_record, NULL, &err), 0);
		report(TWO, "begin");
		run_for(SECOND);
		expect_reported("begin 2");
		kill_and(options[i]);
		run_for(SECOND);
		expect_reported("notice");
		expect_rows(i == 0 ? "begin waits, begin sent" : "begin sent");
		assert_int_equal(database_clear_outbox(t.database, &err), 0);
		kill_and((struct writer_options){ 0 });
		turn();
	}
}

/* Who cannot ask tells it again, and says so. */
static void a_kill_and_no_journal(void **state)
{
	(void)state;
	report(ONE, "begin");
	run_for(SECOND);
	expect_reported("begin 1");
	fake.is_away = true;
	kill_and((struct writer_options){ 0 });
	run_for(10 * SECOND);
	expect_reported("notice");
	assert_int_equal(t.w->recovery.state, READ_BARRIER_BACK);
	run_for(SECOND);
	expect_reported("notice, begin 1?");
	assert_int_equal(status().resent, 1);
	assert_non_null(strstr(fake.entries.p[fake.entries.n - 2].message, "the journal cannot be read"));
}

static void a_kill_of_another_output(void **state)
{
	(void)state;
	fake.is_journal = false;
	report(ONE, "begin");
	turn();
	report(TWO, "begin");
	turn(); /* which marks the first one, too */
	expect_reported("begin 1, begin 2");
	expect_rows("begin sent, begin new");
	kill_and((struct writer_options){ 0 });
	run_for(SECOND);
	expect_reported("notice, begin 2?");
	assert_non_null(strstr(fake.entries.p[fake.entries.n - 2].message, "this output cannot be read back"));
}

static void a_kill_of_another_output_that_has_all(void **state)
{
	(void)state;
	fake.is_journal = false;
	report(ONE, "begin");
	turn();
	turn();
	expect_rows("begin sent");
	kill_and((struct writer_options){ 0 });
	run_for(SECOND);
	expect_reported("begin 1");
	expect_rows("");
}

/* ---- every recovery ---- */

enum row { ROW_NEW, ROW_SENT, ROW_WRITTEN, ROW_WAITS, ROW_DUE, ROWS };
enum place { IN_JOURNAL, AMONG_LAST, NOWHERE, PLACES };
enum reach { LONG, SHORT, IN_MEMORY, AWAY, OTHER_OUTPUT, REACHES };

static const char *const row_names[] = { "new", "sent", "written", "waits", "due" };
static const char *const place_names[] = { "in the journal", "among its last", "nowhere" };
static const char *const reach_names[] = { "of old", "since now", "in memory", "away", "no journal" };
static const struct {
	const char *name;
	struct writer_options options;
} lives[] = { { "a kill", { 0 } },
	      { "a boot", { .rebooted = true } },
	      { "doubtful", { .doubtful = true } },
	      { "a boot, doubtful", { .rebooted = true, .doubtful = true } },
	      { "was damaged", { .was_damaged = true } } };

static void record_of(const char *id, struct record *r)
{
	record_init(r, MESSAGE_DRIFT_BEGIN, 4);
	r->text = STR("drift");
	record_add(r, "DRIFTD_EVENT", STR("begin"));
	record_add(r, "DRIFTD_DRIFT_ID", str_from(id));
}

/* @id, told and kept; in the journal as @place says. */
static void leave_row(const char *id, enum row row, enum place place)
{
	CLEANUP(buf_done) struct buf bytes = BUF_INIT(1u << 20);
	int64_t due = clock_usec() + (row == ROW_WAITS ? 60 : -60) * INT64_C(1000000), seq;
	struct outbox_new new = { .about = str_from(id), .deferred = row >= ROW_WAITS, .due_usec = due };
	struct record r;
	struct err err;

	record_of(id, &r);
	record_encode(&r, &bytes);
	new.record = buf_str(&bytes);
	assert_int_equal(database_add_history(t.database, &r, clock_usec(), &err), 0);
	assert_int_equal(database_add_to_outbox(t.database, &new, &seq, &err), 0);
	if (row == ROW_SENT || row == ROW_WRITTEN)
		assert_int_equal(database_mark_sent(t.database, seq, 1, &err), 0);
	if (row == ROW_WRITTEN)
		assert_int_equal(database_note_written(t.database, 2, 10, clock_usec(), &err), 0);
	if (place != NOWHERE)
		fake_add(&r);
	record_done(&r);
}

static void print_recovery(enum row row, enum place place, size_t life, enum reach reach, bool earlier, struct buf *out)
{
	struct rows rows = { "" };
	char reported[2048];
	struct record r;
	struct err err;

	assert_int_equal(database_clear_outbox(t.database, &err), 0);
	assert_int_equal(database_execute(t.database, "DELETE FROM outbox; DELETE FROM history", &err), 0);
	fake_lose(fake.entries.n);
	if (earlier) { /* something from before that the journal has */
		record_of(TWO, &r);
		assert_int_equal(database_add_history(t.database, &r, clock_usec(), &err), 0);
		fake_add(&r);
		record_done(&r);
	}
	leave_row(ONE, row, place);
	t.taken = fake.entries.n;
	fake.has_no_index = place == AMONG_LAST;
	fake.is_away = reach == AWAY;
	fake.is_journal = reach != OTHER_OUTPUT;
	fake.reach_usec = reach == IN_MEMORY ? INT64_MAX : clock_usec() - (reach == LONG ? 3600 : 0) * INT64_C(1000000);
	kill_and(lives[life].options);
	run_for(15 * SECOND);
	reported_text(reported, sizeof(reported));
	assert_int_equal(t.w->recovery.state, RECOVERED);
	assert_int_equal(database_outbox(t.database, add_row, &rows, &err), 0);
	buf_printf(out, "%s, %s%s; %s; %s: told \"%s\", left \"%s\"\n", row_names[row], place_names[place],
		   earlier ? " that has one before" : "", lives[life].name, reach_names[reach], reported, rows.text);
}

/* Whatever was left, wherever it is: tests/data/store/recovery.txt has a line for each. */
static void every_recovery(void **state)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(1u << 20);
	CLEANUP(freep) char *expected = NULL;
	str left, line, rest;
	struct err err;
	size_t n;

	(void)state;
	for (int row = 0; row < ROWS; row++)
		for (int place = 0; place < PLACES; place++)
			for (size_t life = 0; life < ARRAY_LEN(lives); life++)
				for (int reach = 0; reach < REACHES; reach++)
					for (int earlier = 0; earlier < 2; earlier++)
						print_recovery((enum row)row, (enum place)place, life,
							       (enum reach)reach, earlier, &out);
	fake.is_away = fake.has_no_index = false;
	assert_int_equal(file_read(TEST_DATA "/store/recovery.txt", 1u << 20, &expected, &n, &err), 0);
	left = (str){ expected, n };
	for (rest = buf_str(&out); str_next_part(&rest, '\n', &line) && line.n;) {
		str wanted = STR("");

		if (!str_next_part(&left, '\n', &wanted) || !str_eq(wanted, line))
			fail_msg("%.*s\ninstead of %.*s", STR_ARG(line), STR_ARG(wanted));
	}
	assert_int_equal(left.n, 0);
}

/* The journal of before the boot is there, without what was told last. */
static void a_boot(void **state)
{
	(void)state;
	report(ONE, "begin");
	run_for(25 * SECOND);
	report(TWO, "begin");
	run_for(25 * SECOND);
	expect_rows("begin written, begin written");
	fake_lose(1);
	expect_reported("begin 1");
	kill_and((struct writer_options){ .rebooted = true });
	run_for(SECOND);
	expect_reported("notice, begin 2?");
	expect_rows("begin sent"); /* what is there has outlasted a boot */
}

static void a_boot_and_a_journal_in_memory(void **state)
{
	(void)state;
	report(ONE, "begin");
	run_for(25 * SECOND);
	fake_lose(1);
	fake.reach_usec = INT64_MAX;
	kill_and((struct writer_options){ .rebooted = true });
	run_for(SECOND);
	expect_reported("notice");
	expect_rows("");
}

/* It is walked through once, however many records it lacks. */
static void a_boot_and_an_empty_journal(void **state)
{
	(void)state;
	report(ONE, "begin");
	report(TWO, "begin");
	run_for(25 * SECOND);
	fake_lose(2);
	fake.reach_usec = INT64_MAX;
	fake.walks = 0;
	kill_and((struct writer_options){ .rebooted = true });
	run_for(SECOND);
	expect_reported("notice");
	expect_rows("");
	assert_int_equal(fake.walks, 1);
}

/* It reaches back to some time after, or before, what is missing was written. */
static void a_boot_and_a_journal_that_is_short(void **state)
{
	(void)state;
	report(ONE, "begin");
	run_for(25 * SECOND);
	fake_lose(1);
	fake.reach_usec = clock_usec();
	kill_and((struct writer_options){ .rebooted = true });
	run_for(SECOND);
	expect_reported("notice");
	report(TWO, "begin");
	run_for(25 * SECOND);
	fake_lose(1);
	t.taken = fake.entries.n;
	fake.reach_usec = clock_usec() - 100 * SECOND * INT64_C(1000);
	kill_and((struct writer_options){ .rebooted = true });
	run_for(SECOND);
	expect_reported("notice, begin 2?");
}

/* The first record of the journal is the last line of the history, as after damage. */
static void learn_first_anew(void)
{
	struct record r;
	struct err err;

	assert_int_equal(record_decode(fake.entries.p[0].record, &r, &err), 0);
	assert_int_equal(database_add_history(t.database, &r, clock_usec(), &err), 0);
	record_done(&r);
}

/* What was held back is told behind what happened later, and is the first to be missing. The clock was set since, so
 * that the journal seems to begin later; but it has something from before. */
static void held_back_and_lost_twice(bool learned)
{
	struct err err;

	report(ONE, "begin");
	run_for(25 * SECOND);
	if (learned)
		assert_int_equal(database_prune(t.database, clock_usec(), INT64_MAX, &err), 0);
	report(ONE, "change");
	run_for(SECOND);
	report_of(TWO, "begin", "n", SECOND);
	report(ONE, "change");
	run_for(25 * SECOND);
	expect_reported("begin 1, change 1, change 1, begin 2");
	if (learned)
		learn_first_anew();
	fake_lose(1);
	t.taken = fake.entries.n;
	kill_and((struct writer_options){ .rebooted = true });
	run_for(25 * SECOND);
	expect_reported("notice, begin 2?");
	fake_lose(1);
	t.taken = fake.entries.n;
	fake.reach_usec = clock_usec();
	kill_and((struct writer_options){ .rebooted = true });
	run_for(SECOND);
	expect_reported("notice, begin 2?");
}

static void two_boots_and_what_was_held_back(void **state)
{
	(void)state;
	held_back_and_lost_twice(false);
}

static void two_boots_and_a_history_in_disorder(void **state)
{
	(void)state;
	held_back_and_lost_twice(true);
}

static void a_damaged_database(void **state)
{
	(void)state;
	report(ONE, "begin");
	run_for(25 * SECOND);
	fake_lose(1);
	expect_reported("");
	fake.reach_usec = INT64_MAX; /* which counts after a boot only */
	kill_and((struct writer_options){ .doubtful = true });
	run_for(SECOND);
	expect_reported("notice, begin 1?");
}

/* The journal has what this database holds back: it was told, and that is lost. */
static void earlier_damage(void **state)
{
	(void)state;
	report_of(ONE, "begin", "n", 60 * SECOND);
	run_for(SECOND);
	expect_rows("begin waits");
	kill_and((struct writer_options){ .was_damaged = true });
	run_for(SECOND);
	expect_reported("notice");
	expect_rows("begin waits");
	run_for(60 * SECOND);
	expect_reported("begin 1");
}

static int add_to_journal(void *ctx, const struct outbox_row *row, struct err *err)
{
	struct record r;

	(void)ctx;
	assert_int_equal(record_decode(row->record, &r, err), 0);
	fake_add(&r);
	record_done(&r);
	return 0;
}

/* The power took back that a begin, which had waited, was told: what ends before that is known does not take its place.
 */
static void an_end_behind_what_was_reported(void **state)
{
	struct err err;

	(void)state;
	report_of(ONE, "begin", "n", 60 * SECOND);
	run_for(SECOND);
	expect_rows("begin waits");
	fake_pass(61 * SECOND);
	assert_int_equal(database_outbox(t.database, add_to_journal, NULL, &err), 0);
	fake.unread = 1; /* nothing that is told from now on, for a while */
	kill_and((struct writer_options){ .rebooted = true });
	run_for(100);
	report(ONE, "end");
	run_for(SECOND);
	fake.unread = 0;
	run_for(SECOND);
	expect_reported("begin 1, notice, end 1");
}

static void nothing_to_look_up(void **state)
{
	(void)state;
	kill_and((struct writer_options){ .rebooted = true });
	turn();
	assert_int_equal(t.w->recovery.state, RECOVERED);
	assert_int_equal(t.w->recovery.looks_up, LOOK_UP_UNMARKED);
	expect_reported("");
}

/* The journal goes while it may not have stored what it was given. */
static void the_journal_goes(void **state)
{
	struct writer_status s;

	(void)state;
	report(ONE, "begin");
	run_for(SECOND);
	expect_reported("begin 1");
	fake_lose(1);
	t.taken = 0;
	fake.write_fails = -ECONNREFUSED;
	report(TWO, "begin");
	turn();
	assert_int_equal(t.w->recovery.state, SEND_BARRIER);
	s = status();
	assert_int_equal(s.steps[STEP_SEND].phase, STEP_FAILING);
	assert_string_equal(s.steps[STEP_SEND].error.msg, "the journal: Connection refused");
	assert_int_equal(s.write_failures, 1);
	assert_int_equal(s.waiting, 1);
	assert_int_equal(writer_wait_ms(t.w), 100);
	fake_pass(99);
	assert_int_equal(status().write_failures, 1);
	fake_pass(1);
	turn();
	assert_int_equal(status().write_failures, 2); /* the barrier */
	run_for(SECOND);
	expect_reported("");
	assert_true(status().write_failures > 5 && status().write_failures < 20);
	fake.write_fails = 0;
	run_for(SECOND);
	expect_reported("notice, begin 1, begin 2");
	assert_int_equal(status().steps[STEP_SEND].phase, STEP_IDLE);
	assert_int_equal(status().steps[STEP_RECOVERY].phase, STEP_IDLE);
}

static void the_journal_does_not_read(void **state)
{
	(void)state;
	report(ONE, "begin");
	run_for(SECOND);
	fake.write_fails = -EAGAIN;
	report(TWO, "begin");
	turn();
	assert_string_equal(status().steps[STEP_SEND].error.msg, "the journal: it does not read");
	assert_int_equal(t.w->recovery.state, RECOVERED);
	fake.write_fails = 0;
	turn();
	expect_reported("begin 1"); /* not before it is time */
	fake_pass(100);
	turn();
	expect_reported("begin 2");
}

/* It is noticed although nothing is to be sent; and the barrier may go with the next one. */
static void the_journal_is_another(void **state)
{
	(void)state;
	report(ONE, "begin");
	run_for(SECOND);
	fake.await_fails = -ESTALE;
	fake.unread = 5;
	run_for(4 * SECOND);
	assert_int_equal(t.w->recovery.state, SEND_BARRIER);
	fake.await_fails = 0;
	fake.unread = 0;
	run_for(SECOND);
	assert_int_equal(t.w->recovery.state, RECOVERED);
	expect_rows("begin sent");
	fake.await_fails = -EAGAIN;
	run_for(4 * SECOND);
	assert_int_equal(t.w->recovery.state, RECOVERED);
}

/* ---- what cannot be stored ---- */

static void a_full_disk(void **state)
{
	struct writer_status s;

	(void)state;
	turn();
	t.commit_fails = ENOSPC;
	report(ONE, "begin");
	report_notice();
	turn();
	expect_reported("begin 1!, notice!");
	s = status();
	assert_int_equal(s.not_durable, 2);
	assert_int_equal(s.steps[STEP_COMMIT].phase, STEP_FAILING);
	assert_int_equal(s.steps[STEP_COMMIT].failures, 1);
	assert_int_equal(s.waiting, 2);
	assert_int_equal(writer_wait_ms(t.w), 100);
	run_for(1100);
	assert_int_equal(status().steps[STEP_COMMIT].failures, 2);
	t.commit_fails = 0;
	run_for(2 * SECOND);
	expect_reported("");
	expect_rows("begin sent, notice sent");
	expect_findings(1);
	assert_int_equal(status().waiting, 0);
}

/* What must wait is not told before it is known for how long, nor what comes behind it. */
static void a_full_disk_and_what_waits(void **state)
{
	(void)state;
	turn();
	t.commit_fails = ENOSPC;
	report_of(ONE, "begin", "n", 5 * SECOND);
	report(ONE, "change");
	report(TWO, "begin");
	turn();
	expect_reported("begin 2!");
	t.commit_fails = 0;
	run_for(2 * SECOND);
	expect_reported("");
	expect_rows("begin waits, change waits, begin sent");
	run_for(6 * SECOND);
	expect_reported("begin 1, change 1");
}

static void report_many(int n)
{
	char id[FINDING_ID_SIZE], namespace[16];

	for (int i = 0; i < n; i++) {
		(void)snprintf(id, sizeof(id), "b%031x", i);
		(void)snprintf(namespace, sizeof(namespace), "n%d", i);
		report_of(id, "begin", namespace, 0);
	}
}

/* What is stored is sent before what is not: some of it each time, between two looks at the queue. */
static void a_full_disk_and_many_before(void **state)
{
	(void)state;
	turn();
	report_many(250);
	turn();
	assert_int_equal(fake.entries.n, 100);
	t.commit_fails = ENOSPC;
	report(ONE, "begin");
	turn();
	assert_int_equal(fake.entries.n, 200);
	run_for(SECOND);
	assert_int_equal(fake.entries.n, 251);
	assert_string_equal(fake.entries.p[250].finding, ONE);
}

/* What waits in the outbox is before what cannot be stored. */
static void a_full_disk_behind_what_waits(void **state)
{
	(void)state;
	report_of(ONE, "begin", "n", 5 * SECOND);
	turn();
	t.commit_fails = ENOSPC;
	report(ONE, "change");
	report(TWO, "change");
	turn();
	expect_reported("change 2!");
	t.commit_fails = 0;
	run_for(7 * SECOND);
	expect_reported("begin 1, change 1");
}

/* Nobody knows what waits: what is new is told all the same, and once. */
static void an_outbox_that_cannot_be_read(void **state)
{
	(void)state;
	t.outbox_fails = EIO;
	turn();
	assert_int_equal(status().steps[STEP_OUTBOX].phase, STEP_FAILING);
	report(ONE, "begin");
	turn();
	expect_reported("begin 1!");
	assert_int_equal(t.w->recovery.state, READ_OUTBOX);
	run_for(990);
	assert_int_equal(status().steps[STEP_OUTBOX].failures, 1);
	run_for(100);
	assert_int_equal(status().steps[STEP_OUTBOX].failures, 2);
	t.outbox_fails = 0;
	run_for(3 * SECOND);
	expect_reported("notice");
	expect_rows("begin sent");
}

/* While all is looked up nothing is forgotten. */
static void the_journal_goes_while_it_is_forgotten(void **state)
{
	(void)state;
	turn();
	report_many(600);
	run_for(11 * SECOND);
	while (t.w->acks.state != ACKS_FORGET)
		run_for(10);
	fake.write_fails = -ECONNREFUSED;
	report(ONE, "begin");
	turn();
	turn();
	assert_int_equal(t.w->recovery.state, SEND_BARRIER);
	assert_int_equal(t.w->acks.state, ACKS_OPEN);
	assert_int_equal(t.w->acks.forget_usec, 0);
}

/* The thread is woken once for what it has not seen. */
static void wakes_once(void **state)
{
	(void)state;
	turn();
	t.signals = 0;
	report(ONE, "begin");
	assert_int_equal(t.signals, 1);
	report(TWO, "begin");
	assert_int_equal(t.signals, 1);
	turn();
	report(TWO, "end");
	assert_int_equal(t.signals, 2);
	writer_wake(t.w);
	assert_int_equal(t.signals, 3);
	writer_set_output(t.w, CFG_OUTPUT_JSON);
	assert_int_equal(t.signals, 4);
}

static void on_taken(struct writer_takeover *over, int r, const struct err *err)
{
	assert_int_equal(r, t.commit_fails ? -t.commit_fails : 0);
	assert_int_equal(err->code, t.commit_fails);
	over->n_states = 77;
}

/* A takeover that cannot be stored changes nothing. */
static void a_takeover_on_a_full_disk(void **state)
{
	struct writer_takeover over = { .drops = true, .done = on_taken };

	(void)state;
	turn();
	fake.write_fails = -EAGAIN;
	report(ONE, "begin");
	turn();
	t.commit_fails = ENOSPC;
	writer_take_over(t.w, &over);
	turn();
	assert_int_equal(over.n_states, 77);
	assert_int_equal(status().waiting, 1);
	t.commit_fails = 0;
	over.n_states = 0;
	writer_take_over(t.w, &over);
	turn();
	assert_int_equal(over.n_states, 77);
	assert_int_equal(status().waiting, 0);
	expect_rows("");
	fake.write_fails = 0;
	run_for(SECOND);
	expect_reported("");
}

static void a_kill_with_a_full_disk(void **state)
{
	(void)state;
	turn();
	report(ONE, "begin");
	run_for(SECOND);
	t.commit_fails = ENOSPC;
	report(TWO, "begin");
	report(THREE, "begin");
	turn();
	expect_reported("begin 1, begin 2!, begin 3!");
	fake_lose(1);
	t.taken--;
	fake.write_fails = -ECONNREFUSED; /* the journal goes as well */
	report_notice();
	turn();
	fake.write_fails = 0;
	run_for(SECOND);
	expect_reported("notice, begin 3!, notice!");
	t.commit_fails = 0;
	run_for(2 * SECOND);
	expect_reported("");
	expect_rows("begin sent, begin sent, begin sent, notice sent");
}

/* ---- what waits ---- */

static void a_hold(void **state)
{
	(void)state;
	report_of(ONE, "begin", "n", 5 * SECOND);
	report_of(TWO, "begin", "n", 5 * SECOND);
	run_for(4 * SECOND);
	expect_reported("");
	assert_int_equal(t.w->deferral.not_due, 2);
	assert_int_equal(writer_wait_ms(t.w), 1000);
	report(ONE, "end");
	run_for(100);
	expect_rows("begin waits");
	run_for(3 * SECOND);
	expect_reported("begin 2");
	assert_int_equal(t.w->deferral.not_due, 0);
	expect_findings(1);
}

/* What is held lasts as long, whatever the clock is set to. */
static void a_clock_that_is_set(void **state)
{
	static const int64_t hours[] = { 1, -1 };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(hours); i++) {
		report_of(ONE, "begin", "n", 10 * SECOND);
		run_for(2 * SECOND);
		clock_set(clock_usec() + hours[i] * 3600 * INT64_C(1000000), fake.now_ms * 1000000);
		run_for(6 * SECOND);
		expect_reported("");
		run_for(4 * SECOND);
		expect_reported("begin 1");
		report(ONE, "end");
		run_for(SECOND);
		expect_reported("end 1");
	}
}

static void a_clock_that_was_set_back(void **state)
{
	(void)state;
	report_of(ONE, "begin", "n", 10 * SECOND);
	run_for(SECOND);
	clock_set(clock_usec() - 3600 * INT64_C(1000000), fake.now_ms * 1000000);
	kill_and((struct writer_options){ 0 });
	run_for(8 * SECOND);
	expect_reported("");
	run_for(4 * SECOND);
	expect_reported("begin 1");
}

static void a_storm(void **state)
{
	struct writer_status s;
	char id[FINDING_ID_SIZE];
	size_t begun = 0, storms[2] = { 0 };

	(void)state;
	turn();
	for (int i = 0; i < 150; i++) {
		(void)snprintf(id, sizeof(id), "%032x", i);
		report_of(id, "begin", "storm", 0);
	}
	report_of(FINDING_ID("e"), "begin", "elsewhere", 0);
	turn();
	s = status();
	assert_int_equal(s.deferred, 50);
	assert_int_equal(t.w->deferral.storm, STORM_REPORTED);
	run_for(60);
	assert_string_equal(fake.entries.p[100].finding, FINDING_ID("e")); /* another place waits for nobody */
	assert_string_equal(fake.entries.p[101].event, "storm");
	assert_int_equal(t.w->deferral.due, 30);
	kill_and((struct writer_options){ 0 });
	run_for(200);
	assert_int_equal(t.w->deferral.storm, STORM_NONE); /* no more than go at once: an earlier life told of them */
	run_for(2 * SECOND);
	assert_int_equal(status().deferred, 0);
	for (size_t i = 0; i < fake.entries.n; i++) {
		begun += strcmp(fake.entries.p[i].event, "begin") == 0;
		storms[0] += strstr(fake.entries.p[i].message, "storm: ") == fake.entries.p[i].message;
		storms[1] += strstr(fake.entries.p[i].message, "storm over: ") == fake.entries.p[i].message;
	}
	assert_int_equal(begun, 151);
	assert_int_equal(storms[0], 2);
	assert_int_equal(storms[1], 1);
}

static void a_storm_that_passes(void **state)
{
	char id[FINDING_ID_SIZE];

	(void)state;
	turn();
	for (int i = 0; i < 130; i++) {
		(void)snprintf(id, sizeof(id), "%032x", i);
		report_of(id, "begin", "storm", 0);
	}
	run_for(SECOND);
	assert_int_equal(t.w->deferral.storm, STORM_NONE);
	assert_int_equal(t.w->deferral.released, 0);
	assert_string_equal(fake.entries.p[100].message, "storm: more changes than a journal can usefully take; 30 "
							 "records are deferred so far and follow gradually");
	assert_string_equal(fake.entries.p[fake.entries.n - 1].message,
			    "storm over: 30 records were deferred, all are written");
	assert_int_equal(status().waiting, 0);
}

/* The more waits, the more goes at once. */
static void a_large_storm(void **state)
{
	char id[FINDING_ID_SIZE];

	(void)state;
	turn();
	for (int i = 0; i < 10000; i++) {
		(void)snprintf(id, sizeof(id), "%032x", i);
		report_of(id, "begin", "storm", 0);
	}
	turn();
	while (t.w->commits.waiting.stqh_first || t.w->queue.items.stqh_first)
		(void)writer_turn(t.w, 0);
	assert_int_equal(t.w->deferral.due, 9900);
	run_for(20 * SECOND);
	assert_true(t.w->deferral.due > 0); /* it is not all at once */
	run_for(7 * SECOND);
	assert_int_equal(t.w->deferral.due, 0);
	assert_int_equal(t.w->deferral.most, 0);
}

/* What comes while others wait already is told by the time by which they are. */
static void a_storm_that_grows(void **state)
{
	char id[FINDING_ID_SIZE];

	(void)state;
	turn();
	for (int i = 0; i < 8000; i++) {
		(void)snprintf(id, sizeof(id), "%032x", i);
		report_of(id, "begin", "storm", 0);
		if (i % 1000 == 999)
			run_for(SECOND);
	}
	assert_true(t.w->deferral.due > 4000);
	run_for(18 * SECOND);
	assert_int_equal(t.w->deferral.due, 0);
}

static size_t place_reported(const char *id, const char *event)
{
	for (size_t i = 0; i < fake.entries.n; i++) {
		if (strcmp(fake.entries.p[i].finding, id) == 0 && strcmp(fake.entries.p[i].event, event) == 0)
			return i;
	}
	fail_msg("%s of %s is not told", event, id);
	return 0;
}

/* Of what waits, the critical goes first, with what it comes behind. */
static void critical_ones_first(void **state)
{
	char id[FINDING_ID_SIZE], last[FINDING_ID_SIZE];

	(void)state;
	turn();
	for (int i = 0; i < 400; i++) {
		(void)snprintf(id, sizeof(id), "a%031x", i);
		report_of(id, "begin", "storm", 0);
	}
	for (int i = 0; i < 120; i++) {
		(void)snprintf(last, sizeof(last), "b%031x", i);
		report_as(SEVERITY_CRITICAL, last, "begin", "storm", 0);
	}
	report_as(SEVERITY_CRITICAL, id, "change", "storm", 0);
	run_for(5 * SECOND);
	assert_int_equal(t.w->deferral.due, 0);
	(void)snprintf(id, sizeof(id), "a%031x", 150);
	assert_true(place_reported(last, "begin") < place_reported(id, "begin"));
	(void)snprintf(id, sizeof(id), "a%031x", 399);
	(void)snprintf(last, sizeof(last), "a%031x", 398);
	assert_true(place_reported(id, "change") < place_reported(last, "begin"));
	assert_true(place_reported(id, "begin") < place_reported(id, "change"));
}

/* As many as go at once are no storm yet. */
static void how_many_are_one(void **state)
{
	static const struct {
		int n;
		enum storm storm;
	} cases[] = { { 100, STORM_NONE }, { 120, STORM_NONE }, { 121, STORM_REPORTED } };
	char id[FINDING_ID_SIZE];

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		turn();
		for (int k = 0; k < cases[i].n; k++) {
			(void)snprintf(id, sizeof(id), "%zu%031x", i, k);
			report_of(id, "begin", (const char *[]){ "a", "b", "c" }[i], 0);
		}
		while (t.w->commits.waiting.stqh_first || t.w->queue.items.stqh_first)
			(void)writer_turn(t.w, 0);
		assert_int_equal(t.w->deferral.storm, cases[i].storm);
		run_for(2 * SECOND);
		assert_int_equal(t.w->deferral.due, 0);
	}
}

/* Who asks while a release hangs hears of it. */
static void a_release_is_work(void **state)
{
	char id[FINDING_ID_SIZE];

	(void)state;
	turn();
	for (int i = 0; i < 110; i++) {
		(void)snprintf(id, sizeof(id), "%032x", i);
		report_of(id, "begin", "n", 0);
	}
	turn();
	t.outbox_is_busy = false;
	for (int i = 0; i < 20 && t.w->deferral.due; i++) {
		fake_pass(50);
		turn();
	}
	assert_int_equal(t.w->deferral.due, 0);
	assert_true(t.outbox_is_busy);
	assert_int_equal(t.w->queue.status.steps[STEP_OUTBOX].phase, STEP_IDLE);
}

/* Of a life of which nobody has heard one record is enough. */
static void one_record_of_a_life(void **state)
{
	char id[FINDING_ID_SIZE];

	(void)state;
	turn();
	for (int i = 0; i < 160; i++) {
		(void)snprintf(id, sizeof(id), "a%031x", i);
		report_of(id, "begin", "n", 0);
	}
	report(ONE, "begin");
	report(ONE, "change");
	report(ONE, "end");
	turn();
	assert_int_equal(status().merged, 2);
	run_for(2 * SECOND);
	for (size_t i = 0, n = 0; i < fake.entries.n; i++) {
		if (strcmp(fake.entries.p[i].finding, ONE) != 0)
			continue;
		assert_true(fake.entries.p[i].merged);
		assert_int_equal(n++, 0);
	}
}

/* ---- the rest ---- */

static void it_is_full(void **state)
{
	(void)state;
	t.commit_fails = EIO;
	for (int i = 0; i < 9999; i++)
		report_notice();
	assert_false(writer_is_full(t.w));
	report_notice();
	assert_true(writer_is_full(t.w));
	t.commit_fails = 0;
	run_for(60 * SECOND);
	assert_false(writer_is_full(t.w));
	assert_int_equal(fake.entries.n, 10000);
	assert_int_equal(status().waiting, 0);
}

static int take_seen(void *ctx, str cluster, int64_t usec, struct err *err)
{
	(void)err;
	assert_true(str_eq(cluster, STR("c")));
	*(int64_t *)ctx = usec;
	return 0;
}

static int take_inspected(void *ctx, str cluster, str versions, struct err *err)
{
	(void)err;
	assert_true(str_eq(cluster, STR("c")) && str_eq(versions, STR("v")));
	++*(int64_t *)ctx;
	return 0;
}

static void keeps_what_is_no_report(void **state)
{
	int64_t usec = 0, n = 0;
	struct err err;

	(void)state;
	writer_seen(t.w, STR("c"), 77);
	writer_keep_inspected(t.w, STR("c"), STR("v"));
	turn();
	assert_int_equal(status().waiting, 0);
	assert_int_equal(database_seen(t.database, take_seen, &usec, &err), 0);
	assert_int_equal(usec, 77);
	assert_int_equal(database_take_inspected(t.database, take_inspected, &n, &err), 0);
	assert_int_equal(n, 1);
	expect_reported("");
}

static void count_line(struct database *d, bool expected)
{
	struct err err;

	assert_int_equal(database_knows_end(d, ONE, &err), expected);
}

/* At once, and then once an hour. */
static void forgets_history(void **state)
{
	(void)state;
	t.w->commits.history_usec = 7200 * SECOND * INT64_C(1000);
	report(ONE, "begin");
	report(ONE, "end");
	run_for(SECOND);
	count_line(t.database, true);
	run_for(7198 * SECOND);
	count_line(t.database, true);
	run_for(3600 * SECOND);
	count_line(t.database, false);
}

static void runs_tasks_between(void **state)
{
	(void)state;
	writer_set_output(t.w, CFG_OUTPUT_TEXT);
	turn();
	assert_int_equal(t.w->sender.form, CFG_OUTPUT_TEXT);
}

/* ---- files ---- */

static char folder[] = "/tmp/writer-XXXXXX";

static int setup_folder(void **state)
{
	struct err reported, err;

	(void)state;
	memset(&t, 0, sizeof(t));
	fake_begin();
	memcpy(folder + sizeof(folder) - 7, "XXXXXX", 6);
	assert_non_null(mkdtemp(folder));
	assert_int_equal(database_open(folder, &t.database, &reported, &err), 0);
	begin((struct writer_options){ 0 });
	return 0;
}

static int teardown_folder(void **state)
{
	char command[64];

	(void)teardown(state);
	(void)snprintf(command, sizeof(command), "rm -r %s", folder);
	return system(command);
}

static void remove_file(const char *name)
{
	char path[64];

	(void)snprintf(path, sizeof(path), "%s/%s", folder, name);
	assert_int_equal(unlink(path), 0);
}

/* What is known is in the new one, and what was sent is looked up. */
static void files_that_go(void **state)
{
	(void)state;
	report(ONE, "begin");
	run_for(SECOND);
	expect_reported("begin 1");
	fake.write_fails = -EAGAIN;
	report(TWO, "begin");
	turn();
	remove_file("driftd.db");
	fake_pass(4 * SECOND);
	turn();
	assert_int_equal(status().renewals, 1);
	expect_findings(2);
	expect_rows("begin sent, begin new, state-unreadable new");
	fake.write_fails = 0;
	run_for(SECOND);
	expect_reported("notice, begin 2, state-unreadable");
	assert_int_equal(status().steps[STEP_FILES].phase, STEP_IDLE);
}

/* At once, and not when it is time for a look. */
static void files_that_are_damaged(void **state)
{
	struct writer_status s;

	(void)state;
	turn();
	t.damaged = true;
	turn();
	s = status();
	assert_int_equal(s.renewals, 1);
	assert_int_equal(s.steps[STEP_FILES].failures, 1);
	run_for(SECOND);
	assert_int_equal(status().steps[STEP_FILES].phase, STEP_IDLE);
	assert_string_equal(fake.entries.p[fake.entries.n - 1].event, "state-unreadable");
	assert_non_null(strstr(fake.entries.p[fake.entries.n - 1].message, "it is damaged"));
}

/* Rows that the files have lost, and that wait in memory, are there again. */
static void files_that_lost_a_row(void **state)
{
	struct writer_status s;
	struct err err;

	(void)state;
	turn();
	fake.write_fails = -EAGAIN;
	report(ONE, "begin");
	turn();
	expect_rows("begin new");
	assert_int_equal(database_remove_from_outbox(t.database, 1, &err), 0);
	remove_file("driftd.db");
	fake_pass(4 * SECOND);
	turn();
	s = status();
	assert_int_equal(s.renewals, 1);
	assert_int_equal(s.steps[STEP_FILES].failures, 1);
	expect_rows("begin new, state-unreadable new");
	fake.write_fails = 0;
	run_for(SECOND);
	expect_reported("notice, begin 1, state-unreadable");
	expect_rows("begin sent, state-unreadable sent");
}

/* ---- other hosts ---- */

static struct {
	bool reports;
	int fails;
	size_t agreed, settled;
} others;

static bool may_report(void *ctx)
{
	(void)ctx;
	return others.reports;
}

static int agree_on(void *ctx, const struct agreed_step *steps, size_t n, struct err *err)
{
	(void)ctx;
	(void)steps;
	if (others.fails)
		return err_set(err, others.fails, "away");
	assert_in_range(n, 1, AGREED_STEPS_MAX);
	others.agreed += n;
	return 0;
}

static int settle_with(void *ctx, struct err *err)
{
	(void)ctx;
	others.settled++;
	return others.fails ? err_set(err, others.fails, "away") : 0;
}

static const struct writer_agreement agreement = { may_report, agree_on, agree_on, settle_with, NULL, NULL, NULL };

static void other_hosts(void **state)
{
	(void)state;
	memset(&others, 0, sizeof(others));
	kill_and((struct writer_options){ .agreement = &agreement });
	turn();
	fake.write_fails = -EAGAIN;
	report(ONE, "begin");
	report_notice();
	report_notice();
	report(TWO, "begin");
	turn();
	assert_int_equal(status().waiting, 4);
	expect_reported("");
	fake.write_fails = 0;
	run_for(SECOND);
	expect_reported("notice, notice"); /* this host's own */
	assert_int_equal(status().waiting, 2);
	others.reports = true;
	others.fails = EHOSTUNREACH;
	run_for(SECOND);
	expect_reported("");
	assert_int_equal(status().agreement_error.code, EHOSTUNREACH);
	assert_int_equal(writer_wait_ms(t.w), 100);
	report_notice();
	run_for(SECOND);
	expect_reported("notice");
	others.fails = 0;
	run_for(SECOND);
	expect_reported("begin 1, begin 2");
	assert_int_equal(others.agreed, 2);
	assert_int_equal(status().agreement_error.code, 0);
	assert_int_equal(others.settled, 1);
	assert_int_equal(t.w->agreed.state, AGREED_NONE);
}

/* What cannot be stored is agreed on all the same before it is told. */
static void other_hosts_and_a_full_disk(void **state)
{
	(void)state;
	memset(&others, 0, sizeof(others));
	kill_and((struct writer_options){ .agreement = &agreement });
	turn();
	t.commit_fails = ENOSPC;
	report(ONE, "begin");
	report_notice();
	run_for(SECOND);
	expect_reported("");
	others.reports = true;
	run_for(SECOND);
	expect_reported("begin 1!, notice!");
	assert_int_equal(others.agreed, 1);
	assert_int_equal(t.w->agreed.state, AGREED_NONE);
	assert_int_equal(others.settled, 1);
	others.fails = EHOSTUNREACH;
	report(TWO, "begin");
	run_for(SECOND);
	expect_reported("");
	others.fails = 0;
	run_for(SECOND);
	expect_reported("begin 2!");
	t.commit_fails = 0;
	run_for(2 * SECOND);
	expect_reported("");
	expect_rows("begin sent, notice sent, begin sent");
}

/* No more than a request may have. */
static void many_for_other_hosts(void **state)
{
	char id[FINDING_ID_SIZE], namespace[16];

	(void)state;
	memset(&others, 0, sizeof(others));
	kill_and((struct writer_options){ .agreement = &agreement });
	for (int i = 0; i < 250; i++) {
		(void)snprintf(id, sizeof(id), "%032x", i);
		(void)snprintf(namespace, sizeof(namespace), "n%d", i);
		report_of(id, "begin", namespace, 0);
	}
	others.reports = true;
	run_for(SECOND);
	assert_int_equal(others.agreed, 250);
	assert_int_equal(fake.entries.n, 250);
}

static void a_key_that_goes(void **state)
{
	unsigned char key[FINDINGS_KEY_SIZE], kept[FINDINGS_KEY_SIZE];
	struct err err;

	(void)state;
	assert_int_equal(state_key_load(folder, key, &err), 0);
	writer_set_key(t.w, key);
	run_for(5 * SECOND);
	expect_reported("");
	remove_file(STATE_KEY_NAME);
	run_for(6 * SECOND);
	expect_reported("state-unreadable");
	assert_int_equal(state_key_load(folder, kept, &err), 0);
	assert_memory_equal(key, kept, sizeof(key));
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		CASE(goes_its_way),
		CASE(another_output),
		CASE(cannot_be_read_back),
		CASE(later_ones_are_asked_for_too),
		CASE(at_a_clean_end),
		CASE(an_end_without_the_journal),
		CASE(an_end_of_another_output),
		CASE(a_kill),
		CASE(a_kill_that_lost_nothing),
		CASE(a_kill_and_a_journal_that_fails),
		CASE(a_row_that_is_none),
		CASE(what_is_held_is_not_asked_for),
		CASE(a_kill_and_no_journal),
		CASE(a_kill_of_another_output),
		CASE(a_kill_of_another_output_that_has_all),
		CASE(every_recovery),
		CASE(a_boot),
		CASE(a_boot_and_a_journal_in_memory),
		CASE(a_boot_and_an_empty_journal),
		CASE(a_boot_and_a_journal_that_is_short),
		CASE(two_boots_and_what_was_held_back),
		CASE(two_boots_and_a_history_in_disorder),
		CASE(a_damaged_database),
		CASE(earlier_damage),
		CASE(an_end_behind_what_was_reported),
		CASE(nothing_to_look_up),
		CASE(the_journal_goes),
		CASE(the_journal_does_not_read),
		CASE(the_journal_is_another),
		CASE(a_full_disk),
		CASE(a_full_disk_and_what_waits),
		CASE(a_kill_with_a_full_disk),
		CASE(a_full_disk_and_many_before),
		CASE(a_full_disk_behind_what_waits),
		CASE(an_outbox_that_cannot_be_read),
		CASE(the_journal_goes_while_it_is_forgotten),
		CASE(wakes_once),
		CASE(a_takeover_on_a_full_disk),
		CASE(a_hold),
		CASE(a_clock_that_is_set),
		CASE(a_clock_that_was_set_back),
		CASE(a_storm),
		CASE(a_storm_that_passes),
		CASE(a_large_storm),
		CASE(a_storm_that_grows),
		CASE(critical_ones_first),
		CASE(how_many_are_one),
		CASE(a_release_is_work),
		CASE(one_record_of_a_life),
		CASE(it_is_full),
		CASE(keeps_what_is_no_report),
		CASE(forgets_history),
		CASE(runs_tasks_between),
		CASE(other_hosts),
		CASE(other_hosts_and_a_full_disk),
		CASE(many_for_other_hosts),
		cmocka_unit_test_setup_teardown(files_that_go, setup_folder, teardown_folder),
		cmocka_unit_test_setup_teardown(files_that_are_damaged, setup_folder, teardown_folder),
		cmocka_unit_test_setup_teardown(files_that_lost_a_row, setup_folder, teardown_folder),
		cmocka_unit_test_setup_teardown(a_key_that_goes, setup_folder, teardown_folder),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* What each operation leaves in the tables, and that nothing has changed, and that is said, when any call of SQLite
 * fails on its way. */
#include "daemon/store/database/database_internal.h"

#include "daemon/findings/clock.h"
#include "daemon/findings/finding_json.h"
#include "daemon/findings/finding_record.h"
#include "daemon/store/database/database_move.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>
#include <errno.h>

#define ID(letter) "0000000000000000000000000000000" letter

static struct {
	size_t fails_at, calls; /* the call of SQLite that fails, from 1; 0: none does */
	struct buf out;         /* what an operation gave */
} t;

static bool fails(void)
{
	return t.fails_at && ++t.calls == t.fails_at;
}

/* NOLINTBEGIN(bugprone-reserved-identifier): the linker's names */
int __real_sqlite3_step(sqlite3_stmt *s);
int __wrap_sqlite3_step(sqlite3_stmt *s);
int __real_sqlite3_prepare_v2(sqlite3 *db, const char *text, int n, sqlite3_stmt **s, const char **tail);
int __wrap_sqlite3_prepare_v2(sqlite3 *db, const char *text, int n, sqlite3_stmt **s, const char **tail);
int __real_sqlite3_prepare_v3(sqlite3 *db, const char *text, int n, unsigned flags, sqlite3_stmt **s,
			      const char **tail);
int __wrap_sqlite3_prepare_v3(sqlite3 *db, const char *text, int n, unsigned flags, sqlite3_stmt **s,
			      const char **tail);
int __real_sqlite3_exec(sqlite3 *db, const char *text, int (*f)(void *, int, char **, char **), void *ctx, char **err);
int __wrap_sqlite3_exec(sqlite3 *db, const char *text, int (*f)(void *, int, char **, char **), void *ctx, char **err);

int __wrap_sqlite3_step(sqlite3_stmt *s)
{
	return fails() ? SQLITE_IOERR : __real_sqlite3_step(s);
}

int __wrap_sqlite3_prepare_v2(sqlite3 *db, const char *text, int n, sqlite3_stmt **s, const char **tail)
{
	return fails() ? SQLITE_IOERR : __real_sqlite3_prepare_v2(db, text, n, s, tail);
}

int __wrap_sqlite3_prepare_v3(sqlite3 *db, const char *text, int n, unsigned flags, sqlite3_stmt **s, const char **tail)
{
	return fails() ? SQLITE_IOERR : __real_sqlite3_prepare_v3(db, text, n, flags, s, tail);
}

int __wrap_sqlite3_exec(sqlite3 *db, const char *text, int (*f)(void *, int, char **, char **), void *ctx, char **err)
{
	return fails() ? SQLITE_IOERR : __real_sqlite3_exec(db, text, f, ctx, err);
}
/* NOLINTEND(bugprone-reserved-identifier) */

/* ---- what there is ---- */

static void put_value(sqlite3_stmt *s, int i, struct buf *out)
{
	const char *p = sqlite3_column_blob(s, i);

	if (i)
		buf_add_byte(out, ' ');
	if (sqlite3_column_type(s, i) == SQLITE_NULL)
		buf_add_str(out, STR("-"));
	for (int k = 0; k < sqlite3_column_bytes(s, i) && k < 40; k++)
		buf_add_byte(out, p[k] > ' ' && p[k] < 127 ? p[k] : '_');
}

static void put_rows(struct database *d, const char *name, const char *text, struct buf *out)
{
	sqlite3_stmt *s;
	bool any = false;

	assert_int_equal(sqlite3_prepare_v2(d->db, text, -1, &s, NULL), SQLITE_OK);
	while (sqlite3_step(s) == SQLITE_ROW) {
		buf_printf(out, "%s", any ? ", " : name);
		any = true;
		for (int i = 0; i < sqlite3_column_count(s); i++)
			put_value(s, i, out);
	}
	if (any)
		buf_add_byte(out, '\n');
	(void)sqlite3_finalize(s);
}

/* All tables; of findings the last letter of their ids. */
static void dump(struct database *d, struct buf *out)
{
	put_rows(d, "finding: ", "SELECT seq, substr(id, 32), substr(body, 1, 12) FROM finding ORDER BY seq", out);
	put_rows(d, "told: ", "SELECT seq, substr(record, 32, 1) FROM told ORDER BY seq", out);
	put_rows(d, "outbox: ",
		 "SELECT seq, deferred, due_usec, hold_usec, substr(about, 1, 1), substr(record, 31, 2) FROM outbox "
		 "ORDER BY "
		 "seq",
		 out);
	put_rows(d, "sent: ", "SELECT * FROM sent ORDER BY seq", out);
	put_rows(d, "written: ", "SELECT * FROM written ORDER BY seq", out);
	put_rows(d, "history: ",
		 "SELECT seq, usec, substr(finding, 32), substr(record, 31), event, severity, cluster, kind, "
		 "namespace, name, "
		 "message FROM history ORDER BY seq",
		 out);
	put_rows(d, "seen: ", "SELECT * FROM seen ORDER BY cluster", out);
	put_rows(d, "acceptance: ", "SELECT * FROM acceptance ORDER BY id", out);
	put_rows(d, "rule: ", "SELECT * FROM inspection_rule ORDER BY seq", out);
	put_rows(d, "inspected: ", "SELECT * FROM inspected ORDER BY cluster", out);
	put_rows(d, "boot: ", "SELECT * FROM boot", out);
	put_rows(d, "lost: ", "SELECT * FROM lost", out);
}

static struct finding finding_of(char letter)
{
	struct finding x = {
		.kind = FINDING_DRIFT, .severity = SEVERITY_WARNING, .announced = true, .first_seen_usec = 9
	};

	(void)snprintf(x.id, sizeof(x.id), "%031d%c", 0, letter);
	memset(x.state_hash, 'f', sizeof(x.state_hash) - 1);
	x.subject.cluster = STR("c");
	x.subject.name = letter == 'a' ? STR("na") : letter == 'b' ? STR("nb") : STR("nc");
	return x;
}

/* Its id: the letter of the finding and @what. */
static void record_of(char letter, char what, struct record *r)
{
	record_init(r, what == 'e' ? MESSAGE_DRIFT_END : MESSAGE_DRIFT_BEGIN, 4);
	(void)snprintf(r->id, sizeof(r->id), "%030d%c%c", 0, letter, what);
	r->text = STR("text");
	record_addf(r, "DRIFTD_DRIFT_ID", "%031d%c", 0, letter);
	record_add(r, "DRIFTD_EVENT", what == 'e' ? STR("end") : STR("begin"));
	record_add(r, "DRIFTD_SEVERITY", STR("warning"));
	record_add(r, "DRIFTD_CLUSTER", STR("c"));
	record_add(r, "DRIFTD_KIND", STR("K"));
	record_add(r, "DRIFTD_NAMESPACE", STR("n"));
	record_add(r, "DRIFTD_NAME", STR("m"));
}

static str bytes_of(char letter, char what, struct buf *out)
{
	struct record r;

	record_of(letter, what, &r);
	record_encode(&r, out);
	record_done(&r);
	return buf_str(out);
}

static int put_finding(struct database *d, char letter, struct err *err)
{
	CLEANUP(buf_done) struct buf json = BUF_INIT(65536);
	struct finding x = finding_of(letter);

	finding_to_json(&x, &json);
	return database_put_finding(d, x.id, buf_str(&json), err);
}

static int put_row(struct database *d, char what, bool deferred, struct err *err)
{
	CLEANUP(buf_done) struct buf bytes = BUF_INIT(65536);
	struct outbox_new row = { .about = what == '4' ? STR("") : STR("a"), .deferred = deferred };
	int64_t seq;

	row.record = bytes_of('a', what, &bytes);
	row.due_usec = deferred ? 5 : 0;
	row.hold_usec = deferred ? 7 : 0;
	return database_add_to_outbox(d, &row, &seq, err);
}

static int put_history(struct database *d, char letter, char what, int64_t usec, struct err *err)
{
	struct record r;
	int status;

	record_of(letter, what, &r);
	status = database_add_history(d, &r, usec, err);
	record_done(&r);
	return status;
}

static int put_reported(struct database *d, const char *id, char letter, struct err *err)
{
	CLEANUP(buf_done) struct buf bytes = BUF_INIT(65536);

	return database_put_last_record(d, id, bytes_of(letter, 'b', &bytes), err);
}

static const struct kept_rule rule_u = { { "u", 1 }, { "ju", 2 }, { "t1", 2 }, { NULL, 0 } };
static const struct kept_rule rule_v = { { "v", 1 }, { "jv", 2 }, { "t2", 2 }, { "t3", 2 } };

static void fill(struct database *d)
{
	struct err err;

	assert_true(put_finding(d, 'a', &err) == 0 && put_finding(d, 'b', &err) == 0);
	assert_int_equal(put_reported(d, ID("a"), 'a', &err), 0);
	assert_true(put_row(d, '1', false, &err) == 0 && put_row(d, '2', false, &err) == 0);
	assert_true(put_row(d, '3', true, &err) == 0 && put_row(d, '4', false, &err) == 0);
	assert_true(database_mark_sent(d, 1, 50, &err) == 0 && database_mark_sent(d, 2, 10, &err) == 0);
	assert_int_equal(database_note_written(d, 20, 10, 700, &err), 0);
	assert_true(put_history(d, 'a', 'b', 100, &err) == 0 && put_history(d, 'b', 'b', 200, &err) == 0);
	assert_true(put_history(d, 'c', 'e', 300, &err) == 0);
	assert_int_equal(database_put_seen(d, STR("c"), 30, &err), 0);
	assert_int_equal(database_put_acceptance(d, "p", STR("jp"), &err), 0);
	assert_int_equal(database_put_rule(d, &rule_u, &err), 0);
	assert_int_equal(database_put_inspected(d, STR("c"), STR("v1 1\n"), &err), 0);
}

/* ---- operations ---- */

static int op_put_new(struct database *d, struct err *err)
{
	return put_finding(d, 'c', err);
}

static int op_put_known(struct database *d, struct err *err)
{
	return database_put_finding(d, ID("a"), STR("{}"), err);
}

static int op_remove(struct database *d, struct err *err)
{
	return database_remove_finding(d, ID("a"), err);
}

static int op_seen(struct database *d, struct err *err)
{
	int r = database_put_seen(d, STR("d"), 31, err);

	return r < 0 ? r : database_put_seen(d, STR("c"), 32, err);
}

static int op_acceptances(struct database *d, struct err *err)
{
	int r = database_put_acceptance(d, "q", STR("jq"), err);

	return r < 0 ? r : database_remove_acceptance(d, "p", err);
}

static int op_rules(struct database *d, struct err *err)
{
	struct kept_rule changed = rule_u;
	int r = database_put_rule(d, &rule_v, err);

	changed.json = STR("ju2");
	changed.updated_at = STR("t4");
	return r < 0 ? r : database_put_rule(d, &changed, err);
}

static int op_remove_rule(struct database *d, struct err *err)
{
	return database_remove_rule(d, STR("U"), err);
}

static int op_clear_rules(struct database *d, struct err *err)
{
	return database_clear_rules(d, err);
}

static int op_add(struct database *d, struct err *err)
{
	return put_row(d, '5', true, err);
}

static int op_put_back(struct database *d, struct err *err)
{
	CLEANUP(buf_done) struct buf bytes = BUF_INIT(65536);
	struct outbox_row row = { .seq = 9 };
	int r;

	row.record = bytes_of('a', '9', &bytes);
	r = database_put_back(d, &row, err);
	row.seq = 1;
	return r < 0 ? r : database_put_back(d, &row, err);
}

static int op_release(struct database *d, struct err *err)
{
	return database_release(d, 3, err);
}

static int op_shift(struct database *d, struct err *err)
{
	return database_shift_not_due(d, 100, 4, err);
}

static int op_shift_what_is_due(struct database *d, struct err *err)
{
	return database_shift_not_due(d, 100, 5, err);
}

static int op_cap(struct database *d, struct err *err)
{
	return database_cap_not_due(d, -3, err);
}

static int op_remove_row(struct database *d, struct err *err)
{
	int r = database_remove_from_outbox(d, 1, err);

	return r < 0 ? r : database_remove_from_outbox(d, 2, err);
}

static int op_forget_sent(struct database *d, struct err *err)
{
	return database_forget_sent(d, 51, 1, err);
}

static int op_forget_none(struct database *d, struct err *err)
{
	return database_forget_sent(d, 50, 1, err);
}

static int op_note_written(struct database *d, struct err *err)
{
	return database_note_written(d, 51, 2, 800, err);
}

static int op_forget_written(struct database *d, struct err *err)
{
	return database_forget_written(d, 11, 1, err);
}

static int op_clear(struct database *d, struct err *err)
{
	return database_clear_outbox(d, err);
}

static int op_reported(struct database *d, struct err *err)
{
	int r = put_reported(d, ID("b"), 'b', err);

	return r < 0 ? r : put_reported(d, ID("f"), 'f', err); /* which is not open */
}

static int op_prune(struct database *d, struct err *err)
{
	return database_prune(d, 200, INT64_MAX, err);
}

static int op_prune_all(struct database *d, struct err *err)
{
	return database_prune(d, 0, 0, err);
}

static int note_finding(void *ctx, const struct finding *x, struct err *err)
{
	(void)ctx;
	(void)err;
	buf_printf(&t.out, " %c", x->id[31]);
	return 0;
}

static int note_seen(void *ctx, str cluster, int64_t usec, struct err *err)
{
	(void)ctx;
	(void)err;
	buf_printf(&t.out, " %.*s=%lld", STR_ARG(cluster), (long long)usec);
	return 0;
}

static int note_json(void *ctx, str json, struct err *err)
{
	(void)ctx;
	(void)err;
	buf_printf(&t.out, " %.*s", STR_ARG(json));
	return 0;
}

static int note_rule(void *ctx, const struct kept_rule *rule, struct err *err)
{
	(void)ctx;
	(void)err;
	buf_printf(&t.out, " %.*s %.*s %.*s %s", STR_ARG(rule->uuid), STR_ARG(rule->json), STR_ARG(rule->created_at),
		   rule->updated_at.p ? "changed" : "new");
	return 0;
}

static int note_row(void *ctx, const struct outbox_row *row, struct err *err)
{
	(void)ctx;
	(void)err;
	buf_printf(&t.out, " %lld%s%s=%lld,%lld,%lld,%.2s", (long long)row->seq, row->sent ? "!" : "",
		   row->deferred ? "~" : "", (long long)row->due_usec, (long long)row->hold_usec,
		   (long long)row->written_usec, row->record.p + 30);
	return 0;
}

static int op_read(struct database *d, struct err *err)
{
	size_t malformed;
	int r = database_findings(d, note_finding, NULL, &malformed, err);

	buf_printf(&t.out, " %zu |", malformed);
	if (r == 0)
		r = database_seen(d, note_seen, NULL, err);
	if (r == 0)
		r = database_acceptances(d, note_json, NULL, &malformed, err);
	if (r == 0)
		r = database_rules(d, note_rule, NULL, NULL, err);
	return r;
}

static int op_read_outbox(struct database *d, struct err *err)
{
	int r = database_outbox(d, note_row, NULL, err);

	buf_printf(&t.out, " |");
	if (r == 0)
		r = database_deferred_of(d, STR("a"), note_row, NULL, err);
	buf_printf(&t.out, " |");
	if (r == 0)
		r = database_deferred_of(d, STR("b"), note_row, NULL, err);
	buf_printf(&t.out, " |");
	if (r == 0)
		r = database_deferred(d, 5, 1, note_row, NULL, err);
	if (r == 0)
		r = database_deferred(d, 4, 1, note_row, NULL, err);
	return r;
}

static int op_count(struct database *d, struct err *err)
{
	int64_t n[4], all = 0;

	n[0] = database_count_deferred(d, false, 5, err);
	n[1] = n[0] < 0 ? n[0] : database_count_deferred(d, false, 4, err);
	n[2] = n[1] < 0 ? n[1] : database_count_deferred(d, true, 5, err);
	n[3] = n[2] < 0 ? n[2] : database_count_deferred(d, true, 4, err);
	for (size_t i = 0; i < 4; i++)
		all = all * 10 + n[i];
	buf_printf(&t.out, " %lld", (long long)all);
	return n[3] < 0 ? (int)n[3] : 0;
}

static int op_lines(struct database *d, struct err *err)
{
	int64_t n[5], at = 0;

	n[at] = database_history_line(d, STR(ID("b")), STR("000000000000000000000000000000bb"), err);
	if (n[at] >= 0)
		n[++at] = database_history_line(d, STR(ID("b")), STR("000000000000000000000000000000ab"), err);
	if (n[at] >= 0)
		n[++at] = database_finding_line(d, STR(ID("b")), err);
	if (n[at] >= 0)
		n[++at] = database_knows_end(d, ID("c"), err);
	if (n[at] >= 0)
		n[++at] = database_knows_end(d, ID("a"), err);
	if (n[at] < 0)
		return (int)n[at];
	buf_printf(&t.out, " %d %d %d %d %d", (int)n[0], (int)n[1], (int)n[2], (int)n[3], (int)n[4]);
	return 0;
}

static int op_reported_of(struct database *d, struct err *err)
{
	CLEANUP(finding_history_freep) struct finding_history *history = NULL;
	int r = database_finding_history(d, ID("a"), &history, err);

	if (r < 0)
		return r;
	buf_printf(&t.out, " %d %.2s %zu %lld %.*s %.*s %.*s", history->has_last, history->last.id + 30,
		   history->n_history, (long long)history->history[0].usec, STR_ARG(history->history[0].event),
		   STR_ARG(history->history[0].severity), STR_ARG(history->history[0].message));
	return 0;
}

static int note_inspected(void *ctx, str cluster, str versions, struct err *err)
{
	(void)ctx;
	(void)err;
	buf_printf(&t.out, " %.*s=%d", STR_ARG(cluster), (int)versions.n);
	return 0;
}

static int op_take_inspected(struct database *d, struct err *err)
{
	return database_take_inspected(d, note_inspected, NULL, err);
}

static int op_settled(struct database *d, struct err *err)
{
	static const int64_t again[] = { 2 }, written[] = { 1, 4 };
	const struct reconciled_rows rows = { .again = again, .written = written, .n_again = 1, .n_written = 2 };

	return database_mark_reconciled(d, "b0", &rows, err);
}

static int op_boot(struct database *d, struct err *err)
{
	char boot[DATABASE_BOOT_SIZE] = "x";
	int r = database_boot(d, boot, err);

	buf_printf(&t.out, " %zu", strlen(boot));
	return r;
}

static int move_finding(struct database *d, char letter, bool history, struct err *err)
{
	CLEANUP(buf_done) struct buf bytes = BUF_INIT(65536);
	struct finding x = finding_of(letter);
	struct moved_finding moved = { .finding = &x };

	if (history)
		moved.last_record = bytes_of(letter, 'b', &bytes);
	if (letter == 'd') /* of the place that another one has here */
		x.subject.name = STR("nb");
	return database_move_finding(d, &moved, err);
}

/* Two of one place: the one that comes is told as over, once. */
static int op_move_twin(struct database *d, struct err *err)
{
	int r = database_move_begin(d, err);

	if (r < 0)
		return r;
	database_move_file(d, 70);
	return database_move_end(d, move_finding(d, 'd', false, err), err);
}

static int move_record(struct database *d, char letter, char what, bool sent, bool own, struct err *err)
{
	CLEANUP(buf_done) struct buf bytes = BUF_INIT(65536);
	char id[RECORD_ID_SIZE];
	struct moved_record x = { .about = STR("x"),
				  .deferred = !sent,
				  .due_usec = 3,
				  .hold_usec = 4,
				  .sent = sent,
				  .sent_usec = sent ? 8 : 0 };

	(void)snprintf(id, sizeof(id), "%030d%c%c", 0, letter, what);
	x.record = bytes_of(letter, what, &bytes);
	return database_move_record(d, &x, id, own, err);
}

static int move_line(struct database *d, char letter, char what, int64_t usec, struct err *err)
{
	char finding[FINDING_ID_SIZE], record[RECORD_ID_SIZE];
	struct moved_line x = { .usec = usec,
				.event = what == 'e' ? STR("end") : STR("begin"),
				.severity = STR("info"),
				.cluster = STR("c"),
				.kind = STR("K"),
				.namespace = STR("n"),
				.name = STR("m"),
				.message = STR("moved") };
	bool own = false;
	int r;

	(void)snprintf(finding, sizeof(finding), "%031d%c", 0, letter);
	(void)snprintf(record, sizeof(record), "%030d%c%c", 0, letter, what);
	x.finding = str_from(finding);
	x.record = str_from(record);
	r = database_move_look(d, &x, &own, err);
	if (r < 0)
		return r;
	buf_printf(&t.out, " %c%c%s", letter, what, r == 0 ? "" : own ? "+" : "-");
	return database_move_line(d, &x, err);
}

static int move_all(struct database *d, struct err *err)
{
	int r = move_finding(d, 'a', true, err); /* which is here */

	if (r == 0)
		r = move_finding(d, 'e', true, err);
	if (r == 0)
		r = move_finding(d, 'd', false, err);
	if (r == 0)
		r = move_finding(d, 'c', false, err); /* which is over here */
	if (r == 0)
		r = move_record(d, 'e', 'b', true, true, err);
	if (r == 0)
		r = move_record(d, 'e', 'c', false, true, err);
	if (r == 0)
		r = move_record(d, 'e', 'f', false, false, err);
	if (r == 0)
		r = move_line(d, 'e', 'b', 150, err);
	if (r == 0)
		r = move_line(d, 'e', 'f', 160, err);
	if (r == 0)
		r = move_line(d, 'b', 'e', 250, err);
	if (r == 0)
		r = database_move_seen(d, STR("c"), 29, err);
	if (r == 0)
		r = database_move_seen(d, STR("e"), 40, err);
	if (r == 0)
		r = database_move_acceptance(d, STR("p"), STR("other"), err);
	if (r == 0)
		r = database_move_acceptance(d, STR("r"), STR("jr"), err);
	if (r == 0)
		r = database_move_rule(d, &rule_v, err);
	if (r == 0)
		r = database_move_inspected(d, STR("c"), STR("v2 2"), err);
	return r;
}

static int op_move(struct database *d, struct err *err)
{
	int r = database_move_begin(d, err);

	if (r < 0)
		return r;
	database_move_file(d, 70);
	return database_move_end(d, move_all(d, err), err);
}

static int op_move_of_process(struct database *d, struct err *err)
{
	CLEANUP(buf_done) struct buf about = BUF_INIT(65536);
	struct finding a = finding_of('a'), b = finding_of('b');
	bool own[2] = { false, true };
	int r = database_move_begin(d, err), is[3] = { 0 };

	if (r < 0)
		return r;
	database_move_file(d, 70);
	a.subject.name = STR("renamed");
	r = database_move_process(d, &a, true, err);
	if (r == 0)
		r = database_move_process(d, &b, false, err);
	if (r == 0)
		r = is[0] = database_move_process_of(d, STR(ID("a")), &own[0], &about, err);
	buf_printf(&t.out, " %d", about.n > 0);
	buf_clear(&about);
	if (r >= 0)
		r = is[1] = database_move_process_of(d, STR(ID("b")), &own[1], &about, err);
	buf_printf(&t.out, " %d", about.n > 0);
	if (r >= 0)
		r = is[2] = database_move_process_of(d, STR(ID("c")), &own[1], &about, err);
	buf_printf(&t.out, " %d%d%d %d%d", is[0], is[1], is[2], own[0], own[1]);
	return database_move_end(d, r < 0 ? r : 0, err);
}

static int op_move_known_as_another(struct database *d, struct err *err)
{
	int r = database_move_begin(d, err);

	if (r < 0)
		return r;
	r = move_finding(d, 'e', false, err);
	if (r == 0) {
		struct finding x = finding_of('e');

		x.subject.name = STR("another");
		r = database_move_finding(d, &(struct moved_finding){ .finding = &x }, err);
		buf_printf(&t.out, " %d %s", r, r < 0 ? err->msg : "");
	}
	return database_move_end(d, r, err) == -EBADMSG ? 0 : r;
}

static const struct operation {
	const char *name;
	int (*run)(struct database *d, struct err *err);
	bool own_transaction;
	bool lenient;         /* it does less where a figure cannot be read */
	const char *expected; /* the tables that are another than before, and what it gave */
	int r;
} operations[] = {
	{ "put new", op_put_new, false, false,
	  "finding: 1 a {\"finding\":0, 2 b {\"finding\":0, 3 c {\"finding\":0\n"
	  "=",
	  0 },
	{ "put known", op_put_known, false, false,
	  "finding: 1 a {}, 2 b {\"finding\":0\n"
	  "=",
	  0 },
	{ "remove", op_remove, false, false,
	  "finding: 2 b {\"finding\":0\n"
	  "told:\n"
	  "=",
	  0 },
	{ "seen", op_seen, false, false,
	  "seen: c 32, d 31\n"
	  "=",
	  0 },
	{ "acceptances", op_acceptances, false, false,
	  "acceptance: q jq\n"
	  "=",
	  0 },
	{ "rules", op_rules, false, false,
	  "rule: 1 u ju2 t1 t4, 2 v jv t2 t3\n"
	  "=",
	  0 },
	{ "remove rule", op_remove_rule, false, false,
	  "rule:\n"
	  "=",
	  0 },
	{ "clear rules", op_clear_rules, false, false,
	  "rule:\n"
	  "=",
	  0 },
	{ "add", op_add, false, false,
	  "outbox: 1 0 0 0 a a1, 2 0 0 0 a a2, 3 1 5 7 a a3, 4 0 0 0  a4, 5 1 5 7 a a5\n"
	  "=",
	  0 },
	{ "put back", op_put_back, false, false,
	  "outbox: 1 0 0 0 a a1, 2 0 0 0 a a2, 3 1 5 7 a a3, 4 0 0 0  a4, 9 0 0 0  a9\n"
	  "=",
	  0 },
	{ "release", op_release, false, false,
	  "outbox: 1 0 0 0 a a1, 2 0 0 0 a a2, 3 0 5 7 a a3, 4 0 0 0  a4\n"
	  "=",
	  0 },
	{ "shift", op_shift, false, false,
	  "outbox: 1 0 0 0 a a1, 2 0 0 0 a a2, 3 1 105 7 a a3, 4 0 0 0  a4\n"
	  "=",
	  0 },
	{ "shift what is due", op_shift_what_is_due, false, false, "=", 0 },
	{ "cap", op_cap, false, false,
	  "outbox: 1 0 0 0 a a1, 2 0 0 0 a a2, 3 1 4 7 a a3, 4 0 0 0  a4\n"
	  "=",
	  0 },
	{ "remove row", op_remove_row, false, false,
	  "outbox: 3 1 5 7 a a3, 4 0 0 0  a4\n"
	  "sent:\n"
	  "written:\n"
	  "=",
	  0 },
	{ "forget sent", op_forget_sent, false, false,
	  "outbox: 2 0 0 0 a a2, 3 1 5 7 a a3, 4 0 0 0  a4\n"
	  "sent:\n"
	  "=",
	  1 },
	{ "forget none", op_forget_none, false, false, "=", 0 },
	{ "note written", op_note_written, false, false,
	  "written: 1 50 800, 2 10 700\n"
	  "sent:\n"
	  "=",
	  0 },
	{ "forget written", op_forget_written, false, false,
	  "outbox: 1 0 0 0 a a1, 3 1 5 7 a a3, 4 0 0 0  a4\n"
	  "written:\n"
	  "=",
	  1 },
	{ "clear", op_clear, false, false,
	  "outbox: 4 0 0 0  a4\n"
	  "sent:\n"
	  "written:\n"
	  "=",
	  0 },
	{ "told", op_reported, false, false,
	  "told: 1 b, 2 b\n"
	  "=",
	  0 },
	{ "prune", op_prune, false, false,
	  "history: 2 200 b bb begin warning c K n m text, 3 300 c ce end warning c K n m text\n"
	  "=",
	  0 },
	{ "prune all", op_prune_all, false, true,
	  "history:\n"
	  "=",
	  0 },
	{ "read", op_read, false, false, "= a b 0 | c=30 jp u ju t1 new", 0 },
	{ "read outbox", op_read_outbox, false, false,
	  "= 1!=0,0,0,a1 2=0,0,700,a2 3~=5,7,0,a3 4=0,0,0,a4 | 3~=5,7,0,a3 | | 3~=5,7,0,a3", 0 },
	{ "count", op_count, false, false, "= 1001", 0 },
	{ "lines", op_lines, false, false, "= 2 0 2 1 0", 0 },
	{ "told of", op_reported_of, false, false, "= 1 ab 1 100 begin warning text", 0 },
	{ "take inspected", op_take_inspected, true, false,
	  "inspected:\n"
	  "= c=5",
	  0 },
	{ "settled", op_settled, true, false,
	  "outbox: 2 0 0 0 a a2, 3 1 5 7 a a3\n"
	  "boot: b0\n"
	  "sent:\n"
	  "written:\n"
	  "=",
	  0 },
	{ "boot", op_boot, false, false, "= 0", 0 },
	{ "move twin", op_move_twin, true, false,
	  "outbox: 1 0 0 0 a a1, 2 0 0 0 a a2, 3 1 5 7 a a3, 4 0 0 0  a4, 5 0 0 0 0 00\n"
	  "history: 4 100 a ab begin warning c K n m text, 5 200 b bb begin warning c K n m text, 6 300 c ce end "
	  "warning c K n m text, 7 1000 d 00 end warning c   nb drift_ends:__nb_continued_as_00000000,_a\n"
	  "=",
	  0 },
	{ "move", op_move, true, false,
	  "finding: 1 a {\"finding\":0, 3 e {\"finding\":0, 4 d {\"finding\":0\n"
	  "told: 1 b, 3 b\n"
	  "outbox: 1 0 0 0 a a1, 2 0 0 0 a a2, 3 1 5 7 a a3, 4 0 0 0  a4, 5 0 3 4 x eb, 6 1 3 4 x ec\n"
	  "sent: 1 50, 5 8\n"
	  "history: 4 100 a ab begin warning c K n m text, 5 150 e eb begin info c K n m moved, 6 160 e ef begin info "
	  "c K n m moved, 7 200 b bb begin warning c K n m text, 8 250 b be end info c K n m moved, 9 300 c ce end "
	  "warning c K n m text\n"
	  "seen: c 29, e 40\n"
	  "acceptance: p jp, r jr\n"
	  "rule: 1 u ju t1 -, 2 v jv t2 t3\n"
	  "inspected: c v1_1_v2_2_\n"
	  "= eb+ ef- be",
	  0 },
	{ "move of process", op_move_of_process, true, false,
	  "finding: 2 b {\"finding\":0\n"
	  "told:\n"
	  "= 1 0 110 10",
	  0 },
	{ "move known as another", op_move_known_as_another, true, false,
	  "= -74 finding 0000000000000000000000000000000e is known as another one", 0 },
};

/* ---- how they are run ---- */

static struct database *filled(void)
{
	struct database *d = NULL;
	struct err history, err;

	t.fails_at = 0;
	assert_int_equal(database_open("", &d, &history, &err), 0);
	fill(d);
	return d;
}

static int run(struct database *d, const struct operation *o, size_t fails_at, struct err *err)
{
	int r = 0;

	buf_clear(&t.out);
	t.calls = 0;
	t.fails_at = fails_at;
	if (!o->own_transaction)
		r = database_begin(d, err);
	if (r < 0)
		return r;
	r = o->run(d, err);
	return o->own_transaction || r > 0 ? r : database_end(d, r, err);
}

/* The lines of @after that @before does not have. */
static void add_changes(str before, str after, struct buf *out)
{
	str line;

	while (after.n && str_next_part(&after, '\n', &line)) {
		str rest = before, old = { NULL, 0 };
		bool same = false;

		while (!same && rest.n && str_next_part(&rest, '\n', &old))
			same = str_eq(old, line);
		if (!same && line.n)
			buf_printf(out, "%.*s\n", STR_ARG(line));
	}
}

/* The names of tables that have no rows any more. */
static void add_empty(str before, str after, struct buf *out)
{
	str line;

	while (before.n && str_next_part(&before, '\n', &line)) {
		str rest = after, other, name = str_sub(line, 0, (size_t)(str_find_byte(line, ':') + 1));
		bool same = !name.n;

		while (!same && rest.n && str_next_part(&rest, '\n', &other))
			same = str_has_prefix(other, name);
		if (!same)
			buf_printf(out, "%.*s\n", STR_ARG(name));
	}
}

static void run_good(const struct operation *o, struct buf *after)
{
	CLEANUP(buf_done) struct buf before = BUF_INIT(1 << 20), changes = BUF_INIT(1 << 20);
	CLEANUP(database_closep) struct database *d = filled();
	struct err err;
	int r;

	dump(d, &before);
	r = run(d, o, 0, &err);
	t.fails_at = 0;
	if (r > 0) {
		assert_int_equal(database_end(d, 0, &err), 0);
	}
	dump(d, after);
	add_changes(buf_str(&before), buf_str(after), &changes);
	add_empty(buf_str(&before), buf_str(after), &changes);
	buf_printf(&changes, "=%.*s", STR_ARG(buf_str(&t.out)));
	buf_add_byte(&changes, '\0');
	if (r != o->r || strcmp(changes.p, o->expected) != 0)
		fail_msg("%s: %d, \"%s\"", o->name, r, changes.p);
}

/* False: nothing failed, since there are not so many calls. */
static bool run_bad(const struct operation *o, size_t fails_at, str good)
{
	CLEANUP(buf_done) struct buf before = BUF_INIT(1 << 20), after = BUF_INIT(1 << 20);
	CLEANUP(database_closep) struct database *d = filled();
	struct err err = { 0 };
	bool failed;
	int r;

	dump(d, &before);
	r = run(d, o, fails_at, &err);
	failed = t.calls >= fails_at;
	t.fails_at = 0;
	if (!sqlite3_get_autocommit(d->db))
		assert_int_equal(database_end(d, r < 0 ? r : 0, &err), r < 0 ? r : 0);
	dump(d, &after);
	if (r < 0 && (!err.code || !str_eq(buf_str(&after), buf_str(&before))))
		fail_msg("%s, call %zu: %d, %s: %.*s", o->name, fails_at, r, err.msg, STR_ARG(buf_str(&after)));
	if (r >= 0 && !o->lenient && !str_eq(buf_str(&after), good)) /* what may fail makes no difference */
		fail_msg("%s, call %zu: %d, and %.*s", o->name, fails_at, r, STR_ARG(buf_str(&after)));
	return failed;
}

static void test_operations(void **state)
{
	(void)state;
	t.out = BUF_INIT(1 << 20);
	clock_set(1000, 1000);
	for (size_t i = 0; i < ARRAY_LEN(operations); i++) {
		CLEANUP(buf_done) struct buf after = BUF_INIT(1 << 20);

		run_good(&operations[i], &after);
		for (size_t n = 1; run_bad(&operations[i], n, buf_str(&after)); n++)
			;
	}
	buf_done(&t.out);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_operations) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The database: what survives, what is set aside, who is refused; the import of state.json. */
#include "daemon/store/database/database_internal.h"

#include "base/file.h"
#include "daemon/findings/finding_json.h"
#include "support/capture.h"
#include "support/direct_sink.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

struct fixture {
	char dir[64], path[96], bad[96], db[96];
	struct capture capture;
	struct sink *sink;
	struct findings *findings, *again;
};

static int setup(void **state)
{
	struct fixture *x = calloc(1, sizeof(*x));
	struct err err;

	*state = x;
	if (!x)
		return -1;
	(void)snprintf(x->dir, sizeof(x->dir), "/tmp/driftd-state-XXXXXX");
	if (!mkdtemp(x->dir) || !capture_begin(&x->capture) || !(x->sink = sink_new_direct(CFG_OUTPUT_JSON)))
		return -1;
	(void)snprintf(x->path, sizeof(x->path), "%s/state.json", x->dir);
	(void)snprintf(x->bad, sizeof(x->bad), "%s/state.json.bad", x->dir);
	(void)snprintf(x->db, sizeof(x->db), "%s/driftd.db", x->dir);
	return findings_new(x->sink, &x->findings, &err) < 0 || findings_new(x->sink, &x->again, &err) < 0;
}

static void clean(const struct fixture *x)
{
	DIR *d = opendir(x->dir);
	struct dirent *e;

	while (d && (e = readdir(d)))
		(void)unlinkat(dirfd(d), e->d_name, 0);
	closedir(d);
}

static int teardown(void **state)
{
	struct fixture *x = *state;

	findings_free(x->findings);
	findings_free(x->again);
	sink_free(x->sink);
	capture_end(&x->capture);
	clean(x);
	rmdir(x->dir);
	free(x);
	return 0;
}

static void report(struct findings *f, enum finding_kind kind, const char *name, const char *path)
{
	const struct finding_path paths[] = {
		{ .path = str_from(path), .expected = STR("secret-1"), .actual = STR("secret-2") },
		{ .path = STR("b[\"x y\"]"), .expected = STR("1"), .actual = STR("2") }
	};
	struct finding_report r = {
		.kind = kind,
		.severity = SEVERITY_ERROR,
		.subject = { .cluster = STR("prod \"x\""),
			     .reference = STR("base"),
			     .part = STR("p"),
			     .component = str_from(name),
			     .template_path = STR("t.yaml"),
			     .api_version = STR("v1"),
			     .kind = STR("ConfigMap"),
			     .namespace = STR("n"),
			     .name = str_from(name),
			     .uid = STR("u-1"),
			     .resource = STR("configmaps") },
		.what = STR("w"),
		.state = STR("state"),
		.paths = paths,
		.n_paths = 2,
		.n_paths_total = 2,
	};
	struct err err;

	assert_int_equal(findings_report(f, &r, &err), 0);
}

static const struct finding *find(const struct findings *f, enum finding_kind kind, str name)
{
	const struct finding *x;
	size_t at = 0;

	while ((x = findings_each(f, &at))) {
		if (x->kind == kind && str_eq(x->subject.name, name))
			return x;
	}
	return NULL;
}

static size_t count(const struct findings *f)
{
	size_t at = 0, n = 0;

	while (findings_each(f, &at))
		n++;
	return n;
}

static void write_state(const struct fixture *x, const char *text)
{
	FILE *f = fopen(x->path, "we");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

/* ---- what is kept ---- */

static struct database *opened(const struct fixture *x)
{
	struct database *d = NULL;
	struct err err, history;

	if (database_open(x->dir, &d, &history, &err) < 0)
		fail_msg("%s", err.msg);
	return d;
}

static void put_all(struct database *d, const struct findings *f)
{
	const struct finding *x;
	struct err err;
	size_t at = 0;

	assert_int_equal(database_begin(d, &err), 0);
	while ((x = findings_each(f, &at))) {
		CLEANUP(buf_done) struct buf json = BUF_INIT(1u << 20);

		finding_to_json(x, &json);
		assert_int_equal(database_put_finding(d, x->id, buf_str(&json), &err), 0);
	}
	assert_int_equal(database_end(d, 0, &err), 0);
}

static int restore(void *ctx, const struct finding *x, struct err *err)
{
	return findings_restore(ctx, x, err);
}

static void get_all(struct database *d, struct findings *f)
{
	size_t malformed;
	struct err err;

	assert_int_equal(database_findings(d, restore, f, &malformed, &err), 0);
	assert_int_equal(malformed, 0);
}

static void test_there_and_back(void **state)
{
	struct fixture *x = *state;
	struct database *d;
	const struct finding *f;
	size_t at = 0;

	for (int kind = 0; kind < FINDING_KINDS; kind++) {
		report(x->findings, (enum finding_kind)kind, "one", "metadata.labels[\"a\"]");
		report(x->findings, (enum finding_kind)kind, "\xC3\xA9", "spec");
	}
	d = opened(x);
	put_all(d, x->findings);
	database_close(d);
	d = opened(x);
	get_all(d, x->again);
	database_close(d);
	assert_int_equal(count(x->again), 2 * FINDING_KINDS);
	while ((f = findings_each(x->findings, &at))) {
		const struct finding *g = find(x->again, f->kind, f->subject.name);

		assert_non_null(g);
		assert_int_equal(g->severity, f->severity);
		assert_string_equal(g->id, f->id);
		assert_string_equal(g->state_hash, f->state_hash);
		assert_int_equal(g->first_seen_usec, f->first_seen_usec);
		assert_true(g->announced && !g->confirmed);
		assert_true(str_eq(g->paths, f->paths));
		assert_true(str_eq(g->subject.cluster, f->subject.cluster));
		assert_true(str_eq(g->subject.component, f->subject.component));
		assert_true(str_eq(g->subject.uid, f->subject.uid));
		assert_true(str_eq(g->subject.resource, f->subject.resource));
		assert_true(str_eq(g->subject.template_path, f->subject.template_path));
	}
	(void)capture_count(&x->capture);
	report(x->again, FINDING_DRIFT, "one", "metadata.labels[\"a\"]");
	assert_int_equal(capture_count(&x->capture), 0); /* known: no record */
}

static void test_it_is_private_and_holds_no_values(void **state)
{
	struct fixture *x = *state;
	CLEANUP(freep) char *text = NULL;
	struct database *d;
	struct stat st;
	struct err err;
	size_t n;

	report(x->findings, FINDING_DRIFT, "one", "data.password");
	d = opened(x);
	put_all(d, x->findings);
	database_close(d);
	assert_int_equal(stat(x->db, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	assert_int_equal(file_read(x->db, 1u << 20, &text, &n, &err), 0);
	assert_non_null(memmem(text, n, "data.password", 13));
	assert_null(memmem(text, n, "secret-", 7));
}

static void test_removed_and_undone(void **state)
{
	struct fixture *x = *state;
	struct database *d = opened(x);
	const struct finding *f;
	struct err err;
	size_t at = 0;

	report(x->findings, FINDING_DRIFT, "one", "a");
	put_all(d, x->findings);
	f = findings_each(x->findings, &at);
	assert_int_equal(database_begin(d, &err), 0);
	assert_int_equal(database_remove_finding(d, f->id, &err), 0);
	assert_int_equal(database_end(d, -ECANCELED, &err), -ECANCELED);
	get_all(d, x->again);
	assert_int_equal(count(x->again), 1);
	assert_int_equal(database_begin(d, &err), 0);
	assert_int_equal(database_remove_finding(d, f->id, &err), 0);
	assert_int_equal(database_end(d, 0, &err), 0);
	findings_free(x->again);
	assert_int_equal(findings_new(x->sink, &x->again, &err), 0);
	get_all(d, x->again);
	assert_int_equal(count(x->again), 0);
	database_close(d);
}

struct rows {
	size_t n, sent;
	char texts[8][16];
};

static int see_row(void *ctx, const struct outbox_row *row, struct err *err)
{
	struct rows *r = ctx;

	(void)err;
	(void)snprintf(r->texts[r->n++], 16, "%.*s", STR_ARG(row->record));
	r->sent += row->sent;
	return 0;
}

static struct rows rows_of(struct database *d)
{
	struct rows r = { 0 };
	struct err err;

	assert_int_equal(database_outbox(d, see_row, &r, &err), 0);
	return r;
}

static void test_the_outbox(void **state)
{
	struct fixture *x = *state;
	struct database *d = opened(x);
	int64_t seq[3];
	struct rows r;
	struct err err;

	assert_int_equal(database_add_to_outbox(d, &(struct outbox_new){ .record = STR("a") }, &seq[0], &err), 0);
	assert_int_equal(database_add_to_outbox(d, &(struct outbox_new){ .record = STR("b") }, &seq[1], &err), 0);
	assert_int_equal(database_add_to_outbox(d, &(struct outbox_new){ .record = STR("c") }, &seq[2], &err), 0);
	assert_int_equal(database_mark_sent(d, seq[0], 100, &err), 0);
	assert_int_equal(database_remove_from_outbox(d, seq[1], &err), 0);
	database_close(d);
	d = opened(x);
	r = rows_of(d);
	assert_int_equal(r.n, 2);
	assert_int_equal(r.sent, 1);
	assert_string_equal(r.texts[0], "a");
	assert_string_equal(r.texts[1], "c");
	assert_int_equal(database_forget_sent(d, 100, 10, &err), 0);
	assert_int_equal(rows_of(d).n, 2);
	assert_int_equal(database_forget_sent(d, 101, 1, &err), 1);
	assert_int_equal(rows_of(d).n, 1);
	database_close(d);
}

static int64_t ask(const struct fixture *x, const char *question)
{
	sqlite3 *db;
	sqlite3_stmt *s;
	int64_t n;

	assert_int_equal(sqlite3_open(x->db, &db), SQLITE_OK);
	assert_int_equal(sqlite3_prepare_v2(db, question, -1, &s, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_step(s), SQLITE_ROW);
	n = sqlite3_column_int64(s, 0);
	sqlite3_finalize(s);
	sqlite3_close(db);
	return n;
}

/* A life that ends right behind it does not leave what was found to be written waiting. */
static void test_a_boot_is_settled_at_once(void **state)
{
	const struct fixture *x = *state;
	CLEANUP(database_closep) struct database *d = NULL;
	struct outbox_new row = { .about = STR("key"), .record = STR("r"), .deferred = true };
	int64_t seqs[3], written[] = { 0 };
	struct reconciled_rows rows = { .written = written, .n_written = 1 };
	char boot[DATABASE_BOOT_SIZE];
	struct err err;

	assert_int_equal(database_open(x->dir, &d, &err, &err), 0);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(database_add_to_outbox(d, &row, &seqs[i], &err), 0);
	written[0] = seqs[1];
	assert_int_equal(database_mark_reconciled(d, "b-1", &rows, &err), 0);
	assert_int_equal(database_boot(d, boot, &err), 0);
	assert_string_equal(boot, "b-1");
	assert_int_equal(database_count_deferred(d, false, INT64_MAX, &err), 2);
}

static void test_history_is_bounded(void **state)
{
	struct fixture *x = *state;
	struct database *d = opened(x);
	struct record r;
	struct err err;

	assert_int_equal(database_last_usec(d), 0);
	for (int i = 0; i < 100; i++) {
		record_init(&r, MESSAGE_DRIFT_BEGIN, 4);
		r.text = STR("drift begins");
		record_add(&r, "DRIFTD_DRIFT_ID", STR("f"));
		record_add(&r, "DRIFTD_EVENT", STR("begin"));
		assert_int_equal(database_add_history(d, &r, i, &err), 0);
		record_done(&r);
	}
	assert_int_equal(database_last_usec(d), 99);
	assert_int_equal(database_prune(d, 10, 1 << 30, &err), 0);
	assert_int_equal(ask(x, "SELECT count(*) FROM history"), 90);
	assert_int_equal(database_prune(d, 10, 1, &err), 0);
	assert_int_equal(ask(x, "SELECT min(usec) FROM history"),
			 72); /* the oldest tenth of what was left, ten times */
	assert_int_equal(ask(x, "SELECT count(*) FROM history WHERE event = 'begin' AND finding = 'f'"), 28);
	database_close(d);
}

/* What is held is due as much later as the clock was set ahead. */
static void test_times_follow_the_clock(void **state)
{
	struct fixture *x = *state;
	struct database *d = opened(x);
	int64_t seq[3];
	struct err err;

	assert_int_equal(
		database_add_to_outbox(d, &(struct outbox_new){ .record = STR("a"), .deferred = true, .due_usec = 100 },
				       &seq[0], &err),
		0);
	assert_int_equal(
		database_add_to_outbox(d, &(struct outbox_new){ .record = STR("b"), .deferred = true }, &seq[1], &err),
		0);
	assert_int_equal(database_shift_not_due(d, 1000, 50, &err), 0);
	assert_int_equal(database_count_deferred(d, false, 1099, &err), 1);
	assert_int_equal(database_count_deferred(d, false, 1100, &err), 2);
	assert_int_equal(database_shift_not_due(d, -1000, 1200, &err), 0); /* it is due by now */
	assert_int_equal(database_count_deferred(d, false, 1099, &err), 1);
	database_close(d);
}

/* An earlier life had a clock that is no more: what is held is due in the time that it is held, at the latest. */
static void test_nothing_is_held_for_longer(void **state)
{
	const struct outbox_new rows[] = {
		{ .record = STR("a"), .deferred = true, .due_usec = 90000, .hold_usec = 60 },
		{ .record = STR("b"), .deferred = true, .due_usec = 1030, .hold_usec = 60 },
		{ .record = STR("c"), .deferred = true },
		{ .record = STR("d") },
	};
	struct fixture *x = *state;
	struct database *d = opened(x);
	int64_t seq;
	struct err err;

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		assert_int_equal(database_add_to_outbox(d, &rows[i], &seq, &err), 0);
	assert_int_equal(database_cap_not_due(d, 1000, &err), 0);
	assert_int_equal(database_count_deferred(d, false, 1000, &err), 1);
	assert_int_equal(database_count_deferred(d, false, 1030, &err), 2);
	assert_int_equal(database_count_deferred(d, true, 1059, &err), 1);
	assert_int_equal(database_count_deferred(d, false, 1060, &err), 3);
	assert_int_equal(rows_of(d).n, 4);
	database_close(d);
}

#define TEN "0123456789"
#define FINDING_TEXT(id, hash)                                                                                         \
	"{\"finding\":0,\"severity\":4,\"firstSeenUsec\":1,\"id\":\"" id "\",\"state\":\"" hash "\"}"

/* @id: an expression. */
static void put_row(struct fixture *x, const char *id, const char *body)
{
	sqlite3 *db;
	char text[512];

	(void)snprintf(text, sizeof(text), "INSERT INTO finding(id, body) VALUES(%s, '%s')", id, body);
	assert_int_equal(sqlite3_open(x->db, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, text, NULL, NULL, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

static void test_a_malformed_finding_is_left_out(void **state)
{
	struct fixture *x = *state;
	struct database *d = opened(x);
	size_t malformed = 0;
	struct err err;

	report(x->findings, FINDING_DRIFT, "web", "a");
	put_all(d, x->findings);
	assert_int_equal(database_put_finding(d, "bad-1", STR("{}"), &err), 0);
	assert_int_equal(database_put_finding(d, "bad-2", STR("no JSON"), &err), 0);
	put_row(x, "x'6261642d33'", "{}");
	put_row(x, "'bad' || x'00' || '4'", "{}");
	put_row(x, "'" TEN TEN TEN "12'", FINDING_TEXT("0000000000" TEN TEN "12", TEN TEN TEN "12"));
	put_row(x, "'" TEN TEN TEN "x\"'", FINDING_TEXT(TEN TEN TEN "x\\\"", TEN TEN TEN "12"));
	put_row(x, "'" TEN TEN TEN "99'", FINDING_TEXT(TEN TEN TEN "99", TEN TEN TEN "\\u00001"));
	assert_int_equal(database_findings(d, restore, x->again, &malformed, &err), 0);
	assert_int_equal(malformed, 7);
	assert_int_equal(count(x->again), 1);
	assert_int_equal(database_findings(d, restore, x->again, &malformed, &err), 0);
	assert_int_equal(malformed, 0);
	database_close(d);
}

/* ---- who may open it ---- */

static void test_one_at_a_time(void **state)
{
	struct fixture *x = *state;
	struct database *d = opened(x), *other;
	struct err err, history;

	assert_int_equal(database_open(x->dir, &other, &history, &err), -EBUSY);
	assert_non_null(strstr(err.msg, "in use by another driftd"));
	database_close(d);
	database_close(opened(x));
}

/* Where the index of the log has no room: it is locked for one alone, and kept in memory. */
static void test_locked_for_one_alone(void **state)
{
	struct fixture *x = *state;
	struct database d = { .lock = -1 };
	struct err err;
	sqlite3 *other;

	assert_int_equal(database_open_file(&d, x->db, "PRAGMA locking_mode=EXCLUSIVE", &err), 0);
	assert_int_equal(sqlite3_open(x->db, &other), SQLITE_OK);
	assert_int_equal(sqlite3_exec(other, "SELECT count(*) FROM history", NULL, NULL, NULL), SQLITE_BUSY);
	database_close_file(&d);
	assert_int_equal(sqlite3_exec(other, "SELECT count(*) FROM history", NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(other);
	assert_true(database_open_file(&d, x->db, "no statement", &err) < 0);
	database_close_file(&d);
	free(d.path);
}

static void test_a_newer_one_is_refused(void **state)
{
	struct fixture *x = *state;
	struct database *d;
	struct err err, history;
	sqlite3 *db;

	database_close(opened(x));
	assert_int_equal(sqlite3_open(x->db, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, "PRAGMA user_version = 99", NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(db);
	assert_int_equal(database_open(x->dir, &d, &history, &err), -EPROTO);
	assert_non_null(strstr(err.msg, "newer driftd"));
	assert_int_equal(ask(x, "PRAGMA user_version"), 99); /* as it was */
}

static int seen_once(void *ctx, str cluster, int64_t usec, struct err *err)
{
	int *n = ctx;

	(void)err;
	assert_true(str_eq(cluster, STR("prod")));
	assert_int_equal(usec, 2);
	++*n;
	return 0;
}

static int add_acceptance(void *ctx, str json, struct err *err)
{
	(void)err;
	buf_add_str(ctx, json);
	buf_add_byte(ctx, ' ');
	return 0;
}

static int refuse_2(void *ctx, str json, struct err *err)
{
	return str_eq(json, STR("{2}")) ? err_set(err, EBADMSG, "malformed") : add_acceptance(ctx, json, err);
}

static void test_a_malformed_acceptance_is_met_once(void **state)
{
	CLEANUP(buf_done) struct buf all = BUF_INIT(1u << 16);
	struct fixture *x = *state;
	struct database *d = opened(x);
	size_t malformed = 0;
	struct err err;

	assert_int_equal(database_put_acceptance(d, "a", STR("{1}"), &err), 0);
	assert_int_equal(database_put_acceptance(d, "b", STR("{2}"), &err), 0);
	assert_int_equal(database_acceptances(d, refuse_2, &all, NULL, &err), -EBADMSG);
	buf_clear(&all);
	assert_int_equal(database_acceptances(d, refuse_2, &all, &malformed, &err), 0);
	assert_int_equal(malformed, 1);
	assert_int_equal(database_acceptances(d, refuse_2, &all, &malformed, &err), 0);
	assert_int_equal(malformed, 0);
	assert_true(str_eq(buf_str(&all), STR("{1} {1} ")));
	database_close(d);
}

static void test_acceptances(void **state)
{
	CLEANUP(buf_done) struct buf all = BUF_INIT(1u << 16);
	struct fixture *x = *state;
	struct database *d = opened(x);
	struct err err;

	assert_int_equal(database_begin(d, &err), 0);
	assert_int_equal(database_put_acceptance(d, "a", STR("{1}"), &err), 0);
	assert_int_equal(database_put_acceptance(d, "b", STR("{2}"), &err), 0);
	assert_int_equal(database_put_acceptance(d, "a", STR("{3}"), &err), 0);
	assert_int_equal(database_end(d, 0, &err), 0);
	assert_int_equal(database_acceptances(d, add_acceptance, &all, NULL, &err), 0);
	assert_string_equal(all.p, "{3} {2} ");
	assert_int_equal(database_begin(d, &err), 0);
	assert_int_equal(database_remove_acceptance(d, "a", &err), 0);
	assert_int_equal(database_end(d, 0, &err), 0);
	database_close(d);
	d = opened(x);
	buf_clear(&all);
	assert_int_equal(database_acceptances(d, add_acceptance, &all, NULL, &err), 0);
	assert_string_equal(all.p, "{2} ");
	database_close(d);
}

/* ---- inspection ---- */

static int add_rule(void *ctx, const struct kept_rule *rule, struct err *err)
{
	(void)err;
	buf_printf(ctx, "%.*s=%.*s %.*s %.*s\n", STR_ARG(rule->uuid), STR_ARG(rule->json), STR_ARG(rule->created_at),
		   rule->updated_at.p ? (int)rule->updated_at.n : 1, rule->updated_at.p ? rule->updated_at.p : "-");
	return 0;
}

static void put_rule(struct database *d, const char *uuid, const char *json, const char *updated_at)
{
	struct kept_rule rule = { str_from(uuid), str_from(json), STR("then"),
				  updated_at ? str_from(updated_at) : (str){ NULL, 0 } };
	struct err err;

	assert_int_equal(database_begin(d, &err), 0);
	assert_int_equal(database_end(d, database_put_rule(d, &rule, &err), &err), 0);
}

static void assert_rules(struct database *d, const char *expected)
{
	CLEANUP(buf_done) struct buf all = BUF_INIT(1u << 16);
	struct err err;

	assert_int_equal(database_rules(d, add_rule, &all, NULL, &err), 0);
	buf_add_byte(&all, '\0');
	assert_string_equal(all.p, expected);
}

static int refuse_rule_b(void *ctx, const struct kept_rule *rule, struct err *err)
{
	return str_eq(rule->uuid, STR("b")) ? err_set(err, EBADMSG, "malformed") : add_rule(ctx, rule, err);
}

static void test_a_malformed_rule_is_met_once(void **state)
{
	CLEANUP(buf_done) struct buf all = BUF_INIT(1u << 16);
	struct fixture *x = *state;
	struct database *d = opened(x);
	size_t malformed = 0;
	struct err err;

	put_rule(d, "a", "{1}", NULL);
	put_rule(d, "b", "{2}", NULL);
	assert_int_equal(database_rules(d, refuse_rule_b, &all, NULL, &err), -EBADMSG);
	assert_int_equal(database_rules(d, refuse_rule_b, &all, &malformed, &err), 0);
	assert_int_equal(malformed, 1);
	assert_rules(d, "a={1} then -\n");
	database_close(d);
}

static void test_rules_keep_their_order(void **state)
{
	struct fixture *x = *state;
	struct database *d = opened(x);
	struct err err;

	put_rule(d, "b", "{1}", NULL);
	put_rule(d, "a", "{2}", NULL);
	put_rule(d, "c", "{3}", NULL);
	put_rule(d, "B", "{4}", "later"); /* without case */
	assert_rules(d, "B={4} then later\na={2} then -\nc={3} then -\n");
	database_close(d);
	d = opened(x);
	assert_rules(d, "B={4} then later\na={2} then -\nc={3} then -\n");
	assert_int_equal(database_begin(d, &err), 0);
	assert_int_equal(database_end(d, database_remove_rule(d, STR("b"), &err), &err), 0);
	put_rule(d, "b", "{5}", NULL); /* a new one */
	put_rule(d, "a", "{6}", NULL); /* and in the place of one that nobody could read */
	assert_rules(d, "c={3} then -\nb={5} then -\na={6} then -\n");
	assert_int_equal(database_begin(d, &err), 0);
	assert_int_equal(database_end(d, database_clear_rules(d, &err), &err), 0);
	database_close(d);
	d = opened(x);
	assert_rules(d, "");
	database_close(d);
}

static int add_inspected(void *ctx, str cluster, str versions, struct err *err)
{
	(void)err;
	buf_printf(ctx, "%.*s=%zu:%d ", STR_ARG(cluster), versions.n, versions.n ? versions.p[versions.n - 1] : -1);
	return 0;
}

static void assert_inspected(struct database *d, const char *expected)
{
	CLEANUP(buf_done) struct buf all = BUF_INIT(1u << 16);
	struct err err;

	assert_int_equal(database_take_inspected(d, add_inspected, &all, &err), 0);
	buf_add_byte(&all, '\0');
	assert_string_equal(all.p, expected);
}

static void test_what_was_inspected_is_taken_once(void **state)
{
	struct fixture *x = *state;
	struct database *d = opened(x);
	struct err err;

	assert_inspected(d, "");
	assert_int_equal(database_begin(d, &err), 0);
	assert_int_equal(database_put_inspected(d, STR("prod"), STR("old"), &err), 0);
	assert_int_equal(database_put_inspected(d, STR("prod"), (str){ "a\0\xFF\x01", 4 }, &err), 0);
	assert_int_equal(database_put_inspected(d, STR("test"), STR(""), &err), 0);
	assert_int_equal(database_end(d, 0, &err), 0);
	database_close(d);
	d = opened(x);
	assert_inspected(d, "prod=4:1 test=0:-1 ");
	assert_inspected(d, "");
	database_close(d);
	d = opened(x);
	assert_inspected(d, "");
	database_close(d);
}

/* What version 6 has made otherwise, as it was before, but for what came with version 3. */
#define BEFORE_10                                                                                                      \
	"DROP TABLE unwatched; DROP TABLE history;"                                                                    \
	"CREATE TABLE history(seq INTEGER PRIMARY KEY AUTOINCREMENT, usec INTEGER NOT NULL, finding TEXT NOT NULL,"    \
	" record TEXT NOT NULL, event TEXT NOT NULL, severity TEXT, cluster TEXT, kind TEXT, namespace TEXT,"          \
	" name TEXT, message TEXT NOT NULL);"                                                                          \
	"CREATE INDEX history_by_finding ON history(finding);"                                                         \
	"CREATE INDEX history_by_time ON history(usec);"
#define BEFORE_6                                                                                                       \
	BEFORE_10 "DROP TABLE finding; DROP TABLE told; DROP TABLE sent; DROP TABLE outbox;"                           \
		  "CREATE TABLE finding(id TEXT PRIMARY KEY, body TEXT NOT NULL) WITHOUT ROWID;"                       \
		  "CREATE TABLE outbox(seq INTEGER PRIMARY KEY AUTOINCREMENT, sent_usec INTEGER, deferred INTEGER "    \
		  "NOT NULL,"                                                                                          \
		  " due_usec INTEGER NOT NULL, about TEXT NOT NULL, record BLOB NOT NULL);"                            \
		  "CREATE INDEX outbox_deferred ON outbox(seq, due_usec) WHERE deferred;"                              \
		  "CREATE INDEX outbox_sent ON outbox(sent_usec) WHERE sent_usec IS NOT NULL;"                         \
		  "CREATE INDEX outbox_deferred_of ON outbox(about, seq) WHERE deferred;"
#define REPORTED_BEFORE_6 "CREATE TABLE told(id TEXT PRIMARY KEY, record BLOB NOT NULL);"

/* The database, which nobody has open. */
static void execute(const struct fixture *x, const char *text)
{
	sqlite3 *db;

	assert_int_equal(sqlite3_open(x->db, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, text, NULL, NULL, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

/* ---- packed records ---- */

#define MANY_RECORDS 400

/* The record of number @i, as it is told. */
static void make_record(int i, struct buf *out)
{
	struct record r;

	record_init(&r, MESSAGE_DRIFT_BEGIN, 4);
	(void)snprintf(r.id, sizeof(r.id), "%032x", i);
	r.text = arena_printf(&r.arena, "drift begins: deployments.apps prod/web-%d spec.replicas 3 -> %d (warning)", i,
			      i);
	record_add(&r, "DRIFTD_EVENT", STR("begin"));
	record_addf(&r, "DRIFTD_DRIFT_ID", "%032x", i * 7919);
	record_add(&r, "DRIFTD_REFERENCE_HASH",
		   STR("6f1970d4b28b3d270186b30aac047cf982738b501cd44af8a7168f52aed58cd0"));
	record_addf(&r, "DRIFTD_NAME", "web-%d", i);
	record_addf(&r, "DRIFTD_DIFF", "--- reference\n+++ cluster\n-replicas: 3\n+replicas: %d\n", i);
	buf_clear(out);
	record_encode(&r, out);
	record_done(&r);
}

static int put_records(struct database *d, int from, int to, struct err *err)
{
	CLEANUP(buf_done) struct buf record = BUF_INIT(1u << 16);
	char id[FINDING_ID_SIZE];
	int64_t seq;
	int r = 0;

	for (int i = from; r == 0 && i < to; i++) {
		make_record(i, &record);
		(void)snprintf(id, sizeof(id), "%032x", i);
		r = database_put_finding(d, id, STR("{}"), err);
		if (r == 0)
			r = database_put_last_record(d, id, buf_str(&record), err);
		if (r == 0)
			r = database_add_to_outbox(d, &(struct outbox_new){ .record = buf_str(&record) }, &seq, err);
	}
	return r;
}

static void commit_records(struct database *d, int from, int to)
{
	struct err err;

	assert_int_equal(database_begin(d, &err), 0);
	assert_int_equal(database_end(d, put_records(d, from, to, &err), &err), 0);
}

static int see_next(void *ctx, const struct outbox_row *row, struct err *err)
{
	CLEANUP(buf_done) struct buf expected = BUF_INIT(1u << 16);

	(void)err;
	make_record(*(int *)ctx, &expected);
	assert_true(str_eq(row->record, buf_str(&expected)));
	++*(int *)ctx;
	return 0;
}

/* Whatever they are kept as, they come back as they were put. */
static void assert_records(struct database *d, int n)
{
	struct err err;
	int i = 0;

	assert_int_equal(database_outbox(d, see_next, &i, &err), 0);
	assert_int_equal(i, n);
	for (i = 0; i < n; i++) {
		CLEANUP(buf_done) struct buf expected = BUF_INIT(1u << 16);
		CLEANUP(finding_history_freep) struct finding_history *t = NULL;
		char id[FINDING_ID_SIZE];

		(void)snprintf(id, sizeof(id), "%032x", i);
		make_record(i, &expected);
		assert_int_equal(database_finding_history(d, id, &t, &err), 0);
		assert_true(t->has_last && str_eq(t->bytes, buf_str(&expected)));
	}
}

static void test_records_are_packed(void **state)
{
	struct fixture *x = *state;
	struct database *d = opened(x);
	struct err err;

	commit_records(d, 0, 10);
	assert_int_equal(ask(x, "SELECT count(*) FROM dictionary"), 0); /* they are too few */
	assert_int_equal(database_begin(d, &err),
			 0); /* one that is made in a transaction which fails was never there */
	assert_int_equal(put_records(d, 10, 200, &err), 0);
	assert_int_equal(database_end(d, -EIO, &err), -EIO);
	assert_records(d, 10);
	commit_records(d, 10, 200);
	assert_int_equal(ask(x, "SELECT count(*) FROM dictionary"), 1);
	assert_int_equal(ask(x, "SELECT count(*) FROM dictionary_again"), 1);
	commit_records(d, 200, MANY_RECORDS);
	assert_int_equal(ask(x, "SELECT count(*) FROM told WHERE length(record) < 250"), MANY_RECORDS - 200);
	assert_int_equal(ask(x, "SELECT count(*) FROM outbox WHERE length(record) < 250"), MANY_RECORDS - 200);
	assert_int_equal(ask(x, "SELECT count(*) FROM outbox WHERE substr(record, 1, 24) = x'"
				"303030303030303030303030303030303030303030303030'"),
			 MANY_RECORDS); /* the id stands there as it is */
	assert_records(d, MANY_RECORDS);
	database_close(d);
	d = opened(x);
	assert_records(d, MANY_RECORDS);
	database_close(d);
}

/* One dictionary of the two that is not what it was, or is gone, is as good as both. */
static void test_a_dictionary_that_is_damaged(void **state)
{
	static const char *const damages[] = {
		"UPDATE dictionary SET bytes = zeroblob(length(bytes))",
		"UPDATE dictionary_again SET bytes = substr(bytes, 2)",
		"DELETE FROM dictionary",
	};
	struct fixture *x = *state;
	struct database *d = opened(x);

	commit_records(d, 0, 200);
	commit_records(d, 200, MANY_RECORDS);
	database_close(d);
	for (size_t i = 0; i < ARRAY_LEN(damages); i++) {
		execute(x, damages[i]);
		d = opened(x);
		assert_records(d, MANY_RECORDS);
		database_close(d);
		execute(x,
			i == 1 ? "DELETE FROM dictionary_again; INSERT INTO dictionary_again SELECT * FROM dictionary"
			       : "DELETE FROM dictionary; INSERT INTO dictionary SELECT * FROM dictionary_again");
	}
}

static int see_any(void *ctx, const struct outbox_row *row, struct err *err)
{
	struct record r;

	++((int *)ctx)[record_decode(row->record, &r, err) == 0];
	record_done(&r);
	return 0;
}

/* Without both, and where a record itself is damaged, that cannot be read, and all else can. */
static void test_records_that_cannot_be_unpacked(void **state)
{
	struct fixture *x = *state;
	struct database *d = opened(x);
	int read[2] = { 0 };
	struct err err;

	commit_records(d, 0, 200);
	commit_records(d, 200, MANY_RECORDS);
	database_close(d);
	execute(x, "UPDATE outbox SET record = CAST(substr(record, 1, 60) || x'00000000' || substr(record, 65) AS BLOB)"
		   " WHERE seq = 300");
	d = opened(x);
	assert_int_equal(database_outbox(d, see_any, read, &err), 0);
	assert_int_equal(read[0], 1);
	assert_int_equal(read[1], MANY_RECORDS - 1);
	database_close(d);
	execute(x, "DELETE FROM dictionary; DELETE FROM dictionary_again");
	d = opened(x);
	memset(read, 0, sizeof(read));
	assert_int_equal(database_outbox(d, see_any, read, &err), 0);
	assert_int_equal(read[1], 200);
	database_close(d);
}

/* What an older driftd kept is packed when it is brought up. */
static void test_older_records_are_packed(void **state)
{
	struct fixture *x = *state;
	struct database *d = opened(x);

	commit_records(d, 0, 200); /* as they are: there is no dictionary before */
	database_close(d);
	assert_int_equal(ask(x, "SELECT count(*) FROM told WHERE length(record) < 250"), 0);
	execute(x, "DROP TABLE dictionary; DROP TABLE dictionary_again; PRAGMA user_version = 10");
	d = opened(x);
	assert_int_equal(ask(x, "PRAGMA user_version"), 11);
	assert_int_equal(ask(x, "SELECT count(*) FROM told WHERE length(record) < 250"), 200);
	assert_records(d, 200);
	database_close(d);
}

/* One of version 1 gets what came since, and keeps what it has. */
static void test_an_older_one_is_brought_up(void **state)
{
	struct fixture *x = *state;
	struct database *d;
	struct err err;
	int n = 0;

	database_close(opened(x));
	execute(x, BEFORE_6 "DROP TABLE seen; DROP TABLE acceptance;"
			    "DROP TABLE inspection_rule; DROP TABLE inspected; PRAGMA user_version = 1;"
			    "INSERT INTO finding VALUES('x', '{}')");
	d = opened(x);
	assert_int_equal(ask(x, "SELECT count(*) FROM finding"), 1);
	assert_int_equal(database_begin(d, &err), 0);
	assert_int_equal(database_put_seen(d, STR("prod"), 1, &err), 0);
	assert_int_equal(database_put_seen(d, STR("prod"), 2, &err), 0);
	assert_int_equal(database_end(d, 0, &err), 0);
	assert_int_equal(database_seen(d, seen_once, &n, &err), 0);
	assert_int_equal(n, 1);
	assert_int_equal(ask(x, "SELECT count(*) FROM acceptance"), 0);
	assert_int_equal(ask(x, "SELECT count(*) FROM inspection_rule"), 0);
	database_close(d);
}

static void test_one_of_version_4_is_brought_up(void **state)
{
	CLEANUP(buf_done) struct buf all = BUF_INIT(1u << 16);
	struct fixture *x = *state;
	struct database *d = opened(x);
	struct err err;

	assert_int_equal(database_begin(d, &err), 0);
	assert_int_equal(database_end(d, database_put_acceptance(d, "a", STR("{1}"), &err), &err), 0);
	database_close(d);
	execute(x,
		BEFORE_6 REPORTED_BEFORE_6 "DROP TABLE inspection_rule; DROP TABLE inspected; PRAGMA user_version = 4");
	d = opened(x);
	assert_int_equal(database_acceptances(d, add_acceptance, &all, NULL, &err), 0);
	assert_true(str_eq(buf_str(&all), STR("{1} ")));
	put_rule(d, "a", "{2}", NULL);
	assert_rules(d, "a={2} then -\n");
	assert_inspected(d, "");
	database_close(d);
}

/* What the lines of the history did not have before version 10, they have not now either; new ones have it. */
static void test_one_of_version_9_is_brought_up(void **state)
{
	const struct time_span away = { 5, 9 }, longer = { 5, 11 };
	struct fixture *x = *state;
	struct database *d;
	struct record r;
	struct err err;

	database_close(opened(x));
	execute(x,
		BEFORE_10 "INSERT INTO history(usec, finding, record, event, severity, cluster, kind, namespace, name,"
			  " message) VALUES(1, 'f', 'r', 'end', 'error', 'prod', 'Pod', 'a', 'b', 'text');"
			  "PRAGMA user_version = 9");
	d = opened(x);
	assert_int_equal(ask(x,
			     "SELECT count(*) FROM history WHERE type IS NULL AND manager IS NULL AND message = 'text'"
			     " AND lasted_usec IS NULL"),
			 1);
	record_init(&r, MESSAGE_GAP_END, 6);
	record_add(&r, "DRIFTD_EVENT", STR("end"));
	record_add(&r, "DRIFTD_MANAGER", STR("kubectl"));
	record_add(&r, "DRIFTD_REFERENCE", STR("base"));
	record_add(&r, "DRIFTD_DURATION_USEC", STR("17"));
	record_add(&r, "DRIFTD_END_REASON", STR("object deleted"));
	assert_int_equal(database_add_history(d, &r, 2, &err), 0);
	record_done(&r);
	assert_int_equal(ask(x,
			     "SELECT count(*) FROM history WHERE type = 'gap' AND manager = 'kubectl' AND cause IS NULL"
			     " AND reference = 'base' AND reason = 'object deleted' AND lasted_usec = 17"),
			 1);
	assert_int_equal(database_put_unwatched(d, STR("prod"), &away, &err), 0);
	assert_int_equal(database_put_unwatched(d, STR("prod"), &longer, &err), 0);
	assert_int_equal(ask(x, "SELECT to_usec FROM unwatched WHERE cluster = 'prod' AND from_usec = 5"), 11);
	assert_int_equal(database_prune(d, 12, INT64_MAX, &err), 0);
	assert_int_equal(ask(x, "SELECT count(*) FROM unwatched"), 0);
	database_close(d);
}

static void test_one_of_version_5_is_brought_up(void **state)
{
	CLEANUP(buf_done) struct buf record = BUF_INIT(1u << 16);
	struct fixture *x = *state;
	struct database *d = opened(x);
	CLEANUP(finding_history_freep) struct finding_history *t = NULL;
	struct record r;
	struct rows rows;
	struct err err;

	database_close(d);
	execute(x, BEFORE_6 REPORTED_BEFORE_6
		"INSERT INTO finding VALUES('b', '{\"b\"}'), ('a', '{\"a\"}');"
		"INSERT INTO told VALUES('a', 'of a'), ('b', 'of b'), ('over', 'of none');"
		"INSERT INTO outbox VALUES(3, NULL, 0, 0, '', 'new'), (7, 50, 0, 0, '', 'sent'), (8, NULL, 1, 9, 'k', "
		"'waits');"
		"PRAGMA user_version = 5");
	d = opened(x);
	assert_int_equal(ask(x, "SELECT count(*) FROM finding f JOIN told t ON t.seq = f.seq"
				" WHERE body = '{\"' || id || '\"}' AND record = 'of ' || id"),
			 2);
	assert_int_equal(ask(x, "SELECT count(*) FROM told"), 2);
	rows = rows_of(d);
	assert_int_equal(rows.n, 3);
	assert_int_equal(rows.sent, 1);
	assert_string_equal(rows.texts[0], "new");
	assert_string_equal(rows.texts[2], "waits");
	assert_int_equal(database_count_deferred(d, false, 9, &err), 1);
	assert_int_equal(ask(x, "SELECT hold_usec FROM outbox WHERE record = 'waits'"), 0);
	assert_int_equal(database_forget_sent(d, 51, 10, &err), 0);
	assert_int_equal(rows_of(d).n, 2);
	record_init(&r, MESSAGE_DRIFT_CHANGE, 4);
	record_encode(&r, &record);
	record_done(&r);
	assert_int_equal(database_put_last_record(d, "a", buf_str(&record), &err), 0);
	assert_int_equal(database_finding_history(d, "a", &t, &err), 0);
	assert_int_equal(t->last.message, MESSAGE_DRIFT_CHANGE);
	assert_int_equal(database_remove_finding(d, "a", &err), 0);
	assert_int_equal(ask(x, "SELECT count(*) FROM told WHERE record = 'of b'"), 1);
	assert_int_equal(ask(x, "SELECT count(*) FROM told"), 1);
	database_close(d);
}

/* Many transactions, without a pause: the log goes to its place all the while, and begins anew. */
static void test_the_log_does_not_grow_for_ever(void **state)
{
	struct fixture *x = *state;
	struct database *d = opened(x);
	char log[128], id[32], json[2048];
	off_t longest = 0;
	struct stat st;
	struct err err;

	(void)snprintf(log, sizeof(log), "%s-wal", x->db);
	memset(json, ' ', sizeof(json));
	for (int i = 0; i < 9000; i++) {
		(void)snprintf(id, sizeof(id), "%d", i % 100);
		assert_int_equal(database_begin(d, &err), 0);
		assert_int_equal(database_end(d, database_put_finding(d, id, (str){ json, sizeof(json) }, &err), &err),
				 0);
		assert_int_equal(stat(log, &st), 0);
		longest = st.st_size > longest ? st.st_size : longest;
	}
	assert_in_range(longest, 1 << 20, 72 << 20);
	assert_int_equal(ask(x, "SELECT count(*) FROM finding"), 100);
	database_close(d);
	assert_int_equal(access(log, F_OK), -1);
	assert_int_equal(ask(x, "SELECT count(*) FROM finding"), 100);
}

static void test_what_is_none_is_set_aside(void **state)
{
	struct fixture *x = *state;
	struct database *d;
	struct err err, history;
	char bad[128];
	FILE *f = fopen(x->db, "we");

	for (int i = 0; i < 10000; i++)
		fputs("no database ", f);
	fclose(f);
	assert_int_equal(database_open(x->dir, &d, &history, &err), 0);
	assert_int_equal(history.code, EBADMSG);
	assert_non_null(strstr(history.msg, "is set aside as"));
	get_all(d, x->again);
	database_close(d);
	(void)snprintf(bad, sizeof(bad), "%s.bad", x->db);
	assert_int_equal(access(bad, F_OK), 0);
}

static void test_no_folder_and_memory(void **state)
{
	struct fixture *x = *state;
	struct database *d;
	struct err err, history;

	assert_int_equal(database_open("/nowhere/at/all", &d, &history, &err), -ENOENT);
	assert_int_equal(database_open("", &d, &history, &err), 0);
	report(x->findings, FINDING_DRIFT, "one", "a");
	put_all(d, x->findings);
	get_all(d, x->again);
	assert_int_equal(count(x->again), 1);
	database_close(d);
}

/* ---- state.json ---- */

static int import(const struct fixture *x, struct err *history)
{
	struct database *d = NULL;
	struct err err;
	int r = database_open(x->dir, &d, history, &err);

	if (r == 0)
		get_all(d, x->again);
	database_close(d);
	return r;
}

#define ID "0123456789abcdef0123456789abcdef"
#define GOOD                                                                                                           \
	"{\"finding\":0,\"severity\":3,\"id\":\"" ID "\",\"state\":\"" ID                                              \
	"\",\"firstSeenUsec\":1,\"announced\":true,\"name\":\"a\"}"

static void test_an_unreadable_state_is_set_aside(void **state)
{
	static const char *const texts[] = {
		"",
		"{",
		"[]",
		"{}",
		"{\"version\":2,\"findings\":[]}",
		"{\"version\":1}",
		"{\"version\":1,\"findings\":{}}",
		"{\"version\":1,\"findings\":[" GOOD ",1]}",
		"{\"version\":1,\"findings\":[" GOOD ",{\"finding\":9,\"severity\":3,\"id\":\"" ID "\",\"state\":\"" ID
		"\"}]}",
		"{\"version\":1,\"findings\":[" GOOD ",{\"finding\":0,\"severity\":7,\"id\":\"" ID "\",\"state\":\"" ID
		"\"}]}",
		"{\"version\":1,\"findings\":[" GOOD ",{\"finding\":0,\"severity\":3,\"id\":\"short\",\"state\":\"" ID
		"\"}]}",
		"{\"version\":1,\"findings\":[" GOOD "]} x",
	};
	struct fixture *x = *state;

	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		struct err history;

		write_state(x, texts[i]);
		assert_int_equal(import(x, &history), 0);
		assert_int_equal(history.code, EBADMSG);
		assert_non_null(strstr(history.msg, "is set aside as"));
		assert_int_equal(count(x->again), 0); /* nothing of it stays */
		assert_int_equal(access(x->path, F_OK), -1);
		assert_int_equal(access(x->bad, F_OK), 0);
	}
}

/* Else it would be met at each start. */
static void test_a_state_beyond_the_limits_is_set_aside(void **state)
{
	static const struct {
		const char *before, *after;
		char filling;
		size_t n;
	} cases[] = {
		{ "{\"version\":1,\"findings\":", "", '[', 2000 }, /* too deep */
		{ "{\"version\":1,\"findings\":[{\"finding\":0,\"severity\":3,\"id\":\"" ID "\",\"state\":\"" ID
		  "\",\"firstSeenUsec\":1,\"name\":\"",
		  "\"}]}", 'x', 1500000 }, /* a finding too large */
	};
	struct fixture *x = *state;

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(buf_done) struct buf text = BUF_INIT(4 << 20);
		struct err history;

		buf_add_cstr(&text, cases[i].before);
		for (size_t k = 0; k < cases[i].n; k++)
			buf_add_byte(&text, cases[i].filling);
		buf_add_cstr(&text, cases[i].after);
		write_state(x, text.p);
		assert_int_equal(import(x, &history), 0);
		assert_int_equal(history.code, E2BIG);
		assert_non_null(strstr(history.msg, "is set aside as"));
		assert_int_equal(count(x->again), 0);
	}
}

static void test_a_state_is_imported_once(void **state)
{
	struct fixture *x = *state;
	struct err history, err;

	write_state(x, "{\"version\":1,\"findings\":[" GOOD "]}");
	assert_int_equal(import(x, &history), 0);
	assert_int_equal(history.code, 0);
	assert_int_equal(count(x->again), 1);
	assert_string_equal(find(x->again, FINDING_DRIFT, STR("a"))->id, ID);
	assert_int_equal(access(x->path, F_OK), -1);
	findings_free(x->again);
	assert_int_equal(findings_new(x->sink, &x->again, &err), 0);
	assert_int_equal(import(x, &history), 0);
	assert_int_equal(count(x->again), 1);
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_there_and_back),
		TEST(test_it_is_private_and_holds_no_values),
		TEST(test_removed_and_undone),
		TEST(test_the_outbox),
		TEST(test_records_are_packed),
		TEST(test_a_dictionary_that_is_damaged),
		TEST(test_records_that_cannot_be_unpacked),
		TEST(test_older_records_are_packed),
		TEST(test_a_boot_is_settled_at_once),
		TEST(test_history_is_bounded),
		TEST(test_times_follow_the_clock),
		TEST(test_nothing_is_held_for_longer),
		TEST(test_a_malformed_finding_is_left_out),
		TEST(test_one_at_a_time),
		TEST(test_locked_for_one_alone),
		TEST(test_a_newer_one_is_refused),
		TEST(test_an_older_one_is_brought_up),
		TEST(test_one_of_version_4_is_brought_up),
		TEST(test_one_of_version_5_is_brought_up),
		TEST(test_one_of_version_9_is_brought_up),
		TEST(test_the_log_does_not_grow_for_ever),
		TEST(test_rules_keep_their_order),
		TEST(test_a_malformed_rule_is_met_once),
		TEST(test_what_was_inspected_is_taken_once),
		TEST(test_acceptances),
		TEST(test_a_malformed_acceptance_is_met_once),
		TEST(test_what_is_none_is_set_aside),
		TEST(test_no_folder_and_memory),
		TEST(test_an_unreadable_state_is_set_aside),
		TEST(test_a_state_beyond_the_limits_is_set_aside),
		TEST(test_a_state_is_imported_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

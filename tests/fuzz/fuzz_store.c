/* A state folder as driftd may find it: it starts, tells what it leaves out, and what it takes can be kept and read
 * again.
 *
 * The input is a list of what is in the folder, each behind a line "=== WHAT ARGUMENTS": S state.json, K hash.key, I
 * in-hand (zeros follow to the size of a page, and one for each character of the argument), D driftd.db instead of one
 * with rows; rows of it: F a finding (its id; "b" ahead of it: as a blob), C when a cluster was seen (usec, name), O a
 * record of the outbox (deferred, due, sent: "-" is NULL; about), R the same with the record as lines "NAME=value".
 *
 * The rows are put into a database in memory that stays, and from which they are taken again. What the folder makes of
 * them is looked at too, which takes ten times as long: while new inputs are looked for, of one in FUZZ_SAMPLE, as what
 * the input says nothing of and is as always; of a driftd.db that begins like one always, of another, which is set
 * aside whatever it holds, one time in 16. */
#include "base/file.h"
#include "base/hash.h"
#include "base/number.h"
#include "daemon/findings/finding_json.h"
#include "daemon/store/database/database_internal.h"
#include "daemon/store/database/state_key.h"
#include "daemon/store/writer_internal.h"
#include "daemon/watch/process/crash_marker.h"
#include "value/json.h"

#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define WRITER_TURNS 4
#define CRASH_MARKER_BYTES (1 << 17)

/* What is prepared for the database in memory. */
enum prepared { PUT_A_FINDING, PUT_A_TIME, PUT_A_RECORD, PUT_A_MARK, BEGIN_IT, COMMIT_IT, WIPES };

static const char *const texts[] = {
	[PUT_A_FINDING] = "INSERT INTO finding(id, body) VALUES(?1, ?2)",
	[PUT_A_TIME] = "INSERT INTO seen(cluster, usec) VALUES(?1, ?2)",
	[PUT_A_RECORD] = "INSERT INTO outbox(deferred, due_usec, about, record) VALUES(?1, ?2, ?3, ?4)",
	[PUT_A_MARK] = "INSERT INTO sent(seq, usec) VALUES(last_insert_rowid(), ?1)",
	[BEGIN_IT] = "BEGIN",
	[COMMIT_IT] = "COMMIT",
};

#define TABLES_MAX 32

static struct {
	char dir[64];
	bool filled; /* something may be in it */
	char *empty; /* a database without rows */
	size_t empty_n;
	struct database *memory;
	sqlite3_stmt *prepared[WIPES + TABLES_MAX]; /* behind the texts: one for each table, which empties it */
	size_t n_prepared;
	FILE *lines; /* in place of standard output */
	char *line;
	size_t line_n;
} fixed;

static void check(bool ok)
{
	if (!ok)
		abort();
}

/* ---- the folder ---- */

static const char *const names[] = { "driftd.db",           "driftd.db-wal",     "driftd.db-shm", "driftd.db.bad",
				     "driftd.db.bad-wal",   "driftd.db.bad-shm", "state.json",    "state.json.bad",
				     "state.json.imported", "hash.key",          "in-hand",       "in-hand.copy" };

static const char *path_of(const char *name)
{
	static char path[128];

	(void)snprintf(path, sizeof(path), "%s/%s", fixed.dir, name);
	return path;
}

static void empty_folder(void)
{
	if (!fixed.filled)
		return;
	fixed.filled = false;
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		(void)unlink(path_of(names[i]));
}

static void remove_folder(void)
{
	empty_folder();
	(void)rmdir(fixed.dir);
	free(fixed.empty);
	for (size_t i = 0; i < fixed.n_prepared; i++)
		(void)sqlite3_finalize(fixed.prepared[i]);
	database_close(TAKE(fixed.memory));
}

static void write_file(const char *name, str text)
{
	int fd = open(path_of(name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	fixed.filled = true;
	check(fd >= 0 && file_write_all(fd, text) == 0 && close(fd) == 0);
}

static bool exists(const char *name)
{
	return access(path_of(name), F_OK) == 0;
}

static void prepare(const char *text)
{
	check(fixed.n_prepared < ARRAY_LEN(fixed.prepared));
	check(sqlite3_prepare_v2(fixed.memory->db, text, -1, &fixed.prepared[fixed.n_prepared++], NULL) == SQLITE_OK);
}

static int prepare_wipe(void *ctx, int n, char **columns, char **of)
{
	char text[128];

	(void)ctx, (void)n, (void)of;
	(void)snprintf(text, sizeof(text), "DELETE FROM %s", columns[0]);
	prepare(text);
	return 0;
}

static void prepare_memory(void)
{
	struct err reported, err;

	check(database_open("", &fixed.memory, &reported, &err) == 0);
	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		prepare(texts[i]);
	check(sqlite3_exec(fixed.memory->db, "SELECT name FROM sqlite_schema WHERE type = 'table'", prepare_wipe, NULL,
			   NULL) == SQLITE_OK);
	check(fixed.n_prepared > WIPES);
}

static void run_prepared(size_t i)
{
	check(sqlite3_step(fixed.prepared[i]) == SQLITE_DONE && sqlite3_reset(fixed.prepared[i]) == SQLITE_OK);
}

static void wipe_memory(void)
{
	run_prepared(BEGIN_IT);
	for (size_t i = WIPES; i < fixed.n_prepared; i++)
		run_prepared(i);
	run_prepared(COMMIT_IT);
}

static void set_up(void)
{
	CLEANUP(database_closep) struct database *d = NULL;
	struct err reported, err;

	(void)snprintf(fixed.dir, sizeof(fixed.dir), "%s/fuzz-store-XXXXXX",
		       access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
	check(mkdtemp(fixed.dir) && atexit(remove_folder) == 0);
	fixed.filled = true;
	check(database_open(fixed.dir, &d, &reported, &err) == 0);
	database_close(TAKE(d));
	check(file_read(path_of("driftd.db"), 1 << 24, &fixed.empty, &fixed.empty_n, &err) == 0);
	fixed.lines = open_memstream(&fixed.line, &fixed.line_n);
	check(fixed.lines != NULL);
	prepare_memory();
}

/* ---- what the input puts into it ---- */

struct filling {
	bool folder; /* it is in the folder, not in memory */
	sqlite3 *db; /* with a transaction in it; NULL: there are no rows yet */
	size_t n_findings;
	bool state, other; /* there is a state.json; there is another database than ours */
	bool crash_marker, key, rows;
};

static str word(str *line)
{
	str w = STR("");

	(void)!str_next_part(line, ' ', &w);
	return w;
}

static int64_t number(str *line)
{
	int64_t n = 0;

	(void)!int64_parse(word(line), &n);
	return n;
}

static sqlite3_stmt *statement(struct filling *f, enum prepared which)
{
	sqlite3_stmt *s = NULL;

	if (!f->db && f->folder) {
		check(sqlite3_open(path_of("driftd.db"), &f->db) == SQLITE_OK);
		check(sqlite3_exec(f->db, "PRAGMA synchronous=OFF; BEGIN", NULL, NULL, NULL) == SQLITE_OK);
	} else if (!f->db) {
		f->db = fixed.memory->db;
		run_prepared(BEGIN_IT);
	}
	if (!f->folder)
		return fixed.prepared[which];
	check(sqlite3_prepare_v2(f->db, texts[which], -1, &s, NULL) == SQLITE_OK);
	return s;
}

/* True when the row is in; a second one of the same id is not. */
static bool insert(const struct filling *f, sqlite3_stmt *s)
{
	bool done = sqlite3_step(s) == SQLITE_DONE;

	check((f->folder ? sqlite3_finalize(s) : sqlite3_reset(s)) == SQLITE_OK || !done);
	return done;
}

static void bind(sqlite3_stmt *s, int at, str text, bool blob)
{
	if (blob)
		check(sqlite3_bind_blob64(s, at, text.p, text.n, SQLITE_STATIC) == SQLITE_OK);
	else
		check(sqlite3_bind_text64(s, at, text.p, text.n, SQLITE_STATIC, SQLITE_UTF8) == SQLITE_OK);
}

static void put_finding(struct filling *f, str line, str body)
{
	sqlite3_stmt *s = statement(f, PUT_A_FINDING);
	bool blob = line.n && *line.p == 'b';

	bind(s, 1, blob ? str_sub(line, 1, line.n) : line, blob);
	bind(s, 2, body, blob);
	f->n_findings += insert(f, s);
}

static void put_seen(struct filling *f, str line)
{
	sqlite3_stmt *s = statement(f, PUT_A_TIME);

	check(sqlite3_bind_int64(s, 2, number(&line)) == SQLITE_OK);
	bind(s, 1, line, false);
	(void)insert(f, s);
}

static void put_record(struct filling *f, str line, str record)
{
	sqlite3_stmt *s = statement(f, PUT_A_RECORD);
	str sent;

	check(sqlite3_bind_int64(s, 1, number(&line)) == SQLITE_OK &&
	      sqlite3_bind_int64(s, 2, number(&line)) == SQLITE_OK);
	sent = word(&line);
	bind(s, 3, line, false);
	bind(s, 4, record, true);
	if (!insert(f, s) || str_eq(sent, STR("-")))
		return;
	s = statement(f, PUT_A_MARK);
	check(sqlite3_bind_int64(s, 1, number(&sent)) == SQLITE_OK);
	(void)insert(f, s);
}

/* "NAME=value" lines as record_encode has them; names may be none. The first line is the text. */
static void put_record_of_lines(struct filling *f, str line, str body)
{
	CLEANUP(buf_done) struct buf bytes = BUF_INIT(1 << 20);
	struct record r;
	str text = STR(""), field;

	record_init(&r, MESSAGE_DRIFT_BEGIN, 4);
	(void)!str_next_part(&body, '\n', &text);
	r.text = text;
	while (r.n_fields < RECORD_FIELDS_MAX && body.n && str_next_part(&body, '\n', &field)) {
		ptrdiff_t equals = str_find_byte(field, '=');
		str name = arena_str(&r.arena, str_sub(field, 0, equals < 0 ? field.n : (size_t)equals));

		check(name.p != NULL);
		r.fields[r.n_fields++] =
			(struct record_field){ name.p,
					       equals < 0 ? STR("") : str_sub(field, (size_t)equals + 1, field.n) };
	}
	record_encode(&r, &bytes);
	put_record(f, line, buf_str(&bytes));
	record_done(&r);
}

/* With zeros up to the size that it has, and @more. */
static void put_crash_marker(str text, size_t more)
{
	CLEANUP(buf_done) struct buf bytes = BUF_INIT(2 * CRASH_MARKER_BYTES);
	CLEANUP(freep) char *made = NULL;
	struct crash_marker *h = NULL;
	struct err err;
	size_t n;

	fixed.filled = true;
	check(crash_marker_open(path_of("in-hand"), ENDED_UNKNOWN, &h, &err) == 0);
	crash_marker_close(h);
	check(file_read(path_of("in-hand"), CRASH_MARKER_BYTES, &made, &n, &err) == 0);
	buf_add_str(&bytes, str_sub(text, 0, CRASH_MARKER_BYTES));
	if (bytes.n < n + more)
		buf_fill(&bytes, '\0', n + more - bytes.n);
	write_file("in-hand", buf_str(&bytes));
}

static void put(struct filling *f, char what, str line, str body)
{
	if (what == 'S') {
		write_file("state.json", body);
		f->state = true;
	} else if (what == 'K') {
		write_file("hash.key", body);
		f->key = true;
	} else if (what == 'I') {
		put_crash_marker(body, line.n);
		f->crash_marker = true;
	} else if (f->other || !strchr("FCORD", what)) {
		return;
	} else if (what == 'F') {
		put_finding(f, line, body);
	} else if (what == 'C') {
		put_seen(f, line);
	} else if (what == 'O') {
		put_record(f, line, body);
	} else if (what == 'R') {
		put_record_of_lines(f, line, body);
	} else if (what == 'D') {
		check(sqlite3_close(TAKE(f->db)) == SQLITE_OK);
		write_file("driftd.db", body);
		f->other = true;
	}
}

static void fill(struct filling *f, str text)
{
	ptrdiff_t mark = str_find(text, STR("=== "));

	empty_folder();
	if (f->folder)
		write_file("driftd.db", (str){ fixed.empty, fixed.empty_n });
	while (mark >= 0) {
		ptrdiff_t line;

		text = str_sub(text, (size_t)mark + 4, text.n);
		mark = str_find(text, STR("=== "));
		line = str_find_byte(text, '\n');
		if (line < 1 || (mark >= 0 && line > mark))
			continue;
		f->rows |= *text.p && strchr("FCORDS", *text.p);
		put(f, *text.p, str_trim(str_sub(text, 1, (size_t)line)),
		    str_sub(text, (size_t)line + 1, mark < 0 ? text.n : (size_t)mark));
	}
	if (!f->db)
		return;
	check(sqlite3_exec(f->db, "COMMIT", NULL, NULL, NULL) == SQLITE_OK);
	check(!f->folder || sqlite3_close(f->db) == SQLITE_OK);
}

/* ---- a start of driftd (daemon/app/keeping.c) ---- */

struct start {
	struct database *database;
	struct sink *sink;
	struct findings *findings;
	uint64_t taken; /* the findings, in any order */
	size_t n_taken, malformed;
	int64_t seen_usec;
};

static int restore(void *ctx, const struct finding *x, struct err *err)
{
	CLEANUP(buf_done) struct buf json = BUF_INIT(8 << 20);
	struct start *s = ctx;

	finding_to_json(x, &json);
	s->taken += hash_str(buf_str(&json), 0);
	s->n_taken++;
	return findings_restore(s->findings, x, err);
}

static int restore_seen(void *ctx, str cluster, int64_t usec, struct err *err)
{
	struct start *s = ctx;

	(void)cluster;
	(void)err;
	s->seen_usec = usec;
	return 0;
}

/* What is told must be writable, as the journal and as lines have it. */
static void take(void *ctx, const struct emission *t)
{
	CLEANUP(buf_done) struct buf bytes = BUF_INIT(16 << 20);
	struct record r;
	struct err err;

	(void)ctx;
	if (!t->record)
		return;
	record_encode(t->record, &bytes);
	check(record_decode(buf_str(&bytes), &r, &err) == 0 && r.text.n > 0);
	record_done(&r);
}

static int open_database(struct start *s, const struct filling *f, struct err *reported, struct err *err)
{
	if (f->folder)
		return database_open(fixed.dir, &s->database, reported, err);
	s->database = fixed.memory;
	return f->state ? database_import_state(s->database, fixed.dir, reported, err) : 0;
}

/* False when the folder cannot be used; then that is told. */
static bool start(struct start *s, const struct filling *f, struct err *reported)
{
	struct sink_taker taker = { .take = take };
	struct err err = { 0 };

	if (open_database(s, f, reported, &err) < 0) {
		check(err.code && *err.msg);
		return false;
	}
	s->sink = sink_new(&taker);
	check(s->sink && findings_new(s->sink, &s->findings, &err) == 0);
	if (database_findings(s->database, restore, s, &s->malformed, &err) < 0 ||
	    database_seen(s->database, restore_seen, s, &err) < 0) {
		check(err.code && *err.msg);
		return false;
	}
	return true;
}

static void close_start(struct start *s)
{
	findings_free(TAKE(s->findings));
	sink_free(TAKE(s->sink));
	if (s->database != fixed.memory)
		database_close(s->database);
	s->database = NULL;
}

/* ---- what becomes of it ---- */

static int keep_one(struct database *d, const struct finding *x, struct err *err)
{
	CLEANUP(buf_done) struct buf json = BUF_INIT(8 << 20);

	finding_to_json(x, &json);
	check(!json.error);
	return database_put_finding(d, x->id, buf_str(&json), err);
}

/* As if each had changed. */
static void keep_all(struct start *s)
{
	const struct finding *x;
	size_t at = 0;
	struct err err;
	int r = database_begin(s->database, &err);

	while (r == 0 && (x = findings_each(s->findings, &at)))
		r = keep_one(s->database, x, &err);
	check(database_end(s->database, r, &err) == 0);
}

static bool nobody(void *ctx, str cluster)
{
	(void)ctx;
	(void)cluster;
	return false;
}

/* All ends, some time after the cluster was seen last. */
static void end_all(struct start *s)
{
	const struct time_span span = { s->seen_usec, s->seen_usec };

	findings_set_span(s->findings, s->seen_usec > 0 ? &span : NULL);
	findings_tick(s->findings, UINT64_MAX / 2);
	while (!findings_end_unwatched(s->findings, nobody, NULL)) {
	}
	check(findings_each(s->findings, &(size_t){ 0 }) == NULL);
}

static void look_at_lines(str text)
{
	struct limits limits = LIMITS_DEFAULT;
	struct json_options o = { .limits = &limits };
	struct err err;
	str line;

	while (text.n && str_next_part(&text, '\n', &line)) {
		struct doc *d = NULL;

		if (!line.n)
			continue;
		check(json_decode(line, &o, &d, &err) == 0 && val_str(VAL_GET(d->root, "MESSAGE_ID")).n == 32);
		doc_unref(d);
	}
}

/* The steps of the writer's thread, without the thread. Takes the database, unless it stays. */
static void write_outbox(struct database *d)
{
	const struct writer_options o = { .database = d, .output = CFG_OUTPUT_JSON, .history_bytes = 1 << 20 };
	struct writer *w = NULL;
	FILE *saved = stdout;
	struct err err;

	check(writer_new(&o, &w, &err) == 0);
	rewind(fixed.lines);
	stdout = fixed.lines;
	deferral_clock_look(&w->clock);
	writer_read_outbox(w);
	check(w->recovery.state != READ_OUTBOX);
	for (int i = 0; i < WRITER_TURNS; i++) {
		w->sender.again_ms = w->deferral.release_ms = 0;
		check(writer_turn(w, 0));
	}
	writer_end(w);
	stdout = saved;
	check(fflush(fixed.lines) == 0 && STAILQ_EMPTY(&w->sender.unsent));
	look_at_lines((str){ fixed.line, fixed.line_n });
	if (d == fixed.memory)
		w->database = NULL;
	check(writer_stop(w, 0)); /* it was not started */
}

/* Whatever was there, what is in hand when memory runs out is condemned at the second time. */
static void look_at_crash_marker(void)
{
	const struct finding_subject s = { .cluster = STR("c"), .kind = STR("K"), .name = STR("n"), .uid = STR("u") };

	for (int i = 0; i < 3; i++) {
		struct crash_marker *h = NULL;
		struct crash_marker_end end;
		CLEANUP(freep) char *page = NULL;
		struct err err;
		size_t n;

		check(crash_marker_open(path_of("in-hand"), ENDED_FOR_MEMORY, &h, &err) == 0);
		check(i < 2 || crash_marker_condemned(h, &s, &end));
		crash_marker_set(h, &s);
		check(file_read(path_of("in-hand"), CRASH_MARKER_BYTES * 2, &page, &n, &err) == 0);
		crash_marker_close(h);
		write_file("in-hand", (str){ page, n });
	}
}

static void look_at_key(void)
{
	unsigned char first[FINDINGS_KEY_SIZE], again[FINDINGS_KEY_SIZE];
	struct err err;

	check(state_key_load(fixed.dir, first, &err) == 0 && state_key_load(fixed.dir, again, &err) == 0);
	check(memcmp(first, again, sizeof(first)) == 0);
}

/* What was left out of the input is told: rows by their number, a state by name. */
static void check_left_out(const struct filling *f, const struct start *s, const struct err *reported)
{
	check(f->state || s->n_taken + s->malformed == f->n_findings);
	check(!f->state || (!exists("state.json") && exists("state.json.bad") == (reported->code != 0)));
	check(f->state || !reported->code);
}

/* Started, kept, and started again. */
static void run(const struct filling *f, bool all)
{
	struct err reported = { 0 }, again = { 0 };
	struct start first = { 0 }, second = { 0 };
	bool started = start(&first, f, &reported);

	check(!reported.code || *reported.msg);
	if (started && !f->other)
		check_left_out(f, &first, &reported);
	if (started && !all && f->n_findings == 0 && !f->state && !f->other) {
		write_outbox(TAKE(first.database)); /* there is nothing that would be kept */
	} else if (started) {
		keep_all(&first);
		close_start(&first);
		/* A state is looked at once the database is one. */
		check(start(&second, f, &again) && second.malformed == 0 && (!again.code || (f->other && f->state)));
		check(f->other || first.taken == second.taken);
		end_all(&second);
		write_outbox(TAKE(second.database));
	}
	close_start(&second);
	close_start(&first);
}

#define OTHER_SAMPLE (FUZZ_SAMPLE < 16 ? FUZZ_SAMPLE : 16)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	str text = { (const char *)data, size };
	uint64_t hash = hash_bytes(data, size, 0);
	bool all = hash % FUZZ_SAMPLE == 0, other = str_find(text, STR("=== D")) >= 0;
	struct filling f = { .folder = all || other };

	if (!fixed.lines)
		set_up();
	if (other && !all && hash % OTHER_SAMPLE != 0 && str_find(text, STR("SQLite format 3")) < 0)
		return 0;
	fill(&f, text);
	if (all || f.rows)
		run(&f, all);
	if (all || f.crash_marker)
		look_at_crash_marker();
	if (all || f.key)
		look_at_key();
	if (!f.folder && f.rows)
		wipe_memory();
	return 0;
}

/* Adding rows of other databases. What comes in is gathered in temporary tables, which may be on the disk as well,
 * until all of it is there: then its order is known, and what is there already is left out. */
#include "daemon/store/database/database_move.h"

#include "daemon/findings/clock.h"
#include "daemon/findings/finding_json.h"
#include "daemon/findings/finding_record.h"
#include "daemon/store/database/database_internal.h"

#include <errno.h>
#include <stdio.h>

#define KEY_BYTES_MAX ((size_t)16 << 20)
#define JSON_BYTES_MAX ((size_t)8 << 20)
#define RECORD_BYTES_MAX ((size_t)8 << 20)

static const char tables[] =
	"PRAGMA synchronous=FULL;"
	"CREATE TEMP TABLE move_place(key BLOB PRIMARY KEY, id TEXT NOT NULL) WITHOUT ROWID;"
	"CREATE TEMP TABLE move_finding(seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, key BLOB NOT NULL,"
	" usec INTEGER NOT NULL, body TEXT NOT NULL, told BLOB);"
	"CREATE TEMP TABLE move_process(finding TEXT, file INTEGER, key BLOB, PRIMARY KEY(finding, file)) WITHOUT "
	"ROWID;"
	"CREATE TEMP TABLE move_over(finding TEXT PRIMARY KEY) WITHOUT ROWID;"
	"CREATE TEMP TABLE move_waits(file INTEGER, record TEXT, own INTEGER NOT NULL, PRIMARY KEY(file, record))"
	" WITHOUT ROWID;"
	"CREATE TEMP TABLE move_told(record TEXT PRIMARY KEY) WITHOUT ROWID;"
	"CREATE TEMP TABLE move_twin(id TEXT PRIMARY KEY, about TEXT NOT NULL, record BLOB NOT NULL);"
	"CREATE TEMP TABLE move_record(seq INTEGER PRIMARY KEY, id BLOB NOT NULL UNIQUE, about TEXT NOT NULL,"
	" deferred INTEGER NOT NULL, due_usec INTEGER NOT NULL, hold_usec INTEGER NOT NULL, sent_usec INTEGER,"
	" record BLOB NOT NULL);"
	"CREATE TEMP TABLE move_line(seq INTEGER PRIMARY KEY, usec INTEGER NOT NULL, finding TEXT NOT NULL,"
	" record TEXT NOT NULL UNIQUE, event TEXT NOT NULL, severity TEXT, cluster TEXT, kind TEXT, namespace TEXT,"
	" name TEXT, message TEXT NOT NULL);"
	"CREATE TEMP TABLE move_inspected(cluster TEXT, line TEXT, PRIMARY KEY(cluster, line)) WITHOUT ROWID;";

static const char drops[] = "DROP TABLE IF EXISTS move_place; DROP TABLE IF EXISTS move_twin;"
			    "DROP TABLE IF EXISTS move_finding; DROP TABLE IF EXISTS move_over;"
			    "DROP TABLE IF EXISTS move_process;"
			    "DROP TABLE IF EXISTS move_waits; DROP TABLE IF EXISTS move_told;"
			    "DROP TABLE IF EXISTS move_record; DROP TABLE IF EXISTS move_line;"
			    "DROP TABLE IF EXISTS move_inspected; PRAGMA synchronous=NORMAL";

static const char overs_to_place[] = "DELETE FROM finding WHERE id IN (SELECT finding FROM move_over);"
				     "DELETE FROM move_place WHERE id IN (SELECT finding FROM move_over);";

#define RENAMED "move_place p JOIN move_process m ON m.finding = p.id AND m.key <> p.key"

/* A process had them under another number, in this folder: they come in under the new one. */
static const char renamed_to_place[] =
	"UPDATE outbox SET about = (SELECT CAST(m.key AS TEXT) FROM " RENAMED " WHERE p.key = CAST(about AS BLOB))"
	" WHERE CAST(about AS BLOB) IN (SELECT p.key FROM " RENAMED ");"
	"DELETE FROM finding WHERE id IN (SELECT p.id FROM " RENAMED ");"
	"DELETE FROM move_place WHERE key IN (SELECT p.key FROM " RENAMED ");"
	"DELETE FROM told WHERE seq NOT IN (SELECT seq FROM finding);";

static const char open_findings[] =
	"SELECT id, body, told FROM move_finding m WHERE id NOT IN (SELECT finding FROM move_over)"
	" AND NOT EXISTS(SELECT 1 FROM history h WHERE h.finding = m.id AND h.event IN ('end', 'expired'))"
	" ORDER BY seq";

/* A record's bytes begin with its id. Its place in the outbox is found by it again for the mark. */
static const char records_to_place[] =
	"DELETE FROM outbox WHERE CAST(substr(record, 1, 32) AS TEXT) IN (SELECT record FROM move_told);"
	"DELETE FROM sent WHERE seq NOT IN (SELECT seq FROM outbox);"
	"DELETE FROM move_record WHERE id IN (SELECT substr(record, 1, 32) FROM outbox)"
	" OR CAST(id AS TEXT) IN (SELECT record FROM history) OR CAST(id AS TEXT) IN (SELECT record FROM move_told);"
	"INSERT INTO outbox(deferred, due_usec, hold_usec, about, record)"
	" SELECT deferred, due_usec, hold_usec, about, record FROM move_record ORDER BY seq;"
	"INSERT INTO sent(seq, usec) SELECT o.seq, m.sent_usec FROM outbox o"
	" JOIN move_record m ON m.id = substr(o.record, 1, 32) WHERE m.sent_usec IS NOT NULL;";

/* Behind what waits of the same place, as any other record. */
static const char twins_to_place[] =
	"DELETE FROM move_twin WHERE substr(record, 1, 32) IN (SELECT substr(record, 1, 32) FROM outbox)"
	" OR CAST(substr(record, 1, 32) AS TEXT) IN (SELECT record FROM history);"
	"INSERT INTO outbox(deferred, due_usec, hold_usec, about, record)"
	" SELECT w.about IS NOT NULL, coalesce(w.due_usec, 0), coalesce(w.hold_usec, 0), t.about, t.record"
	" FROM move_twin t LEFT JOIN (SELECT about, max(due_usec) AS due_usec, max(hold_usec) AS hold_usec"
	" FROM outbox WHERE deferred GROUP BY about) w ON w.about = t.about ORDER BY t.rowid;";

#define LINE "usec, finding, record, event, severity, cluster, kind, namespace, name, message"

/* By age, whichever file it came from: the oldest are pruned first. Where nothing comes in nothing moves. */
static const char lines_to_place[] = "DELETE FROM move_line WHERE record IN (SELECT record FROM history);"
				     "INSERT OR IGNORE INTO move_line(" LINE ") SELECT " LINE " FROM history"
				     " WHERE EXISTS(SELECT 1 FROM move_line) ORDER BY seq;"
				     "DELETE FROM history WHERE EXISTS(SELECT 1 FROM move_line);"
				     "INSERT INTO history(" LINE ") SELECT " LINE " FROM move_line ORDER BY usec, seq;";

static const char inspected_to_place[] =
	"INSERT OR REPLACE INTO inspected(cluster, versions)"
	" SELECT cluster, CAST(group_concat(line, char(10)) || char(10) AS BLOB) FROM move_inspected GROUP BY cluster;";

static int execute(struct database *d, const char *text, struct err *err)
{
	return sqlite3_exec(d->db, text, NULL, NULL, NULL) == SQLITE_OK ? 0 : database_failed(d, err);
}

/* ---- places ---- */

/* Note that the finding @id has the place @key. 1: it was free; 0: the finding has it already; in *other the finding
 * that has it instead, with 2. */
static int take_place(struct database *d, str key, str id, char other[FINDING_ID_SIZE], struct err *err)
{
	int r = database_prepare(d, MOVE_PLACE, err);
	sqlite3_stmt *s;

	if (r < 0)
		return r;
	(void)sqlite3_bind_blob64(d->statements[MOVE_PLACE], 1, key.p, key.n, SQLITE_STATIC);
	database_bind(d, MOVE_PLACE, 2, id);
	r = database_run(d, MOVE_PLACE, err);
	if (r < 0 || sqlite3_changes(d->db))
		return r < 0 ? r : 1;
	r = database_prepare(d, MOVE_PLACE_ID, err);
	if (r < 0)
		return r;
	s = d->statements[MOVE_PLACE_ID];
	(void)sqlite3_bind_blob64(s, 1, key.p, key.n, SQLITE_STATIC);
	if (sqlite3_step(s) == SQLITE_ROW)
		r = str_eq(database_column(s, 0), id) ? 0 : 2;
	else
		r = database_failed(d, err);
	(void)snprintf(other, FINDING_ID_SIZE, "%.*s", STR_ARG(r == 2 ? database_column(s, 0) : STR("")));
	(void)sqlite3_reset(s);
	return r;
}

static int take_place_of(struct database *d, const struct finding *x, char other[FINDING_ID_SIZE], struct err *err)
{
	CLEANUP(buf_done) struct buf key = BUF_INIT(KEY_BYTES_MAX);

	finding_key(x->kind, &x->subject, &key);
	if (buf_error(&key, "the key of a finding", err) < 0)
		return -err->code;
	return take_place(d, buf_str(&key), str_from(x->id), other, err);
}

static int note_place(void *ctx, const struct moved_finding *x, struct err *err)
{
	char other[FINDING_ID_SIZE];
	int r = take_place_of(ctx, x->finding, other, err);

	return r < 0 ? r : 0;
}

static int note_inspected(void *ctx, str cluster, str versions, struct err *err)
{
	int r = 0;
	str line;

	while (r == 0 && versions.n && str_next_part(&versions, '\n', &line))
		r = line.n ? database_move_inspected(ctx, cluster, line, err) : 0;
	return r;
}

int database_move_begin(struct database *d, struct err *err)
{
	size_t malformed;
	int r = execute(d, tables, err);

	d->move.file = d->move.exported_usec = 0;
	if (r == 0)
		r = database_begin(d, err);
	if (r < 0) {
		(void)sqlite3_exec(d->db, drops, NULL, NULL, NULL);
		return r;
	}
	r = database_each_moved_finding(d, note_place, d, &malformed, err);
	if (r == 0)
		r = database_each_inspected(d, note_inspected, d, err);
	return r < 0 ? database_move_end(d, r, err) : 0;
}

void database_move_file(struct database *d, int64_t exported_usec)
{
	d->move.file++;
	d->move.exported_usec = exported_usec;
}

/* ---- findings ---- */

/* Its id backwards: of one that comes in once more it is the same, and so it is told once. */
static void id_of_twin_end(const struct finding *x, char ret[RECORD_ID_SIZE])
{
	_Static_assert(RECORD_ID_SIZE == FINDING_ID_SIZE, "one is as long as the other");
	for (size_t i = 0; i < RECORD_ID_SIZE - 1; i++)
		ret[i] = x->id[RECORD_ID_SIZE - 2 - i];
	ret[RECORD_ID_SIZE - 1] = '\0';
}

static int add_twin(struct database *d, const struct finding *x, const struct record *r, struct err *err)
{
	CLEANUP(buf_done) struct buf about = BUF_INIT(KEY_BYTES_MAX), bytes = BUF_INIT(RECORD_BYTES_MAX);
	int status = database_prepare(d, MOVE_TWIN, err);

	finding_key(x->kind, &x->subject, &about);
	record_encode(r, &bytes);
	if (status == 0)
		status = buf_error(&about, "the key of a finding", err);
	if (status == 0)
		status = buf_error(&bytes, "a record", err);
	if (status < 0)
		return status;
	database_bind(d, MOVE_TWIN, 1, str_from(x->id));
	database_bind(d, MOVE_TWIN, 2, buf_str(&about));
	(void)sqlite3_bind_blob64(d->statements[MOVE_TWIN], 3, bytes.p, bytes.n, SQLITE_STATIC);
	return database_run(d, MOVE_TWIN, err);
}

/* Two processes told the same under an id each: whoever reads the journal must see the end of both. */
static int end_twin(struct database *d, const struct finding *x, const char *other, struct err *err)
{
	static const struct record_terms terms;
	static const struct blame nobody;
	char why[64];
	struct record r;
	int status;

	if (!x->announced)
		return 0;
	(void)snprintf(why, sizeof(why), "told on as %.8s", other);
	record_end(&r, x, NULL, why, &nobody, &terms);
	id_of_twin_end(x, r.id);
	status = add_twin(d, x, &r, err);
	if (status == 0)
		status = database_move_line(d,
					    &(struct moved_line){ .usec = clock_usec(),
								  .finding = str_from(x->id),
								  .record = str_from(r.id),
								  .event = record_get(&r, "DRIFTD_EVENT"),
								  .severity = record_get(&r, "DRIFTD_SEVERITY"),
								  .cluster = x->subject.cluster,
								  .kind = x->subject.kind,
								  .namespace = x->subject.namespace,
								  .name = x->subject.name,
								  .message = r.text },
					    err);
	record_done(&r);
	return status;
}

static int known_as_another(const struct finding *x, struct err *err)
{
	return err_set(err, EBADMSG, "finding %s is known as another one", x->id);
}

static int put_finding(struct database *d, const struct moved_finding *x, struct err *err)
{
	CLEANUP(buf_done) struct buf json = BUF_INIT(JSON_BYTES_MAX);
	int r = database_prepare(d, MOVE_OPEN, err);

	finding_to_json(x->finding, &json);
	if (r == 0)
		r = buf_error(&json, "a finding", err);
	if (r < 0)
		return r;
	database_bind(d, MOVE_OPEN, 1, str_from(x->finding->id));
	database_bind(d, MOVE_OPEN, 2, buf_str(&json));
	r = database_run(d, MOVE_OPEN, err);
	if (r < 0)
		return r;
	if (!sqlite3_changes(d->db))
		return known_as_another(x->finding, err);
	return x->told.n ? database_put_told(d, x->finding->id, x->told, err) : 0;
}

/* All files were read. */
static int place_finding(void *ctx, const struct moved_finding *x, struct err *err)
{
	struct database *d = ctx;
	char other[FINDING_ID_SIZE];
	int r = take_place_of(d, x->finding, other, err);

	if (r == 1)
		return put_finding(d, x, err);
	return r == 2 ? end_twin(d, x->finding, other, err) : r;
}

/* The row of a prepared statement, which gives an integer. 1; 0: there is none. */
static int one_integer(struct database *d, enum statement which, int *ret, struct err *err)
{
	sqlite3_stmt *s = d->statements[which];
	int step = sqlite3_step(s), r;

	if (step == SQLITE_ROW)
		*ret = sqlite3_column_int(s, 0);
	r = step == SQLITE_ROW ? 1 : step == SQLITE_DONE ? 0 : database_failed(d, err);
	(void)sqlite3_reset(s);
	return r;
}

/* It came before. */
static int check_key(struct database *d, const struct finding *x, str key, struct err *err)
{
	int r = database_prepare(d, MOVE_FINDING_KEY, err), same = 0;

	if (r < 0)
		return r;
	database_bind(d, MOVE_FINDING_KEY, 1, str_from(x->id));
	(void)sqlite3_bind_blob64(d->statements[MOVE_FINDING_KEY], 2, key.p, key.n, SQLITE_STATIC);
	r = one_integer(d, MOVE_FINDING_KEY, &same, err);
	return r < 0 ? r : same ? 0 : known_as_another(x, err);
}

int database_move_finding(struct database *d, const struct moved_finding *x, struct err *err)
{
	CLEANUP(buf_done) struct buf key = BUF_INIT(KEY_BYTES_MAX), json = BUF_INIT(JSON_BYTES_MAX);
	int r = database_prepare(d, MOVE_FINDING, err);
	sqlite3_stmt *s = d->statements[MOVE_FINDING];

	finding_key(x->finding->kind, &x->finding->subject, &key);
	finding_to_json(x->finding, &json);
	if (r == 0)
		r = buf_error(&key, "the key of a finding", err);
	if (r == 0)
		r = buf_error(&json, "a finding", err);
	if (r < 0)
		return r;
	database_bind(d, MOVE_FINDING, 1, str_from(x->finding->id));
	(void)sqlite3_bind_blob64(s, 2, key.p, key.n, SQLITE_STATIC);
	(void)sqlite3_bind_int64(s, 3, d->move.exported_usec);
	database_bind(d, MOVE_FINDING, 4, buf_str(&json));
	if (x->told.n)
		(void)sqlite3_bind_blob64(s, 5, x->told.p, x->told.n, SQLITE_STATIC);
	r = database_run(d, MOVE_FINDING, err);
	return r < 0 || sqlite3_changes(d->db) ? r : check_key(d, x->finding, buf_str(&key), err);
}

/* ---- what a process has for itself ---- */

int database_move_process(struct database *d, const struct finding *x, bool own, struct err *err)
{
	CLEANUP(buf_done) struct buf key = BUF_INIT(KEY_BYTES_MAX);
	int r = database_prepare(d, MOVE_PROCESS, err);

	if (own)
		finding_key(x->kind, &x->subject, &key);
	if (r == 0)
		r = buf_error(&key, "the key of a finding", err);
	if (r < 0)
		return r;
	database_bind(d, MOVE_PROCESS, 1, str_from(x->id));
	(void)sqlite3_bind_int64(d->statements[MOVE_PROCESS], 2, d->move.file);
	if (own)
		(void)sqlite3_bind_blob64(d->statements[MOVE_PROCESS], 3, key.p, key.n, SQLITE_STATIC);
	return database_run(d, MOVE_PROCESS, err);
}

int database_move_process_of(struct database *d, str id, bool *own, struct buf *about, struct err *err)
{
	sqlite3_stmt *s;
	int r = database_prepare(d, MOVE_PROCESS_OF, err), step;

	if (r < 0)
		return r;
	database_bind(d, MOVE_PROCESS_OF, 1, id);
	s = d->statements[MOVE_PROCESS_OF];
	(void)sqlite3_bind_int64(s, 2, d->move.file);
	step = sqlite3_step(s);
	if (step == SQLITE_ROW) {
		*own = sqlite3_column_type(s, 0) != SQLITE_NULL;
		buf_add_str(about, database_column(s, 0));
	}
	r = step == SQLITE_ROW ? 1 : step == SQLITE_DONE ? 0 : database_failed(d, err);
	(void)sqlite3_reset(s);
	return r;
}

/* ---- what else there is ---- */

static int note_waits(struct database *d, const char *id, bool own, struct err *err)
{
	int r = database_prepare(d, MOVE_WAITS, err);

	if (r < 0)
		return r;
	(void)sqlite3_bind_int64(d->statements[MOVE_WAITS], 1, d->move.file);
	database_bind(d, MOVE_WAITS, 2, str_from(id));
	(void)sqlite3_bind_int(d->statements[MOVE_WAITS], 3, own);
	return database_run(d, MOVE_WAITS, err);
}

int database_move_record(struct database *d, const struct moved_record *x, const char *id, bool own, struct err *err)
{
	int r = note_waits(d, id, own, err);
	sqlite3_stmt *s;

	if (r < 0 || !own)
		return r;
	r = database_prepare(d, MOVE_RECORD, err);
	if (r < 0)
		return r;
	s = d->statements[MOVE_RECORD];
	(void)sqlite3_bind_blob64(s, 1, id, strlen(id), SQLITE_STATIC);
	database_bind(d, MOVE_RECORD, 2, x->about);
	(void)sqlite3_bind_int(s, 3, x->deferred);
	(void)sqlite3_bind_int64(s, 4, x->due_usec);
	(void)sqlite3_bind_int64(s, 5, x->hold_usec);
	if (x->sent)
		(void)sqlite3_bind_int64(s, 6, x->sent_usec);
	(void)sqlite3_bind_blob64(s, 7, x->record.p, x->record.n, SQLITE_STATIC);
	return database_run(d, MOVE_RECORD, err);
}

/* Prepared, with one text. */
static int note(struct database *d, enum statement which, str text, struct err *err)
{
	int r = database_prepare(d, which, err);

	if (r < 0)
		return r;
	database_bind(d, which, 1, text);
	return database_run(d, which, err);
}

/* 1, with *own; 0. */
static int waits(struct database *d, str record, bool *own, struct err *err)
{
	int r = database_prepare(d, MOVE_WAITS_OF, err), value = 0;

	if (r < 0)
		return r;
	(void)sqlite3_bind_int64(d->statements[MOVE_WAITS_OF], 1, d->move.file);
	database_bind(d, MOVE_WAITS_OF, 2, record);
	r = one_integer(d, MOVE_WAITS_OF, &value, err);
	*own = value;
	return r;
}

int database_move_look(struct database *d, const struct moved_line *x, bool *own, struct err *err)
{
	int r = waits(d, x->record, own, err), status = 0;

	if (r == 0)
		status = note(d, MOVE_NOTE_TOLD, x->record, err);
	if (r >= 0 && status == 0 && (str_eq(x->event, STR("end")) || str_eq(x->event, STR(FINDING_EXPIRED))))
		status = note(d, MOVE_NOTE_OVER, x->finding, err);
	return status < 0 ? status : r;
}

int database_move_line(struct database *d, const struct moved_line *x, struct err *err)
{
	const str *const texts[] = { &x->finding, &x->record,    &x->event, &x->severity, &x->cluster,
				     &x->kind,    &x->namespace, &x->name,  &x->message };
	int r = database_prepare(d, MOVE_LINE, err);

	if (r < 0)
		return r;
	(void)sqlite3_bind_int64(d->statements[MOVE_LINE], 1, x->usec);
	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		database_bind(d, MOVE_LINE, 2 + (int)i, *texts[i]);
	return database_run(d, MOVE_LINE, err);
}

/* Prepared, with two texts. */
static int run_texts(struct database *d, enum statement which, str first, str second, struct err *err)
{
	int r = database_prepare(d, which, err);

	if (r < 0)
		return r;
	database_bind(d, which, 1, first);
	database_bind(d, which, 2, second);
	return database_run(d, which, err);
}

int database_move_seen(struct database *d, str cluster, int64_t usec, struct err *err)
{
	int r = database_prepare(d, MOVE_SEEN, err);

	if (r < 0)
		return r;
	database_bind(d, MOVE_SEEN, 1, cluster);
	(void)sqlite3_bind_int64(d->statements[MOVE_SEEN], 2, usec);
	return database_run(d, MOVE_SEEN, err);
}

int database_move_acceptance(struct database *d, str id, str json, struct err *err)
{
	return run_texts(d, MOVE_ACCEPTANCE, id, json, err);
}

int database_move_rule(struct database *d, const struct kept_rule *rule, struct err *err)
{
	return database_run_rule(d, MOVE_RULE, rule, err);
}

int database_move_inspected(struct database *d, str cluster, str line, struct err *err)
{
	return run_texts(d, MOVE_INSPECTED, cluster, line, err);
}

/* ---- the end ---- */

int database_move_end(struct database *d, int status, struct err *err)
{
	static const char *const steps[] = { records_to_place, twins_to_place, lines_to_place, inspected_to_place };
	size_t malformed; /* what came in is none of that */

	if (status == 0)
		status = execute(d, overs_to_place, err);
	if (status == 0)
		status = execute(d, renamed_to_place, err);
	if (status == 0)
		status = database_each_finding_of(d, open_findings, place_finding, d, &malformed, err);
	for (size_t i = 0; status == 0 && i < ARRAY_LEN(steps); i++)
		status = execute(d, steps[i], err);
	status = database_end(d, status, err);
	(void)sqlite3_exec(d->db, drops, NULL, NULL, NULL);
	return status;
}

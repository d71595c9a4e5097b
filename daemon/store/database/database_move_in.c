/* Adds rows of other databases. They are gathered in temporary tables, which may be on the disk as well, until all
 * have arrived. Then their order is known, and those that exist already are left out. */
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
	" name TEXT, message TEXT NOT NULL, type TEXT, resource TEXT, reference TEXT, manager TEXT, cause TEXT,"
	" reason TEXT, lasted_usec INTEGER);"
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

/* Rename findings that a process of this folder had under another number. */
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

/* Add the records. The bytes of a record begin with its id, by which its row in the outbox is found again for the
 * mark. */
static const char records_to_place[] =
	"DELETE FROM outbox WHERE CAST(substr(record, 1, 32) AS TEXT) IN (SELECT record FROM move_told);"
	"DELETE FROM sent WHERE seq NOT IN (SELECT seq FROM outbox);"
	"DELETE FROM move_record WHERE id IN (SELECT substr(record, 1, 32) FROM outbox)"
	" OR CAST(id AS TEXT) IN (SELECT record FROM history) OR CAST(id AS TEXT) IN (SELECT record FROM move_told);"
	"INSERT INTO outbox(deferred, due_usec, hold_usec, about, record)"
	" SELECT deferred, due_usec, hold_usec, about, record FROM move_record ORDER BY seq;"
	"INSERT INTO sent(seq, usec) SELECT o.seq, m.sent_usec FROM outbox o"
	" JOIN move_record m ON m.id = substr(o.record, 1, 32) WHERE m.sent_usec IS NOT NULL;";

/* Add the ends of twins behind the waiting records of the same place, like any other record. */
static const char twins_to_place[] =
	"DELETE FROM move_twin WHERE substr(record, 1, 32) IN (SELECT substr(record, 1, 32) FROM outbox)"
	" OR CAST(substr(record, 1, 32) AS TEXT) IN (SELECT record FROM history);"
	"INSERT INTO outbox(deferred, due_usec, hold_usec, about, record)"
	" SELECT w.about IS NOT NULL, coalesce(w.due_usec, 0), coalesce(w.hold_usec, 0), t.about, t.record"
	" FROM move_twin t LEFT JOIN (SELECT about, max(due_usec) AS due_usec, max(hold_usec) AS hold_usec"
	" FROM outbox WHERE deferred GROUP BY about) w ON w.about = t.about ORDER BY t.rowid;";

#define LINE                                                                                                           \
	"usec, finding, record, event, severity, cluster, kind, namespace, name, message, type, resource, reference,"  \
	" manager, cause, reason, lasted_usec"

/* Sort all lines by age, whichever file they came from, because the oldest are pruned first. Without new lines
 * nothing changes. */
static const char lines_to_place[] = "DELETE FROM move_line WHERE record IN (SELECT record FROM history);"
				     "INSERT OR IGNORE INTO move_line(" LINE ") SELECT " LINE " FROM history"
				     " WHERE EXISTS(SELECT 1 FROM move_line) ORDER BY seq;"
				     "DELETE FROM history WHERE EXISTS(SELECT 1 FROM move_line);"
				     "INSERT INTO history(" LINE ") SELECT " LINE " FROM move_line ORDER BY usec, seq;";

static const char inspected_to_place[] =
	"INSERT OR REPLACE INTO inspected(cluster, versions)"
	" SELECT cluster, CAST(group_concat(line, char(10)) || char(10) AS BLOB) FROM move_inspected GROUP BY cluster;";

/* ---- places ---- */

static int take_id(void *ctx, sqlite3_stmt *s, struct err *err)
{
	(void)err;
	(void)snprintf(ctx, FINDING_ID_SIZE, "%.*s", STR_ARG(database_column(s, 0)));
	return 1;
}

/* Note that the finding @id has the place @key. 1: the place was free; 0: the finding has it already; 2: another
 * finding has it, whose id is in @other. */
static int take_place(struct database *d, str key, str id, char other[FINDING_ID_SIZE], struct err *err)
{
	int r = DATABASE_RUN(d, MOVE_PLACE, err, B_BLOB(key), B_TEXT(id));

	if (r < 0 || sqlite3_changes(d->db))
		return r < 0 ? r : 1;
	r = database_each(d, MOVE_PLACE_ID, BOUNDS(B_BLOB(key)), take_id, other, err);
	if (r == 0) /* there must be a row: the one of the other finding */
		return database_failed(d, err);
	return r < 0 ? r : str_eq(str_from(other), id) ? 0 : 2;
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
	int r = database_execute(d, tables, err);

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

/* The id of the record that ends a twin: the finding's id backwards. A twin that comes in once more gets the same id,
 * and so its end is reported once. */
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
	int status;

	finding_key(x->kind, &x->subject, &about);
	record_encode(r, &bytes);
	status = buf_error(&about, "the key of a finding", err);
	if (status == 0)
		status = buf_error(&bytes, "a record", err);
	if (status < 0)
		return status;
	return DATABASE_RUN(d, MOVE_TWIN, err, B_TEXT(str_from(x->id)), B_TEXT(buf_str(&about)),
			    B_BLOB(buf_str(&bytes)));
}

/* End a twin: two processes reported the same place under different ids, and a reader of the journal must see the
 * end of both. */
static int end_twin(struct database *d, const struct finding *x, const char *other, struct err *err)
{
	static const struct record_terms terms;
	static const struct blame nobody;
	char why[64];
	struct record r;
	int status;

	if (!x->announced)
		return 0;
	(void)snprintf(why, sizeof(why), "continued as %.8s", other);
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
	int r;

	finding_to_json(x->finding, &json);
	r = buf_error(&json, "a finding", err);
	if (r == 0)
		r = DATABASE_RUN(d, MOVE_OPEN, err, B_TEXT(str_from(x->finding->id)), B_TEXT(buf_str(&json)));
	if (r < 0)
		return r;
	if (!sqlite3_changes(d->db))
		return known_as_another(x->finding, err);
	return x->last_record.n ? database_put_last_record(d, x->finding->id, x->last_record, err) : 0;
}

/* Store a finding, once all files were read. */
static int place_finding(void *ctx, const struct moved_finding *x, struct err *err)
{
	struct database *d = ctx;
	char other[FINDING_ID_SIZE];
	int r = take_place_of(d, x->finding, other, err);

	if (r == 1)
		return put_finding(d, x, err);
	return r == 2 ? end_twin(d, x->finding, other, err) : r;
}

/* The finding was moved in before: it must have the same key. */
static int check_key(struct database *d, const struct finding *x, str key, struct err *err)
{
	int64_t same = DATABASE_NUMBER(d, MOVE_FINDING_KEY, err, B_TEXT(str_from(x->id)), B_BLOB(key));

	return same < 0 ? (int)same : same ? 0 : known_as_another(x, err);
}

int database_move_finding(struct database *d, const struct moved_finding *x, struct err *err)
{
	CLEANUP(buf_done) struct buf key = BUF_INIT(KEY_BYTES_MAX), json = BUF_INIT(JSON_BYTES_MAX);
	str last_record = x->last_record.n ? x->last_record : (str){ NULL, 0 };
	int r;

	finding_key(x->finding->kind, &x->finding->subject, &key);
	finding_to_json(x->finding, &json);
	r = buf_error(&key, "the key of a finding", err);
	if (r == 0)
		r = buf_error(&json, "a finding", err);
	if (r == 0)
		r = DATABASE_RUN(d, MOVE_FINDING, err, B_TEXT(str_from(x->finding->id)), B_BLOB(buf_str(&key)),
				 B_INT(d->move.exported_usec), B_TEXT(buf_str(&json)), B_BLOB(last_record));
	return r < 0 || sqlite3_changes(d->db) ? r : check_key(d, x->finding, buf_str(&key), err);
}

/* ---- what a process has for itself ---- */

int database_move_process(struct database *d, const struct finding *x, bool own, struct err *err)
{
	CLEANUP(buf_done) struct buf key = BUF_INIT(KEY_BYTES_MAX);

	if (own)
		finding_key(x->kind, &x->subject, &key);
	if (buf_error(&key, "the key of a finding", err) < 0)
		return -err->code;
	return DATABASE_RUN(d, MOVE_PROCESS, err, B_TEXT(str_from(x->id)), B_INT(d->move.file),
			    { .type = own ? BOUND_BLOB : BOUND_NULL, .bytes = buf_str(&key) });
}

struct process_of {
	bool *own;
	struct buf *about;
};

static int take_process(void *ctx, sqlite3_stmt *s, struct err *err)
{
	struct process_of *p = ctx;

	(void)err;
	*p->own = sqlite3_column_type(s, 0) != SQLITE_NULL;
	buf_add_str(p->about, database_column(s, 0));
	return 1;
}

int database_move_process_of(struct database *d, str id, bool *own, struct buf *about, struct err *err)
{
	struct process_of p = { own, about };

	return database_each(d, MOVE_PROCESS_OF, BOUNDS(B_TEXT(id), B_INT(d->move.file)), take_process, &p, err);
}

/* ---- what else there is ---- */

int database_move_record(struct database *d, const struct moved_record *x, const char *id, bool own, struct err *err)
{
	int r = DATABASE_RUN(d, MOVE_WAITS, err, B_INT(d->move.file), B_TEXT(str_from(id)), B_INT(own));

	if (r < 0 || !own)
		return r;
	return DATABASE_RUN(d, MOVE_RECORD, err, B_BLOB(str_from(id)), B_TEXT(x->about), B_INT(x->deferred),
			    B_INT(x->due_usec), B_INT(x->hold_usec),
			    { .type = x->sent ? BOUND_INTEGER : BOUND_NULL, .integer = x->sent_usec },
			    B_BLOB(x->record));
}

/* Whether the record waits in the outbox. 1, with *own; 0. */
static int waits(struct database *d, str record, bool *own, struct err *err)
{
	int64_t n = DATABASE_NUMBER(d, MOVE_WAITS_OF, err, B_INT(d->move.file), B_TEXT(record));

	*own = n > 1;
	return n < 0 ? (int)n : n > 0;
}

int database_move_look(struct database *d, const struct moved_line *x, bool *own, struct err *err)
{
	int r = waits(d, x->record, own, err), status = 0;

	if (r == 0)
		status = DATABASE_RUN(d, MOVE_NOTE_LAST_RECORD, err, B_TEXT(x->record));
	if (r >= 0 && status == 0 && (str_eq(x->event, STR("end")) || str_eq(x->event, STR(FINDING_EXPIRED))))
		status = DATABASE_RUN(d, MOVE_NOTE_OVER, err, B_TEXT(x->finding));
	return status < 0 ? status : r;
}

int database_move_line(struct database *d, const struct moved_line *x, struct err *err)
{
	const str details[] = { x->type, x->resource, x->reference, x->manager, x->cause, x->reason };
	struct bound values[17] = { B_INT(x->usec),      B_TEXT(x->finding), B_TEXT(x->record), B_TEXT(x->event),
				    B_TEXT(x->severity), B_TEXT(x->cluster), B_TEXT(x->kind),   B_TEXT(x->namespace),
				    B_TEXT(x->name),     B_TEXT(x->message) };

	for (size_t i = 0; i < ARRAY_LEN(details); i++) {
		if (details[i].n)
			values[10 + i] = (struct bound)B_TEXT(details[i]);
	}
	if (x->lasted_usec)
		values[16] = (struct bound)B_INT(x->lasted_usec);
	return database_run(d, MOVE_LINE, (struct bounds){ values, ARRAY_LEN(values) }, err);
}

int database_move_seen(struct database *d, str cluster, int64_t usec, struct err *err)
{
	return DATABASE_RUN(d, MOVE_SEEN, err, B_TEXT(cluster), B_INT(usec));
}

int database_move_acceptance(struct database *d, str id, str json, struct err *err)
{
	return DATABASE_RUN(d, MOVE_ACCEPTANCE, err, B_TEXT(id), B_TEXT(json));
}

int database_move_rule(struct database *d, const struct kept_rule *rule, struct err *err)
{
	return database_run_rule(d, MOVE_RULE, rule, err);
}

int database_move_inspected(struct database *d, str cluster, str line, struct err *err)
{
	return DATABASE_RUN(d, MOVE_INSPECTED, err, B_TEXT(cluster), B_TEXT(line));
}

/* ---- the end ---- */

int database_move_end(struct database *d, int status, struct err *err)
{
	static const char *const steps[] = { records_to_place, twins_to_place, lines_to_place, inspected_to_place };
	size_t malformed; /* no row can be malformed here */

	if (status == 0)
		status = database_execute(d, overs_to_place, err);
	if (status == 0)
		status = database_execute(d, renamed_to_place, err);
	if (status == 0)
		status = database_each_finding_of(d, open_findings, place_finding, d, &malformed, err);
	for (size_t i = 0; status == 0 && i < ARRAY_LEN(steps); i++)
		status = database_execute(d, steps[i], err);
	status = database_end(d, status, err);
	(void)sqlite3_exec(d->db, drops, NULL, NULL, NULL);
	return status;
}

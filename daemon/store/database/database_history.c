/* What was told of findings: the history of all, and the last record of those that are open. */
#include "daemon/store/database/database_internal.h"

#include "base/assert.h"

#define PRUNE_STEPS 10 /* tenths of the history at a time */

int database_add_history(struct database *d, const struct record *r, int64_t usec, struct err *err)
{
	static const char *const fields[] = { "DRIFTD_EVENT", "DRIFTD_SEVERITY",  "DRIFTD_CLUSTER",
					      "DRIFTD_KIND",  "DRIFTD_NAMESPACE", "DRIFTD_NAME" };
	int status = database_prepare(d, ADD_HISTORY, err), at = 1;

	if (status < 0)
		return status;
	(void)sqlite3_bind_int64(d->statements[ADD_HISTORY], at++, usec);
	database_bind(d, ADD_HISTORY, at++, record_get(r, "DRIFTD_DRIFT_ID"));
	database_bind(d, ADD_HISTORY, at++, str_from(r->id));
	for (size_t i = 0; i < ARRAY_LEN(fields); i++)
		database_bind(d, ADD_HISTORY, at++, record_get(r, fields[i]));
	database_bind(d, ADD_HISTORY, at, r->text);
	return database_run(d, ADD_HISTORY, err);
}

/* What can be pruned: the last records of what is open stay. */
static int64_t used_bytes(struct database *d)
{
	int64_t all = database_pragma(d, "SELECT (page_count - freelist_count) * page_size FROM pragma_page_count, "
					 "pragma_freelist_count, pragma_page_size");

	return all - database_pragma(d, "SELECT coalesce(sum(length(record)), 0) FROM told");
}

int database_prune(struct database *d, int64_t before_usec, int64_t max_bytes, struct err *err)
{
	int r = database_run_integers(d, PRUNE_BY_TIME, before_usec, 0, err);

	for (int i = 0; r == 0 && used_bytes(d) > max_bytes && i < PRUNE_STEPS; i++)
		r = database_run_plain(d, PRUNE_BY_SIZE, err);
	if (r == 0)
		r = database_run_plain(d, PRUNE_TOLD, err);
	if (r == 0)
		(void)sqlite3_exec(d->db, "PRAGMA incremental_vacuum(1000)", NULL, NULL, NULL);
	return r;
}

/* The number that a statement that is bound gives; 0: none. */
static int64_t line_of_statement(struct database *d, enum statement which, struct err *err)
{
	int step = sqlite3_step(d->statements[which]);
	int64_t line = 0;

	if (step == SQLITE_ROW)
		line = sqlite3_column_int64(d->statements[which], 0);
	else if (step != SQLITE_DONE)
		line = database_failed(d, err);
	(void)sqlite3_reset(d->statements[which]);
	return line;
}

int64_t database_history_line(struct database *d, str finding, str record, struct err *err)
{
	int r = database_prepare(d, HISTORY_LINE, err);

	if (r < 0)
		return r;
	database_bind(d, HISTORY_LINE, 1, finding);
	database_bind(d, HISTORY_LINE, 2, record);
	return line_of_statement(d, HISTORY_LINE, err);
}

int64_t database_finding_line(struct database *d, str finding, struct err *err)
{
	int r = database_prepare(d, FINDING_LINE, err);

	if (r < 0)
		return r;
	database_bind(d, FINDING_LINE, 1, finding);
	return line_of_statement(d, FINDING_LINE, err);
}

int database_knows_end(struct database *d, const char *finding, struct err *err)
{
	int r = database_prepare(d, HISTORY_END, err);
	int step;

	if (r < 0)
		return r;
	database_bind(d, HISTORY_END, 1, str_from(finding));
	step = sqlite3_step(d->statements[HISTORY_END]);
	r = step == SQLITE_ROW || step == SQLITE_DONE ? step == SQLITE_ROW : database_failed(d, err);
	(void)sqlite3_reset(d->statements[HISTORY_END]);
	return r;
}

int64_t database_last_usec(struct database *d)
{
	int64_t usec = database_pragma(d, "SELECT max(coalesce((SELECT max(usec) FROM history), 0),"
					  " coalesce((SELECT max(usec) FROM seen), 0))");

	return usec > 0 ? usec : 0;
}

/* ---- of one finding ---- */

int database_put_told(struct database *d, const char *id, str record, struct err *err)
{
	int r = database_prepare(d, PUT_TOLD, err);

	if (r < 0)
		return r;
	database_bind(d, PUT_TOLD, 1, str_from(id));
	(void)sqlite3_bind_blob64(d->statements[PUT_TOLD], 2, record.p, record.n, SQLITE_STATIC);
	return database_run(d, PUT_TOLD, err);
}

static int read_last(struct database *d, const char *id, struct told *t, struct err *err)
{
	int r = database_prepare(d, TOLD, err), step;
	sqlite3_stmt *s = d->statements[TOLD];

	if (r < 0)
		return r;
	database_bind(d, TOLD, 1, str_from(id));
	step = sqlite3_step(s);
	if (step == SQLITE_ROW) {
		t->bytes = arena_str(&t->arena, database_column(s, 0));
		t->has_last = t->bytes.p;
		r = t->bytes.p ? record_decode(t->bytes, &t->last, err) : err_nomem(err);
	} else if (step != SQLITE_DONE) {
		r = database_failed(d, err);
	}
	(void)sqlite3_reset(s);
	return r;
}

static struct told_line line_of(sqlite3_stmt *s, struct arena *a)
{
	return (struct told_line){
		.usec = sqlite3_column_int64(s, 0),
		.event = arena_str(a, database_column(s, 1)),
		.severity = arena_str(a, database_column(s, 2)),
		.message = arena_str(a, database_column(s, 3)),
		.record = arena_str(a, database_column(s, 4)),
	};
}

static int read_history(struct database *d, const char *id, struct told *t, struct err *err)
{
	int r = database_prepare(d, HISTORY_OF, err), step = SQLITE_DONE;
	sqlite3_stmt *s = d->statements[HISTORY_OF];

	if (r < 0)
		return r;
	database_bind(d, HISTORY_OF, 1, str_from(id));
	(void)sqlite3_bind_int(s, 2, TOLD_HISTORY_MAX);
	while (r == 0 && (step = sqlite3_step(s)) == SQLITE_ROW) {
		ASSERT(t->n_history < TOLD_HISTORY_MAX); /* the statement's limit */
		t->history[t->n_history] = line_of(s, &t->arena);
		r = t->history[t->n_history++].record.p ? 0 : err_nomem(err);
	}
	if (r == 0 && step != SQLITE_DONE)
		r = database_failed(d, err);
	(void)sqlite3_reset(s);
	return r;
}

void told_free(struct told *t)
{
	if (!t)
		return;
	if (t->has_last)
		record_done(&t->last);
	arena_done(&t->arena);
	free(t);
}

static int read_told(struct database *d, const char *id, struct told *t, struct err *err)
{
	int r = read_last(d, id, t, err);

	if (r == 0)
		r = read_history(d, id, t, err);
	return r;
}

int database_told(struct database *d, const char *id, struct told **ret, struct err *err)
{
	CLEANUP(told_freep) struct told *t = calloc(1, sizeof(*t));
	int r = t ? read_told(d, id, t, err) : err_nomem(err);

	if (r == 0)
		*ret = TAKE(t);
	return r;
}

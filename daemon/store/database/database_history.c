/* The history of all findings, and the last records of the open ones. */
#include "daemon/store/database/database_internal.h"

#include "base/assert.h"
#include "base/number.h"
#include "daemon/findings/finding_record.h"

#define FREE_PAGES_MAX 256 /* free pages that stay, because new rows need some */
#define LOG_BYTES_MAX (1 << 20)
#define PRUNE_STEPS 10 /* the history is pruned by a tenth at a time */

/* The text, or NULL where the record has none. */
static struct bound text_or_null(str text)
{
	return (struct bound){ .type = text.n ? BOUND_TEXT : BOUND_NULL, .bytes = text };
}

static struct bound lasted(const struct record *r)
{
	int64_t usec;

	if (!int64_parse(record_get(r, "DRIFTD_DURATION_USEC"), &usec))
		return (struct bound){ .type = BOUND_NULL };
	return (struct bound)B_INT(usec);
}

int database_add_history(struct database *d, const struct record *r, int64_t usec, struct err *err)
{
	enum finding_kind kind;
	str type = record_kind(r, &kind) ? str_from(finding_type(kind)) : STR("");

	return DATABASE_RUN(d, ADD_HISTORY, err, B_INT(usec), B_TEXT(record_get(r, "DRIFTD_DRIFT_ID")),
			    B_TEXT(str_from(r->id)), B_TEXT(record_get(r, "DRIFTD_EVENT")),
			    B_TEXT(record_get(r, "DRIFTD_SEVERITY")), B_TEXT(record_get(r, "DRIFTD_CLUSTER")),
			    B_TEXT(record_get(r, "DRIFTD_KIND")), B_TEXT(record_get(r, "DRIFTD_NAMESPACE")),
			    B_TEXT(record_get(r, "DRIFTD_NAME")), B_TEXT(r->text), text_or_null(type),
			    text_or_null(record_get(r, "DRIFTD_RESOURCE")),
			    text_or_null(record_get(r, "DRIFTD_REFERENCE")),
			    text_or_null(record_get(r, "DRIFTD_MANAGER")), text_or_null(record_get(r, "DRIFTD_CAUSE")),
			    text_or_null(record_get(r, "DRIFTD_END_REASON")), lasted(r));
}

/* The bytes that can be pruned, without the last records of open findings, which stay. */
static int64_t used_bytes(struct database *d)
{
	int64_t all = database_pragma(d, "SELECT (page_count - freelist_count) * page_size FROM pragma_page_count, "
					 "pragma_freelist_count, pragma_page_size");

	return all - database_pragma(d, "SELECT coalesce(sum(length(record)), 0) FROM told");
}

int database_prune(struct database *d, int64_t before_usec, int64_t max_bytes, struct err *err)
{
	int r = DATABASE_RUN(d, PRUNE_BY_TIME, err, B_INT(before_usec));

	if (r == 0)
		r = DATABASE_RUN(d, PRUNE_UNWATCHED, err, B_INT(before_usec));
	for (int i = 0; r == 0 && used_bytes(d) > max_bytes && i < PRUNE_STEPS; i++)
		r = database_run_plain(d, PRUNE_BY_SIZE, err);
	if (r == 0)
		r = database_run_plain(d, PRUNE_LAST_RECORDS, err);
	if (r == 0)
		(void)sqlite3_exec(d->db, "PRAGMA incremental_vacuum(1000)", NULL, NULL, NULL);
	return r;
}

/* The size of the log file. A log that begins again keeps its length. */
static int64_t log_bytes(struct database *d)
{
	sqlite3_file *f = NULL;
	sqlite3_int64 bytes = 0;

	if (sqlite3_file_control(d->db, "main", SQLITE_FCNTL_JOURNAL_POINTER, &f) != SQLITE_OK || !f || !f->pMethods ||
	    f->pMethods->xFileSize(f, &bytes) != SQLITE_OK)
		return 0;
	return bytes;
}

/* Return free pages at the end of the file, a part of them in each call. When few are left, and the log has not
 * grown since the last call, cut the log. */
void database_give_back(struct database *d)
{
	int frames = checkpoints_log_frames(d->checkpoints);
	bool rests = frames == d->frames_before;

	d->frames_before = frames;
	if (database_pragma(d, "PRAGMA freelist_count") > FREE_PAGES_MAX)
		(void)sqlite3_exec(d->db, "PRAGMA incremental_vacuum(2048)", NULL, NULL, NULL);
	else if (rests && log_bytes(d) > LOG_BYTES_MAX)
		database_cut_log(d);
}

void database_give_back_memory(struct database *d)
{
	(void)sqlite3_db_release_memory(d->db);
}

int64_t database_history_line(struct database *d, str finding, str record, struct err *err)
{
	return DATABASE_NUMBER(d, HISTORY_LINE, err, B_TEXT(finding), B_TEXT(record));
}

int64_t database_finding_line(struct database *d, str finding, struct err *err)
{
	return DATABASE_NUMBER(d, FINDING_LINE, err, B_TEXT(finding));
}

int database_knows_end(struct database *d, const char *finding, struct err *err)
{
	return (int)DATABASE_NUMBER(d, HISTORY_END, err, B_TEXT(str_from(finding)));
}

int64_t database_last_usec(struct database *d)
{
	int64_t usec = database_pragma(d, "SELECT max(coalesce((SELECT max(usec) FROM history), 0),"
					  " coalesce((SELECT max(usec) FROM seen), 0))");

	return usec > 0 ? usec : 0;
}

/* ---- of one finding ---- */

int database_put_last_record(struct database *d, const char *id, str record, struct err *err)
{
	return DATABASE_RUN(d, PUT_LAST_RECORD, err, B_TEXT(str_from(id)), B_BLOB(database_packed(d, record)));
}

/* The arguments for reading a finding's history. */
struct reading {
	struct database *database;
	struct finding_history *history;
};

static int see_last(void *ctx, sqlite3_stmt *s, struct err *err)
{
	const struct reading *reading = ctx;
	struct finding_history *t = reading->history;
	str bytes;
	int r = database_unpacked(reading->database, database_column(s, 0), &bytes, err);

	if (r < 0)
		return r;
	t->bytes = arena_str(&t->arena, bytes);
	t->has_last = t->bytes.p;
	return t->has_last ? record_decode(t->bytes, &t->last, err) : err_nomem(err);
}

static int see_line(void *ctx, sqlite3_stmt *s, struct err *err)
{
	struct finding_history *t = ctx;
	struct finding_history_line *line = &t->history[t->n_history];

	ASSERT(t->n_history < FINDING_HISTORY_MAX); /* the statement has this limit */
	*line = (struct finding_history_line){
		.usec = sqlite3_column_int64(s, 0),
		.event = arena_str(&t->arena, database_column(s, 1)),
		.severity = arena_str(&t->arena, database_column(s, 2)),
		.message = arena_str(&t->arena, database_column(s, 3)),
		.record = arena_str(&t->arena, database_column(s, 4)),
	};
	t->n_history++;
	return line->record.p ? 0 : err_nomem(err);
}

void finding_history_free(struct finding_history *t)
{
	if (!t)
		return;
	if (t->has_last)
		record_done(&t->last);
	arena_done(&t->arena);
	free(t);
}

static int read_history(struct database *d, const char *id, struct finding_history *t, struct err *err)
{
	int r = database_each(d, LAST_RECORD, BOUNDS(B_TEXT(str_from(id))), see_last, &(struct reading){ d, t }, err);

	return r < 0 ? r
		     : database_each(d, HISTORY_OF, BOUNDS(B_TEXT(str_from(id)), B_INT(FINDING_HISTORY_MAX)), see_line,
				     t, err);
}

int database_finding_history(struct database *d, const char *id, struct finding_history **ret, struct err *err)
{
	CLEANUP(finding_history_freep) struct finding_history *t = calloc(1, sizeof(*t));
	int r = t ? read_history(d, id, t, err) : err_nomem(err);

	if (r == 0)
		*ret = TAKE(t);
	return r;
}

/* Reads everything that a database stores. */
#include "daemon/store/database/database_move.h"

#include "daemon/findings/finding_json.h"
#include "daemon/findings/finding_owner.h"
#include "daemon/store/database/database_internal.h"

#define OWNER_BYTES_MAX ((size_t)1 << 20)

static int each_row(struct database *d, const char *text, row_fn *row, struct row_taker *rows, struct err *err)
{
	sqlite3_stmt *s;
	int r;

	if (sqlite3_prepare_v2(d->db, text, -1, &s, NULL) != SQLITE_OK)
		return database_failed(d, err);
	r = database_rows(d, s, row, rows, err);
	(void)sqlite3_finalize(s);
	return r;
}

static int see_finding(void *ctx, sqlite3_stmt *s, struct err *err)
{
	struct row_taker *rows = ctx;
	CLEANUP(doc_unrefp) struct doc *doc = NULL;
	struct finding x;
	struct moved_finding moved = { .finding = &x };
	int r = database_unpacked(rows->database, database_column(s, 2), &moved.last_record, err);

	if (r == 0)
		r = finding_from_text(database_column(s, 1), &doc, &x, err);

	if (r < 0)
		return r;
	if (r > 0 && str_eq(database_column(s, 0), str_from(x.id)))
		return rows->each.moved_finding(rows->ctx, &moved, err);
	rows->malformed++;
	return 0;
}

int database_each_finding_of(struct database *d, const char *text, moved_finding_fn *each, void *ctx, size_t *malformed,
			     struct err *err)
{
	struct row_taker rows = { .database = d, .ctx = ctx, .each.moved_finding = each };
	int r = each_row(d, text, see_finding, &rows, err);

	*malformed = rows.malformed;
	return r;
}

int database_each_moved_finding(struct database *d, moved_finding_fn *each, void *ctx, size_t *malformed,
				struct err *err)
{
	return database_each_finding_of(d,
					"SELECT f.id, f.body, t.record FROM finding f LEFT JOIN told t ON t.seq = f.seq"
					" ORDER BY f.seq",
					each, ctx, malformed, err);
}

static int see_record(void *ctx, sqlite3_stmt *s, struct err *err)
{
	const struct row_taker *rows = ctx;
	struct moved_record x = {
		.about = database_column(s, 0),
		.deferred = sqlite3_column_int(s, 1) != 0,
		.due_usec = sqlite3_column_int64(s, 2),
		.hold_usec = sqlite3_column_int64(s, 3),
		.sent = sqlite3_column_type(s, 4) != SQLITE_NULL,
		.sent_usec = sqlite3_column_int64(s, 4),
	};
	int r = database_unpacked(rows->database, database_column(s, 5), &x.record, err);

	return r < 0 ? r : rows->each.moved_record(rows->ctx, &x, err);
}

int database_each_moved_record(struct database *d, moved_record_fn *each, void *ctx, struct err *err)
{
	struct row_taker rows = { .database = d, .ctx = ctx, .each.moved_record = each };

	return each_row(d,
			"SELECT o.about, o.deferred, o.due_usec, o.hold_usec, s.usec, o.record"
			" FROM outbox o LEFT JOIN sent s ON s.seq = o.seq WHERE o.seq NOT IN (SELECT seq FROM written) "
			"ORDER BY o.seq",
			see_record, &rows, err);
}

/* The owner of a line. An open finding names its shard; for one that has ended, the shard is unknown. */
static int owner_of_line(str body, struct buf *owner, struct err *err)
{
	CLEANUP(doc_unrefp) struct doc *doc = NULL;
	struct finding x;
	int r = body.n ? finding_from_text(body, &doc, &x, err) : 0;

	if (r <= 0)
		return r;
	finding_owner_name(x.kind, &x.subject, owner);
	return buf_error(owner, "the owner of a finding", err);
}

static int see_line(void *ctx, sqlite3_stmt *s, struct err *err)
{
	const struct row_taker *rows = ctx;
	CLEANUP(buf_done) struct buf owner = BUF_INIT(OWNER_BYTES_MAX);
	struct moved_line x = { .usec = sqlite3_column_int64(s, 0), .lasted_usec = sqlite3_column_int64(s, 16) };
	str *const texts[] = { &x.finding,  &x.record,    &x.event,   &x.severity, &x.cluster,
			       &x.kind,     &x.namespace, &x.name,    &x.message,  &x.type,
			       &x.resource, &x.reference, &x.manager, &x.cause,    &x.reason };
	int r = owner_of_line(database_column(s, 2 + (int)ARRAY_LEN(texts)), &owner, err);

	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		*texts[i] = database_column(s, 1 + (int)i);
	x.owner = buf_str(&owner);
	return r < 0 ? r : rows->each.moved_line(rows->ctx, &x, err);
}

int database_each_moved_line(struct database *d, moved_line_fn *each, void *ctx, struct err *err)
{
	struct row_taker rows = { .ctx = ctx, .each.moved_line = each };

	return each_row(
		d,
		"SELECT h.usec, h.finding, h.record, h.event, h.severity, h.cluster, h.kind, h.namespace,"
		" h.name, h.message, h.type, h.resource, h.reference, h.manager, h.cause, h.reason, h.lasted_usec,"
		" f.body FROM history h LEFT JOIN finding f ON f.id = h.finding"
		" ORDER BY h.seq",
		see_line, &rows, err);
}

static int see_span(void *ctx, sqlite3_stmt *s, struct err *err)
{
	const struct row_taker *rows = ctx;
	struct time_span span = { sqlite3_column_int64(s, 1), sqlite3_column_int64(s, 2) };

	return rows->each.moved_span(rows->ctx, database_column(s, 0), &span, err);
}

int database_each_unwatched(struct database *d, moved_span_fn *each, void *ctx, struct err *err)
{
	struct row_taker rows = { .ctx = ctx, .each.moved_span = each };

	return each_row(d, "SELECT cluster, from_usec, to_usec FROM unwatched ORDER BY from_usec, cluster", see_span,
			&rows, err);
}

static int see_inspected(void *ctx, sqlite3_stmt *s, struct err *err)
{
	const struct row_taker *rows = ctx;
	return rows->each.inspected(rows->ctx, database_column(s, 0), database_column(s, 1), err);
}

int database_each_inspected(struct database *d, inspected_fn *each, void *ctx, struct err *err)
{
	struct row_taker rows = { .ctx = ctx, .each.inspected = each };

	return each_row(d, "SELECT cluster, versions FROM inspected ORDER BY cluster", see_inspected, &rows, err);
}

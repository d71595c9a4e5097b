/* Reads the history row by row. Each row becomes an item of the answer, or is only counted. */
#include "daemon/history/history.h"

#include "base/pattern.h"
#include "daemon/findings/finding_json.h"
#include "daemon/findings/finding_record.h"
#include "daemon/store/database/database.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define BUSY_MS 1000
#define STEPS_BETWEEN_LOOKS 20000 /* steps of SQLite's virtual machine: about a millisecond */
#define TIME_MAX_MS 20000
#define SCHEMA_LEAST 10
#define ANSWER_BYTES_MAX ((size_t)16 << 20)
#define MESSAGE_MAX 2000

#define COLUMNS                                                                                                        \
	"seq, usec, finding, event, severity, cluster, kind, namespace, name, message, type, resource, reference,"     \
	" manager, cause, reason, lasted_usec"

/* ORDER COLUMNS */
enum column {
	SEQ,
	USEC,
	FINDING,
	EVENT,
	SEVERITY,
	CLUSTER,
	KIND,
	NAMESPACE,
	NAME,
	MESSAGE,
	TYPE,
	RESOURCE,
	REFERENCE,
	MANAGER,
	CAUSE,
	REASON,
	LASTED,
};

enum query { NEWEST_FIRST, OLDEST_FIRST, BEGIN_OF, END_OF, LAST_BEFORE, OPEN, AWAY, OLDEST, QUERIES };

static const char *const queries[QUERIES] = {
	[NEWEST_FIRST] = "SELECT " COLUMNS " FROM history WHERE usec >= ?1 AND usec < ?2 AND (usec, seq) < (?3, ?4)"
			 " ORDER BY usec DESC, seq DESC",
	[OLDEST_FIRST] = "SELECT " COLUMNS " FROM history WHERE usec >= ?1 ORDER BY usec, seq",
	[BEGIN_OF] =
		"SELECT " COLUMNS " FROM history WHERE finding = ?1 AND seq < ?2 AND event IN ('begin', 'accepted')"
		" ORDER BY seq DESC LIMIT 1",
	[END_OF] = "SELECT 1 FROM history WHERE finding = ?1 AND seq > ?2 AND event IN ('end', 'expired')"
		   " AND usec >= ?3 AND usec < ?4 LIMIT 1",
	[LAST_BEFORE] = "SELECT usec, severity, event, manager FROM history WHERE finding = ?1 AND seq < ?2"
			" ORDER BY seq DESC LIMIT 1",
	[OPEN] = "SELECT body FROM finding",
	[AWAY] = "SELECT cluster, from_usec, to_usec FROM unwatched WHERE to_usec > ?1 AND from_usec < ?2",
	[OLDEST] = "SELECT usec FROM history ORDER BY usec LIMIT 1",
};

struct reading {
	const struct history_question *q;
	const _Atomic bool *stop;
	int64_t until_ms; /* the deadline, by the steady clock */
	bool late;
	sqlite3 *db;
	sqlite3_stmt *statements[QUERIES];
	struct history_answer *answer;
	size_t items_size;
};

/* ---- the connection ---- */

static int64_t steady_now_ms(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static int may_go_on(void *ctx)
{
	struct reading *r = ctx;

	r->late = steady_now_ms() > r->until_ms;
	return r->late || atomic_load(r->stop);
}

static int failed(const struct reading *r, struct err *err)
{
	int code = sqlite3_errcode(r->db) & 0xFF;

	if (code == SQLITE_INTERRUPT)
		return r->late ? err_set(err, ETIMEDOUT, "reading the history takes too long: ask for a shorter time")
			       : err_set(err, ECANCELED, "nobody waits for it");
	if (code == SQLITE_NOMEM)
		return err_nomem(err);
	return err_set(err, code == SQLITE_BUSY ? EAGAIN : EIO, "the history cannot be read: %s",
		       sqlite3_errmsg(r->db));
}

/* A prepared statement, for which the caller binds texts and numbers. NULL: err says why. */
static sqlite3_stmt *prepared(struct reading *r, enum query which, struct err *err)
{
	sqlite3_stmt **s = &r->statements[which];

	if (*s) {
		(void)sqlite3_reset(*s);
	} else if (sqlite3_prepare_v3(r->db, queries[which], -1, SQLITE_PREPARE_PERSISTENT, s, NULL) != SQLITE_OK) {
		(void)!failed(r, err);
		return NULL;
	}
	return *s;
}

static str text_of(sqlite3_stmt *s, int at)
{
	const char *p = sqlite3_column_blob(s, at);

	return (str){ p ? p : "", (size_t)sqlite3_column_bytes(s, at) };
}

/* 1: there is a row; 0: none. */
static int step(const struct reading *r, sqlite3_stmt *s, struct err *err)
{
	int code = sqlite3_step(s);

	return code == SQLITE_ROW ? 1 : code == SQLITE_DONE ? 0 : failed(r, err);
}

static int open_it(struct reading *r, const char *dir, struct err *err)
{
	CLEANUP(freep) char *path = NULL;
	sqlite3_stmt *s = NULL;
	int version = 0, code;

	if (!*dir)
		return err_set(err, ENOENT, "there is no history: without state_dir nothing is kept");
	if (asprintf(&path, "%s/" DATABASE_NAME, dir) < 0)
		return err_nomem(err);
	if (access(path, R_OK) < 0)
		return err_set(err, errno, "there is no history: state database '%s': %s", path, strerror(errno));
	code = sqlite3_open_v2(path, &r->db, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, NULL);
	if (code != SQLITE_OK)
		return r->db ? failed(r, err) : err_nomem(err);
	(void)sqlite3_busy_timeout(r->db, BUSY_MS);
	(void)sqlite3_exec(r->db, "PRAGMA trusted_schema=OFF; PRAGMA query_only=ON; PRAGMA cache_size=-8192", NULL,
			   NULL, NULL);
	sqlite3_progress_handler(r->db, STEPS_BETWEEN_LOOKS, may_go_on, r);
	if (sqlite3_prepare_v2(r->db, "PRAGMA user_version", -1, &s, NULL) == SQLITE_OK &&
	    sqlite3_step(s) == SQLITE_ROW)
		version = sqlite3_column_int(s, 0);
	else
		version = failed(r, err);
	(void)sqlite3_finalize(s);
	if (version < 0)
		return version;
	if (version < SCHEMA_LEAST)
		return err_set(err, EAGAIN, "the history cannot be read: the state database is of version %d", version);
	return 0;
}

static void close_it(struct reading *r)
{
	for (size_t i = 0; i < QUERIES; i++)
		(void)sqlite3_finalize(r->statements[i]);
	(void)sqlite3_close(r->db);
}

/* ---- what a row is about ---- */

static enum severity severity_of(str text)
{
	enum severity s = (enum severity)0;

	return severity_parse(text, &s) ? s : (enum severity)0;
}

static bool is_wanted(str wanted, str is)
{
	return !wanted.p || str_eq(wanted, is);
}

static bool is_like(str pattern, str is)
{
	return !pattern.p || pattern_matches(pattern, is);
}

/* ---- filters ---- */

static bool names_object(const struct history_question *q, sqlite3_stmt *s)
{
	const struct finding_filter *f = &q->filter;
	str kind = text_of(s, KIND), resource = text_of(s, RESOURCE);

	if (q->story) /* a filter without a namespace means an object that has none */
		return str_eq(f->name, text_of(s, NAME)) && str_eq(f->namespace, text_of(s, NAMESPACE)) &&
		       kind_words_mean(f->kind, kind, resource);
	return is_wanted(f->namespace, text_of(s, NAMESPACE)) && is_like(f->name, text_of(s, NAME)) &&
	       (!f->kind.p || kind_words_mean(f->kind, kind, resource));
}

/* Whether the row passes the filter, except for severity and writer, which may differ in another row of the finding. */
static bool passes(const struct history_question *q, sqlite3_stmt *s)
{
	const struct finding_filter *f = &q->filter;
	enum finding_kind type;

	if (f->types && (!finding_type_parse(text_of(s, TYPE), &type) || !(f->types & 1u << type)))
		return false;
	return is_wanted(f->cluster, text_of(s, CLUSTER)) && is_wanted(f->reference, text_of(s, REFERENCE)) &&
	       (!f->cause.p || str_has_prefix(text_of(s, CAUSE), f->cause)) && names_object(q, s);
}

static bool is_as_bad(const struct finding_filter *f, enum severity s)
{
	return (!f->worst || (s && s <= f->worst)) && (!f->severities || f->severities & 1u << s);
}

/* ---- items ---- */

static bool copy_text(struct history_answer *a, str from, str *to)
{
	*to = arena_str(&a->arena, from);
	return to->p;
}

static struct history_item *new_item(struct reading *r, struct err *err)
{
	struct history_answer *a = r->answer;

	if (a->n_items == r->items_size) {
		size_t size = r->items_size ? 2 * r->items_size : 64;
		struct history_item *more = realloc(a->items, size * sizeof(*more));

		if (!more) {
			(void)!err_nomem(err);
			return NULL;
		}
		a->items = more;
		r->items_size = size;
	}
	a->items[a->n_items] = (struct history_item){ .lasted_usec = -1 };
	return &a->items[a->n_items];
}

static int take_texts(struct history_answer *a, sqlite3_stmt *s, struct history_item *x, struct err *err)
{
	const struct {
		str *to;
		enum column from;
	} texts[] = { { &x->finding, FINDING }, { &x->event, EVENT },         { &x->type, TYPE },
		      { &x->cluster, CLUSTER }, { &x->kind, KIND },           { &x->resource, RESOURCE },
		      { &x->name, NAME },       { &x->namespace, NAMESPACE }, { &x->reference, REFERENCE },
		      { &x->cause, CAUSE },     { &x->reason, REASON } };
	str message = text_of(s, MESSAGE);

	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		if (!copy_text(a, text_of(s, (int)texts[i].from), texts[i].to))
			return err_nomem(err);
	}
	message = str_sub(message, 0, message.n < MESSAGE_MAX ? message.n : MESSAGE_MAX);
	if (!copy_text(a, message, &x->message) || !copy_text(a, STR(""), &x->manager) ||
	    !copy_text(a, STR(""), &x->ended_by))
		return err_nomem(err);
	x->severity = severity_of(text_of(s, SEVERITY));
	x->at_usec = sqlite3_column_int64(s, USEC);
	return 0;
}

/* Complete the item of an end with the data of the record of its begin. 1: the item passes the filter. */
static int take_begin(struct reading *r, sqlite3_stmt *end, struct history_item *x, struct err *err)
{
	struct history_answer *a = r->answer;
	sqlite3_stmt *s = prepared(r, BEGIN_OF, err);
	int found;

	if (!s)
		return -err->code;
	(void)sqlite3_bind_text(s, 1, x->finding.p, (int)x->finding.n, SQLITE_STATIC);
	(void)sqlite3_bind_int64(s, 2, sqlite3_column_int64(end, SEQ));
	found = step(r, s, err);
	if (found < 0)
		return found;
	x->ended_usec = x->at_usec;
	if (sqlite3_column_type(end, LASTED) != SQLITE_NULL)
		x->lasted_usec = sqlite3_column_int64(end, LASTED);
	if (!copy_text(a, text_of(end, MANAGER), &x->ended_by))
		return err_nomem(err);
	if (found) {
		x->began_usec = sqlite3_column_int64(s, USEC);
		if (!copy_text(a, text_of(s, MANAGER), &x->manager))
			return err_nomem(err);
	} else if (x->lasted_usec >= 0) {
		x->began_usec = x->ended_usec - x->lasted_usec;
	}
	if (x->lasted_usec < 0 && x->began_usec && x->began_usec <= x->ended_usec)
		x->lasted_usec = x->ended_usec - x->began_usec;
	return is_like(r->q->filter.manager, x->manager) || is_like(r->q->filter.manager, x->ended_by);
}

/* Whether the finding has ended within the range: then its end is listed instead of its begin. */
static int has_ended(struct reading *r, sqlite3_stmt *begin, struct err *err)
{
	sqlite3_stmt *s = prepared(r, END_OF, err);
	str id = text_of(begin, FINDING);

	if (!s)
		return -err->code;
	(void)sqlite3_bind_text(s, 1, id.p, (int)id.n, SQLITE_TRANSIENT);
	(void)sqlite3_bind_int64(s, 2, sqlite3_column_int64(begin, SEQ));
	(void)sqlite3_bind_int64(s, 3, r->q->since_usec);
	(void)sqlite3_bind_int64(s, 4, r->q->until_usec);
	return step(r, s, err);
}

static int fill_begin(struct reading *r, sqlite3_stmt *s, struct history_item *x, struct err *err)
{
	if (!copy_text(r->answer, text_of(s, MANAGER), &x->manager))
		return err_nomem(err);
	if (!is_like(r->q->filter.manager, x->manager))
		return 0;
	x->began_usec = x->at_usec;
	return 1;
}

/* Fill the item after the last one. 1: the row is an item; 0: it is none. */
static int fill_item(struct reading *r, sqlite3_stmt *s, enum transition t, struct err *err)
{
	struct history_item *x;
	int n = 1;

	if (!passes(r->q, s) || !is_as_bad(&r->q->filter, severity_of(text_of(s, SEVERITY))))
		return 0;
	if (!r->q->story && t == TRANSITION_CHANGE)
		return 0;
	if (!r->q->story && t == TRANSITION_BEGIN)
		n = has_ended(r, s, err) ^ 1;
	if (n <= 0 || n > 1)
		return n == 0 ? 0 : -err->code;
	x = new_item(r, err);
	if (!x)
		return -err->code;
	n = take_texts(r->answer, s, x, err);
	if (n < 0)
		return n;
	n = t == TRANSITION_END ? take_begin(r, s, x, err) : fill_begin(r, s, x, err);
	if (n == 1 && t == TRANSITION_CHANGE)
		x->began_usec = 0;
	return n;
}

static int read_items(struct reading *r, struct err *err)
{
	struct history_answer *a = r->answer;
	sqlite3_stmt *s = prepared(r, NEWEST_FIRST, err);
	int more;

	if (!s)
		return -err->code;
	(void)sqlite3_bind_int64(s, 1, r->q->since_usec);
	(void)sqlite3_bind_int64(s, 2, r->q->until_usec);
	(void)sqlite3_bind_int64(s, 3, r->q->before_usec ? r->q->before_usec : r->q->until_usec);
	(void)sqlite3_bind_int64(s, 4, r->q->before_seq);
	while ((more = step(r, s, err)) == 1) {
		enum transition t;
		int n;

		if (!transition_parse(text_of(s, EVENT), &t))
			continue;
		n = fill_item(r, s, t, err);
		if (n < 0)
			return n;
		if (n == 1 && a->n_items == r->q->limit) { /* the item after the limit is left for the next page */
			a->more = true;
			return 0;
		}
		if (n == 1) {
			a->n_items++;
			a->next_usec = sqlite3_column_int64(s, USEC);
			a->next_seq = sqlite3_column_int64(s, SEQ);
		}
	}
	return more;
}

/* ---- the timeline ---- */

static bool counts(const struct reading *r, sqlite3_stmt *s)
{
	str type = text_of(s, TYPE), event = text_of(s, EVENT);

	if (!r->q->filter.types &&
	    (str_eq(type, STR("accepted")) || str_eq(event, STR("accepted")) || str_eq(event, STR(FINDING_EXPIRED))))
		return false;
	return passes(r->q, s) && is_as_bad(&r->q->filter, severity_of(text_of(s, SEVERITY)));
}

static int look_before(struct reading *r, const struct timeline_row *row, struct timeline_before *ret, str *manager,
		       struct err *err)
{
	sqlite3_stmt *s = prepared(r, LAST_BEFORE, err);
	int found;

	if (!s)
		return -err->code;
	(void)sqlite3_bind_text(s, 1, row->finding.p, (int)row->finding.n, SQLITE_TRANSIENT);
	(void)sqlite3_bind_int64(s, 2, row->seq);
	found = step(r, s, err);
	*ret = (struct timeline_before){ .is_there = found == 1 };
	if (found == 1) {
		enum severity before = severity_of(text_of(s, 1));

		ret->usec = sqlite3_column_int64(s, 0);
		ret->severity = before ? before : row->severity;
		*manager = text_of(s, 3);
	}
	return found;
}

static int take_row(struct reading *r, sqlite3_stmt *s, struct err *err)
{
	struct timeline *t = &r->answer->timeline;
	struct timeline_row row = { .usec = sqlite3_column_int64(s, USEC),
				    .seq = sqlite3_column_int64(s, SEQ),
				    .severity = severity_of(text_of(s, SEVERITY)),
				    .finding = text_of(s, FINDING),
				    .cluster = text_of(s, CLUSTER),
				    .gap = str_eq(text_of(s, TYPE), STR("gap")) };
	struct timeline_before before = { 0 };
	str manager = text_of(s, MANAGER);
	bool needs;

	if (!transition_parse(text_of(s, EVENT), &row.event) || !is_wanted(r->q->filter.cluster, row.cluster))
		return 0;
	row.severity = row.severity ? row.severity : SEVERITY_INFO;
	row.wanted = counts(r, s);
	/* A known finding counts in any case: its severity or writer may have changed. */
	if (!row.gap && !row.wanted && !timeline_knows(t, row.finding))
		return 0;
	needs = timeline_needs_before(t, &row);
	if (needs && look_before(r, &row, &before, &manager, err) < 0)
		return -err->code;
	row.wanted = row.wanted && is_like(r->q->filter.manager, manager);
	return timeline_add(t, &row, needs ? &before : NULL, err);
}

static bool open_counts(const struct reading *r, const struct finding *x)
{
	struct finding_filter f = r->q->filter;

	if (!f.types && x->kind == FINDING_ACCEPTED)
		return false;
	f.since_usec = 0;
	if (r->q->story && (!str_eq(f.namespace, x->subject.namespace) || !str_eq(f.name, x->subject.name)))
		return false;
	return finding_filter_passes(&f, x);
}

static int take_open(struct reading *r, str body, struct err *err)
{
	CLEANUP(doc_unrefp) struct doc *doc = NULL;
	struct timeline_row row;
	struct finding x;
	int n = finding_from_text(body, &doc, &x, err);

	if (n <= 0)
		return n;
	if (x.dormant || !is_wanted(r->q->filter.cluster, x.subject.cluster))
		return 0;
	row = (struct timeline_row){ .usec = x.first_seen_usec,
				     .severity = x.severity,
				     .finding = str_from(x.id),
				     .cluster = x.subject.cluster,
				     .gap = x.kind == FINDING_GAP,
				     .wanted = open_counts(r, &x) };
	return row.gap || row.wanted ? timeline_add_open(&r->answer->timeline, &row, err) : 0;
}

static int read_rows(struct reading *r, enum query which,
		     int (*take)(struct reading *r, sqlite3_stmt *s, struct err *err), struct err *err)
{
	sqlite3_stmt *s = prepared(r, which, err);
	int more = 0, n = 0;

	if (!s)
		return -err->code;
	(void)sqlite3_bind_int64(s, 1, r->q->since_usec); /* for the queries with parameters */
	(void)sqlite3_bind_int64(s, 2, r->q->until_usec);
	while (n >= 0 && (more = step(r, s, err)) == 1)
		n = take(r, s, err);
	return n < 0 ? n : more;
}

static int take_open_row(struct reading *r, sqlite3_stmt *s, struct err *err)
{
	return take_open(r, text_of(s, 0), err);
}

static int take_away(struct reading *r, sqlite3_stmt *s, struct err *err)
{
	const struct time_span span = { sqlite3_column_int64(s, 1), sqlite3_column_int64(s, 2) };
	str cluster = text_of(s, 0);

	return is_wanted(r->q->filter.cluster, cluster) ? timeline_add_away(&r->answer->timeline, cluster, &span, err)
							: 0;
}

static int read_timeline(struct reading *r, struct err *err)
{
	struct timeline *t = &r->answer->timeline;
	int n = timeline_init(t, r->q->since_usec, r->q->until_usec, r->q->buckets, err);

	if (n == 0)
		n = read_rows(r, OLDEST_FIRST, take_row, err);
	if (n == 0)
		n = read_rows(r, OPEN, take_open_row, err);
	if (n == 0)
		n = read_rows(r, AWAY, take_away, err);
	return n < 0 ? n : timeline_end(t, err);
}

static int take_oldest(struct reading *r, sqlite3_stmt *s, struct err *err)
{
	(void)err;
	r->answer->oldest_usec = sqlite3_column_int64(s, 0);
	return 0;
}

/* ---- all of it ---- */

void history_answer_free(struct history_answer *a)
{
	if (!a)
		return;
	timeline_done(&a->timeline);
	free(a->items);
	arena_done(&a->arena);
	free(a);
}

static int read_all(struct reading *r, const char *dir, struct err *err)
{
	int n = open_it(r, dir, err);

	/* Read everything in one transaction, which does not see what is committed meanwhile. */
	if (n == 0 && sqlite3_exec(r->db, "BEGIN", NULL, NULL, NULL) != SQLITE_OK)
		n = failed(r, err);
	if (n == 0)
		n = read_rows(r, OLDEST, take_oldest, err);
	if (n == 0 && r->q->limit)
		n = read_items(r, err);
	if (n == 0 && r->q->buckets)
		n = read_timeline(r, err);
	return n;
}

int history_read(const char *dir, const struct history_question *q, const _Atomic bool *stop,
		 struct history_answer **ret, struct err *err)
{
	CLEANUP(history_answer_freep) struct history_answer *a = calloc(1, sizeof(*a));
	struct reading r = { .q = q, .stop = stop, .until_ms = steady_now_ms() + TIME_MAX_MS, .answer = a };
	int n;

	if (!a)
		return err_nomem(err);
	a->arena = (struct arena)ARENA_INIT(ANSWER_BYTES_MAX);
	n = read_all(&r, dir, err);
	close_it(&r);
	if (n == 0)
		*ret = TAKE(a);
	return n;
}

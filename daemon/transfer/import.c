/* Reads the lines of an export into rows of the database. */
#include "daemon/transfer/import.h"

#include "base/hex.h"
#include "daemon/findings/finding_json.h"
#include "daemon/findings/finding_owner.h"
#include "daemon/findings/finding_record.h"
#include "daemon/store/database/state_key.h"
#include "daemon/transfer/transfer_check.h"
#include "daemon/transfer/transfer_file.h"
#include "go/base64.h"
#include "value/json.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sys/stat.h>
#include <unistd.h>

struct import {
	struct transfer_in *in;
	struct database *database;
	struct shard shard;
	char shard_text[SHARD_TEXT_SIZE];
	struct state_keys *keys;
	struct state_counts *counts;
	struct arena scratch; /* memory for one line */
	int64_t newest_usec;  /* the latest time in the folder before the import; 0: it does not matter */
	bool head, end;
	bool referred; /* there was a record or a line, whose place depends on its finding */
};

static int malformed(const char *what, struct err *err)
{
	return err_set(err, EBADMSG, "malformed %s", what);
}

/* ---- parts ---- */

static bool take_text(val from, const char *name, str *ret)
{
	val v = val_get(from, str_from(name));

	*ret = val_str(v);
	return v.kind == VAL_STRING;
}

static bool take_usec(val from, const char *name, int64_t *ret)
{
	val v = val_get(from, str_from(name));

	*ret = val_int_or(v, -1);
	return *ret >= 0 && *ret <= TRANSFER_USEC_MAX;
}

/* Decode a record. *bytes: its stored form, in the scratch memory; record_done is due in any case. */
static int take_record(struct import *m, val text, str *bytes, struct record *r, struct err *err)
{
	int status = text.kind == VAL_STRING ? go_base64_decode(&go_base64_std, val_str(text), &m->scratch, bytes, NULL)
					     : -EBADMSG;

	if (status == 0)
		return record_decode(*bytes, r, err);
	record_init(r, MESSAGE_NOTICE, SEVERITY_INFO);
	return status == -ENOMEM ? err_nomem(err) : malformed("record", err);
}

static int take_keys(struct import *m, val list, struct err *err)
{
	struct state_keys *keys = m->keys;

	if (!val_is_list(list))
		return malformed("list of keys", err);
	for (uint32_t i = 0; i < list.n; i++) {
		if (keys->n == STATE_KEYS_MAX)
			return err_set(err, E2BIG, "more than %d keys", STATE_KEYS_MAX);
		if (!hex_read(val_str(list.items[i]), keys->of[keys->n], FINDINGS_KEY_SIZE))
			return malformed("key", err);
		keys->n++;
	}
	return 0;
}

/* ---- lines ---- */

static int too_old(struct import *m, int64_t exported_usec, struct err *err)
{
	return err_set(err, ESTALE, "exported at %.*s, before what the folder knows, of %.*s",
		       STR_ARG(time_text(&m->scratch, exported_usec)), STR_ARG(time_text(&m->scratch, m->newest_usec)));
}

static int take_head(struct import *m, val line, struct err *err)
{
	val version = VAL_GET(line, "driftdState");
	str by = val_str(VAL_GET(line, "driftd"));
	int64_t exported_usec;

	if (version.kind != VAL_INT || version.i < 1)
		return err_set(err, EBADMSG, "this is not an export of a driftd");
	if (version.i > TRANSFER_VERSION)
		return err_set(err, EPROTO, "version %" PRId64 ", of driftd %.*s: this one reads up to %d", version.i,
			       STR_ARG(str_sub(by, 0, 40)), TRANSFER_VERSION);
	m->head = true;
	if (!take_usec(line, "exportedUsec", &exported_usec))
		return malformed("head", err);
	if (exported_usec < m->newest_usec)
		return too_old(m, exported_usec, err);
	database_move_file(m->database, exported_usec);
	return take_keys(m, VAL_GET(line, "hashKeys"), err);
}

/* Move a finding that belongs to a process alone: if another process reported it, or this one under another number,
 * it is reported from now on under the number that this process has now. */
static int take_over(struct import *m, struct finding *x, bool own, struct err *err)
{
	if (!finding_is_of_process(x->kind, &x->subject))
		return 0;
	if (m->referred)
		return err_set(err, EBADMSG, "a finding comes behind records that may be about it");
	x->subject.shard = str_from(m->shard_text);
	return database_move_process(m->database, x, own, err);
}

static int take_finding(struct import *m, val body, struct err *err)
{
	val last_record = VAL_GET(body, "told");
	struct finding x;
	struct moved_finding moved = { .finding = &x };
	struct record r;
	bool own;
	int status = 0;

	if (!finding_from_json(VAL_GET(body, "is"), &x))
		return malformed("finding", err);
	if (val_exists(last_record)) {
		status = take_record(m, last_record, &moved.last_record, &r, err);
		record_done(&r);
	}
	own = finding_is_own(m->shard, x.kind, &x.subject);
	if (status == 0)
		status = take_over(m, &x, own, err);
	if (status < 0 || !own)
		return status;
	m->counts->findings++;
	return database_move_finding(m->database, &moved, err);
}

/* Whether a record is this process's: it goes where its finding goes. *about: the key from the record, or that of a
 * finding that has another place here. */
static int place_record(struct import *m, const struct record *r, str *about, bool *own, struct buf *place,
			struct err *err)
{
	str id = record_get(r, "DRIFTD_DRIFT_ID");
	int status = id.n ? database_move_process_of(m->database, id, own, place, err) : 0;

	if (status == 0)
		*own = record_is_own(m->shard, r);
	if (status <= 0)
		return status;
	if (*own)
		*about = buf_str(place);
	return buf_error(place, "the key of a finding", err);
}

static int take_outbox(struct import *m, val body, struct err *err)
{
	val deferred = VAL_GET(body, "deferred");
	struct moved_record x = { .deferred = val_is_true(deferred), .sent = val_exists(VAL_GET(body, "sentUsec")) };
	CLEANUP(buf_done) struct buf place = BUF_INIT(TRANSFER_LINE_MAX);
	struct record r;
	bool own;
	int status = 0;

	if (!take_text(body, "about", &x.about) || deferred.kind != VAL_BOOL ||
	    !take_usec(body, "dueUsec", &x.due_usec) || !take_usec(body, "holdUsec", &x.hold_usec) ||
	    (x.sent && !take_usec(body, "sentUsec", &x.sent_usec)))
		return malformed("row of the outbox", err);
	m->referred = true;
	status = take_record(m, VAL_GET(body, "bytes"), &x.record, &r, err);
	if (status == 0)
		status = place_record(m, &r, &x.about, &own, &place, err);
	if (status == 0) {
		m->counts->records += own;
		status = database_move_record(m->database, &x, r.id, own, err);
	}
	record_done(&r);
	return status;
}

/* Read the details that a line has. False: one is malformed. */
static bool take_details(val body, struct moved_line *x)
{
	const struct {
		const char *name;
		str *to;
	} details[] = { { "type", &x->type },       { "resource", &x->resource }, { "reference", &x->reference },
			{ "manager", &x->manager }, { "cause", &x->cause },       { "reason", &x->reason } };
	bool ok = true;

	for (size_t i = 0; ok && i < ARRAY_LEN(details); i++) {
		if (val_exists(val_get(body, str_from(details[i].name))))
			ok = take_text(body, details[i].name, details[i].to);
	}
	return ok && (!val_exists(VAL_GET(body, "lastedUsec")) || take_usec(body, "lastedUsec", &x->lasted_usec));
}

static int take_history(struct import *m, val body, struct err *err)
{
	static const char *const names[] = { "owner",   "finding", "record",    "event", "severity",
					     "cluster", "kind",    "namespace", "name",  "message" };
	struct moved_line x = { 0 };
	str *const texts[] = { &x.owner,   &x.finding, &x.record,    &x.event, &x.severity,
			       &x.cluster, &x.kind,    &x.namespace, &x.name,  &x.message };
	CLEANUP(buf_done) struct buf place = BUF_INIT(TRANSFER_LINE_MAX);
	bool ok = take_usec(body, "usec", &x.usec), own;
	int r;

	for (size_t i = 0; ok && i < ARRAY_LEN(names); i++)
		ok = take_text(body, names[i], texts[i]);
	if (!ok || !x.record.n || !take_details(body, &x))
		return malformed("line of the history", err);
	m->referred = true;
	r = database_move_look(m->database, &x, &own, err);
	if (r == 0)
		r = database_move_process_of(m->database, x.finding, &own, &place, err);
	if (r < 0)
		return r;
	if (r == 0)
		own = x.owner.n ? shard_owns(m->shard, x.owner) : m->shard.ordinal == 0;
	if (!own)
		return 0;
	m->counts->lines++;
	return database_move_line(m->database, &x, err);
}

static int take_seen(struct import *m, val body, struct err *err)
{
	str cluster;
	int64_t usec;

	if (!take_text(body, "cluster", &cluster) || !take_usec(body, "usec", &usec))
		return malformed("time at which a cluster was seen", err);
	return database_move_seen(m->database, cluster, usec, err);
}

static int take_unwatched(struct import *m, val body, struct err *err)
{
	struct time_span span;
	str cluster;

	if (!take_text(body, "cluster", &cluster) || !take_usec(body, "fromUsec", &span.not_before_usec) ||
	    !take_usec(body, "toUsec", &span.not_after_usec))
		return malformed("time in which nobody watched a cluster", err);
	return database_put_unwatched(m->database, cluster, &span, err);
}

static int take_acceptance(struct import *m, val body, struct err *err)
{
	char id[ACCEPTANCE_ID_SIZE];
	int r = transfer_check_acceptance(val_str(body), id, err);

	return r < 0 ? r : database_move_acceptance(m->database, str_from(id), val_str(body), err);
}

static int take_rule(struct import *m, val body, struct err *err)
{
	struct kept_rule x = { 0 };
	int r;

	if (!take_text(body, "uuid", &x.uuid) || !take_text(body, "body", &x.json) ||
	    !take_text(body, "createdAt", &x.created_at) || !x.uuid.n ||
	    (val_exists(VAL_GET(body, "updatedAt")) && !take_text(body, "updatedAt", &x.updated_at)))
		return malformed("inspection rule", err);
	r = transfer_check_rule(x.json, err);
	return r < 0 ? r : database_move_rule(m->database, &x, err);
}

/* Read lines of "UID VERSION". The process that owns an object inspects it. */
static int take_inspected(struct import *m, val body, struct err *err)
{
	str cluster, versions, one;
	int r = 0;

	if (!take_text(body, "cluster", &cluster) || !take_text(body, "versions", &versions))
		return malformed("list of inspected objects", err);
	while (r == 0 && versions.n && str_next_part(&versions, '\n', &one)) {
		ptrdiff_t blank = str_find_byte(one, ' ');

		if (blank > 0 && shard_owns(m->shard, str_sub(one, 0, (size_t)blank)))
			r = database_move_inspected(m->database, cluster, one, err);
	}
	return r;
}

static int take_end(struct import *m, val body, struct err *err)
{
	val lines = VAL_GET(body, "lines");
	char hash[TRANSFER_HASH_SIZE];
	int r = transfer_in_hash(m->in, hash, err);

	if (r < 0)
		return r;
	if (lines.kind != VAL_INT || lines.i != transfer_in_lines(m->in) ||
	    !str_eq(val_str(VAL_GET(body, "sha256")), str_from(hash)))
		return err_set(err, EBADMSG, "what is above it is not what was exported");
	m->end = true;
	return 0;
}

static int take_line(struct import *m, val line, struct err *err)
{
	static const struct {
		const char *name;
		int (*take)(struct import *m, val body, struct err *err);
	} kinds[] = {
		{ "finding", take_finding }, { "record", take_outbox },         { "history", take_history },
		{ "seen", take_seen },       { "acceptance", take_acceptance }, { "rule", take_rule },
		{ "end", take_end },         { "inspected", take_inspected },   { "unwatched", take_unwatched },
	};

	if (m->end)
		return err_set(err, EBADMSG, "there is something behind the end");
	if (!m->head)
		return take_head(m, line, err);
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
		val body = val_get(line, str_from(kinds[i].name));

		if (val_exists(body))
			return kinds[i].take(m, body, err);
	}
	return err_set(err, EBADMSG, "unknown kind of line");
}

static int read_line(struct import *m, str text, struct err *err)
{
	struct limits limits = LIMITS_DEFAULT;
	const struct json_options o = { .limits = &limits };
	CLEANUP(doc_unrefp) struct doc *doc = NULL;
	int r;

	if (transfer_in_lines(m->in) >= TRANSFER_LINES_MAX)
		return err_set(err, E2BIG, "more than %" PRId64 " lines", TRANSFER_LINES_MAX);
	limits.object_bytes = TRANSFER_LINE_MAX;
	r = json_decode(text, &o, &doc, err);
	if (r == 0)
		r = take_line(m, doc->root, err);
	arena_reset(&m->scratch);
	return r;
}

int state_import_lines(struct transfer_in *in, struct database *d, struct shard shard, int64_t newest_usec,
		       struct state_keys *keys, struct state_counts *counts, struct err *err)
{
	struct import m = {
		.in = in,
		.database = d,
		.shard = shard,
		.newest_usec = newest_usec,
		.keys = keys,
		.counts = counts,
		.scratch = ARENA_INIT(TRANSFER_LINE_MAX + 4096),
	};
	str text;
	int r;

	(void)shard_text(shard, m.shard_text);
	while ((r = transfer_in_line(in, &text, err)) > 0 && (r = read_line(&m, text, err)) == 0)
		;
	if (r == 0 && !m.end)
		r = err_set(err, EBADMSG, "the file breaks off");
	arena_done(&m.scratch);
	return r < 0 ? err_wrap(err, "line %" PRId64, transfer_in_lines(in) + 1) : 0;
}

/* ---- files ---- */

/* If root imports, make the file for the account that owns the folder. */
static int make_for_owner(const char *dir, const char *name, struct err *err)
{
	int folder = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC), fd = -1;
	struct stat st;
	bool ok = folder >= 0 && fstat(folder, &st) == 0;

	if (ok && geteuid() == 0 && st.st_uid != 0) {
		fd = openat(folder, name, O_RDONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
		ok = fd >= 0 && fchown(fd, st.st_uid, st.st_gid) == 0;
	}
	if (!ok)
		(void)err_set(err, errno, "state_dir '%s': %s", dir, strerror(errno));
	if (fd >= 0)
		(void)close(fd);
	if (folder >= 0)
		(void)close(folder);
	return ok ? 0 : -err->code;
}

static int open_database(const char *dir, struct database **ret, struct err *err)
{
	struct err notice;
	int r = database_open_kept(dir, ret, err);

	if (r != -ENOENT)
		return r;
	r = make_for_owner(dir, DATABASE_NAME, err);
	return r < 0 ? r : database_open(dir, ret, &notice, err);
}

static int note_seen(void *ctx, str cluster, int64_t usec, struct err *err)
{
	int64_t *newest = ctx;

	(void)cluster, (void)err;
	*newest = usec > *newest ? usec : *newest;
	return 0;
}

static int note_line(void *ctx, const struct moved_line *x, struct err *err)
{
	return note_seen(ctx, x->cluster, x->usec, err);
}

/* The time of the latest data in the folder; 0: it is empty. */
static int find_newest(struct database *d, int64_t *ret, struct err *err)
{
	int r = database_seen(d, note_seen, ret, err);

	return r < 0 ? r : database_each_moved_line(d, note_line, ret, err);
}

static int import_file(const char *path, struct database *d, const struct state_terms *terms, int64_t newest_usec,
		       struct state_keys *keys, struct state_counts *counts, struct err *err)
{
	CLEANUP(transfer_in_freep) struct transfer_in *in = NULL;
	int r = transfer_in_new(path, &in, err);

	if (r == 0)
		r = state_import_lines(in, d, terms->shard, newest_usec, keys, counts, err);
	return r < 0 ? err_wrap(err, "'%s'", path) : 0;
}

int state_import_files(const char *dir, const char *const *files, size_t n, const struct state_terms *terms,
		       struct state_counts *ret, struct err *err)
{
	CLEANUP(database_closep) struct database *d = NULL;
	struct state_counts counts = { 0 };
	struct state_keys keys = { .n = 0 };
	int64_t newest_usec = 0;
	int r = open_database(dir, &d, err);

	if (r == 0 && !terms->force)
		r = find_newest(d, &newest_usec, err);
	if (r == 0)
		r = database_move_begin(d, err);
	if (r < 0)
		return r;
	for (size_t i = 0; r == 0 && i < n; i++)
		r = import_file(files[i], d, terms, newest_usec, &keys, &counts, err);
	if (r == 0) /* The keys are on the disk before the findings are. A key without any hash does no harm. */
		r = state_keys_add(dir, &keys, err);
	r = database_move_end(d, r, err);
	if (r == 0)
		*ret = counts;
	return r;
}

/* Reads the journal backwards, so that the last record of each finding comes first. */
#include "daemon/store/journal/reconcile_internal.h"

#include "base/number.h"
#include "base/vec.h"
#include "daemon/findings/clock.h"
#include "daemon/findings/finding_json.h"
#include "daemon/findings/finding_record.h"
#include "daemon/findings/output.h"
#include "daemon/store/journal/journal_lookup.h"

#include <errno.h>
#include <unistd.h>

#define BARRIER_WAIT_NS (10 * UINT64_C(1000000000))
#define BARRIER_WAIT_LONG_NS (180 * UINT64_C(1000000000))
#define BARRIER_LOOK_MS 50

static int add_id(struct strmap *ids, str id, struct err *err)
{
	return strmap_put(ids, id, ids, NULL) ? 0 : err_nomem(err);
}

/* Note the id of @x under its key. */
static int note_by_key(struct reconciliation *s, struct strmap *ids, const struct finding *x, struct err *err)
{
	str id = arena_str(&s->ids, str_from(x->id));

	return id.p && strmap_put(ids, x->key, (void *)(uintptr_t)id.p, NULL) ? 0 : err_nomem(err);
}

static int note_kept(void *ctx, const struct finding *x, struct err *err)
{
	CLEANUP(buf_done) struct buf key = BUF_INIT(STATE_MAX);
	struct reconciliation *s = ctx;
	struct finding copy = *x;

	finding_key(x->kind, &x->subject, &key);
	copy.key = buf_str(&key);
	if (buf_error(&key, "the key of a finding", err) < 0 || note_by_key(s, &s->by_key, &copy, err) < 0)
		return -err->code;
	return add_id(&s->kept, str_from(x->id), err);
}

/* Note what a reader of the journal knows about @x. */
static int note_said(struct reconciliation *s, const struct finding *x, struct err *err)
{
	struct said *said = arena_alloc(&s->ids, sizeof(*said));

	if (!said)
		return err_nomem(err);
	*said = (struct said){ arena_str(&s->ids, x->paths), x->severity };
	return said->paths.p && strmap_put(&s->said, str_from(x->id), said, NULL) ? 0 : err_nomem(err);
}

/* Note what a waiting record says. Later rows replace what earlier ones said. */
static int note_said_in_outbox(struct reconciliation *s, struct record *r, struct err *err)
{
	struct finding x;
	int is = s->o->all ? reconcile_finding_of(r, &x, err) : 0;

	return is <= 0 ? is : note_said(s, &x, err);
}

static int note_waiting_record(struct reconciliation *s, struct record *r, bool sent, struct err *err)
{
	str finding = record_get(r, "DRIFTD_DRIFT_ID");
	enum transition t;
	int status = add_id(&s->outbox, str_from(r->id), err);

	if (status == 0 && !sent)
		status = add_id(&s->waits, str_from(r->id), err);
	if (status < 0 || !record_transition(r, &t))
		return status;
	if (t == TRANSITION_BEGIN || record_get(r, "DRIFTD_MERGED").n)
		status = add_id(&s->beginning, finding, err);
	if (status == 0)
		status = note_said_in_outbox(s, r, err);
	if (status == 0 && t == TRANSITION_END)
		status = add_id(&s->ending, finding, err);
	return status;
}

static int note_waiting(void *ctx, const struct outbox_row *row, struct err *err)
{
	struct record r;
	int status = record_decode(row->record, &r, err);

	if (status < 0)
		return status == -EBADMSG ? 0 : status;
	status = note_waiting_record(ctx, &r, row->sent || row->written_usec, err);
	record_done(&r);
	return status;
}

/* ---- from a record to a finding ---- */

static str paths_of(struct record *r)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(STATE_MAX);

	for (size_t i = 0; i < r->n_fields; i++) {
		if (strcmp(r->fields[i].name, "DRIFTD_PATH") != 0)
			continue;
		if (out.n)
			buf_add_byte(&out, '\n');
		buf_add_str(&out, r->fields[i].value);
	}
	return arena_str(&r->arena, buf_str(&out));
}

int reconcile_finding_of(struct record *r, struct finding *x, struct err *err)
{
	CLEANUP(buf_done) struct buf key = BUF_INIT(STATE_MAX);
	str id = record_get(r, "DRIFTD_DRIFT_ID");
	int64_t flaps = 0;

	*x = (struct finding){ .announced = true };
	if (id.n != FINDING_ID_SIZE - 1 || !finding_of_record(r, &x->kind, &x->subject) ||
	    !severity_parse(record_get(r, "DRIFTD_SEVERITY"), &x->severity) ||
	    !int64_parse(record_get(r, "DRIFTD_FIRST_SEEN_USEC"), &x->first_seen_usec) || x->first_seen_usec < 0)
		return 0;
	memcpy(x->id, id.p, id.n);
	memcpy(x->state_hash, FINDING_STATE_UNKNOWN, sizeof(x->state_hash));
	/* the shard of the record is no part of the key of such a finding */
	if (!finding_is_of_process(x->kind, &x->subject))
		x->subject.shard = (str){ NULL, 0 };
	finding_key(x->kind, &x->subject, &key);
	x->key = arena_str(&r->arena, buf_str(&key));
	if (buf_error(&key, "the key of a finding", err) < 0 || !x->key.p)
		return err_nomem(err);
	x->paths = paths_of(r);
	x->manager = record_get(r, "DRIFTD_MANAGER");
	if (int64_parse(record_get(r, "DRIFTD_FLAPPING_CHANGES"), &flaps) && flaps > 0 &&
	    !str_eq(record_get(r, "DRIFTD_FLAPPING"), STR("end")))
		x->flaps = (uint64_t)flaps;
	return 1;
}

/* ---- what becomes of it ---- */

static int forget(struct reconciliation *s, const char *id, struct err *err)
{
	s->n.ended++;
	return add_id(&s->over, str_from(id), err) < 0 ? -err->code : database_remove_finding(s->d, id, err);
}

/* The id that @ids has for the key of @x, if it is another id than that of @x, and the journal is current. NULL:
 * there is none. */
static const char *other_of(const struct reconciliation *s, const struct strmap *ids, const struct finding *x)
{
	const char *other = strmap_get(ids, x->key);

	return s->current && other && strcmp(other, x->id) != 0 ? other : NULL;
}

/* Forget the finding of the same key that the database has, when the journal has no record of it: the journal's finding
 * counts, and the end between both is lost. */
static int forget_unheard(struct reconciliation *s, const struct finding *x, struct err *err)
{
	const char *other = other_of(s, &s->by_key, x);

	return other && !strmap_has(&s->seen, str_from(other)) ? forget(s, other, err) : 0;
}

/* Note that the finding is the latest one of its key in the journal. */
static int take_place(struct reconciliation *s, const struct finding *x, struct err *err)
{
	int r = forget_unheard(s, x, err);

	return r < 0 ? r : note_by_key(s, &s->heard, x, err);
}

/* Take over the end of a finding that is later than anything the database knows of its key. */
static int end_unknown(struct reconciliation *s, const struct finding *x, struct err *err)
{
	int r = take_place(s, x, err);

	return r < 0 ? r : forget(s, x->id, err);
}

static int learn(struct reconciliation *s, const struct finding *x, struct err *err)
{
	CLEANUP(buf_done) struct buf json = BUF_INIT(STATE_MAX);

	if (take_place(s, x, err) < 0)
		return -err->code;
	finding_to_json(x, &json);
	if (buf_error(&json, "a finding", err) < 0)
		return -err->code;
	s->n.learned++;
	return database_put_finding(s->d, x->id, buf_str(&json), err);
}

/* Whether there was a later finding of the same key: this one was forgotten when that one began. */
static int is_superseded(struct reconciliation *s, const struct finding *x, struct err *err)
{
	return strmap_has(&s->later, x->key) ? 1 : add_id(&s->later, x->key, err);
}

/* Take a finding that the journal has as open. If its end waits to be sent, or is looked up once more, it is over. If
 * the database has its end, that record is newer than what can be read, or it was lost on its way: then the finding
 * ends again. */
static int take_open(struct reconciliation *s, const struct finding *x, struct err *err)
{
	int ended = strmap_has(&s->ending, str_from(x->id)) ? 1 : database_knows_end(s->d, x->id, err);

	if (ended < 0)
		return ended;
	if (ended && (!s->current || strmap_has(&s->ending, str_from(x->id))))
		return 0;
	return learn(s, x, err);
}

/* Handle the last record of a finding in the journal, when the database has the record. In a damaged database
 * findings may be older or newer than their records. */
static int take_known(struct reconciliation *s, bool ends, const struct finding *x, struct err *err)
{
	if (strmap_has(&s->kept, str_from(x->id)) != ends)
		return 0;
	return ends ? forget(s, x->id, err) : take_open(s, x, err);
}

static int take_unknown(struct reconciliation *s, const struct record *r, bool ends, const struct finding *x,
			int64_t usec, struct err *err)
{
	int status = ends ? end_unknown(s, x, err) : take_open(s, x, err);

	if (status == 0)
		status = database_add_history(s->d, r, usec, err);
	return status < 0 ? status : add_id(&s->added, str_from(r->id), err);
}

/* Handle the last record of a finding. @line: the line of the history about the same record; 0: there is none. */
static int take_last(struct reconciliation *s, const struct record *r, enum transition t, const struct finding *x,
		     int64_t line, int64_t usec, struct err *err)
{
	bool ends = t == TRANSITION_END;
	int status = is_superseded(s, x, err);

	if (status < 0 || (status && !ends))
		return status < 0 ? status : 0;
	return line ? take_known(s, ends, x, err) : take_unknown(s, r, ends, x, usec, err);
}

/* Whether reading can end. Entries that stand before a sent record were sent before it, and stored before they were
 * sent, whatever the clock said: unless the database is damaged, it knows all of them. */
static bool ends_here(const struct reconciliation *s, const struct record *r, int64_t line)
{
	return line && !s->o->all && !strmap_has(&s->waits, str_from(r->id));
}

static int note_begun(struct reconciliation *s, const struct finding *x, struct err *err)
{
	int64_t line = database_finding_line(s->d, str_from(x->id), err);

	if (line > 0 && (!s->first_begun || line < s->first_begun))
		s->first_begun = line;
	return line < 0 ? (int)line : 0;
}

/* The line of the history about the same record. 0: there is none, or it was only added in this run: a record that
 * may have been sent twice is in the journal twice. */
static int64_t known_line(const struct reconciliation *s, const struct record *r, const struct finding *x,
			  struct err *err)
{
	if (strmap_has(&s->added, str_from(r->id)))
		return 0;
	return database_history_line(s->d, str_from(x->id), str_from(r->id), err);
}

static int see_record(void *ctx, struct record *r, int64_t usec, struct err *err)
{
	struct reconciliation *s = ctx;
	enum transition t;
	struct finding x;
	int64_t line;
	int is = record_transition(r, &t) ? reconcile_finding_of(r, &x, err) : 0;

	if (is <= 0)
		return is;
	line = known_line(s, r, &x, err);
	if (line < 0)
		return (int)line;
	if (line && (!s->n.reach || line < s->n.reach))
		s->n.reach = line;
	if (ends_here(s, r, line))
		return 1;
	if (t == TRANSITION_BEGIN && note_begun(s, &x, err) < 0)
		return -err->code;
	if (!reconciliation_is_ours(s, &x) || strmap_has(&s->seen, str_from(x.id)))
		return 0;
	if (add_id(&s->seen, str_from(x.id), err) < 0)
		return -err->code;
	if (s->o->all && !strmap_has(&s->said, str_from(x.id)) && note_said(s, &x, err) < 0)
		return -err->code;
	return take_last(s, r, t, &x, line, usec, err);
}

/* ---- what waits to be sent of what has ended ---- */

struct stale {
	struct reconciliation *s;
	VEC(int64_t) rows;
};

/* Whether a waiting record is out of date. 1: the finding has ended, or the journal has no record of it but one of a
 * later finding with the same key. */
static int is_stale(struct reconciliation *s, struct record *r, struct err *err)
{
	enum transition t;
	struct finding x;
	int is;

	if (strmap_has(&s->over, record_get(r, "DRIFTD_DRIFT_ID")))
		return 1;
	is = s->heard.n && record_transition(r, &t) ? reconcile_finding_of(r, &x, err) : 0;
	return is <= 0 ? is : !strmap_has(&s->seen, str_from(x.id)) && other_of(s, &s->heard, &x);
}

static int see_row(void *ctx, const struct outbox_row *row, struct err *err)
{
	struct stale *stale = ctx;
	struct record r;
	int status = record_decode(row->record, &r, err);

	if (status < 0)
		return status == -EBADMSG ? 0 : status;
	status = is_stale(stale->s, &r, err);
	record_done(&r);
	if (status > 0 && !vec_push(&stale->rows, row->seq))
		return err_nomem(err);
	return status < 0 ? status : 0;
}

static int drop_waiting(struct reconciliation *s, struct err *err)
{
	struct stale stale = { .s = s };
	int r = s->over.n || s->heard.n ? database_outbox(s->d, see_row, &stale, err) : 0;

	for (size_t i = 0; r == 0 && i < stale.rows.n; i++)
		r = database_remove_from_outbox(s->d, stale.rows.p[i], err);
	vec_done(&stale.rows);
	return r;
}

/* ---- whether the journal has all that it was given ---- */

/* Whether no journald runs. What the last one was given and has not written is lost. */
static bool is_nobody_there(int status)
{
	return status == -ENOENT || status == -ECONNREFUSED;
}

static bool is_read_back(struct reconciliation *s, const char *id)
{
	struct sd_journal *j = journal_open_with(id);

	if (!j)
		return false;
	journal_close(s->journal);
	s->journal = j;
	return s->current = true;
}

/* Whether the journald that got the barrier has gone. */
static bool is_lost(struct output *output)
{
	int status = output_await(output);

	return status < 0 && status != -EAGAIN;
}

/* Wait until the journal has a record that it is given now, and so everything that it was given before. A journald
 * that accepts nothing hangs, or is slow. */
static int wait_for_journal(struct reconciliation *s, struct output *output, struct err *err)
{
	uint64_t until_ns = clock_ns() + (s->o->all ? BARRIER_WAIT_LONG_NS : BARRIER_WAIT_NS);
	int status = -EAGAIN;
	char id[RECORD_ID_SIZE];

	while (clock_ns() < until_ns) {
		if (status < 0)
			status = journal_send_barrier(output, STR("what is kept is compared with the journal"), id);
		if (status == -ESTALE) /* another journald has taken its place */
			status = -EAGAIN;
		s->current = is_nobody_there(status);
		if (s->current || (status < 0 && status != -EAGAIN) || (status == 0 && is_read_back(s, id)))
			return 0;
		if (s->o->is_ended(s->o->ctx))
			return err_set(err, ECANCELED, "driftd is to end, and the journal hangs");
		(void)usleep(BARRIER_LOOK_MS * 1000);
		if (status == 0 && is_lost(output))
			status = -EAGAIN;
	}
	return 0;
}

static int await_journal(struct reconciliation *s, struct err *err)
{
	struct output *output = output_new(s->o->output);
	int r;

	if (!output)
		return err_nomem(err);
	output_set_shard(output, s->o->shard);
	r = wait_for_journal(s, output, err);
	output_free(output);
	return r;
}

/* ---- */

static int compare(struct reconciliation *s, struct err *err)
{
	size_t malformed;
	int r = database_outbox(s->d, note_waiting, s, err);

	if (r == 0)
		r = database_findings(s->d, note_kept, s, &malformed, err);
	if (r < 0)
		return r;
	r = database_begin(s->d, err);
	if (r < 0)
		return r;
	r = journal_each(s->journal, JOURNAL_LATEST_FIRST, see_record, s, err);
	if (r == 0)
		r = drop_waiting(s, err);
	if (r == 0)
		r = s->o->all ? reconcile_lost(s, err) : 0;
	return database_end(s->d, r, err);
}

int reconcile(struct database *d, const struct reconcile_options *o, struct reconciled *ret, struct err *err)
{
	struct reconciliation s = { .d = d, .o = o, .journal = journal_open(), .ids = ARENA_INIT(0) };
	int r;

	if (!s.journal)
		return err_set(err, ENOENT, "the journal cannot be read");
	r = await_journal(&s, err);
	if (r == 0)
		r = compare(&s, err);
	journal_close(s.journal);
	strmap_done(&s.kept);
	strmap_done(&s.by_key);
	strmap_done(&s.heard);
	arena_done(&s.ids);
	strmap_done(&s.outbox);
	strmap_done(&s.waits);
	strmap_done(&s.beginning);
	strmap_done(&s.ending);
	strmap_done(&s.added);
	strmap_done(&s.seen);
	strmap_done(&s.said);
	strmap_done(&s.over);
	strmap_done(&s.later);
	if (r == 0)
		*ret = s.n;
	return r;
}

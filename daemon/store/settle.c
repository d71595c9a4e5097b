/* Reading the journal backwards: the last record of each finding is met first. */
#include "daemon/store/settle.h"

#include "base/number.h"
#include "base/strmap.h"
#include "base/vec.h"
#include "daemon/findings/finding_json.h"
#include "daemon/findings/finding_owner.h"
#include "daemon/findings/finding_record.h"
#include "daemon/store/journal_lookup.h"

#include <errno.h>

#define STATE_MAX ((size_t)1 << 20)

struct settling {
	struct database *d;
	const struct settle_options *o;
	struct strmap known; /* ids of records that the database has */
	struct strmap kept;  /* ids of findings that it has, if it may lack some of which it has the records */
	struct strmap seen;  /* ids of findings of which a later record was met */
	struct strmap over;  /* of those that ended */
	struct strmap open;  /* keys of those that did not */
	int64_t since_usec;  /* records from before are known, from the first one on that is */
	bool met_known;
	struct settled n;
};

static int note_kept(void *ctx, const struct finding *x, struct err *err)
{
	struct settling *s = ctx;

	return strmap_put(&s->kept, str_from(x->id), s, NULL) ? 0 : err_nomem(err);
}

/* ---- from a record to a finding ---- */

static void fill_subject(const struct record *r, struct finding_subject *s)
{
	s->template_path = record_get(r, "DRIFTD_TEMPLATE");
	s->resource = record_get(r, "DRIFTD_RESOURCE");
	s->rule_path = record_get(r, "DRIFTD_RULE_PLACE");
	s->reason = record_get(r, "DRIFTD_REASON");
	s->acceptance = record_get(r, "DRIFTD_ACCEPTANCE");
	s->owner = record_get(r, "DRIFTD_OWNER");
	s->until = record_get(r, "DRIFTD_UNTIL");
	s->phase = record_get(r, "DRIFTD_PHASE");
}

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

/* False: it is about no finding, or says not enough. */
static bool finding_of(struct record *r, struct finding *x)
{
	str id = record_get(r, "DRIFTD_DRIFT_ID");
	int64_t flaps = 0;

	*x = (struct finding){ .announced = true };
	if (id.n != FINDING_ID_SIZE - 1 || !finding_of_record(r, &x->kind, &x->subject) ||
	    !severity_parse(record_get(r, "DRIFTD_SEVERITY"), &x->severity) ||
	    !int64_parse(record_get(r, "DRIFTD_FIRST_SEEN_USEC"), &x->first_seen_usec) || x->first_seen_usec < 0)
		return false;
	memcpy(x->id, id.p, id.n);
	memcpy(x->state_hash, FINDING_STATE_UNKNOWN, sizeof(x->state_hash));
	fill_subject(r, &x->subject);
	if (!finding_is_of_process(x->kind, &x->subject)) /* the record says whose it is all the same */
		x->subject.shard = (str){ NULL, 0 };
	x->paths = paths_of(r);
	x->manager = record_get(r, "DRIFTD_MANAGER");
	if (int64_parse(record_get(r, "DRIFTD_FLAPPING_CHANGES"), &flaps) && flaps > 0 &&
	    !str_eq(record_get(r, "DRIFTD_FLAPPING"), STR("end")))
		x->flaps = (uint64_t)flaps;
	return true;
}

/* ---- what becomes of it ---- */

static int learn(struct settling *s, const struct finding *x, struct err *err)
{
	CLEANUP(buf_done) struct buf json = BUF_INIT(STATE_MAX);

	finding_to_json(x, &json);
	if (buf_error(&json, "a finding", err) < 0)
		return -err->code;
	s->n.learned++;
	return database_put_finding(s->d, x->id, buf_str(&json), err);
}

static int forget(struct settling *s, const struct finding *x, struct err *err)
{
	if (!strmap_put(&s->over, str_from(x->id), &s->over, NULL))
		return err_nomem(err);
	s->n.ended++;
	return database_remove_finding(s->d, x->id, err);
}

/* Whether a later finding of the same key is open: of this one nobody knew any more when that began. */
static int is_superseded(struct settling *s, const struct finding *x, struct err *err)
{
	CLEANUP(buf_done) struct buf key = BUF_INIT(STATE_MAX);

	finding_key(x->kind, &x->subject, &key);
	if (buf_error(&key, "the key of a finding", err) < 0)
		return -err->code;
	if (strmap_has(&s->open, buf_str(&key)))
		return 1;
	return strmap_put(&s->open, buf_str(&key), &s->open, NULL) ? 0 : err_nomem(err);
}

static bool is_ours(const struct settling *s, const struct finding *x)
{
	return s->o->is_watched(s->o->ctx, x->subject.cluster) && finding_is_own(s->o->shard, x->kind, &x->subject);
}

static int take(struct settling *s, const struct record *r, bool ends, const struct finding *x, int64_t usec,
		struct err *err)
{
	bool known = strmap_has(&s->known, str_from(r->id));
	int status;

	s->met_known |= known;
	/* Of what is damaged the findings may be older than their records, or younger. The journal may lag behind both.
	 */
	if (known && (!s->o->all || strmap_has(&s->kept, str_from(x->id)) != ends))
		return 0;
	status = known && !ends ? database_knows_end(s->d, x->id, err) : 0;
	if (status)
		return status < 0 ? status : 0;
	status = ends ? forget(s, x, err) : learn(s, x, err);
	return status < 0 || known ? status : database_add_history(s->d, r, usec, err);
}

static int see_record(void *ctx, struct record *r, int64_t usec, struct err *err)
{
	struct settling *s = ctx;
	enum transition t;
	struct finding x;
	int status;

	/* What was lost is behind what is known, whatever the clock said of both. */
	if (usec < s->since_usec && s->met_known)
		return 1;
	if (!record_transition(r, &t) || !finding_of(r, &x) || !is_ours(s, &x) || strmap_has(&s->seen, str_from(x.id)))
		return 0;
	if (!strmap_put(&s->seen, str_from(x.id), &s->seen, NULL))
		return err_nomem(err);
	status = t == TRANSITION_END ? 0 : is_superseded(s, &x, err);
	if (status > 0)
		return 0;
	return status < 0 ? status : take(s, r, t == TRANSITION_END, &x, usec, err);
}

/* ---- what waits to be told of what has ended ---- */

struct stale {
	const struct strmap *over;
	VEC(int64_t) rows;
};

static int see_row(void *ctx, const struct outbox_row *row, struct err *err)
{
	struct stale *s = ctx;
	struct record r;
	int status = row->deferred ? record_decode(row->record, &r, err) : -EBADMSG;
	bool is_stale = status == 0 && strmap_has(s->over, record_get(&r, "DRIFTD_DRIFT_ID"));

	if (row->deferred)
		record_done(&r);
	if (is_stale && !vec_push(&s->rows, row->seq))
		return err_nomem(err);
	return status == -ENOMEM ? status : 0;
}

static int drop_waiting(struct settling *s, struct err *err)
{
	struct stale stale = { .over = &s->over };
	int r = s->over.n ? database_outbox(s->d, see_row, &stale, err) : 0;

	for (size_t i = 0; r == 0 && i < stale.rows.n; i++)
		r = database_remove_from_outbox(s->d, stale.rows.p[i], err);
	vec_done(&stale.rows);
	return r;
}

/* ---- */

static int note_known(void *ctx, str record, struct err *err)
{
	struct settling *s = ctx;

	return strmap_put(&s->known, record, s, NULL) ? 0 : err_nomem(err);
}

static int settle_with(struct settling *s, struct sd_journal *j, struct err *err)
{
	size_t malformed;
	int r = database_history_ids(s->d, s->since_usec, note_known, s, err);

	if (r == 0 && s->o->all)
		r = database_findings(s->d, note_kept, s, &malformed, err);
	if (r < 0)
		return r;
	r = database_begin(s->d, err);
	if (r < 0)
		return r;
	r = journal_each_back(j, see_record, s, err);
	if (r == 0)
		r = drop_waiting(s, err);
	return database_end(s->d, r, err);
}

int settle(struct database *d, const struct settle_options *o, struct settled *ret, struct err *err)
{
	struct settling s = { .d = d, .o = o };
	struct sd_journal *j = journal_open();
	int64_t since = o->all ? 0 : database_recent_usec(d) - DATABASE_LOST_USEC;
	int r;

	if (!j)
		return err_set(err, ENOENT, "the journal cannot be read");
	s.since_usec = since > 0 ? since : 0;
	r = settle_with(&s, j, err);
	journal_close(j);
	strmap_done(&s.known);
	strmap_done(&s.kept);
	strmap_done(&s.seen);
	strmap_done(&s.over);
	strmap_done(&s.open);
	if (r == 0)
		*ret = s.n;
	return r;
}

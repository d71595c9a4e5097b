/* Records that were to be sent and are nowhere: their rows of the outbox are lost, but not the findings that they were
 * about.
 *
 *     in the journal   in the outbox        the finding is
 *     nothing          no begin             forgotten: nobody has heard of it, and the next look begins it
 *     nothing          a begin without end  not sent, if it is not open any more: nobody has heard of it either
 *     something        not its last record  sent once more, behind what waits of it, if that record is kept; else it is
 *                                           as those records say it was, so that the next look says what they do not
 *
 * A record that is older than what the journal reaches back to counts as sent. */
#include "daemon/store/journal/reconcile_internal.h"

#include "base/vec.h"
#include "daemon/findings/finding_json.h"
#include "daemon/store/database/database.h"
#include "daemon/store/journal/journal_lookup.h"

#include <errno.h>

/* A finding in the form in which it has to be stored. */
struct restated {
	str id, json; /* with a NUL at the end */
};

/* A record that is to be sent again, and the key of its finding. */
struct again {
	str about, record;
};

struct lost_rows {
	struct reconciliation *s;
	VEC(str) unheard; /* ids of findings */
	VEC(struct again) again;
	VEC(int64_t) rows;
	VEC(struct restated) restated;
	struct arena arena;
};

/* Whether the journal would have the record, if it ever had it. Where the history has lost the record, or all
 * records that the journal has, this is so when the journal has the begin of a finding that is older than this one. */
static int is_in_reach(const struct lost_rows *u, str finding, const char *record, struct err *err)
{
	int64_t line = database_history_line(u->s->d, finding, str_from(record), err);

	if (line > 0 && u->s->n.reach)
		return line > u->s->n.reach;
	if (line >= 0)
		line = database_finding_line(u->s->d, finding, err);
	return line < 0 ? (int)line : u->s->first_begun && line > u->s->first_begun;
}

static bool is_heard_of(const struct lost_rows *u, str finding)
{
	return strmap_has(&u->s->seen, finding) || strmap_has(&u->s->beginning, finding);
}

/* True when the finding is over and the record of its end is lost: a reader who got its begin now would never get the
 * end. */
static bool is_over_unheard(const struct lost_rows *u, str finding)
{
	return !strmap_has(&u->s->seen, finding) && !strmap_has(&u->s->kept, finding) &&
	       !strmap_has(&u->s->ending, finding);
}

/* Note a row for removal when the begin, or the end, of its finding never reached the journal. */
static int see_row(void *ctx, const struct outbox_row *row, struct err *err)
{
	struct lost_rows *u = ctx;
	struct record r;
	str finding;
	int status = record_decode(row->record, &r, err);

	if (status < 0)
		return status == -EBADMSG ? 0 : status;
	finding = record_get(&r, "DRIFTD_DRIFT_ID");
	if (finding.n && is_over_unheard(u, finding))
		status = 1;
	else if (finding.n && !is_heard_of(u, finding))
		status = is_in_reach(u, finding, r.id, err);
	record_done(&r);
	if (status <= 0)
		return status;
	return vec_push(&u->rows, row->seq) ? 0 : err_nomem(err);
}

static int note_unheard(struct lost_rows *u, const struct finding *x, struct err *err)
{
	str id = arena_str(&u->arena, str_from(x->id));

	return id.p && vec_push(&u->unheard, id) ? 0 : err_nomem(err);
}

static int note_again(struct lost_rows *u, const struct finding *x, const struct finding_history *t, struct err *err)
{
	CLEANUP(buf_done) struct buf key = BUF_INIT(STATE_MAX);
	struct again again;

	finding_key(x->kind, &x->subject, &key);
	if (buf_error(&key, "the key of a finding", err) < 0)
		return -err->code;
	again = (struct again){ arena_str(&u->arena, buf_str(&key)), arena_str(&u->arena, t->bytes) };
	return again.about.p && again.record.p && vec_push(&u->again, again) ? 0 : err_nomem(err);
}

/* The id of the finding's last record, which may no longer be stored. {NULL, 0}: it is not known. */
static str last_record(const struct finding_history *t)
{
	if (t->has_last)
		return str_from(t->last.id);
	return t->n_history ? t->history[0].record : (str){ NULL, 0 };
}

/* Handle a finding whose last record is lost. If that record said the same as the one before it, nothing is missing. */
static int see_lost(struct lost_rows *u, const struct finding *x, struct err *err)
{
	CLEANUP(buf_done) struct buf json = BUF_INIT(STATE_MAX);
	const struct said *said = strmap_get(&u->s->said, str_from(x->id));
	struct finding as_heard = *x;
	struct restated r;

	if (!said || (said->severity == x->severity && str_eq(said->paths, x->paths)))
		return 0;
	memcpy(as_heard.state_hash, FINDING_STATE_UNKNOWN, sizeof(as_heard.state_hash));
	as_heard.paths = said->paths;
	as_heard.severity = said->severity;
	finding_to_json(&as_heard, &json);
	if (buf_error(&json, "a finding", err) < 0)
		return -err->code;
	r = (struct restated){ arena_str(&u->arena, str_from(x->id)), arena_str(&u->arena, buf_str(&json)) };
	return r.id.p && r.json.p && vec_push(&u->restated, r) ? 0 : err_nomem(err);
}

static int see_kept(void *ctx, const struct finding *x, struct err *err)
{
	CLEANUP(finding_history_freep) struct finding_history *t = NULL;
	struct lost_rows *u = ctx;
	bool heard = is_heard_of(u, str_from(x->id));
	str last;
	int r;

	if (!reconciliation_is_ours(u->s, x))
		return 0;
	r = database_finding_history(u->s->d, x->id, &t, err);
	if (r < 0)
		return r == -EBADMSG ? see_lost(u, x, err) : r;
	last = last_record(t);
	if (heard && !t->has_last)
		return see_lost(u, x, err);
	if (heard && strmap_has(&u->s->outbox, last))
		return 0;
	r = is_in_reach(u, str_from(x->id), last.n ? last.p : "", err);
	if (r <= 0)
		return r;
	if (last.n && journal_has(u->s->journal, last.p))
		return 0;
	return heard ? note_again(u, x, t, err) : note_unheard(u, x, err);
}

static int reconcile_rows(struct lost_rows *u, struct err *err)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < u->rows.n; i++)
		r = database_remove_from_outbox(u->s->d, u->rows.p[i], err);
	for (size_t i = 0; r == 0 && i < u->unheard.n; i++)
		r = database_remove_finding(u->s->d, u->unheard.p[i].p, err);
	for (size_t i = 0; r == 0 && i < u->again.n; i++)
		r = database_put_again(u->s->d, u->again.p[i].about, u->again.p[i].record, err);
	for (size_t i = 0; r == 0 && i < u->restated.n; i++)
		r = database_put_finding(u->s->d, u->restated.p[i].id.p, u->restated.p[i].json, err);
	return r;
}

int reconcile_lost(struct reconciliation *s, struct err *err)
{
	struct lost_rows u = { .s = s, .arena = ARENA_INIT(0) };
	size_t malformed;
	int r = database_outbox(s->d, see_row, &u, err);

	if (r == 0)
		r = database_findings(s->d, see_kept, &u, &malformed, err);
	if (r == 0)
		r = reconcile_rows(&u, err);
	vec_done(&u.unheard);
	vec_done(&u.again);
	vec_done(&u.rows);
	vec_done(&u.restated);
	arena_done(&u.arena);
	return r;
}

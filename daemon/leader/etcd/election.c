/* Implements the state machine of the election. */
#include "daemon/leader/etcd/election.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define RETRIES_PER_LEASE 7
/* How many leases the last leader gets before hosts that saw it lead, and before a host that knows of no leader:
 * longer than the last leader may report without asking etcd. */
#define LEASES_LEFT_TO_LAST 2
#define RETRIES_LEFT_TO_LAST 5

_Static_assert(RETRIES_LEFT_TO_LAST * 3 > RETRIES_PER_LEASE * 2, "deadline_after()");

void election_init(struct election *e, const struct election_ops *ops, void *ctx, uint64_t lease_ns)
{
	*e = (struct election){
		.ops = ops, .ctx = ctx, .lease_ns = lease_ns, .retry_ns = lease_ns / RETRIES_PER_LEASE
	};
}

void election_led_before(struct election *e)
{
	e->state = ELECTION_UNSURE;
}

bool election_may_report(const struct election *e, uint64_t now_ns)
{
	return now_ns < atomic_load(&e->deadline_ns);
}

static uint64_t now_of(const struct election *e)
{
	return e->ops->now_ns(e->ctx);
}

static void set_state(struct election *e, enum election_state s)
{
	if (e->state == s)
		return;
	e->transitions += s == ELECTION_LEADS || e->state == ELECTION_LEADS;
	e->state = s;
}

/* Note the outcome of the last try. */
static void note(struct election *e, const struct err *err)
{
	if (err)
		e->error = *err;
	else
		e->error.code = 0;
}

static void note_older(struct election *e, bool older)
{
	if (older)
		e->older_since_ns = now_of(e);
}

static uint64_t deadline_after(const struct election *e, uint64_t asked_ns)
{
	return asked_ns + e->lease_ns / 3 * 2;
}

/* Note that the lease requested at @asked_ns was granted. Return false when the answer came too late for it to
 * count. */
static bool granted(struct election *e, uint64_t asked_ns)
{
	e->renewed_ns = asked_ns;
	e->next_renewal_ns = asked_ns + e->retry_ns;
	if (now_of(e) >= deadline_after(e, asked_ns))
		return false;
	atomic_store(&e->deadline_ns, deadline_after(e, asked_ns));
	return true;
}

static void lose(struct election *e)
{
	atomic_store(&e->deadline_ns, 0);
	e->free_since_ns = 0;
	set_state(e, ELECTION_UNSURE);
}

static void begin_to_lead(struct election *e)
{
	e->led_term = e->term;
	set_state(e, ELECTION_LEADS);
}

void election_refused(struct election *e)
{
	lose(e);
}

/* ---- not leading ---- */

/* Whether the key may be left over in a restored etcd, from a holder that does not renew it any more. */
static bool is_left_over(const struct election *e)
{
	return e->older_since_ns && now_of(e) - e->older_since_ns < LEASES_LEFT_TO_LAST * e->lease_ns;
}

static void follow(struct election *e)
{
	if (!is_left_over(e))
		e->older_since_ns = 0;
	else if (e->state == ELECTION_UNSURE)
		return;
	e->knows_another = true;
	e->free_since_ns = 0;
	set_state(e, ELECTION_FOLLOWS);
}

/* How long this host leaves the key to others. The last leader should continue, since it knows which of its state
 * and recent records an etcd that has lost them needs again. When its lease is over, another host may have led
 * without its knowledge. */
static uint64_t patience_ns(const struct election *e, const struct election_record *v)
{
	bool lost = !v->known || e->older_since_ns;
	bool led_last = e->state == ELECTION_UNSURE && now_of(e) - e->renewed_ns < e->lease_ns;

	if (v->led_last || (lost && led_last))
		return 0;
	if (lost && (e->state == ELECTION_UNSURE || !e->knows_another))
		return RETRIES_LEFT_TO_LAST * e->retry_ns;
	return lost ? LEASES_LEFT_TO_LAST * e->lease_ns : e->retry_ns;
}

static void claim(struct election *e)
{
	bool anew = e->older_since_ns && e->state == ELECTION_UNSURE;
	struct election_claim c = { 0 };
	uint64_t asked = now_of(e);
	struct err err;

	if (e->ops->claim(e->ctx, anew, &c, &err) < 0) {
		note(e, &err);
		return;
	}
	note(e, NULL);
	e->free_since_ns = 0;
	if (!c.term) /* the next look finds out who leads */
		return;
	e->term = c.term;
	e->resumes = c.led_last && !anew && e->state == ELECTION_UNSURE && e->led_term;
	e->published = c.known && !anew;
	e->older_since_ns = 0;
	if (granted(e, asked))
		begin_to_lead(e);
}

/* Continue a claim. Its lease may have been prolonged although the answer was lost. If the answer to the claim came
 * too late, this host never led in the term, and the claim has decided whether it goes on. */
static void take_up(struct election *e)
{
	uint64_t asked = now_of(e);
	struct err err;
	int r = e->ops->keep(e->ctx, &err);

	note_older(e, r == -ESTALE);
	note(e, r < 0 && r != -ENOENT && r != -ESTALE ? &err : NULL);
	if (r < 0 || !granted(e, asked))
		return;
	e->resumes |= e->led_term == e->term;
	begin_to_lead(e);
}

/* Release an earlier claim, which came back when etcd was restored. */
static void release(struct election *e)
{
	struct err err;

	if (e->ops->release(e->ctx, &err) < 0)
		note(e, &err);
}

static uint64_t look(struct election *e)
{
	struct election_record v = { 0 };
	struct err err;
	uint64_t now;

	if (e->ops->look(e->ctx, &v, &err) < 0) {
		note(e, &err);
		e->free_since_ns = 0;
		return e->retry_ns;
	}
	note(e, NULL);
	note_older(e, v.older);
	(void)snprintf(e->holder, sizeof(e->holder), "%s", v.holder);
	now = now_of(e);
	if (v.former) {
		e->free_since_ns = 0;
	} else if (v.has_holder && !v.own) {
		follow(e);
	} else if (v.has_holder && e->older_since_ns) {
		release(e);
	} else if (v.has_holder) {
		take_up(e);
	} else {
		e->free_since_ns = e->free_since_ns ? e->free_since_ns : now;
		if (now - e->free_since_ns >= patience_ns(e, &v))
			claim(e);
	}
	return e->retry_ns;
}

/* ---- leading ---- */

static uint64_t renew(struct election *e)
{
	uint64_t asked = now_of(e);
	struct err err;
	int r = e->ops->keep(e->ctx, &err);

	if (r == 0 && granted(e, asked)) {
		note(e, NULL);
		return e->retry_ns;
	}
	if (r < 0)
		note(e, &err);
	note_older(e, r == -ESTALE);
	e->next_renewal_ns = now_of(e) + e->retry_ns / 2;
	if (r == -ENOENT || r == -ESTALE || now_of(e) >= atomic_load(&e->deadline_ns))
		lose(e);
	return e->retry_ns / 2;
}

static uint64_t lead(struct election *e)
{
	uint64_t now = now_of(e), deadline = atomic_load(&e->deadline_ns);

	if (now >= deadline) {
		lose(e);
		return 0;
	}
	if (now >= e->next_renewal_ns)
		return renew(e);
	return (e->next_renewal_ns < deadline ? e->next_renewal_ns : deadline) - now;
}

uint64_t election_step(struct election *e)
{
	return e->state == ELECTION_LEADS ? lead(e) : look(e);
}

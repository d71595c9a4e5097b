/* Makes the passes over the findings, and notes which Alertmanager has which alert. */
#include "daemon/alertmanager/alert_book.h"

#include "base/assert.h"
#include "daemon/alertmanager/alert.h"
#include "daemon/findings/cause.h"
#include "daemon/findings/clock.h"

#include <uv.h>

#define AT_ONCE 32 /* findings between two checks of the time */
/* Limit of the alerts that only an Alertmanager knows. Others end there by themselves; so an Alertmanager that lies
 * cannot fill the memory. */
#define ALERTS_FOUND_MAX 100000
#define FOUND_BYTES_MAX ((size_t)64 << 20)
#define ENDED_LASTS_USEC (ALERT_LASTS_USEC + 60 * INT64_C(1000000))

static str print_of(const void *thing)
{
	const struct known_alert *x = thing;

	return (str){ (const char *)&x->print, sizeof(x->print) };
}

static str key_of(const void *thing)
{
	const struct known_alert *x = thing;

	return (str){ x->text, x->key_n };
}

void alert_book_init(struct alert_book *b, const struct cfg_alertmanager *from, struct findings *findings)
{
	*b = (struct alert_book){ .from = from, .findings = findings };
	TAILQ_INIT(&b->all);
	b->by_print = INDEX_OF(print_of);
	b->by_key = INDEX_OF(key_of);
}

static void unref(struct known_alert *x)
{
	ASSERT(x->refs > 0);
	if (--x->refs == 0)
		free(x);
}

void alert_book_forget(struct alert_book *b)
{
	struct known_alert *x;

	index_done(&b->by_print);
	index_done(&b->by_key);
	while ((x = TAILQ_FIRST(&b->all))) {
		TAILQ_REMOVE(&b->all, x, link);
		x->gone = true;
		unref(x);
	}
	alert_book_init(b, b->from, b->findings);
}

void alert_book_done(struct alert_book *b)
{
	alert_book_forget(b);
	index_done(&b->by_print);
	index_done(&b->by_key);
}

/* ---- who has what ---- */

static bool has(const struct known_alert *x, unsigned i)
{
	return x->has >> i & 1u;
}

static bool may_have(const struct known_alert *x, unsigned i)
{
	return x->may >> i & 1u;
}

static void set_has(struct alert_book *b, struct known_alert *x, unsigned i, bool value)
{
	if (has(x, i) == value)
		return;
	x->has = (uint16_t)(x->has ^ 1u << i);
	b->n_has[i] += value ? 1 : SIZE_MAX;
}

/* Note whether Alertmanager @i may still have the alert, and keep n_to_end: the number of alerts that it may have and
 * that are not wanted any more. */
static void set_may(struct alert_book *b, struct known_alert *x, unsigned i, bool value)
{
	if (may_have(x, i) == value)
		return;
	x->may = (uint16_t)(x->may ^ 1u << i);
	if (!x->wanted)
		b->n_to_end[i] += value ? 1 : SIZE_MAX;
}

static void nobody_has(struct alert_book *b, struct known_alert *x)
{
	for (unsigned i = 0; i < CFG_ALERTMANAGERS_MAX; i++)
		set_has(b, x, i, false);
}

static void remove_alert(struct alert_book *b, struct known_alert *x)
{
	for (unsigned i = 0; i < CFG_ALERTMANAGERS_MAX; i++) {
		set_may(b, x, i, false);
		if (b->next[i] == x)
			b->next[i] = TAILQ_NEXT(x, link);
	}
	if (b->swept == x)
		b->swept = TAILQ_NEXT(x, link);
	(void)index_remove(&b->by_print, print_of(x));
	TAILQ_REMOVE(&b->all, x, link);
	b->found_bytes -= x->found ? x->labels_n : 0;
	ASSERT(b->n_ended > 0);
	b->n_ended--;
	x->gone = true;
	unref(x);
}

/* End an alert that is not wanted any more: it is to be ended at every Alertmanager that may have it. */
static void end_alert(struct alert_book *b, struct known_alert *x)
{
	nobody_has(b, x);
	(void)index_remove(&b->by_key, key_of(x));
	x->wanted = false;
	x->ended_boot_usec = clock_boot_usec();
	ASSERT(b->n_wanted > 0);
	b->n_wanted--;
	b->n_ended++;
	for (unsigned i = 0; i < CFG_ALERTMANAGERS_MAX; i++)
		b->n_to_end[i] += may_have(x, i);
	if (!x->may)
		remove_alert(b, x);
}

bool alert_book_is_news(const struct known_alert *x, unsigned i)
{
	return x->wanted ? !has(x, i) : may_have(x, i);
}

size_t alert_book_undelivered(const struct alert_book *b, unsigned i)
{
	ASSERT(i < CFG_ALERTMANAGERS_MAX && b->n_wanted >= b->n_has[i]);
	return b->n_wanted - b->n_has[i] + b->n_to_end[i];
}

struct known_alert *alert_book_hold(struct known_alert *x, unsigned i)
{
	ASSERT(x->refs > 0);
	x->refs++;
	ASSERT(i < CFG_ALERTMANAGERS_MAX);
	x->may = (uint16_t)(x->may | 1u << i); /* an alert that has ended has the bit already */
	return x;
}

void alert_book_release(struct alert_book *b, struct known_alert *x, unsigned i, bool taken, bool wanted,
			uint64_t facts)
{
	if (!x->gone && x->wanted && (!taken || (wanted && facts == x->facts)))
		set_has(b, x, i, taken);
	if (!x->gone && !x->wanted && !wanted && taken) {
		set_may(b, x, i, false);
		if (!x->may)
			remove_alert(b, x);
	}
	unref(x);
}

void alert_book_lost(struct alert_book *b, unsigned i)
{
	struct known_alert *x;

	TAILQ_FOREACH(x, &b->all, link)
	set_has(b, x, i, false);
}

void alert_book_expire(struct alert_book *b)
{
	int64_t now = clock_boot_usec();
	struct known_alert *x, *next;

	if (!b->n_ended)
		return;
	for (x = TAILQ_FIRST(&b->all); x; x = next) {
		next = TAILQ_NEXT(x, link);
		if (!x->wanted && now - x->ended_boot_usec > ENDED_LASTS_USEC)
			remove_alert(b, x);
	}
}

/* ---- the walk of one ---- */

void alert_book_walk(struct alert_book *b, unsigned i)
{
	ASSERT(i < CFG_ALERTMANAGERS_MAX);
	b->next[i] = TAILQ_FIRST(&b->all);
}

struct known_alert *alert_book_step(struct alert_book *b, unsigned i)
{
	struct known_alert *x = b->next[i];

	if (x)
		b->next[i] = TAILQ_NEXT(x, link);
	return x;
}

const struct finding *alert_book_finding(const struct alert_book *b, const struct known_alert *x)
{
	return findings_find(b->findings, key_of(x));
}

/* ---- a pass ---- */

static struct known_alert *new_alert(str key, str labels)
{
	struct known_alert *x = NULL;

	if (key.n <= UINT32_MAX && labels.n <= UINT32_MAX)
		x = calloc(1, sizeof(*x) + key.n + labels.n);
	if (!x)
		return NULL;
	x->refs = 1;
	x->key_n = (uint32_t)key.n;
	x->labels_n = (uint32_t)labels.n;
	if (key.n)
		memcpy(x->text, key.p, key.n);
	memcpy(x->text + key.n, labels.p, labels.n);
	return x;
}

/* Add an alert. It replaces one with the same labels that has ended: an Alertmanager that may have that one may have
 * this one. */
static bool add_alert(struct alert_book *b, struct known_alert *x)
{
	struct known_alert *same = index_get(&b->by_print, print_of(x));
	uint16_t may = same ? same->may : 0;

	if (same && same->wanted) /* two open findings never have the same labels */
		return false;
	if (same)
		remove_alert(b, same);
	x->may = may;
	if (!index_put(&b->by_print, x, NULL))
		return false;
	TAILQ_INSERT_TAIL(&b->all, x, link);
	return true;
}

static bool begin_alert(struct alert_book *b, const struct finding *x, uint64_t facts, uint64_t print, str labels)
{
	struct known_alert *a = new_alert(x->key, labels);

	if (!a)
		return false;
	a->wanted = true;
	a->print = print;
	a->facts = facts;
	a->pass = b->pass;
	a->first_seen_usec = x->first_seen_usec;
	a->open_from_usec = x->open_from_usec;
	if (!add_alert(b, a)) {
		free(a);
		return false;
	}
	b->n_wanted++;
	if (index_put(&b->by_key, a, NULL))
		return true;
	end_alert(b, a);
	return false;
}

static bool labels_of(const struct alert_book *b, const struct finding *x, struct buf *labels, uint64_t *print)
{
	CLEANUP(buf_done) struct buf cause = BUF_INIT(CAUSE_MAX);
	char id[FINDING_ID_SIZE] = "";

	finding_cause(x, &cause);
	if (cause.error || !findings_cause_id(b->findings, buf_str(&cause), id))
		id[0] = '\0';
	*print = alert_add_labels(b->from, x, id, labels);
	return !labels->error;
}

/* Make or renew the alert of a finding. Without memory that is tried again in the next pass. */
static void look_at(struct alert_book *b, const struct finding *x)
{
	CLEANUP(buf_done) struct buf labels = BUF_INIT(ALERT_BYTES_MAX);
	struct known_alert *a = index_get(&b->by_key, x->key);
	uint64_t facts = alert_facts(x), print;

	if (a && a->facts == facts) {
		a->pass = b->pass;
		return;
	}
	if (!labels_of(b, x, &labels, &print)) {
		b->generation = 0;
		return;
	}
	if (a && a->print == print) {
		a->pass = b->pass;
		a->facts = facts;
		nobody_has(b, a); /* the texts of the alert have changed */
		return;
	}
	if (a)
		end_alert(b, a);
	if (!begin_alert(b, x, facts, print, buf_str(&labels)))
		b->generation = 0;
}

static void see(struct alert_book *b, const struct finding *x, uint64_t now_ns)
{
	if (alert_is_wanted(b->from, x, now_ns))
		look_at(b, x);
	else if (now_ns < x->reported_from_ns && (!b->due_ns || x->reported_from_ns < b->due_ns))
		b->due_ns = x->reported_from_ns;
}

static void begin_pass(struct alert_book *b)
{
	b->pass++;
	b->at = 0;
	b->looks = true;
	b->sweeps = false;
	b->due_ns = 0;
	b->generation = findings_generation(b->findings);
}

/* End an alert whose finding the pass did not see, unless the table moved the finding meanwhile. True: there are
 * more alerts. */
static bool sweep_one(struct alert_book *b, uint64_t now_ns)
{
	struct known_alert *a = b->swept;
	const struct finding *x;

	if (!a)
		return false;
	b->swept = TAILQ_NEXT(a, link);
	if (!a->wanted || a->pass == b->pass)
		return true;
	x = alert_book_finding(b, a);
	if (x && alert_is_wanted(b->from, x, now_ns))
		look_at(b, x);
	else
		end_alert(b, a);
	return true;
}

/* Continue the pass for a while. False: it is complete. */
static bool look_some(struct alert_book *b)
{
	uint64_t now_ns = clock_ns();
	const struct finding *x;

	for (unsigned n = 0; !b->sweeps && n < AT_ONCE; n++) {
		x = findings_each(b->findings, &b->at);
		if (x)
			see(b, x, now_ns);
		b->sweeps = !x;
		b->swept = TAILQ_FIRST(&b->all);
	}
	for (unsigned n = 0; b->sweeps && n < AT_ONCE; n++) {
		if (!sweep_one(b, now_ns))
			return false;
	}
	return true;
}

bool alert_book_is_stale(const struct alert_book *b)
{
	return b->looks || b->generation != findings_generation(b->findings) || (b->due_ns && clock_ns() >= b->due_ns);
}

bool alert_book_look(struct alert_book *b, uint64_t until_ns)
{
	if (!b->looks)
		begin_pass(b);
	while (look_some(b)) {
		if (uv_hrtime() >= until_ns)
			return true;
	}
	b->looks = b->sweeps = false;
	b->whole = true;
	return false;
}

/* ---- what an Alertmanager has ---- */

bool alert_book_found(struct alert_book *b, unsigned i, uint64_t print, str labels)
{
	struct known_alert *x = index_get(&b->by_print, (str){ (const char *)&print, sizeof(print) });

	if (x) {
		set_may(b, x, i, true);
		return true;
	}
	if (labels.n > ALERT_BYTES_MAX || b->n_ended >= ALERTS_FOUND_MAX || labels.n > FOUND_BYTES_MAX - b->found_bytes)
		return true;
	x = new_alert((str){ "", 0 }, labels);
	if (!x)
		return false;
	x->found = true;
	b->found_bytes += labels.n;
	x->print = print;
	x->ended_boot_usec = clock_boot_usec();
	x->open_from_usec = clock_boot_usec();
	x->first_seen_usec = clock_usec();
	if (!add_alert(b, x)) {
		b->found_bytes -= labels.n;
		free(x);
		return false;
	}
	b->n_ended++;
	set_may(b, x, i, true);
	return true;
}

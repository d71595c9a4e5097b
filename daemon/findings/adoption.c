/* Puts one set of findings in the place of another. */
#include "daemon/findings/adoption.h"

#include "base/assert.h"
#include "daemon/findings/findings_internal.h"

enum stage { ADDING, KNOWN, REPORTED, FORGETTING };

struct adoption {
	struct findings *f;
	struct findings *other; /* the set of what was reported; from adoption_begin on, the set of what was known */
	struct arena arena;     /* memory of @keys */
	VEC(str) keys;          /* the keys of what was reported */
	enum stage stage;
	size_t at; /* position in the list that the current stage walks */
};

int adoption_new(struct findings *f, struct adoption **ret, struct err *err)
{
	struct adoption *a = calloc(1, sizeof(*a));
	int r = a ? findings_new_like(f, NULL, &a->other, err) : err_nomem(err);

	if (r < 0) {
		free(a);
		return r;
	}
	arena_init(&a->arena, 65536, 0);
	a->f = f;
	*ret = a;
	return 0;
}

void adoption_free(struct adoption *a)
{
	if (!a)
		return;
	findings_free(a->other);
	vec_done(&a->keys);
	arena_done(&a->arena);
	free(a);
}

int adoption_add(struct adoption *a, const struct finding *reported, struct err *err)
{
	size_t before = a->other->by_key.n;
	struct finding *x;
	str key;
	int r;

	ASSERT(a->stage == ADDING);
	r = findings_restore(a->other, reported, err);
	if (r < 0 || a->other->by_key.n == before) /* the place of the finding is taken, or the finding is dormant */
		return r;
	x = findings_lookup(a->other, reported->kind, &reported->subject);
	finding_set_confirmed(x, true);
	key = arena_str(&a->arena, x->key);
	return key.p && vec_push(&a->keys, key) ? 0 : err_nomem(err);
}

size_t adoption_count(const struct adoption *a)
{
	return a->keys.n;
}

/* ---- one set in the place of the other ---- */

static void swap_sets(struct index *a, struct index *b)
{
	struct index c = *a;

	*a = *b;
	*b = c;
}

static void swap_maps(struct strmap *a, struct strmap *b)
{
	struct strmap c = *a;

	*a = *b;
	*b = c;
}

static void swap_flaps(struct flaps *a, struct flaps *b)
{
	struct flaps c = TAILQ_HEAD_INITIALIZER(c);

	TAILQ_CONCAT(&c, a, link);
	TAILQ_CONCAT(a, b, link);
	TAILQ_CONCAT(b, &c, link);
}

/* Let the counters of @from go on in @to. False without memory. */
static bool take_counts(const struct findings *from, struct findings *to)
{
	const struct strmap_entry *e;
	size_t at = 0;

	while ((e = strmap_each(&from->by_cluster, &at))) {
		const struct finding_counters *old = e->value;
		struct finding_counters *new = findings_counters_of(to, (str){ e->key, e->n });

		if (!new)
			return false;
		memcpy(new->transitions, old->transitions, sizeof(new->transitions));
		new->flaps = old->flaps;
	}
	return true;
}

/* True when the judge of the finding reports it only once, so that it would not report it again after the adoption. */
static bool is_said_once(const struct finding *x)
{
	return (x->kind == FINDING_ERROR && x->subject.rule.n) ||
	       (x->kind == FINDING_GAP && x->subject.template_path.n);
}

/* Report a finding that was known here. Without memory it is reported when it is judged again, or not at all. */
static void emit_known(struct findings *f, const struct finding *x)
{
	struct finding *now;
	struct err ignored;
	struct record r;

	if (index_get(&f->by_key, x->key) || findings_restore(f, x, &ignored) < 0)
		return;
	now = index_get(&f->by_key, x->key);
	finding_set_confirmed(now, true);
	record_state(&r, now, TRANSITION_BEGIN, &f->terms);
	findings_add_cause(f, now, &r);
	sink_emit(f->sink, &(struct emission){ .finding = now, .record = &r });
	record_done(&r);
}

static bool may_be_said_once(const struct findings *f)
{
	const struct strmap_entry *e;
	size_t at = 0;

	while ((e = strmap_each(&f->by_cluster, &at))) {
		if (findings_open(e->value, FINDING_ERROR) || findings_open(e->value, FINDING_GAP))
			return true;
	}
	return false;
}

/* Report the known findings that no judge would report again. This is done at once: later one could not know whether
 * they are over by then. */
static void emit_standing_records(struct findings *f, const struct findings *known)
{
	const struct finding *x;
	size_t at = 0;

	if (!may_be_said_once(known))
		return;
	while ((x = findings_each(known, &at))) {
		if (x->confirmed && is_said_once(x))
			emit_known(f, x);
	}
}

int adoption_begin(struct adoption *a, struct err *err)
{
	struct findings *f = a->f, *other = a->other;

	ASSERT(a->stage == ADDING);
	if (!take_counts(f, other))
		return err_nomem(err);
	f->generation++;
	swap_sets(&f->by_key, &other->by_key);
	swap_sets(&f->dormant, &other->dormant);
	swap_maps(&f->by_cluster, &other->by_cluster);
	findings_scan_swap(f, other);
	swap_flaps(&f->flapping.flaps, &other->flapping.flaps);
	a->stage = KNOWN;
	emit_standing_records(f, other);
	return 0;
}

/* ---- comparing ---- */

static bool is_same(const struct finding *x, const struct finding *y)
{
	return x && y && x->severity == y->severity && strcmp(x->state_hash, y->state_hash) == 0;
}

/* Compare the next finding that was known here with what the other driftd reported. */
static bool compare_known(struct adoption *a, void (*differs)(void *ctx, const struct finding *x), void *ctx)
{
	const struct finding *x = findings_each(a->other, &a->at);

	if (x && !is_same(index_get(&a->f->by_key, x->key), x))
		differs(ctx, x);
	return x != NULL;
}

/* Compare the next finding that the other driftd reported, unless it is over by now, with what was known and seen
 * here. */
static bool compare_reported(struct adoption *a, void (*differs)(void *ctx, const struct finding *x), void *ctx)
{
	const struct finding *known;
	struct finding *x;

	if (a->at == a->keys.n)
		return false;
	x = index_get(&a->f->by_key, a->keys.p[a->at]);
	known = index_get(&a->other->by_key, a->keys.p[a->at++]);
	if (x && !(is_same(x, known) && known->confirmed)) {
		finding_set_confirmed(x, false);
		differs(ctx, x);
	}
	return true;
}

static void begin_stage(struct adoption *a, enum stage stage)
{
	a->stage = stage;
	a->at = 0;
}

bool adoption_go_on(struct adoption *a, void (*differs)(void *ctx, const struct finding *x), void *ctx)
{
	ASSERT(a->stage != ADDING);
	if (a->stage == FORGETTING)
		return findings_release(a->other);
	for (size_t i = 0; i < FINDINGS_AT_ONCE; i++) {
		bool more = a->stage == KNOWN ? compare_known(a, differs, ctx) : compare_reported(a, differs, ctx);

		if (!more) {
			begin_stage(a, a->stage == KNOWN ? REPORTED : FORGETTING);
			break;
		}
	}
	return true;
}

/* Findings whose subject gets another name: a rule of another path, or a cluster or template that was renamed. */
#include "daemon/findings/findings_internal.h"

#include "base/assert.h"

/* @copy, which has another key, takes the place of @x, which is open; false without memory. */
static bool move_open(struct findings *f, struct finding *x, const struct finding *copy)
{
	struct finding *moved = findings_insert_near(f, copy, x);

	if (!moved)
		return false;
	findings_scan_replace(f, x, moved);
	(void)index_remove(&f->by_key, x->key);
	findings_untally(f, x);
	x->counters->flapping -= x->flap != NULL;
	moved->counters->flapping += x->flap != NULL;
	x->flap = NULL; /* flapping goes on with the moved finding */
	finding_free(x);
	sink_emit(f->sink, &(struct emission){ .finding = moved });
	return true;
}

bool findings_move(struct findings *f, enum finding_kind kind, const struct finding_subject *s, str rule_path)
{
	struct finding *x = findings_lookup(f, kind, s), copy;
	struct finding_subject to = *s;

	to.rule_path = rule_path;
	if (!x || findings_lookup(f, kind, &to))
		return false;
	copy = *x;
	copy.subject.rule_path = rule_path;
	if (str_eq(x->paths, x->subject.rule_path))
		copy.paths = rule_path;
	return move_open(f, x, &copy);
}

static bool move_dormant(struct findings *f, struct finding *x, const struct finding *copy)
{
	struct finding *moved = finding_copy(f, copy);

	if (!moved)
		return false;
	moved->counters = findings_counters_of(f, moved->subject.cluster);
	if (!moved->counters || !index_put(&f->dormant, moved, NULL)) {
		finding_free(moved);
		return false;
	}
	ASSERT(x->counters->flapping > 0);
	x->counters->flapping--;
	moved->counters->flapping++;
	moved->flap->of = moved;
	x->flap = NULL; /* flapping goes on with the moved finding */
	findings_free_dormant(f, x);
	sink_emit(f->sink, &(struct emission){ .finding = moved });
	return true;
}

static bool readdress(struct findings *f, struct finding *x, findings_elsewhere *elsewhere, void *ctx)
{
	struct finding copy = *x;
	str key;

	if (!elsewhere(ctx, &copy))
		return false;
	key = findings_subject_key(f, copy.kind, &copy.subject);
	if (!key.p || index_get(&f->by_key, key) || index_get(&f->dormant, key))
		return false;
	if (x->flap)
		buf_clear(&x->flap->last); /* the last record names the former place */
	return x->dormant ? move_dormant(f, x, &copy) : move_open(f, x, &copy);
}

/* The list of those that are open has the order of age, as the lists of each cluster do: each keeps its place. */
static struct finding *next_to_readdress(const struct findings *f, struct findings_readdressing *r)
{
	struct finding *x = r->dormant ? NULL : (struct finding *)findings_scan_next(&r->scan);

	if (x || r->dormant)
		return r->dormant ? index_each_slowly(&f->dormant, &r->left) : x;
	findings_scan_end(&r->scan);
	r->dormant = true;
	r->left = SIZE_MAX;
	return index_each_slowly(&f->dormant, &r->left);
}

bool findings_readdress(struct findings *f, struct findings_readdressing *r, findings_elsewhere *elsewhere, void *ctx)
{
	if (!r->dormant && !r->scan.begun)
		findings_scan_begin(f, &r->scan);
	for (size_t n = 0; n < FINDINGS_SOME; n++) {
		struct finding *x = next_to_readdress(f, r);

		if (!x)
			return false;
		r->moved += readdress(f, x, elsewhere, ctx);
	}
	return true;
}

/* The reads of all sets that are for a kind, as ways from the root of its objects. */
#include "rules/rules_view.h"

#include "base/hash.h"
#include "cel/cel_reads.h"
#include "value/object_text.h"

#define WAYS_MAX 1000 /* beyond them looking costs more than judging */

struct reader {
	struct rules_view *view;
	struct key_table *keys;
	const struct cel_at *at; /* where the set's values are; NULL: at the root */
	size_t n_at;             /* of its steps, those that are names */
};

/* ---- ways ---- */

static bool is_known(const struct rules_view *v, const str *names, size_t n)
{
	for (size_t i = 0; i < v->ways.n; i++) {
		const struct rules_way *w = &v->ways.p[i];
		size_t k = 0;

		while (k < n && k < w->n && str_eq(names[k], w->names[k]))
			k++;
		if (k == w->n) /* it reads all that is below, or the same */
			return true;
	}
	return false;
}

static bool add_way(struct reader *r, const str *names, size_t n)
{
	struct rules_view *v = r->view;
	struct json_pick way;
	str *copy;

	if (is_known(v, names, n))
		return true;
	copy = arena_array(&v->arena, n, sizeof(*copy));
	if (!copy || v->ways.n == WAYS_MAX)
		return false;
	for (size_t i = 0; i < n; i++) {
		copy[i] = arena_str(&v->arena, names[i]);
		if (!copy[i].p)
			return false;
	}
	return json_pick_path(copy, n, r->keys, &v->arena, &way) &&
	       json_pick_both(&v->pick, &way, &v->arena, &v->pick) && vec_push(&v->ways, (struct rules_way){ copy, n });
}

/* What is read of a value is read below the place where the set looks for such values; of a list there, all is. */
static bool add_read(void *ctx, const str *names, size_t n)
{
	struct reader *r = ctx;
	str way[CEL_AT_STEPS + CEL_READ_NAMES];

	for (size_t i = 0; i < r->n_at; i++)
		way[i] = r->at->steps[i].name;
	if (r->at && r->n_at < r->at->n)
		n = 0;
	for (size_t i = 0; i < n; i++)
		way[r->n_at + i] = names[i];
	return add_way(r, way, r->n_at + n);
}

static bool add_labels(struct reader *r)
{
	static const str labels[] = { { "metadata", 8 }, { "labels", 6 } };

	return add_way(r, labels, ARRAY_LEN(labels));
}

/* Which objects a set is for is decided by their identity, which does not change, and their labels. */
static bool add_set(struct rules_view *v, const struct compiled_rules *c, struct key_table *keys)
{
	struct reader r = { .view = v, .keys = keys, .at = c->set ? &c->set->at : NULL };

	while (r.at && r.n_at < r.at->n && !r.at->steps[r.n_at].items && !r.at->steps[r.n_at].values)
		r.n_at++;
	if (cel_rules_transition(c->rules) || (c->set && c->set->labels.n && !add_labels(&r)))
		return false;
	return cel_rules_reads(c->rules, add_read, &r);
}

void rules_view_init(struct rules_view *v, const struct kind_rules *k, struct key_table *keys)
{
	*v = (struct rules_view){ 0 };
	arena_init(&v->arena, 0, 1u << 20);
	v->known = object_pick(keys, &v->arena, &v->pick);
	for (size_t i = 0; v->known && i < k->sets.n; i++)
		v->known = add_set(v, &k->sets.p[i], keys);
}

void rules_view_done(struct rules_view *v)
{
	vec_done(&v->ways);
	arena_done(&v->arena);
	*v = (struct rules_view){ 0 };
}

uint64_t rules_view_hash(const struct rules_view *v, val object)
{
	uint64_t h = v->ways.n;

	for (size_t i = 0; i < v->ways.n; i++)
		h = hash_mix(h, val_hash_way(object, v->ways.p[i].names, v->ways.p[i].n));
	return h ? h : 1;
}

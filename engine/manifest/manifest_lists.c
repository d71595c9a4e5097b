/* Walks lists whose elements have owners of their own: lists with keys, and sets. */
#include "base/hash.h"
#include "manifest/manifest_internal.h"
#include "topology/list_pairs.h"

#include <errno.h>
#include <stdlib.h>

static const val nothing;

/* ---- by keys ---- */

struct keyed {
	struct walk *walk;
	const struct place *list;
	struct list_keys keys;
	struct list_pairs pairs;
	val m, l;
	val *out; /* the object's elements, then those that only the manifest has */
	uint32_t n;
};

static struct path_segment called(const struct keyed *k, const struct list_element *e, val v, uint32_t i)
{
	return list_element_segment(&k->keys, e, v, i, k->walk->arena);
}

static void walk_element(struct keyed *k, uint32_t i)
{
	struct path_segment s = called(k, &k->pairs.before[i], k->m.items[i], i);
	uint32_t at = k->pairs.to_after[i];

	if (at)
		k->out[at - 1] = manifest_into(k->walk, s, element_of(k->list), k->m.items[i], k->l.items[at - 1]);
	else
		k->out[k->n++] = manifest_differs_at(k->walk, s, k->m.items[i], nothing, WHY_MISSING, k->m.items[i]);
}

static void add_beyond(struct keyed *k, uint32_t i)
{
	struct place element = element_of(k->list);

	if (k->pairs.to_before[i] || !manifest_spend(k->walk, &element, k->l.items[i]))
		return;
	k->out[i] = manifest_differs_at(k->walk, called(k, &k->pairs.after[i], k->l.items[i], i), nothing,
					k->l.items[i], WHY_ADDED, nothing);
}

static uint32_t without_nothing(val *items, uint32_t n)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < n; i++) {
		if (val_exists(items[i]))
			items[kept++] = items[i];
	}
	return kept;
}

/* Whether the order of the elements matters: it does for init containers, and for variables that refer to variables
 * before them. */
static bool order_counts(const struct place *p, val m)
{
	if (str_eq(p->type.name, STR("initContainers")))
		return true;
	for (uint32_t i = 0; str_eq(p->type.name, STR("env")) && i < m.n; i++) {
		if (str_find(val_str(VAL_GET(m.items[i], "value")), STR("$(")) >= 0)
			return true;
	}
	return false;
}

/* Put the manifest's elements in its order. Each element that only the object has stays in front of the one that it
 * was in front of. */
static void put_in_order(struct keyed *k)
{
	val *ordered = arena_array(k->walk->arena, (size_t)k->m.n + k->l.n + 1, sizeof(*ordered));
	uint32_t n = 0, next = 0;

	k->walk->no_memory |= !ordered;
	for (uint32_t i = 0; ordered && i < k->m.n; i++) {
		uint32_t at = k->pairs.to_after[i];

		for (; next < at; next++) {
			if (!k->pairs.to_before[next])
				ordered[n++] = k->out[next];
		}
		ordered[n++] = at ? k->out[at - 1] : k->m.items[i];
	}
	for (; ordered && next < k->l.n; next++) {
		if (!k->pairs.to_before[next])
			ordered[n++] = k->out[next];
	}
	if (!ordered)
		return;
	k->out = ordered;
	k->n = n;
}

static bool has_keys(const struct keyed *k)
{
	bool any = k->m.n == 0;

	for (uint32_t i = 0; i < k->m.n && !any; i++)
		any = !k->pairs.before[i].bare;
	return any;
}

/* Pair the elements of both lists. False: no element of the manifest has a key, or there is no memory. */
static bool begin(struct keyed *k)
{
	int r = list_pairs_make(k->m, k->l, &k->keys, k->walk->arena, &k->pairs);

	k->n = k->l.n;
	k->out = arena_array(k->walk->arena, (size_t)k->m.n + k->l.n + 1, sizeof(*k->out));
	k->walk->no_memory |= r < 0 || !k->out;
	if (r <= 0 || !k->out || !has_keys(k))
		return false;
	memcpy(k->out, k->l.items, k->l.n * sizeof(*k->out));
	return true;
}

val manifest_walk_keyed(struct walk *w, const struct place *p, val m, val l)
{
	struct keyed k = { .walk = w, .list = p, .m = m, .l = l };
	size_t total = w->list.total;
	bool ordered;

	topo_list_keys(&p->type, m, &k.keys);
	if (!begin(&k))
		return manifest_walk_whole(w, p, m, l);
	for (uint32_t i = 0; i < m.n; i++)
		walk_element(&k, i);
	for (uint32_t i = 0; i < l.n && w->env->additions == MANIFEST_DRIFT; i++)
		add_beyond(&k, i);
	ordered = order_counts(p, m);
	if (ordered && !list_pairs_in_order(&k.pairs, m.n))
		manifest_differs(w, m, l, WHY_ORDER, m);
	if (ordered && w->list.total != total)
		put_in_order(&k);
	return w->list.total == total ? l : (val){ .kind = VAL_LIST, .n = without_nothing(k.out, k.n), .items = k.out };
}

val manifest_walk_added(struct walk *w, const struct place *p, val l)
{
	return manifest_walk_keyed(w, p, (val){ .kind = VAL_LIST }, l);
}

/* ---- sets ---- */

struct hashed {
	uint64_t hash;
	uint32_t at;
};

static int by_hash(const void *a, const void *b)
{
	const struct hashed *x = a, *y = b;

	return x->hash != y->hash ? (x->hash > y->hash) - (x->hash < y->hash) : (x->at > y->at) - (x->at < y->at);
}

/* The items of a list with their hashes, in order of these. NULL without memory. */
static struct hashed *hash_items(struct walk *w, val list)
{
	struct hashed *h = arena_array(w->arena, (size_t)list.n + 1, sizeof(*h));

	w->no_memory |= !h;
	for (uint32_t i = 0; h && i < list.n; i++)
		h[i] = (struct hashed){ val_same_hash(list.items[i]), i };
	if (h && list.n)
		qsort(h, list.n, sizeof(*h), by_hash);
	return h;
}

static bool holds(val list, const struct hashed *h, val v)
{
	uint64_t hash = val_same_hash(v);
	uint32_t lo = 0, hi = list.n;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (h[mid].hash < hash)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (; lo < list.n && h[lo].hash == hash; lo++) {
		if (val_same(list.items[h[lo].at], v))
			return true;
	}
	return false;
}

/* The path segment of an element of a set. A text is its own name, as if it were a member. */
static struct path_segment set_segment(val v, uint32_t i)
{
	if (val_is_string(v))
		return (struct path_segment){ .kind = PATH_KEY, .text = val_str(v) };
	return (struct path_segment){ .kind = PATH_INDEX, .index = i };
}

val manifest_walk_set(struct walk *w, const struct place *p, val m, val l)
{
	struct hashed *in_m = hash_items(w, m), *in_l = hash_items(w, l);
	val *out = arena_array(w->arena, (size_t)m.n + l.n + 1, sizeof(*out));
	struct place element = element_of(p);
	size_t total = w->list.total;
	uint32_t n = 0;

	w->no_memory |= !out;
	if (w->no_memory)
		return l;
	for (uint32_t i = 0; i < l.n && manifest_spend(w, &element, l.items[i]); i++) {
		if (w->env->additions == MANIFEST_DRIFT && !holds(m, in_m, l.items[i]))
			manifest_differs_at(w, set_segment(l.items[i], i), nothing, l.items[i], WHY_ADDED, nothing);
		else
			out[n++] = l.items[i];
	}
	for (uint32_t i = 0; i < m.n && manifest_spend(w, &element, m.items[i]); i++) {
		if (!holds(l, in_l, m.items[i]))
			out[n++] = manifest_differs_at(w, set_segment(m.items[i], i), m.items[i], nothing, WHY_MISSING,
						       m.items[i]);
	}
	return w->list.total == total ? l : (val){ .kind = VAL_LIST, .n = n, .items = out };
}

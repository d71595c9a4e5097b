/* Walks down both objects: maps member by member, and each place as its type says. */
#include "compare/blame.h"
#include "manifest/manifest_internal.h"
#include "topology/list_pairs.h"

#define BYTES_A_STEP 64

bool manifest_spend(struct walk *w, const struct place *p, val v)
{
	uint64_t cost = 1 + (val_is_string(v) ? v.n / BYTES_A_STEP : 0);

	w->too_deep |= p->depth > w->env->limits->depth;
	w->steps -= cost < w->steps ? cost : w->steps;
	return w->steps && !w->too_deep && !w->no_memory;
}

val manifest_differs(struct walk *w, val m, val l, const char *why, val expected)
{
	change_list_add_why(&w->list, m, l, why);
	return expected;
}

val manifest_differs_at(struct walk *w, struct path_segment s, val m, val l, const char *why, val expected)
{
	if (!change_list_enter(&w->list, s, m, l))
		return l;
	manifest_differs(w, m, l, why, expected);
	change_list_leave(&w->list);
	return expected;
}

val manifest_into(struct walk *w, struct path_segment s, struct place p, val m, val l)
{
	val expected;

	if (!change_list_enter(&w->list, s, m, l))
		return l;
	expected = manifest_walk(w, p, m, l);
	change_list_leave(&w->list);
	return expected;
}

/* ---- maps ---- */

static struct path_segment key_segment(str key)
{
	return (struct path_segment){ .kind = PATH_KEY, .text = key };
}

/* Whether the member is the status of an object inside something atomic, such as a claim template. Controllers write
 * it; manifests have none. */
static bool is_status(const struct place *p, str key)
{
	return str_eq(key, STR("status")) && topo_is_object(&p->type);
}

/* Walk a member that only the object has. */
static val walk_unnamed(struct walk *w, const struct place *p, str key, val l)
{
	struct place member = member_of(p, key);
	val nothing = { 0 };

	if (!manifest_spend(w, &member, l))
		return l;
	if (p->whole && !manifest_is_default(w, &member, l) && !manifest_is_computed(w, &member, true, l))
		return manifest_differs_at(w, key_segment(key), nothing, l, WHY_ADDED, nothing);
	if (p->whole || !member.template || w->env->additions == MANIFEST_IGNORE || val_count(l) == 0 ||
	    topo_list(&member.type) != TOPO_KEYED || str_eq(key, STR("ownerReferences")))
		return l;
	if (!change_list_enter(&w->list, key_segment(key), nothing, l))
		return l;
	l = manifest_walk_added(w, &member, l);
	change_list_leave(&w->list);
	return l;
}

static val walk_named(struct walk *w, const struct place *p, str key, val m, val l)
{
	struct place member = member_of(p, key);

	if (val_exists(l) || topo_known(&member.type) || !topo_closed(&p->type) || !manifest_asks(w, &member, m))
		return manifest_into(w, key_segment(key), member, m, l);
	return manifest_differs_at(w, key_segment(key), m, l, WHY_UNKNOWN, m);
}

static val walk_member(struct walk *w, const struct place *p, str key, val m, val l)
{
	if (is_status(p, key))
		return l;
	return val_exists(m) ? walk_named(w, p, key, m, l) : walk_unnamed(w, p, key, l);
}

/* Walk the manifest's map and the live map side by side. */
val manifest_walk_map(struct walk *w, const struct place *p, val m, val l)
{
	struct member *out = arena_array(w->arena, (size_t)m.n + l.n + 1, sizeof(*out));
	size_t total = w->list.total, n = 0;
	uint32_t i = 0, k = 0;

	w->no_memory |= !out;
	while (out && (i < m.n || k < l.n)) {
		int order = i == m.n   ? 1
			    : k == l.n ? -1
				       : str_cmp(key_str(m.members[i].key), key_str(l.members[k].key));
		bool in_m = order <= 0, in_l = order >= 0;
		val mine = in_m ? m.members[i].value : (val){ 0 }, theirs = in_l ? l.members[k].value : (val){ 0 };

		out[n].key = in_m ? m.members[i].key : l.members[k].key;
		out[n].value = walk_member(w, p, key_str(out[n].key), mine, theirs);
		n += val_exists(out[n].value);
		i += in_m;
		k += in_l;
	}
	return w->list.total == total ? l : val_map_sorted(out, n);
}

static val walk_map(struct walk *w, const struct place *p, val m, val l)
{
	/* a server removes a map without members */
	if (!val_is_map(l) || (l.n == 0 && topo_shape(&p->type) == TOPO_MAP))
		return manifest_asks(w, p, m) ? manifest_differs(w, m, l, WHY_VALUE, m) : l;
	return manifest_walk_map(w, p, m, l);
}

/* ---- what is atomic ---- */

/* Walk two lists element by element, as far as both have elements. Elements with keys are called by them. */
static val walk_items(struct walk *w, const struct place *p, val m, val l)
{
	val *items = arena_array(w->arena, (size_t)l.n + 1, sizeof(*items));
	size_t total = w->list.total;
	struct list_pairs pairs;
	struct list_keys keys;
	int keyed = 0;

	topo_list_keys(&p->type, m, &keys);
	if (keys.sure)
		keyed = list_pairs_make(m, l, &keys, w->arena, &pairs);
	w->no_memory |= !items || keyed < 0;
	for (uint32_t i = 0; !w->no_memory && i < l.n; i++) {
		struct path_segment s = { .kind = PATH_INDEX, .index = i };

		if (keyed)
			s = list_element_segment(&keys, &pairs.before[i], m.items[i], i, w->arena);
		items[i] = manifest_into(w, s, element_of(p), m.items[i], l.items[i]);
	}
	return w->list.total == total ? l : (val){ .kind = VAL_LIST, .n = l.n, .items = items };
}

val manifest_walk_whole(struct walk *w, const struct place *p, val m, val l)
{
	struct place whole = *p;

	whole.whole = true;
	if (val_is_map(m) && val_is_map(l))
		return m.n ? walk_map(w, &whole, m, l) : manifest_walk_map(w, &whole, m, l);
	if (!val_is_list(m) || !val_is_list(l))
		return manifest_differs(w, m, l, WHY_VALUE, m);
	return m.n == l.n ? walk_items(w, &whole, m, l) : manifest_differs(w, m, l, WHY_LENGTH, m);
}

/* ---- one place ---- */

bool manifest_is_whole(struct walk *w, const struct place *p, val m, val l)
{
	struct path here = { w->list.at.p, w->list.at.n };

	if (p->whole || !topo_atomic(&p->type))
		return p->whole;
	if (!val_is_map(l) || val_equal(m, l) || !w->env->managers)
		return true;
	return !blame_by_member(w->env->managers(w->env->ctx), w->live, here, &w->steps);
}

static val walk_list(struct walk *w, const struct place *p, val m, val l)
{
	enum topo_list list = topo_list(&p->type);

	if (p->whole || (list != TOPO_KEYED && list != TOPO_SET) || !val_is_list(l))
		return manifest_walk_whole(w, p, m, l);
	return list == TOPO_KEYED ? manifest_walk_keyed(w, p, m, l) : manifest_walk_set(w, p, m, l);
}

static val walk_place(struct walk *w, struct place p, val m, val l)
{
	if (manifest_is_empty(m))
		return manifest_walk_empty(w, &p, m, l);
	if (!val_exists(l) || val_is_null(l))
		return manifest_asks(w, &p, m) ? manifest_differs(w, m, (val){ 0 }, WHY_MISSING, m) : l;
	if (val_is_list(m))
		return walk_list(w, &p, m, l);
	if (val_is_map(m))
		return manifest_is_whole(w, &p, m, l) ? manifest_walk_whole(w, &p, m, l) : walk_map(w, &p, m, l);
	return manifest_same(w, &p, m, l) ? l : manifest_differs(w, m, l, WHY_VALUE, m);
}

val manifest_walk(struct walk *w, struct place p, val m, val l)
{
	size_t total = w->list.total;
	val left;

	if (!manifest_spend(w, &p, m))
		return l;
	m = manifest_as_stored(w, &p, m, l);
	left = walk_place(w, p, m, manifest_without_admitted(w, &p, m, l));
	return w->list.total == total ? l : left;
}

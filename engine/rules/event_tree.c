/* Walks two documents together. The ways to pair the elements of lists are the only differences between walks. */
#include "rules/event_tree.h"

#include "base/assert.h"
#include "base/strmap.h"

#include <inttypes.h>
#include <string.h>

struct walk {
	const struct event_lists *lists;
	struct arena *arena;
	struct event_node *root;
	bool no_memory;
};

const char *event_change_name(enum event_change c)
{
	static const char *const names[] = { "none", "create", "modify", "delete" };

	_Static_assert(ARRAY_LEN(names) == EVENT_CHANGES, "ORDER event_change");
	ASSERT(c < EVENT_CHANGES);
	return names[c];
}

/* ---- nodes ---- */

/* A value that is being walked. In objects it becomes a node once there is a change in it. */
struct growing {
	struct growing *parent;
	struct event_place at;   /* at.above is the parent's place, or that of its node */
	struct event_node *node; /* NULL: there is none yet */
	struct event_node **end; /* where its next child goes */
	val before, after;
	/* what its children have in common */
	bool any_child, mixed, changed;
	enum event_change shared;
};

static str number_text(struct walk *w, uint64_t n)
{
	str s = arena_printf(w->arena, "%" PRIu64, n);

	w->no_memory |= !s.p;
	return s;
}

/* Make the node of @x, and those above it. False without memory. */
static bool make_node(struct walk *w, struct growing *x)
{
	if (x->node)
		return true;
	if (x->parent && !make_node(w, x->parent))
		return false;
	x->node = arena_zalloc(w->arena, sizeof(*x->node));
	w->no_memory |= !x->node;
	if (!x->node)
		return false;
	if (x->at.element && !x->at.key.p)
		x->at.key = number_text(w, x->at.index);
	x->node->at = x->at;
	x->node->before = x->before;
	x->node->after = x->after;
	x->end = &x->node->first;
	if (x->parent) {
		x->node->at.above = &x->parent->node->at;
		*x->parent->end = x->node;
		x->parent->end = &x->node->next;
	} else {
		w->root = x->node;
	}
	return true;
}

static struct growing begin(struct walk *w, struct growing *parent, struct event_place at, val before, val after)
{
	struct growing x = { .parent = parent, .at = at, .before = before, .after = after };

	x.at.above = parent ? &parent->at : NULL;
	if (!w->lists->objects)
		(void)make_node(w, &x);
	return x;
}

/* Note how one of @parent's children has changed. */
static void note_child(struct growing *parent, enum event_change c)
{
	parent->mixed |= parent->any_child && parent->shared != c;
	parent->any_child = true;
	parent->shared = c;
	parent->changed |= c != EVENT_NONE;
}

static void end(struct walk *w, struct growing *x, enum event_change c)
{
	if (c != EVENT_NONE)
		(void)make_node(w, x);
	if (x->node)
		x->node->change = c;
	if (x->parent)
		note_child(x->parent, c);
}

/* The change of a list, or of a map that is only on one side: the change that all children share. */
static enum event_change shared_change(const struct growing *x)
{
	return x->mixed ? EVENT_MODIFY : x->any_child ? x->shared : EVENT_NONE;
}

static struct event_place member_place(const struct key *key)
{
	return (struct event_place){ .key = key_str(key), .member = key };
}

/* The place of a list's element. In Kubernetes objects the number is written later, when it is needed. */
static struct event_place element_place(struct walk *w, uint64_t number, uint32_t index)
{
	struct event_place p = { .element = true, .index = index };

	if (!w->lists->objects)
		p.key = number_text(w, number);
	return p;
}

/* ---- one side ---- */

static bool try_keyed(struct walk *w, struct growing *x, val before, val after);

/* Walk @v, which is only on one side, so that all of it is created or deleted. */
static void walk_one(struct walk *w, struct growing *parent, struct event_place at, val v, enum event_change c)
{
	const val nothing = { 0 }, none = { .kind = VAL_LIST };
	bool gone = c == EVENT_DELETE;
	struct growing x = begin(w, parent, at, gone ? v : nothing, gone ? nothing : v);

	for (uint32_t i = 0; val_is_map(v) && i < v.n; i++)
		walk_one(w, &x, member_place(v.members[i].key), v.members[i].value, c);
	if (val_is_list(v) && !try_keyed(w, &x, gone ? v : none, gone ? none : v)) {
		for (uint32_t i = 0; i < v.n; i++)
			walk_one(w, &x, element_place(w, i, i), v.items[i], c);
	}
	end(w, &x, c);
}

/* ---- both sides ---- */

static void walk_both(struct walk *w, struct growing *parent, struct event_place at, val before, val after);

static void walk_maps(struct walk *w, struct growing *x, val before, val after)
{
	const struct member *b = before.members, *a = after.members;
	const struct member *b_end = b + before.n, *a_end = a + after.n;

	while (b < b_end || a < a_end) {
		int order = b == b_end ? 1 : a == a_end ? -1 : key_cmp(b->key, a->key);

		if (order < 0)
			walk_one(w, x, member_place(b->key), b->value, EVENT_DELETE);
		else if (order > 0)
			walk_one(w, x, member_place(a->key), a->value, EVENT_CREATE);
		else
			walk_both(w, x, member_place(b->key), b->value, a->value);
		b += order <= 0;
		a += order >= 0;
	}
}

static void walk_ordered(struct walk *w, struct growing *x, val before, val after)
{
	uint32_t n = before.n > after.n ? before.n : after.n;

	for (uint32_t i = 0; i < n; i++) {
		if (i >= after.n)
			walk_one(w, x, element_place(w, i, i), before.items[i], EVENT_DELETE);
		else if (i >= before.n)
			walk_one(w, x, element_place(w, i, i), after.items[i], EVENT_CREATE);
		else
			walk_both(w, x, element_place(w, i, i), before.items[i], after.items[i]);
	}
}

/* ---- equal elements belong together ---- */

/* The elements of a list by their hash. Elements with the same hash form a chain. */
struct by_hash {
	struct strmap first; /* hash -> 1 + the element */
	uint32_t *next;      /* 1 + the next element of the chain; 0: the last */
};

static str hash_key(const uint64_t *hash)
{
	return (str){ (const char *)hash, sizeof(*hash) };
}

/* Index the last elements first, so that each chain comes out in order. */
static bool index_elements(struct by_hash *x, val list, struct arena *a)
{
	x->next = arena_array(a, list.n + 1, sizeof(*x->next));
	for (uint32_t i = list.n; x->next && i-- > 0;) {
		uint64_t hash = val_same_hash(list.items[i]);
		void *before;

		if (!strmap_put(&x->first, hash_key(&hash), (void *)((uintptr_t)i + 1), &before))
			return false;
		x->next[i] = (uint32_t)(uintptr_t)before;
	}
	return x->next;
}

/* Take the first element that equals @v out of its chain. Returns its number, or -1 if there is none. */
static int64_t take_equal(struct by_hash *x, val list, val v)
{
	uint64_t hash = val_same_hash(v);
	uint32_t at = (uint32_t)(uintptr_t)strmap_get(&x->first, hash_key(&hash));

	if (!at || !val_same(list.items[at - 1], v)) /* different values with the same hash are two changes */
		return -1;
	if (!x->next[at - 1])
		(void)strmap_remove(&x->first, hash_key(&hash));
	else if (!strmap_put(&x->first, hash_key(&hash), (void *)(uintptr_t)x->next[at - 1], NULL))
		return -1; /* replacing the value of an existing key needs no memory */
	return at - 1;
}

static void walk_kept(struct walk *w, struct growing *parent, struct event_place at, val v)
{
	struct growing x = begin(w, parent, at, v, v);

	end(w, &x, EVENT_NONE);
}

static void walk_multiset(struct walk *w, struct growing *x, val before, val after)
{
	bool *kept_before = arena_zalloc(w->arena, before.n + 1), *kept_after = arena_zalloc(w->arena, after.n + 1);
	struct by_hash index = { 0 };
	uint64_t at = before.n;

	if (!kept_before || !kept_after || !index_elements(&index, before, w->arena)) {
		w->no_memory = true;
		strmap_done(&index.first);
		return;
	}
	for (uint32_t i = 0; i < after.n; i++) {
		int64_t same = take_equal(&index, before, after.items[i]);

		kept_after[i] = same >= 0;
		if (same >= 0)
			kept_before[same] = true;
	}
	strmap_done(&index.first);
	for (uint32_t i = 0; i < before.n; i++) {
		struct event_place place = element_place(w, i, i);

		if (kept_before[i])
			walk_kept(w, x, place, before.items[i]);
		else
			walk_one(w, x, place, before.items[i], EVENT_DELETE);
	}
	for (uint32_t i = 0; i < after.n; i++) {
		if (!kept_after[i])
			walk_one(w, x, element_place(w, at++, i), after.items[i], EVENT_CREATE);
	}
}

/* ---- elements by their keys ---- */

/* The element whose value counts for the @i-th: in documents, the last one with the same key. */
static uint32_t counting(const struct walk *w, const struct list_element *elements, uint32_t i)
{
	while (!w->lists->objects && elements[i].next)
		i = elements[i].next - 1;
	return i;
}

static bool counts(const struct walk *w, const struct list_element *e)
{
	return w->lists->objects || !e->again;
}

static struct event_place keyed_place(const struct list_keys *keys, const struct list_element *e, uint32_t index)
{
	return (struct event_place){ .key = e->key, .element = true, .keys = keys, .called = e, .index = index };
}

static void walk_elements(struct walk *w, struct growing *x, const struct list_keys *keys, const struct list_pairs *p)
{
	for (uint32_t i = 0; i < x->before.n; i++) {
		uint32_t was = counting(w, p->before, i), same = p->to_after[i];

		if (!counts(w, &p->before[i]))
			continue;
		if (same) {
			uint32_t now = counting(w, p->after, same - 1);

			walk_both(w, x, keyed_place(keys, &p->after[same - 1], now), x->before.items[was],
				  x->after.items[now]);
		} else {
			walk_one(w, x, keyed_place(keys, &p->before[i], was), x->before.items[was], EVENT_DELETE);
		}
	}
	for (uint32_t i = 0; i < x->after.n; i++) {
		uint32_t now = counting(w, p->after, i);

		if (!p->to_before[i] && counts(w, &p->after[i]))
			walk_one(w, x, keyed_place(keys, &p->after[i], now), x->after.items[now], EVENT_CREATE);
	}
}

/* The keys of the elements as a list. {0} without memory. */
static val list_of_keys(struct walk *w, const struct list_element *e, uint32_t n)
{
	val *items = arena_array(w->arena, n, sizeof(*items));

	w->no_memory |= !items;
	for (uint32_t i = 0; items && i < n; i++)
		items[i] = val_string(e[i].key);
	return items ? (val){ .kind = VAL_LIST, .n = n, .items = items } : (val){ 0 };
}

static void walk_order(struct walk *w, struct growing *list, const struct list_pairs *p)
{
	const struct event_place at = { .key = STR(""), .element = true };
	uint32_t n = list->after.n;
	struct growing x = begin(w, list, at, list_of_keys(w, p->before, list->before.n), list_of_keys(w, p->after, n));
	uint32_t *order = arena_array(w->arena, (size_t)n + 1, sizeof(*order));

	w->no_memory |= !order;
	if (!order || !make_node(w, &x))
		return;
	for (uint32_t i = 0; i < n; i++)
		order[i] = p->to_before[i] ? p->to_before[i] - 1 : ORDER_NEW;
	x.node->order = order;
	end(w, &x, EVENT_MODIFY);
}

/* Whether an element is a map. Only then can a list have keys. */
static bool has_map(val list)
{
	for (uint32_t i = 0; i < list.n; i++) {
		if (val_is_map(list.items[i]))
			return true;
	}
	return false;
}

/* Walk two lists by the keys of their elements. False: the list has no key. */
static bool try_keyed(struct walk *w, struct growing *x, val before, val after)
{
	struct list_keys found = { 0 }, *keys;
	struct list_pairs p;
	int paired;

	if (!w->lists->keys || (!has_map(before) && !has_map(after)))
		return false;
	w->lists->keys(w->lists->ctx, &x->at, before.n ? before : after, &found);
	paired = found.n ? list_pairs_make(before, after, &found, w->arena, &p) : 0;
	w->no_memory |= paired < 0;
	if (paired <= 0 || (!w->lists->objects && p.bare))
		return false;
	keys = arena_alloc(w->arena, sizeof(*keys));
	w->no_memory |= !keys;
	if (!keys)
		return false;
	*keys = found;
	walk_elements(w, x, keys, &p);
	if (w->lists->objects && !list_pairs_in_order(&p, before.n))
		walk_order(w, x, &p);
	return true;
}

static enum event_change walk_lists(struct walk *w, struct growing *x, val before, val after)
{
	if (w->lists->objects && before.n == after.n && before.items == after.items)
		return EVENT_NONE; /* both sides share one value */
	if (!try_keyed(w, x, before, after)) {
		if (w->lists->ordered)
			walk_ordered(w, x, before, after);
		else
			walk_multiset(w, x, before, after);
	}
	return shared_change(x);
}

/* ---- any two values ---- */

static bool same_kind(val a, val b)
{
	return a.kind == b.kind || (val_is_number(a) && val_is_number(b));
}

/* Whether @v counts as nothing. Outside objects null does, unless both values are null. */
static bool is_nothing(const struct walk *w, val v, val other)
{
	return !val_exists(v) || (!w->lists->objects && val_is_null(v) && !val_is_null(other));
}

static enum event_change walk_same_kind(struct walk *w, struct growing *x, val before, val after)
{
	if (val_is_list(before))
		return walk_lists(w, x, before, after);
	if (!val_is_map(before))
		return val_same(before, after) ? EVENT_NONE : EVENT_MODIFY;
	walk_maps(w, x, before, after);
	return x->changed ? EVENT_MODIFY : EVENT_NONE;
}

/* Whether both sides are the same text. Most are, and a tree of objects needs no place for them. */
static bool is_same_text(const struct walk *w, val before, val after)
{
	return w->lists->objects && val_is_string(before) && val_is_string(after) &&
	       str_eq(val_str(before), val_str(after));
}

static void walk_both(struct walk *w, struct growing *parent, struct event_place at, val before, val after)
{
	struct growing x;

	if (parent && is_same_text(w, before, after)) {
		note_child(parent, EVENT_NONE);
		return;
	}
	if (is_nothing(w, before, after)) {
		walk_one(w, parent, at, after, EVENT_CREATE);
		return;
	}
	if (is_nothing(w, after, before)) {
		walk_one(w, parent, at, before, EVENT_DELETE);
		return;
	}
	x = begin(w, parent, at, before, after);
	end(w, &x, same_kind(before, after) ? walk_same_kind(w, &x, before, after) : EVENT_MODIFY);
}

int event_tree(val before, val after, const struct event_lists *lists, struct arena *a, struct event_node **ret,
	       struct err *err)
{
	struct walk w = { .lists = lists, .arena = a };

	walk_both(&w, NULL, (struct event_place){ .key = STR("") }, before, after);
	if (w.no_memory)
		return err_nomem(err);
	*ret = w.root;
	return 0;
}

/* ---- the tree afterwards ---- */

const struct event_place *event_node_place(const struct event_node *x)
{
	return x->order ? x->at.above : &x->at;
}

struct event_node *event_parent(const struct event_node *x)
{
	_Static_assert(offsetof(struct event_node, at) == 0, "a node's place is the node's address");
	return (struct event_node *)x->at.above;
}

static struct event_node *after_subtree(const struct event_node *root, const struct event_node *x)
{
	while (x != root && !x->next)
		x = event_parent(x);
	return x == root ? NULL : x->next;
}

struct event_node *event_next_leaf(struct event_node *root, const struct event_node *leaf)
{
	struct event_node *x = leaf ? after_subtree(root, leaf) : root;

	while (x) {
		if (x->change == EVENT_NONE)
			x = after_subtree(root, x);
		else if (x->first)
			x = x->first;
		else
			return x;
	}
	return NULL;
}

size_t event_place_depth(const struct event_place *x)
{
	size_t n = 0;

	for (; x->above; x = x->above)
		n++;
	return n;
}

str event_place_path(const struct event_place *x, struct arena *a)
{
	size_t total = 0, n;
	char *p;

	for (const struct event_place *up = x; up->above; up = up->above)
		total += up->key.n + (up->above->above != NULL);
	p = arena_alloc(a, total + 1);
	if (!p)
		return (str){ NULL, 0 };
	p[total] = '\0';
	n = total;
	for (const struct event_place *up = x; up->above; up = up->above) {
		memcpy(p + n - up->key.n, up->key.p, up->key.n);
		n -= up->key.n;
		if (up->above->above)
			p[--n] = '.';
	}
	return (str){ p, total };
}

/* Find a node below @x; @path is the rest of the path there. */
static const struct event_node *find_below(const struct event_node *x, str path)
{
	for (const struct event_node *child = x->first; child; child = child->next) {
		const struct event_node *found = NULL;
		str key = child->at.key;

		if (!str_has_prefix(path, key))
			continue;
		if (path.n == key.n)
			return child;
		if (path.p[key.n] == '.')
			found = find_below(child, str_sub(path, key.n + 1, path.n));
		if (found)
			return found;
	}
	return NULL;
}

const struct event_node *event_find_node(const struct event_node *root, const struct event_node *below, str path,
					 struct arena *a)
{
	for (const struct event_node *x = below; x; x = event_parent(x)) {
		str its = event_place_path(&x->at, a);

		if (its.p && str_eq(its, path))
			return x;
	}
	return path.n ? find_below(root, path) : root;
}

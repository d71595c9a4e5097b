/* One walker; how lists are paired is all that differs. */
#include "rules/event_tree.h"

#include "base/strmap.h"

#include <inttypes.h>
#include <string.h>

struct walk {
	const struct event_lists *lists;
	struct arena *arena;
	const struct event_node *root;
	bool no_memory;
};

const char *event_change_name(enum event_change c)
{
	static const char *const names[] = { "none", "create", "modify", "delete" };

	_Static_assert(ARRAY_LEN(names) == EVENT_CHANGES, "ORDER event_change");
	return names[c];
}

/* ---- nodes ---- */

/* A node with the place where its next child goes. */
struct growing {
	struct event_node *node;
	const struct event_node **end;
};

static struct growing add_node(struct walk *w, struct growing *parent, str key)
{
	struct event_node *x = arena_zalloc(w->arena, sizeof(*x));

	w->no_memory |= !x;
	if (!x)
		return (struct growing){ NULL, NULL };
	x->key = key;
	if (parent) {
		x->parent = parent->node;
		*parent->end = x;
		parent->end = &x->next;
	} else {
		w->root = x;
	}
	return (struct growing){ x, &x->first };
}

/* The change of a list, or of a map of one side: what all children share. */
static enum event_change shared_change(const struct event_node *x)
{
	enum event_change c = x->first ? x->first->change : EVENT_NONE;

	for (const struct event_node *child = x->first; child; child = child->next) {
		if (child->change != c)
			return EVENT_MODIFY;
	}
	return c;
}

static bool any_change(const struct event_node *x)
{
	for (const struct event_node *child = x->first; child; child = child->next) {
		if (child->change != EVENT_NONE)
			return true;
	}
	return false;
}

static str number_text(struct walk *w, uint64_t n)
{
	str s = arena_printf(w->arena, "%" PRIu64, n);

	w->no_memory |= !s.p;
	return s;
}

/* ---- one side ---- */

static bool try_keyed(struct walk *w, struct growing *x, val before, val after);

/* All of @v is created, or deleted. */
static void walk_one(struct walk *w, struct growing *parent, str key, val v, enum event_change c)
{
	const val none = { .kind = VAL_LIST };
	struct growing x = add_node(w, parent, key);

	if (!x.node)
		return;
	for (uint32_t i = 0; val_is_map(v) && i < v.n; i++)
		walk_one(w, &x, key_str(v.members[i].key), v.members[i].value, c);
	if (val_is_list(v) && !try_keyed(w, &x, c == EVENT_DELETE ? v : none, c == EVENT_DELETE ? none : v)) {
		for (uint32_t i = 0; i < v.n; i++)
			walk_one(w, &x, number_text(w, i), v.items[i], c);
	}
	x.node->change = c;
}

/* ---- both sides ---- */

static void walk_both(struct walk *w, struct growing *parent, str key, val before, val after);

static void walk_maps(struct walk *w, struct growing *x, val before, val after)
{
	uint32_t b = 0, a = 0;

	while (b < before.n || a < after.n) {
		const struct member *mb = b < before.n ? &before.members[b] : NULL;
		const struct member *ma = a < after.n ? &after.members[a] : NULL;
		int order = !mb ? 1 : !ma ? -1 : str_cmp(key_str(mb->key), key_str(ma->key));

		if (order < 0)
			walk_one(w, x, key_str(mb->key), mb->value, EVENT_DELETE);
		else if (order > 0)
			walk_one(w, x, key_str(ma->key), ma->value, EVENT_CREATE);
		else
			walk_both(w, x, key_str(mb->key), mb->value, ma->value);
		b += order <= 0;
		a += order >= 0;
	}
	x->node->change = any_change(x->node) ? EVENT_MODIFY : EVENT_NONE;
}

static void walk_ordered(struct walk *w, struct growing *x, val before, val after)
{
	uint32_t n = before.n > after.n ? before.n : after.n;

	for (uint32_t i = 0; i < n; i++) {
		if (i >= after.n)
			walk_one(w, x, number_text(w, i), before.items[i], EVENT_DELETE);
		else if (i >= before.n)
			walk_one(w, x, number_text(w, i), after.items[i], EVENT_CREATE);
		else
			walk_both(w, x, number_text(w, i), before.items[i], after.items[i]);
	}
}

/* ---- equal elements belong together ---- */

/* Elements by their hash: each names the next of the same one. */
struct by_hash {
	struct strmap first; /* hash -> 1 + the element */
	uint32_t *next;      /* 1 + the element; 0: the last */
};

static str hash_key(const uint64_t *hash)
{
	return (str){ (const char *)hash, sizeof(*hash) };
}

/* Last elements first, so that each chain comes out in order. */
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

/* The first element that equals @v and is not @taken; its number, or -1. It leaves the chain. */
static int64_t take_equal(struct by_hash *x, val list, val v)
{
	uint64_t hash = val_same_hash(v);
	uint32_t at = (uint32_t)(uintptr_t)strmap_get(&x->first, hash_key(&hash));

	if (!at || !val_same(list.items[at - 1], v)) /* two that differ under one hash are two changes */
		return -1;
	if (!x->next[at - 1])
		(void)strmap_remove(&x->first, hash_key(&hash));
	else if (!strmap_put(&x->first, hash_key(&hash), (void *)(uintptr_t)x->next[at - 1], NULL))
		return -1; /* which needs no memory: the key is there */
	return at - 1;
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
		if (kept_before[i])
			(void)add_node(w, x, number_text(w, i));
		else
			walk_one(w, x, number_text(w, i), before.items[i], EVENT_DELETE);
	}
	for (uint32_t i = 0; i < after.n; i++) {
		if (!kept_after[i])
			walk_one(w, x, number_text(w, at++), after.items[i], EVENT_CREATE);
	}
}

/* ---- elements by their key ---- */

/* The text of an element's key; {NULL, 0}: it has none. */
static str key_text(struct walk *w, val element, str name)
{
	val v = val_get(element, name);

	if (val_is_string(v))
		return val_str(v);
	if (v.kind == VAL_INT)
		return arena_printf(w->arena, "%" PRId64, v.i);
	if (v.kind == VAL_BOOL)
		return v.b ? STR("true") : STR("false");
	return (str){ NULL, 0 };
}

/* The keys of all elements, of which the last with a key stands for it: *last maps keys to 1 + the element. False: an
 * element has none, or memory is short. */
static bool read_keys(struct walk *w, val list, str name, str **ret, struct strmap *last)
{
	str *keys = arena_array(w->arena, list.n + 1, sizeof(*keys));

	w->no_memory |= !keys;
	for (uint32_t i = 0; keys && i < list.n; i++) {
		keys[i] = val_is_map(list.items[i]) ? key_text(w, list.items[i], name) : (str){ NULL, 0 };
		if (!keys[i].p)
			return false;
		if (!strmap_put(last, keys[i], (void *)((uintptr_t)i + 1), NULL)) {
			w->no_memory = true;
			return false;
		}
	}
	*ret = keys;
	return keys;
}

static void walk_keyed(struct walk *w, struct growing *x, val before, val after, const str *keys_before,
		       const str *keys_after, struct strmap *in_before, struct strmap *in_after)
{
	for (uint32_t i = 0; i < before.n; i++) {
		uint32_t last = (uint32_t)(uintptr_t)strmap_remove(in_before, keys_before[i]); /* each key once */
		uint32_t same = last ? (uint32_t)(uintptr_t)strmap_remove(in_after, keys_before[i]) : 0;

		if (same)
			walk_both(w, x, keys_before[i], before.items[last - 1], after.items[same - 1]);
		else if (last)
			walk_one(w, x, keys_before[i], before.items[last - 1], EVENT_DELETE);
	}
	for (uint32_t i = 0; i < after.n; i++) {
		uint32_t last = (uint32_t)(uintptr_t)strmap_remove(in_after, keys_after[i]);

		if (last)
			walk_one(w, x, keys_after[i], after.items[last - 1], EVENT_CREATE);
	}
}

/* False: the list has no key, or some element lacks it. */
static bool try_keyed(struct walk *w, struct growing *x, val before, val after)
{
	CLEANUP(strmap_done) struct strmap in_before = { 0 }, in_after = { 0 };
	str name = w->lists->key ? w->lists->key(w->lists->ctx, x->node) : (str){ NULL, 0 };
	str *keys_before, *keys_after;

	if (!name.p || !read_keys(w, before, name, &keys_before, &in_before) ||
	    !read_keys(w, after, name, &keys_after, &in_after))
		return false;
	walk_keyed(w, x, before, after, keys_before, keys_after, &in_before, &in_after);
	return true;
}

static void walk_lists(struct walk *w, struct growing *x, val before, val after)
{
	if (!try_keyed(w, x, before, after)) {
		if (w->lists->ordered)
			walk_ordered(w, x, before, after);
		else
			walk_multiset(w, x, before, after);
	}
	x->node->change = shared_change(x->node);
}

/* ---- any two values ---- */

static bool same_kind(val a, val b)
{
	return a.kind == b.kind || (val_is_number(a) && val_is_number(b));
}

static void walk_both(struct walk *w, struct growing *parent, str key, val before, val after)
{
	struct growing x;

	/* null is nothing, but where both are. */
	if (!val_exists(before) || (val_is_null(before) && val_exists(after) && !val_is_null(after))) {
		walk_one(w, parent, key, after, EVENT_CREATE);
		return;
	}
	if (!val_exists(after) || (val_is_null(after) && !val_is_null(before))) {
		walk_one(w, parent, key, before, EVENT_DELETE);
		return;
	}
	x = add_node(w, parent, key);
	if (!x.node)
		return;
	if (!same_kind(before, after))
		x.node->change = EVENT_MODIFY;
	else if (val_is_map(before))
		walk_maps(w, &x, before, after);
	else if (val_is_list(before))
		walk_lists(w, &x, before, after);
	else
		x.node->change = val_same(before, after) ? EVENT_NONE : EVENT_MODIFY;
}

int event_tree(val before, val after, const struct event_lists *lists, struct arena *a, const struct event_node **ret,
	       struct err *err)
{
	struct walk w = { .lists = lists, .arena = a };

	walk_both(&w, NULL, STR(""), before, after);
	if (w.no_memory)
		return err_nomem(err);
	*ret = w.root;
	return 0;
}

/* ---- the tree afterwards ---- */

static const struct event_node *after_subtree(const struct event_node *root, const struct event_node *x)
{
	while (x != root && !x->next)
		x = x->parent;
	return x == root ? NULL : x->next;
}

const struct event_node *event_next_leaf(const struct event_node *root, const struct event_node *leaf)
{
	const struct event_node *x = leaf ? after_subtree(root, leaf) : root;

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

str event_node_path(const struct event_node *x, struct arena *a)
{
	size_t total = 0, n;
	char *p;

	for (const struct event_node *up = x; up->parent; up = up->parent)
		total += up->key.n + (up->parent->parent != NULL);
	p = arena_alloc(a, total + 1);
	if (!p)
		return (str){ NULL, 0 };
	p[total] = '\0';
	n = total;
	for (const struct event_node *up = x; up->parent; up = up->parent) {
		memcpy(p + n - up->key.n, up->key.p, up->key.n);
		n -= up->key.n;
		if (up->parent->parent)
			p[--n] = '.';
	}
	return (str){ p, total };
}

/* Below @x; @path is what is left of it. */
static const struct event_node *find_below(const struct event_node *x, str path)
{
	for (const struct event_node *child = x->first; child; child = child->next) {
		const struct event_node *found = NULL;

		if (!str_has_prefix(path, child->key))
			continue;
		if (path.n == child->key.n)
			return child;
		if (path.p[child->key.n] == '.')
			found = find_below(child, str_sub(path, child->key.n + 1, path.n));
		if (found)
			return found;
	}
	return NULL;
}

const struct event_node *event_find_node(const struct event_node *root, const struct event_node *below, str path,
					 struct arena *a)
{
	for (const struct event_node *x = below; x; x = x->parent) {
		str its = event_node_path(x, a);

		if (its.p && str_eq(its, path))
			return x;
	}
	return path.n ? find_below(root, path) : root;
}

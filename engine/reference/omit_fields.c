/* Removes fields from an object. */
#include "reference/ref.h"

/* A tree of paths by their keys. An object's fields are sorted as well, so that one walk over both finds the fields
 * to omit. */
struct omit_node {
	const struct key *key;
	bool remove; /* a path ends here */
	/* a path without prefix leads through here, so that an empty map is removed even if it was empty before */
	bool exact;
	const str *prefixes; /* prefixes of the keys in this map that are removed */
	size_t n_prefixes;
	const struct omit_node *children; /* sorted by key */
	size_t n_children;
};

/* ---- building ---- */

static int by_key(const void *a, const void *b, void *ctx)
{
	size_t depth = *(const size_t *)ctx;

	return str_cmp((*(const struct omit_path *const *)a)->keys[depth],
		       (*(const struct omit_path *const *)b)->keys[depth]);
}

static bool is_prefix_here(const struct omit_path *p, size_t depth)
{
	return p->prefix && p->n == depth + 1;
}

static bool build(struct omit_node *node, const struct omit_path **paths, size_t n, size_t depth, struct arena *a);

/* Make the child for @n paths that share the key at @depth. */
static bool build_child(struct omit_node *child, const struct omit_path **paths, size_t n, size_t depth,
			struct arena *a)
{
	*child = (struct omit_node){ .key = key_make(NULL, a, paths[0]->keys[depth]) };
	if (!child->key)
		return false;
	for (size_t i = 0; i < n; i++) {
		child->remove = child->remove || paths[i]->n == depth + 1;
		child->exact = child->exact || !paths[i]->prefix;
	}
	/* the recursion is as deep as the longest path */
	return child->remove || build(child, paths, n, depth + 1, a);
}

/* Make the children of @node. @paths are those that lead through it; they are reordered. */
static bool build(struct omit_node *node, const struct omit_path **paths, size_t n, size_t depth, struct arena *a)
{
	str *prefixes = arena_array(a, n, sizeof(*prefixes));
	struct omit_node *children = arena_array(a, n, sizeof(*children));
	size_t rest = 0;

	if (!prefixes || !children)
		return false;
	for (size_t i = 0; i < n; i++) {
		if (is_prefix_here(paths[i], depth))
			prefixes[node->n_prefixes++] = paths[i]->keys[depth];
		else
			paths[rest++] = paths[i];
	}
	if (rest)
		qsort_r(paths, rest, sizeof(*paths), by_key, &depth);
	for (size_t i = 0, end; i < rest; i = end) {
		for (end = i + 1; end < rest && str_eq(paths[end]->keys[depth], paths[i]->keys[depth]);)
			end++;
		if (!build_child(&children[node->n_children++], paths + i, end - i, depth, a))
			return false;
	}
	node->prefixes = prefixes;
	node->children = children;
	return true;
}

int omit_list_make(const struct omit_path *paths, size_t n, struct arena *a, struct omit_list *ret, struct err *err)
{
	struct omit_node *root = arena_zalloc(a, sizeof(*root));
	const struct omit_path **order = arena_array(a, n, sizeof(*order));
	size_t used = 0;

	if (!root || !order)
		return err_nomem(err);
	for (size_t i = 0; i < n; i++) {
		if (paths[i].n)
			order[used++] = &paths[i];
	}
	if (!build(root, order, used, 0, a))
		return err_nomem(err);
	*ret = (struct omit_list){ paths, n, root };
	return 0;
}

/* ---- omitting ---- */

static bool has_prefix(const struct omit_node *node, str key)
{
	for (size_t i = 0; i < node->n_prefixes; i++) {
		if (str_has_prefix(key, node->prefixes[i]))
			return true;
	}
	return false;
}

static bool same(val a, val b)
{
	return a.kind == b.kind && a.n == b.n && a.members == b.members;
}

static val omit(val v, const struct omit_node *node, struct arena *a);

/* Reduce the member @key to what is left of it; absent: the member is removed. False without memory. */
static bool omit_member(const struct omit_node *node, const struct omit_node *child, str key, val *v, struct arena *a)
{
	uint32_t before = v->n;

	if (has_prefix(node, key) || (child && child->remove)) {
		*v = (val){ 0 };
		return true;
	}
	if (!child || !val_is_map(*v))
		return true;
	*v = omit(*v, child, a); /* the recursion is as deep as the tree */
	if (!val_exists(*v))
		return false;
	if (v->n == 0 && (child->exact || before > 0))
		*v = (val){ 0 };
	return true;
}

/* Remove fields from a map, but never from maps in lists. */
static val omit(val v, const struct omit_node *node, struct arena *a)
{
	struct member *kept = NULL;
	size_t at = 0;
	uint32_t n = 0;

	for (uint32_t i = 0; i < v.n; i++) {
		const struct key *key = v.members[i].key;
		val left = v.members[i].value;
		int order = 1;

		while (at < node->n_children && (order = key_cmp(node->children[at].key, key)) < 0)
			at++;
		if (at == node->n_children && !node->n_prefixes && !kept)
			return v; /* no field to omit can follow */
		if (!omit_member(node, at < node->n_children && order == 0 ? &node->children[at] : NULL, key_str(key),
				 &left, a))
			return (val){ 0 };
		if (!kept && !same(left, v.members[i].value)) {
			kept = arena_array(a, v.n, sizeof(*kept));
			if (!kept)
				return (val){ 0 };
			if (n)
				memcpy(kept, v.members, n * sizeof(*kept));
		}
		if (!val_exists(left))
			continue;
		if (kept)
			kept[n] = (struct member){ key, left };
		n++;
	}
	return kept ? val_map_sorted(kept, n) : v;
}

val omit_fields(val v, struct omit_list list, struct arena *a)
{
	return val_is_map(v) ? omit(v, list.tree, a) : v;
}

/* ---- what of an object decides ---- */

static bool pick_node(const struct omit_node *node, bool whole, struct key_table *keys, struct arena *a,
		      struct json_pick *ret)
{
	struct json_pick *members = arena_array(a, node->n_children, sizeof(*members));

	if (!members)
		return false;
	for (size_t i = 0; i < node->n_children; i++) {
		const struct omit_node *child = &node->children[i];

		/* the member is removed, whatever it is */
		members[i] = (struct json_pick){ .kind = PICK_NOTHING };
		/* the recursion is as deep as the tree */
		if (!child->remove && !pick_node(child, whole, keys, a, &members[i]))
			return false;
		members[i].key = key_make(keys, a, key_str(child->key));
		if (!members[i].key)
			return false;
	}
	ret->kind = PICK_MEMBERS;
	ret->others_whole = whole;
	ret->others_named = node->n_prefixes > 0;
	ret->members = members;
	ret->n = (uint32_t)node->n_children;
	return true;
}

bool omit_pick(struct omit_list list, bool whole, struct key_table *keys, struct arena *a, struct json_pick *ret)
{
	*ret = (struct json_pick){ 0 };
	return pick_node(list.tree, whole, keys, a, ret);
}

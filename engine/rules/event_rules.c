/* Finds the best rule for each leaf, and gathers leaves into events. */
#include "rules/event_rules.h"

#include "base/vec.h"
#include "rules/event_index.h"

struct gathering {
	struct event event;
	VEC(const struct event_node *) matched;
};

struct applying {
	const struct event_rule *const *rules;
	struct event_node *root;
	bool objects;
	struct arena *arena;
	VEC(struct gathering) events;
	VEC(size_t) anchored; /* numbers of the events of anchored rules */
};

static void applying_done(struct applying *x)
{
	for (size_t i = 0; i < x->events.n; i++)
		vec_done(&x->events.p[i].matched);
	vec_done(&x->events);
	vec_done(&x->anchored);
}

/* The segments in the path of @x as text, which is *path. {NULL, 0} without memory. */
static struct event_segments segments_of_text(const struct event_node *x, str *path, struct arena *a)
{
	*path = event_place_path(&x->at, a);
	return path->p ? event_segments(*path, a) : (struct event_segments){ NULL, 0 };
}

/* The keys of a place and those above it, from the root down. {NULL, 0} without memory. */
static struct event_segments segments_of_place(const struct event_place *x, struct arena *a)
{
	size_t n = event_place_depth(x);
	str *p;

	p = arena_array(a, n + 1, sizeof(*p));
	for (size_t i = n; p && i-- > 0; x = x->above)
		p[i] = x->key;
	return (struct event_segments){ p, p ? n : 0 };
}

/* ---- what an event is about ---- */

/* Find the node at the anchor of the leaf's rule by the keys of its place. False without memory. */
static bool find_by_keys(const struct applying *x, const struct event_path *rule, const struct event_node *leaf,
			 const struct event_node **ret)
{
	struct event_segments s = segments_of_place(event_node_place(leaf), x->arena);
	size_t n = s.p ? event_path_anchor(rule, s.p, s.n) : 0;

	for (*ret = leaf->order ? event_parent(leaf) : leaf; n < s.n; n++)
		*ret = event_parent(*ret);
	return s.p;
}

/* Find the node at the anchor of the leaf's rule by its path as text; without such a node it is the leaf. False
 * without memory. */
static bool find_by_text(const struct applying *x, const struct event_path *rule, const struct event_node *leaf,
			 const struct event_node **ret)
{
	str path;
	struct event_segments s = segments_of_text(leaf, &path, x->arena);
	size_t n;

	if (!s.p)
		return false;
	*ret = leaf;
	n = event_path_anchor(rule, s.p, s.n);
	if (n == s.n)
		return true;
	path.n = (size_t)(s.p[n - 1].p + s.p[n - 1].n - path.p);
	*ret = event_find_node(x->root, leaf, path, x->arena);
	if (!*ret)
		*ret = leaf;
	return true;
}

/* ---- gathering ---- */

/* Whether an event of an anchored rule also takes in leaves of @rule: it does if the paths and types of the rules
 * and the changes are the same. */
static bool gathers(const struct applying *x, const struct event *e, const struct event_rule *rule,
		    enum event_change change)
{
	const struct event_rule *other = x->rules[e->rule];

	return e->change == change && other->type == rule->type && str_eq(other->path.text, rule->path.text);
}

/* The event that the leaf belongs to, which may be a new one. An event of an anchored rule gathers leaves whatever
 * node they are about. NULL without memory. */
static struct gathering *gathering_for(struct applying *x, size_t rule, const struct event_node *about)
{
	const struct event_rule *r = x->rules[rule];
	struct gathering new = { .event = { .rule = rule, .change = about->change, .about = about } };

	for (size_t i = 0; r->path.anchored && i < x->anchored.n; i++) {
		struct gathering *g = &x->events.p[x->anchored.p[i]];

		if (gathers(x, &g->event, r, about->change))
			return g;
	}
	if (!vec_push(&x->events, new) || (r->path.anchored && !vec_push(&x->anchored, x->events.n - 1)))
		return NULL;
	return &x->events.p[x->events.n - 1];
}

/* Add a leaf to its event. False without memory. */
static bool add_leaf(struct applying *x, const struct event_node *leaf)
{
	const struct event_path *path = &x->rules[leaf->rule - 1]->path;
	const struct event_node *about = leaf;
	struct gathering *g;

	if (path->anchored && !(x->objects ? find_by_keys(x, path, leaf, &about) : find_by_text(x, path, leaf, &about)))
		return false;
	g = gathering_for(x, leaf->rule - 1, about);
	return g && vec_push(&g->matched, leaf);
}

/* Copy the events into the arena. */
static int give(struct applying *x, struct events *ret, struct err *err)
{
	struct event *events = arena_array(x->arena, x->events.n, sizeof(*events));

	for (size_t i = 0; events && i < x->events.n; i++) {
		const struct gathering *g = &x->events.p[i];
		const struct event_node **matched = arena_array(x->arena, g->matched.n, sizeof(*matched));

		if (!matched)
			return err_nomem(err);
		for (size_t k = 0; k < g->matched.n; k++)
			matched[k] = g->matched.p[k];
		events[i] = g->event;
		events[i].matched = matched;
		events[i].n_matched = g->matched.n;
	}
	if (!events)
		return err_nomem(err);
	*ret = (struct events){ events, x->events.n };
	return 0;
}

int events_gather(const struct event_rule *const *rules, struct event_node *root, bool objects, struct arena *a,
		  struct events *ret, struct err *err)
{
	CLEANUP(applying_done) struct applying x = { .rules = rules, .root = root, .objects = objects, .arena = a };

	for (const struct event_node *leaf = event_next_leaf(root, NULL); leaf; leaf = event_next_leaf(root, leaf)) {
		if (leaf->rule && !leaf->dropped && !add_leaf(&x, leaf))
			return err_nomem(err);
	}
	return give(&x, ret, err);
}

/* ---- documents ---- */

int event_rules_apply(const struct event_rule *rules, size_t n, struct event_node *root, struct arena *a,
		      struct events *ret, struct err *err)
{
	CLEANUP(event_index_freep) struct event_index *index = NULL;
	const struct event_rule **list = arena_array(a, n, sizeof(*list));

	for (size_t i = 0; list && i < n; i++)
		list[i] = &rules[i];
	if (!list || event_index_new(list, n, &index, err) < 0)
		return err_nomem(err);
	for (struct event_node *x = event_next_leaf(root, NULL); x; x = event_next_leaf(root, x)) {
		str path;
		const struct event_leaf leaf = { .path = segments_of_text(x, &path, a), .change = x->change };

		if (!leaf.path.p)
			return err_nomem(err);
		x->rule = (uint32_t)event_index_best(index, &leaf);
	}
	return events_gather(list, root, false, a, ret, err);
}

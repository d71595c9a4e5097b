/* The best rule for each leaf, and what the anchors gather. */
#include "rules/event_rules.h"

#include "base/vec.h"

#include <errno.h>

/* ---- words ---- */

int event_change_read(str text, const struct event_path *path, bool *any, enum event_change *ret, struct err *err)
{
	*any = str_eq(text, STR("any"));
	if (*any)
		return 0;
	for (int c = 0; c < EVENT_CHANGES; c++) {
		*ret = (enum event_change)c;
		if (str_eq(text, str_from(event_change_name(*ret))))
			return 0;
	}
	return err_set(
		err, EINVAL,
		"Rule \"%.*s\": Invalid change type \"%.*s\". Valid change types are: [ none create modify delete]",
		STR_ARG(path->text), STR_ARG(text));
}

static const struct {
	const char *name;
	uint8_t type;
} types[] = {
	{ "allow", EVENT_ALLOW },
	{ "warn", EVENT_WARN },
	{ "error", EVENT_ERROR },
	{ "ignore", EVENT_IGNORE },
};

bool event_type_read(str text, uint8_t *ret)
{
	for (size_t i = 0; i < ARRAY_LEN(types); i++) {
		if (str_eq(text, str_from(types[i].name))) {
			*ret = types[i].type;
			return true;
		}
	}
	return false;
}

static size_t known_type(uint8_t type)
{
	size_t i = ARRAY_LEN(types) - 1;

	while (types[i].type > type)
		i--;
	return i;
}

const char *event_type_name(uint8_t type)
{
	return types[known_type(type)].name;
}

/* ---- the best rule ---- */

static bool is_better(const struct event_rule *a, const struct event_rule *b)
{
	if (a->path.n != b->path.n)
		return a->path.n > b->path.n;
	if (a->path.wildcards != b->path.wildcards)
		return a->path.wildcards < b->path.wildcards;
	return a->type > b->type;
}

/* NULL: none is for it. */
static const struct event_rule *best_rule(const struct event_rule *rules, size_t n, struct event_segments path,
					  enum event_change change)
{
	const struct event_rule *best = NULL;

	for (size_t i = 0; i < n; i++) {
		const struct event_rule *r = &rules[i];

		if ((r->any_change || r->change == change) && event_path_matches(&r->path, path.p, path.n) &&
		    (!best || is_better(r, best)))
			best = r;
	}
	return best;
}

/* ---- events ---- */

struct gathering {
	struct event event;
	VEC(str) matched;
};

struct applying {
	const struct event_rule *rules;
	size_t n_rules;
	const struct event_node *root;
	struct arena *arena;
	VEC(struct gathering) events;
	size_t (*anchored)[EVENT_CHANGES]; /* of each rule: 1 + the event that gathers for it; 0: none yet */
};

static void applying_done(struct applying *x)
{
	for (size_t i = 0; i < x->events.n; i++)
		vec_done(&x->events.p[i].matched);
	vec_done(&x->events);
}

/* What the event of @leaf is about. Where no node has the path of the anchor it is the leaf. */
static const struct event_node *subject_of(const struct applying *x, const struct event_rule *rule,
					   const struct event_node *leaf, str leaf_path, struct event_segments segments,
					   str *path)
{
	size_t n = event_path_anchor(&rule->path, segments.p, segments.n);
	const struct event_node *node;

	*path = leaf_path;
	if (n == segments.n)
		return leaf;
	path->n = (size_t)(segments.p[n - 1].p + segments.p[n - 1].n - leaf_path.p);
	node = event_find_node(x->root, leaf, *path, x->arena);
	if (!node)
		*path = leaf_path;
	return node ? node : leaf;
}

/* The first rule of the same words and type: what is anchored is gathered for all of these together. */
static size_t first_alike(const struct applying *x, const struct event_rule *rule)
{
	size_t i = 0;

	while (x->rules[i].type != rule->type || !str_eq(x->rules[i].path.text, rule->path.text))
		i++;
	return i;
}

/* Where the event is that takes the leaf in, whatever node it is about; it may be a new one. NULL without memory. */
static struct gathering *gathering_for(struct applying *x, const struct event_rule *rule, enum event_change change,
				       str about)
{
	size_t *known = rule->path.anchored ? &x->anchored[first_alike(x, rule)][change] : NULL;
	struct gathering new = { .event = { .rule = (size_t)(rule - x->rules), .change = change, .path = about } };

	if (known && *known)
		return &x->events.p[*known - 1];
	if (!vec_push(&x->events, new))
		return NULL;
	if (known)
		*known = x->events.n;
	return &x->events.p[x->events.n - 1];
}

/* False without memory. */
static bool add_leaf(struct applying *x, const struct event_node *leaf)
{
	str path = event_node_path(leaf, x->arena), about;
	struct event_segments segments = path.p ? event_segments(path, x->arena) : (struct event_segments){ NULL, 0 };
	const struct event_rule *rule;
	const struct event_node *node;
	struct gathering *g;

	if (!segments.p)
		return false;
	rule = best_rule(x->rules, x->n_rules, segments, leaf->change);
	if (!rule)
		return true;
	node = subject_of(x, rule, leaf, path, segments, &about);
	g = gathering_for(x, rule, node->change, about);
	return g && vec_push(&g->matched, path);
}

/* Into the arena. */
static int give(struct applying *x, struct events *ret, struct err *err)
{
	struct event *events = arena_array(x->arena, x->events.n, sizeof(*events));

	for (size_t i = 0; events && i < x->events.n; i++) {
		const struct gathering *g = &x->events.p[i];
		str *matched = arena_array(x->arena, g->matched.n, sizeof(*matched));

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

int event_rules_apply(const struct event_rule *rules, size_t n, const struct event_node *root, struct arena *a,
		      struct events *ret, struct err *err)
{
	CLEANUP(applying_done) struct applying x = { .rules = rules, .n_rules = n, .root = root, .arena = a };

	x.anchored = arena_zalloc(a, (n + 1) * sizeof(*x.anchored));
	if (!x.anchored)
		return err_nomem(err);
	for (const struct event_node *leaf = event_next_leaf(root, NULL); leaf; leaf = event_next_leaf(root, leaf)) {
		if (!add_leaf(&x, leaf))
			return err_nomem(err);
	}
	return give(&x, ret, err);
}

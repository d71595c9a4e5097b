/* Reviews a difference: drops or classifies each leaf, and then lists what is left as changes. */
#include "rules/event_review.h"

#include "base/vec.h"
#include "compare/blame.h"
#include "compare/change_list.h"
#include "rules/event_equal.h"
#include "rules/event_index.h"
#include "rules/event_restore.h"

#include <errno.h>

/* Some of the rules, with an index that finds the best of them. */
struct rule_list {
	VEC(const struct event_set_rule *) all;
	VEC(const struct event_rule *) rules; /* the rules in the form that the index wants */
	struct event_index *index;
};

struct event_review {
	struct rule_list typed, equal, sets;
	bool unordered, reads_labels;
};

/* ---- compiling ---- */

static void list_done(struct rule_list *l)
{
	vec_done(&l->all);
	vec_done(&l->rules);
	event_index_free(l->index);
}

void event_review_free(struct event_review *r)
{
	if (!r)
		return;
	list_done(&r->typed);
	list_done(&r->equal);
	list_done(&r->sets);
	free(r);
}

/* Add a rule to a list. False without memory. */
static bool add_to(struct rule_list *l, const struct event_set_rule *rule)
{
	return vec_push(&l->all, rule) && vec_push(&l->rules, &rule->rule);
}

static bool add_rule(struct event_review *r, const struct event_set_rule *rule)
{
	r->reads_labels |= rule->selector.labels.n > 0;
	if (rule->equal == EVENT_EQUAL_SET && !add_to(&r->sets, rule))
		return false;
	if (rule->equal != EVENT_EQUAL_NONE && rule->equal != EVENT_EQUAL_SET && !add_to(&r->equal, rule))
		return false;
	return !rule->typed || add_to(&r->typed, rule);
}

static int index_list(struct rule_list *l, struct err *err)
{
	return event_index_new(l->rules.p, l->rules.n, &l->index, err);
}

int event_review_new(const struct event_set *const *sets, size_t n, struct event_review **ret, struct err *err)
{
	CLEANUP(event_review_freep) struct event_review *r = calloc(1, sizeof(*r));

	if (!r)
		return err_nomem(err);
	for (size_t i = 0; i < n; i++) {
		r->unordered |= sets[i]->lists_unordered;
		for (size_t k = 0; k < sets[i]->n; k++) {
			if (!add_rule(r, &sets[i]->rules[k]))
				return err_nomem(err);
		}
	}
	if (index_list(&r->typed, err) < 0 || index_list(&r->equal, err) < 0 || index_list(&r->sets, err) < 0)
		return -err->code;
	*ret = TAKE(r);
	return 0;
}

bool event_review_reads_labels(const struct event_review *r)
{
	return r->reads_labels;
}

enum severity event_rule_severity(const struct event_set_rule *rule)
{
	if (rule->severity)
		return (enum severity)rule->severity;
	return rule->rule.type >= EVENT_ERROR  ? SEVERITY_ERROR
	       : rule->rule.type >= EVENT_WARN ? SEVERITY_WARNING
					       : SEVERITY_INFO;
}

/* ---- reviewing ---- */

struct reviewing {
	const struct event_review *review;
	const struct event_subject *subject;
	struct verdict *v;
	struct identity id;
	struct topo type;
	val labels;
	struct event_node *root;
	struct event_outcome *outcome;
	uint64_t *steps;
	/* The leaf, or list, that rules are tried for now: */
	const struct rule_list *list;
	const struct event_node *at;
	struct event_segments path; /* the path of @at, in: */
	str *segments;              /* the memory for the path */
	size_t room;
	bool left;                     /* some leaf is a change */
	bool found[SEVERITY_INFO + 1]; /* there is a change of this severity */
	bool no_memory;
};

static void spend(uint64_t *steps, uint64_t n)
{
	*steps -= n < *steps ? n : *steps;
}

/* The path segment of @p, where @v is. Its text is {NULL, 0} without memory. */
static struct path_segment segment_of(const struct event_place *p, val v, struct arena *a)
{
	if (p->called)
		return list_element_segment(p->keys, p->called, v, p->index, a);
	return (struct path_segment){ .kind = p->element ? PATH_INDEX : PATH_KEY,
				      .index = p->element ? p->index : 0,
				      .text = p->key };
}

/* The value at a place of the tree, which is always part of a node. */
static val value_at(const struct event_place *p)
{
	const struct event_node *x = (const struct event_node *)p;

	_Static_assert(offsetof(struct event_node, at) == 0, "a node's place is the node's address");
	return val_exists(x->after) ? x->after : x->before;
}

/* Make the path of a place. False without memory. */
static bool path_of(const struct event_place *p, struct arena *a, struct path *ret)
{
	struct path_segment *segments;
	size_t n = event_place_depth(p);

	segments = arena_array(a, n + 1, sizeof(*segments));
	for (size_t i = n; segments && i-- > 0; p = p->above) {
		segments[i] = segment_of(p, value_at(p), a);
		if (!segments[i].text.p)
			return false;
	}
	*ret = (struct path){ segments, n };
	return segments;
}

str event_leaf_text(const struct event_node *leaf, const struct mask_fields *mask, struct arena *a)
{
	struct path p;

	return path_of(event_node_place(leaf), a, &p) ? mask_path_text(mask, p, a) : (str){ NULL, 0 };
}

static bool is_manager(const void *ctx, str manager)
{
	return event_selector_matches_manager(ctx, manager);
}

bool event_written_by(val managed_fields, val object, struct path p, const struct event_selector *s, uint64_t *steps)
{
	return blame_owned_by(managed_fields, object, p, steps, is_manager, s);
}

static bool is_written_by(struct reviewing *r, const struct event_selector *s)
{
	const struct event_subject *subject = r->subject;
	struct path p;

	if (!subject->written_by)
		return false;
	spend(r->steps, r->path.n);
	if (!path_of(event_node_place(r->at), &r->v->arena, &p)) {
		r->no_memory = true;
		return false;
	}
	return subject->written_by(subject->ctx, p, !val_exists(r->at->after), s, r->steps);
}

#define SELECTOR_STEPS 10

static bool fits(void *ctx, size_t rule)
{
	struct reviewing *r = ctx;
	const struct event_set_rule *x = r->list->all.p[rule];
	str template = r->v->template ? r->v->template->path : STR("");

	spend(r->steps, SELECTOR_STEPS);
	return event_selector_matches(&x->selector, &r->id, template, r->labels) &&
	       (!x->selector.managers.n || is_written_by(r, &x->selector));
}

#define BYTES_A_STEP 32

static bool fits_and_equals(void *ctx, size_t rule)
{
	struct reviewing *r = ctx;

	spend(r->steps, (val_bytes(r->at->before) + val_bytes(r->at->after)) / BYTES_A_STEP);
	return fits(ctx, rule) &&
	       event_values_equal(r->list->all.p[rule]->equal, r->at->before, r->at->after, &r->v->arena);
}

#define SEGMENTS_A_STEP 8

/* Set the path that rules are tried for. All paths share their memory: a leaf may lie deep, and there may be many. */
static void find_path(struct reviewing *r, const struct event_place *p)
{
	size_t n = event_place_depth(p);

	if (n >= r->room) {
		r->room = 2 * n + 16;
		r->segments = arena_array(&r->v->arena, r->room, sizeof(*r->segments));
		r->no_memory |= !r->segments;
		r->room = r->segments ? r->room : 0;
	}
	r->path = (struct event_segments){ r->segments, r->segments ? n : 0 };
	for (size_t i = r->path.n; i-- > 0; p = p->above)
		r->segments[i] = p->key;
	spend(r->steps, 1 + n / SEGMENTS_A_STEP);
}

/* 1 + the best rule of @list for @x. */
static size_t best_of(struct reviewing *r, const struct rule_list *list, const struct event_node *x,
		      bool (*fit)(void *ctx, size_t rule))
{
	struct event_leaf leaf = { .change = x->change, .fits = fit, .ctx = r, .steps = r->steps };

	if (!list->all.n)
		return 0;
	if (r->at != x)
		find_path(r, event_node_place(x));
	leaf.path = r->path;
	r->list = list;
	r->at = x;
	return event_index_best(list->index, &leaf);
}

/* ---- what is no change ---- */

static void drop(struct reviewing *r, struct event_node *leaf)
{
	r->outcome->dropped++;
	for (struct event_node *x = leaf; x && !x->dropped; x = event_parent(x))
		x->dropped = true;
}

static void drop_all(struct reviewing *r, struct event_node *x)
{
	for (struct event_node *leaf = event_next_leaf(x, NULL); leaf; leaf = event_next_leaf(x, leaf)) {
		if (!leaf->dropped)
			drop(r, leaf);
	}
}

/* Drop lists that are equal as sets, the outermost first. */
static void drop_sets(struct reviewing *r, struct event_node *x)
{
	if (val_is_list(x->before) && val_is_list(x->after) && best_of(r, &r->review->sets, x, fits_and_equals)) {
		drop_all(r, x);
		return;
	}
	for (struct event_node *child = x->first; child; child = child->next)
		drop_sets(r, child);
}

/* ---- leaves ---- */

static void keep(struct reviewing *r, enum severity severity, int64_t hold_ns)
{
	struct event_outcome *o = r->outcome;

	r->left = r->found[severity] = true;
	o->severity = severity < o->severity ? severity : o->severity;
	o->hold_ns = hold_ns < o->hold_ns ? hold_ns : o->hold_ns;
}

static void classify(struct reviewing *r, struct event_node *leaf)
{
	const struct event_set_rule *rule;
	size_t best;

	if (!leaf->order && best_of(r, &r->review->equal, leaf, fits_and_equals)) {
		drop(r, leaf);
		return;
	}
	best = best_of(r, &r->review->typed, leaf, fits);
	if (!best) {
		keep(r, r->subject->severity, r->subject->hold_ns);
		return;
	}
	rule = r->review->typed.all.p[best - 1];
	if (rule->rule.type == EVENT_IGNORE) {
		drop(r, leaf);
		return;
	}
	leaf->rule = (uint32_t)best;
	keep(r, event_rule_severity(rule), rule->hold_ns < 0 ? r->subject->hold_ns : rule->hold_ns);
}

static int review_leaves(struct reviewing *r, struct err *err)
{
	if (r->review->sets.all.n)
		drop_sets(r, r->root);
	for (struct event_node *x = event_next_leaf(r->root, NULL); x; x = event_next_leaf(r->root, x)) {
		if (!x->dropped)
			classify(r, x);
		if (!*r->steps)
			return err_set(err, E2BIG, "out of steps");
	}
	return r->no_memory ? err_nomem(err) : 0;
}

/* ---- what is left ---- */

/* Mark what is one change as a whole: something created or deleted, if none of its leaves is dropped and one rule is
 * the best for all of them. */
static void find_whole(struct event_node *x)
{
	bool one_side = !val_exists(x->before) || !val_exists(x->after);

	x->whole = !x->first ? !x->dropped : one_side;
	for (struct event_node *child = x->first; child; child = child->next) {
		find_whole(child);
		x->whole &= child->whole && child->rule == x->first->rule;
	}
	if (x->first && x->whole)
		x->rule = x->first->rule;
}

static const struct event_set_rule *rule_of(const struct reviewing *r, const struct event_node *x)
{
	return x->rule ? r->review->typed.all.p[x->rule - 1] : NULL;
}

static enum severity severity_of(const struct reviewing *r, const struct event_node *x)
{
	return x->rule ? event_rule_severity(rule_of(r, x)) : r->subject->severity;
}

/* List the changes at and below @x that have this severity. */
static void list_changes(struct reviewing *r, struct event_node *x, enum severity severity, struct change_list *l)
{
	struct path_segment s;

	if (x->whole && severity_of(r, x) == severity)
		change_list_add(l, x->before, x->after, rule_of(r, x));
	for (struct event_node *child = x->whole ? NULL : x->first; child; child = child->next) {
		if (child->order) {
			list_changes(r, child, severity, l);
			continue;
		}
		s = segment_of(&child->at, value_at(&child->at), &r->v->arena);
		r->no_memory |= !s.text.p;
		if (!s.text.p || !change_list_enter(l, s, child->before, child->after))
			return;
		list_changes(r, child, severity, l);
		change_list_leave(l);
	}
}

static int nothing_is_left(struct verdict *v)
{
	v->actual = v->expected;
	v->state = VERDICT_COMPLIANT;
	return 0;
}

static int keep_what_is_left(struct reviewing *r, const struct mask_fields *mask, struct err *err)
{
	struct change_list l;
	struct verdict *v = r->v;

	if (!r->left)
		return nothing_is_left(v);
	v->actual = event_restore(r->root, &v->arena, &r->no_memory);
	if (r->no_memory)
		return err_nomem(err);
	l = change_list_of(v->expected, v->actual, mask, &v->arena);
	find_whole(r->root);
	for (int s = (int)r->outcome->severity; s <= SEVERITY_INFO; s++) { /* the worst first: there may be too many */
		if (r->found[s])
			list_changes(r, r->root, (enum severity)s, &l);
	}
	if (r->no_memory) {
		change_list_done(&l);
		return err_nomem(err);
	}
	return change_list_end(&l, &v->changes, err);
}

/* ---- one verdict ---- */

/* The type of what is at a place of the object. */
static struct topo topo_of(struct reviewing *r, const struct event_place *place)
{
	struct topo above;

	if (!place->above)
		return r->type;
	spend(r->steps, SELECTOR_STEPS);
	above = topo_of(r, place->above);
	return place->element ? topo_element(&above) : topo_member(&above, place->key);
}

static void keys_of(void *ctx, const struct event_place *list, val elements, struct list_keys *ret)
{
	struct reviewing *r = ctx;
	struct topo type = topo_of(r, list);

	if (*r->steps)
		topo_list_keys(&type, elements, ret);
}

#define STEPS_A_NODE 6

static int make_tree(struct reviewing *r, struct err *err)
{
	const struct event_lists lists = {
		.ordered = !r->review->unordered, .objects = true, .keys = keys_of, .ctx = r
	};
	struct verdict *v = r->v;

	spend(r->steps, (val_nodes(v->expected) + val_nodes(v->actual)) * STEPS_A_NODE);
	if (!*r->steps)
		return err_set(err, E2BIG, "out of steps");
	return event_tree(v->expected, v->actual, &lists, &v->arena, &r->root, err);
}

int event_review_apply(const struct event_review *review, const struct event_subject *subject, struct verdict *v,
		       const struct mask_fields *mask, uint64_t *steps, struct err *err)
{
	struct reviewing r = {
		.review = review,
		.subject = subject,
		.v = v,
		.id = identity_of(subject->object),
		.type = topo_root(identity_of(subject->object).api_version, identity_of(subject->object).kind,
				  subject->schema),
		.labels = val_dig(subject->object, "metadata", "labels", NULL),
		.outcome = arena_zalloc(&v->arena, sizeof(*r.outcome)),
		.steps = steps,
	};
	int status = r.outcome ? make_tree(&r, err) : err_nomem(err);

	if (status < 0)
		return status;
	if (!r.root) /* only the order of lists differs, and does not count */
		return nothing_is_left(v);
	*r.outcome = (struct event_outcome){
		.rules = review->typed.rules.p,
		.set_rules = review->typed.all.p,
		.root = r.root,
		.severity = SEVERITY_INFO,
		.hold_ns = INT64_MAX,
	};
	status = review_leaves(&r, err);
	if (status == 0)
		status = keep_what_is_left(&r, mask, err);
	v->outcome = r.outcome;
	return status;
}

int event_outcome_events(const struct event_outcome *o, struct arena *a, struct events *ret, struct err *err)
{
	return events_gather(o->rules, o->root, true, a, ret, err);
}

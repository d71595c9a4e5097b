/* Two documents walked together, as the tree of their changes that event rules classify.
 *
 * Members of maps go by their names, in byte order. What is created or deleted counts leaf by leaf: each scalar, and
 * each empty map or list. Elements of lists go by the keys that struct event_lists names; else by their place, when
 * @ordered; else equal ones belong together wherever they stand, and of the others the old ones are deleted and the new
 * ones created. The requirement: conformance/eventrules/README.md, "How the changes arise". */
#ifndef RULES_EVENT_TREE_H
#define RULES_EVENT_TREE_H

#include "base/arena.h"
#include "base/err.h"
#include "topology/list_pairs.h"

/* ORDER event_change */
enum event_change { EVENT_NONE, EVENT_CREATE, EVENT_MODIFY, EVENT_DELETE, EVENT_CHANGES };

/* "none", "create", "modify", "delete" */
const char *event_change_name(enum event_change c);

/* Where a value is. */
struct event_place {
	const struct event_place *above; /* NULL: it is the root */
	str key; /* of what is above: a name, the values of a list's keys, or a number; the root's is empty */
	const struct key *member;          /* the name, of a map's member; else NULL */
	bool element;                      /* of a list: */
	const struct list_keys *keys;      /* by which it was found, */
	const struct list_element *called; /* and as what; NULL: by neither */
	uint32_t index; /* where it stands in the list of today, of a deleted one in that of before */
};

#define ORDER_NEW UINT32_MAX

struct event_node {
	struct event_place at;
	enum event_change change;        /* of an inner node: what its children share, else EVENT_MODIFY */
	struct event_node *first, *next; /* children; siblings */
	val before, after;               /* VAL_ABSENT: there is none */
	/* For a leaf that stands for the list above it, whose keyed elements stand in another order: the number that
	 * each of today's elements had before, or ORDER_NEW. NULL: it is no such leaf. The leaf's values are the lists
	 * of the keys. */
	const uint32_t *order;
	/* What rules make of it (event_review.h). */
	uint32_t rule; /* of a leaf: 1 + the rule; 0: none */
	bool dropped;  /* it is no change; of an inner node: a leaf below it is none */
	bool whole;    /* one change, with all that is below it; then it has the rule too */
};

/* How the elements of lists are identified, and what is left out. */
struct event_lists {
	bool ordered;
	/* The documents are Kubernetes objects: only nodes with a change below them are in the tree, null is a value,
	 * elements are paired as list_pairs.h says, also where a key occurs twice, and that they stand in another order
	 * is one more change of their list. Else all is as the requirement has it: of a key that occurs twice the last
	 * one counts, and where an element has none, none counts. */
	bool objects;
	/* The keys of the list at @list, whose *ret is zeroed. @elements: those of one side. May be NULL. */
	void (*keys)(void *ctx, const struct event_place *list, val elements, struct list_keys *ret);
	void *ctx;
};

/* The tree lives in @a and views both values, VAL_ABSENT for nothing. *ret is NULL where there is no change, of
 * objects. Fails: ENOMEM. */
CHECKED int event_tree(val before, val after, const struct event_lists *lists, struct arena *a, struct event_node **ret,
		       struct err *err);

/* The next changed leaf of @root in document order; NULL: the first is meant, or there is none left. */
struct event_node *event_next_leaf(struct event_node *root, const struct event_node *leaf);
/* What @x is about: itself, or the list that it stands for. */
const struct event_place *event_node_place(const struct event_node *x);
/* The node that @x is a child of; NULL: none. */
struct event_node *event_parent(const struct event_node *x);
/* How many places are above it. */
size_t event_place_depth(const struct event_place *x);
/* The keys of a place and those above it, joined by dots, in @a. {NULL, 0} without memory. */
str event_place_path(const struct event_place *x, struct arena *a);
/* The node of that path, keys with dots included; the one that @below has above it first. NULL: there is none. */
const struct event_node *event_find_node(const struct event_node *root, const struct event_node *below, str path,
					 struct arena *a);

#endif

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
	str key; /* the key below @above: a name, the values of a list's keys, or a number; "" for the root */
	const struct key *member;          /* the name of a map's member; else NULL */
	bool element;                      /* an element of a list: */
	const struct list_keys *keys;      /* the keys by which it was found, */
	const struct list_element *called; /* the element with these keys; both NULL: it was found without keys */
	/* the element's index in the present list or, if it is deleted, in the former one */
	uint32_t index;
};

#define ORDER_NEW UINT32_MAX

struct event_node {
	struct event_place at;
	enum event_change change;        /* for an inner node: the change that its children share, else EVENT_MODIFY */
	struct event_node *first, *next; /* children; siblings */
	val before, after;               /* VAL_ABSENT: there is none */
	/* For a leaf that stands for the list above it, whose keyed elements have another order now: the former
	 * index of each present element, or ORDER_NEW. NULL for any other leaf. The values of such a leaf are the
	 * lists of the keys. */
	const uint32_t *order;
	/* The next three are set when rules are applied (event_review.h). */
	uint32_t rule; /* for a leaf: 1 + its rule; 0: none */
	bool dropped;  /* a leaf is no change; an inner node has such a leaf below it */
	bool whole;    /* the node and all below it are one change; then it has the rule too */
};

/* How the elements of lists are identified, and what the tree contains. */
struct event_lists {
	bool ordered;
	/* The documents are Kubernetes objects. Then only nodes with a change below them are in the tree, null is a
	 * value, elements are paired as list_pairs.h says, even if a key occurs twice, and another order of them is
	 * one more change of their list. Otherwise the tree is as the requirement has it: if a key occurs twice, the
	 * last element counts, and if an element has no key, the keys of the list are not used. */
	bool objects;
	/* Set *ret, which is zeroed, to the keys of the list at @list. @elements are those of one side. May be NULL. */
	void (*keys)(void *ctx, const struct event_place *list, val elements, struct list_keys *ret);
	void *ctx;
};

/* Make the tree of changes, which lives in @a and views both values; VAL_ABSENT stands for nothing. *ret is NULL
 * when two objects do not differ. Fails: ENOMEM. */
CHECKED int event_tree(val before, val after, const struct event_lists *lists, struct arena *a, struct event_node **ret,
		       struct err *err);

/* The changed leaf of @root that follows @leaf in document order, or the first if @leaf is NULL; NULL: there is
 * none. */
struct event_node *event_next_leaf(struct event_node *root, const struct event_node *leaf);
/* The place that @x is about: its own, or that of the list that it stands for. */
const struct event_place *event_node_place(const struct event_node *x);
/* The node that @x is a child of; NULL: none. */
struct event_node *event_parent(const struct event_node *x);
/* The number of places above @x. */
size_t event_place_depth(const struct event_place *x);
/* The keys of a place and those above it, joined by dots, in @a. {NULL, 0} without memory. */
str event_place_path(const struct event_place *x, struct arena *a);
/* The node at @path, in which keys may contain dots. @below and the nodes above it are tried first. NULL: there is
 * none. */
const struct event_node *event_find_node(const struct event_node *root, const struct event_node *below, str path,
					 struct arena *a);

#endif

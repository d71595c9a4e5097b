/* Two documents walked together, as the tree of their changes that event rules classify.
 *
 * Members of maps go by their names, in byte order. What is created or deleted counts leaf by leaf: each scalar, and
 * each empty map or list. Elements of lists go by the key that struct event_lists names; else by their place, when
 * @ordered; else equal ones belong together wherever they stand, and of the others the old ones are deleted and the new
 * ones created. The requirement: conformance/eventrules/README.md, "How the changes arise". */
#ifndef RULES_EVENT_TREE_H
#define RULES_EVENT_TREE_H

#include "base/arena.h"
#include "base/err.h"
#include "value/val.h"

/* ORDER event_change */
enum event_change { EVENT_NONE, EVENT_CREATE, EVENT_MODIFY, EVENT_DELETE, EVENT_CHANGES };

/* "none", "create", "modify", "delete" */
const char *event_change_name(enum event_change c);

struct event_node {
	str key; /* of its parent: a name, the value of a list's key, or a number; the root's is empty */
	enum event_change change; /* of an inner node: what its children share, else EVENT_MODIFY */
	const struct event_node *parent;
	const struct event_node *first, *next; /* children; siblings */
};

/* How the elements of lists are told apart. */
struct event_lists {
	bool ordered;
	/* The name of the member that is the key of the list at @list; {NULL, 0}: it has none. May be NULL. */
	str (*key)(void *ctx, const struct event_node *list);
	void *ctx;
};

/* The tree lives in @a and views both values, VAL_ABSENT for nothing. Nodes without a change below them are there as
 * well. Fails: ENOMEM. */
CHECKED int event_tree(val before, val after, const struct event_lists *lists, struct arena *a,
		       const struct event_node **ret, struct err *err);

/* The next changed leaf of @root in document order; NULL: the first is meant, or there is none left. */
const struct event_node *event_next_leaf(const struct event_node *root, const struct event_node *leaf);
/* The keys of a node and those above it, joined by dots, in @a. {NULL, 0} without memory. */
str event_node_path(const struct event_node *x, struct arena *a);
/* The node of that path, keys with dots included; the one that @below has above it first. NULL: there is none. */
const struct event_node *event_find_node(const struct event_node *root, const struct event_node *below, str path,
					 struct arena *a);

#endif

/* Makes a list of changes: the walk over two documents enters and leaves places, and adds the changes that it finds.
 * This module decides what may be shown of them, once for each level. */
#ifndef COMPARE_CHANGE_LIST_H
#define COMPARE_CHANGE_LIST_H

#include "base/err.h"
#include "base/vec.h"
#include "compare/change.h"
#include "mask/mask.h"
#include "topology/topology.h"

/* The values of both sides at one place, and the mask's decision about the place once it is needed. */
struct change_level {
	val expected, actual;
	struct mask_place place;
	bool judged;
};

struct change_list {
	struct arena *arena;
	const struct mask_fields *mask;
	struct topo type;                /* the type of the objects */
	val expected, actual;            /* the roots of both sides */
	VEC(struct path_segment) at;     /* the current place */
	VEC(struct change_level) levels; /* one for each segment of @at */
	VEC(struct change) found;
	size_t segments, text; /* used by the paths of @found */
	size_t total;
	bool full;       /* the list is full; the other changes go to @rest: */
	struct buf rest; /* encodes the changes that are not listed */
	bool weigh;      /* only weigh the changes instead of listing them: */
	size_t weight;
	size_t common; /* segments that the current place has in common with that of the last change */
	bool no_memory;
};

/* Begin an empty list at the root of both sides. @mask may be NULL. */
struct change_list change_list_of(val expected, val actual, const struct mask_fields *mask, struct arena *a);
/* Enter a part of the current place. False without memory: then there is nothing to leave. */
CHECKED bool change_list_enter(struct change_list *l, struct path_segment s, val expected, val actual);
void change_list_leave(struct change_list *l);
/* Add the change between two values at the current place. @rule may be NULL. */
void change_list_add(struct change_list *l, val expected, val actual, const struct event_set_rule *rule);
/* As change_list_add, with the reason @why. */
void change_list_add_why(struct change_list *l, val expected, val actual, const char *why);
/* End the list, which is released, and return the changes, which live in the arena. Fails: ENOMEM. */
CHECKED int change_list_end(struct change_list *l, struct changes *ret, struct err *err);
void change_list_done(struct change_list *l);

#endif

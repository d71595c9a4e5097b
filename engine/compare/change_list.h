/* Makes a list of changes, place by place: the walk over two documents goes down with enter and leave, and adds what
 * differs. This module decides what may be shown of it, once for each level. */
#ifndef COMPARE_CHANGE_LIST_H
#define COMPARE_CHANGE_LIST_H

#include "base/err.h"
#include "base/vec.h"
#include "compare/change.h"
#include "mask/mask.h"
#include "topology/topology.h"

/* The values of both sides at one place, and what the mask decides about the place once that is asked. */
struct change_level {
	val expected, actual;
	struct mask_place place;
	bool judged;
};

struct change_list {
	struct arena *arena;
	const struct mask_fields *mask;
	struct topo type;                /* of the objects */
	val expected, actual;            /* the roots */
	VEC(struct path_segment) at;     /* the current place */
	VEC(struct change_level) levels; /* for each segment */
	VEC(struct change) found;
	size_t segments, text; /* of the paths of those found */
	size_t total;
	bool full;       /* no more are listed: */
	struct buf rest; /* of them */
	bool weigh;      /* none is listed: */
	size_t weight;
	size_t common; /* segments that the current place has in common with that of the last difference */
	bool no_memory;
};

/* Empty, at the root of both. @mask may be NULL. */
struct change_list change_list_of(val expected, val actual, const struct mask_fields *mask, struct arena *a);
/* Go down to a part of the current place. False without memory: then there is nothing to leave. */
CHECKED bool change_list_enter(struct change_list *l, struct path_segment s, val expected, val actual);
void change_list_leave(struct change_list *l);
/* The two differ at the current place. @rule may be NULL. */
void change_list_add(struct change_list *l, val expected, val actual, const struct event_set_rule *rule);
/* As change_list_add, with the reason @why. */
void change_list_add_why(struct change_list *l, val expected, val actual, const char *why);
/* What was found, in the arena; the list is released. Fails: ENOMEM. */
CHECKED int change_list_end(struct change_list *l, struct changes *ret, struct err *err);
void change_list_done(struct change_list *l);

#endif

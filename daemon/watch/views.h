/* The views of verdicts (compare/view.h) on the objects of a cluster under one reference, each kept once: what the
 * objects of a template are looked at for is mostly the same. */
#ifndef DAEMON_WATCH_VIEWS_H
#define DAEMON_WATCH_VIEWS_H

#include "base/key.h"
#include "base/strmap.h"
#include "compare/compare.h"

/* Owned by the objects that have it. */
struct view {
	uint32_t refs;
	uint32_t n; /* parts, one for each candidate of the object */
	uint64_t hash;
	struct arena arena; /* of the names */
	struct view_part parts[];
};

/* Zeroed at first; empty when no object has a view. */
struct views {
	struct strmap known; /* hash -> struct view */
};

/* Views that differ, in all: a template that names keys as the object has them makes one for each object, and then
 * those beyond see all of it. */
#define VIEWS_MAX 1024

/* The view of @n parts (NULL: there is none), in the place of *of, which may be NULL; NULL: all of the object, as
 * without memory. @keys: as for val_copy. False: it is the same. */
bool views_take(struct views *all, const struct view_part *parts, size_t n, struct key_table *keys, struct view **of);
void views_drop(struct views *all, struct view **of);
void views_done(struct views *all);

#endif

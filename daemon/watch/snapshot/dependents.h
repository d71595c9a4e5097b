/* An index of look-ups, from the objects that a verdict asked for to the objects that it was about.
 *
 * A change makes a group of dependents due in constant time, however many there are. They are handed out later, in
 * slices. A group that becomes due while it is handed out is handed out from its beginning again. */
#ifndef DAEMON_WATCH_DEPENDENTS_H
#define DAEMON_WATCH_DEPENDENTS_H

#include "daemon/watch/snapshot/snapshot.h"

struct dependent_group;

/* One request of one object's verdict. */
struct dependency {
	struct dependency *next; /* the next dependency of the same verdict */
	struct dependent_group *group;
	size_t at; /* the place among the members of the group */
	struct object *object;
};

struct dependents {
	struct strmap groups;
	struct dependent_group *first_due, *last_due;
	struct buf key; /* scratch for the key of a group; it never shrinks, so that finding a group needs no memory */
};

void dependents_init(struct dependents *d);
/* All dependencies were dropped. */
void dependents_done(struct dependents *d);

/* The verdict on @o asked for objects of @k; an empty namespace or name, or "*", is any. Put in front of *list. False
 * without memory. */
CHECKED bool dependents_add(struct dependents *d, const struct kind *k, str namespace, str name, struct object *o,
			    struct dependency **list);
void dependents_drop(struct dependents *d, struct dependency **list);

/* The object was added, changed or deleted: the dependents that asked for it are due. */
void dependents_changed(struct dependents *d, const struct kind *k, str namespace, str name);
/* Hand out up to @n of those that are due. True: there are more. */
bool dependents_take(struct dependents *d, size_t n, void (*again)(void *ctx, struct object *o), void *ctx);
bool dependents_due(const struct dependents *d);

#endif

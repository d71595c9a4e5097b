/* An index of look-ups: from what a verdict looked up to the object that the verdict is about, the dependent.
 * Dependents that looked up the same are a group.
 *
 * When an object changes, the groups that looked it up become due, in constant time, however many dependents they
 * have. The dependents are handed out later, in slices. A group that becomes due while it is handed out is handed
 * out from its beginning again. */
#ifndef DAEMON_WATCH_DEPENDENTS_H
#define DAEMON_WATCH_DEPENDENTS_H

#include "daemon/watch/snapshot/snapshot.h"

struct dependent_group;

/* One look-up of one object's verdict. */
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
/* Must be called after all dependencies were dropped. */
void dependents_done(struct dependents *d);

/* Note that the verdict on @o looked up objects of @k. An empty namespace or name, or "*", stands for any. The
 * dependency is put in front of *list. False without memory. */
CHECKED bool dependents_add(struct dependents *d, const struct kind *k, str namespace, str name, struct object *o,
			    struct dependency **list);
void dependents_drop(struct dependents *d, struct dependency **list);

/* An object of @k was added, changed or deleted: make the dependents that looked it up due. */
void dependents_changed(struct dependents *d, const struct kind *k, str namespace, str name);
/* Call @again for up to @n dependents that are due. True: there are more. */
bool dependents_take(struct dependents *d, size_t n, void (*again)(void *ctx, struct object *o), void *ctx);
bool dependents_due(const struct dependents *d);

#endif

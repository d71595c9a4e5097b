/* Who owns whom: an index from the uid of an owner to the objects whose ownerReferences name it, its dependents (the
 * "ports" of inspection rules), and to the object itself when its inspection looked at them.
 *
 * It is kept only while some rule in force reads dependents. */
#ifndef DAEMON_WATCH_OWNERS_H
#define DAEMON_WATCH_OWNERS_H

#include "daemon/watch/snapshot/snapshot.h"

struct owners {
	struct strmap by_uid;    /* an owner's uid -> struct owned */
	struct strmap by_item;   /* pointer to an object -> struct owner_link, the first of its list */
	struct strmap by_reader; /* pointer to an owner whose dependents were read -> its only struct owner_link */
};

/* A zeroed index is empty. The objects may be freed already. */
void owners_done(struct owners *w);

/* The object was added or changed: its owners are those that its document names now. False without memory: the index
 * must be made again. */
CHECKED bool owners_put(struct owners *w, struct object *o);
/* Take @o out of the lists of its owners: it is gone, or about to change. @o stays a reader of its own dependents until
 * owners_forget. */
void owners_take(struct owners *w, struct object *o);

/* Note that the inspection of @o, which exists, looked at its dependents. False without memory. */
CHECKED bool owners_read(struct owners *w, struct object *o);
/* Take @o out of the readers: the inspection of @o no longer depends on its dependents. */
void owners_forget(struct owners *w, struct object *o);

/* Call @again for the owners of @o whose inspection looked at @o. @again must leave the index alone. */
void owners_changed(struct owners *w, struct object *o, void (*again)(void *ctx, struct object *owner), void *ctx);

/* The dependents of @o that could be read, by kind, namespace and name: a list in @a. Fails: ENOMEM; E2BIG: more than
 * OWNERS_DEPENDENTS_MAX. */
#define OWNERS_DEPENDENTS_MAX 10000
CHECKED int owners_dependents(const struct owners *w, const struct object *o, struct arena *a, val *ret,
			      struct err *err);

#endif

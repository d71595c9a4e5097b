/* Tombstones: the objects that are gone, and whose findings are not ended yet.
 *
 *   snapshot --tombstones_add-------------------> gone --tombstones_take--> its findings end, freed
 *   snapshot --tombstones_add_all--> gone with its kind ---- (the same) --->
 *
 * A kind may lose all its objects in one moment; ending their findings takes as long as judging them. */
#ifndef DAEMON_WATCH_CLUSTER_TOMBSTONES_H
#define DAEMON_WATCH_CLUSTER_TOMBSTONES_H

#include "daemon/watch/snapshot/snapshot.h"

struct gone_kind;

struct tombstones {
	struct object *first, *last;
	struct gone_kind *first_kind, *last_kind; /* the kinds whose objects are all tombstones */
};

/* Add the tombstone of an object that is OBJECT_GONE and out of the snapshot. */
void tombstones_add(struct tombstones *t, struct object *o);
/* Take all objects of the kind out of the snapshot, in a time that does not depend on their number; @leave is called
 * for each of them before tombstones_take returns it. False, and nothing is done, without memory. */
bool tombstones_add_all(struct tombstones *t, struct snapshot *s, struct kind *k, enum end_reason why);
bool tombstones_any(const struct tombstones *t);
/* Take the next tombstone, which belongs to the caller then; there must be one. NULL: this call has only freed a
 * part of the tables of a kind. */
struct object *tombstones_take(struct tombstones *t, void (*leave)(void *ctx, struct object *o, enum end_reason why),
			       void *ctx);

#endif

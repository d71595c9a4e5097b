/* The objects of a kind as threads may look them up: their documents, which never change, under their names.
 *
 * What is lent is what was known when it was made. A change of the kind's objects ends it: whoever uses it asks, on the
 * loop, whether it is current before what it led to counts. All functions but lent_kind_find are for the loop alone. */
#ifndef DAEMON_WATCH_LENT_KIND_H
#define DAEMON_WATCH_LENT_KIND_H

#include "daemon/watch/snapshot/object.h"

#define LENT_OBJECTS_MAX 512             /* the most objects of a kind that is lent */
#define LENT_BYTES_MAX ((size_t)4 << 20) /* the most bytes that their documents take */
#define LENT_TIMES_MAX 16                /* how often a kind that changes is lent anew */

struct lent_kind;

/* The kind as it is now, which must be known; NULL: it has too many objects or one that cannot be read, it has changed
 * too often, or there is no memory. The caller owns a reference. */
struct lent_kind *lent_kind_of(struct kind *k);
void lent_kind_unref(struct lent_kind *l); /* NULL is passed through */
/* An object of the kind is about to change, or has changed: what is lent is not current any more. */
void lent_kind_end(struct kind *k);
/* Whether the kind is still as it was lent. */
bool lent_kind_is_current(const struct lent_kind *l);
/* The kind that was lent. */
const struct kind *lent_kind_whose(const struct lent_kind *l);

/* The object of exactly this namespace and name; VAL_ABSENT: there is none. In any thread, as long as the owner of a
 * reference keeps it. */
val lent_kind_find(const struct lent_kind *l, str namespace, str name);

#endif

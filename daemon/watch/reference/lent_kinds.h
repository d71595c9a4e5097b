/* What a verdict in a thread may look up: the kinds that templates name in their look-ups, as they are lent
 * (lent_kind.h). All functions but those of threads are for the loop alone. */
#ifndef DAEMON_WATCH_LENT_KINDS_H
#define DAEMON_WATCH_LENT_KINDS_H

#include "daemon/watch/snapshot/lent_kind.h"
#include "daemon/watch/snapshot/snapshot.h"
#include "reference/ref.h"

#define LENT_KINDS_MAX 8

struct lent_kinds { /* at first {0} */
	struct lent_kind *p[LENT_KINDS_MAX];
	size_t n;
};

/* Whether what templates look up can be lent. ORDER: of what one template looks up the last of these counts, of several
 * templates the first, since an object is for one of them, and of several references the last. */
enum lending {
	LENDING_NEEDLESS, /* nothing is looked up */
	LENDING_POSSIBLE,
	LENDING_WAITS, /* a kind that is looked up is not known yet */
	LENDING_IMPOSSIBLE,
};

/* Whether what the templates of @ref for objects of @k look up can be lent. */
enum lending lent_kinds_possible(const struct reference *ref, const struct kind *k, const struct snapshot *s);
/* Lend what can be: add to @l the kinds that it does not have yet. */
void lent_kinds_add(struct lent_kinds *l, const struct reference *ref, const struct kind *k, const struct snapshot *s);
bool lent_kinds_are_current(const struct lent_kinds *l);
void lent_kinds_drop(struct lent_kinds *l);

/* ---- in threads ---- */

/* Whether everything that @t may look up is of these kinds. @l: NULL: there are none. */
bool lent_kinds_cover(const struct lent_kinds *l, const struct ref_template *t);

/* One verdict that looks up. */
struct lent_lookup {
	const struct lent_kinds *kinds;
	struct arena arena; /* what was found; ends with the verdict */
};
/* The callback for look-ups of struct compare_env; @ctx: a struct lent_lookup. Fails: EAGAIN: only the loop can find
 * it, because many objects are asked for; ENOMEM. */
CHECKED int lent_lookup_find(void *ctx, const struct tmpl_lookup *request, const val **ret, size_t *n, struct err *err);

#endif

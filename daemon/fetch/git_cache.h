/* The repository in the cache of a source: bare, with one reference of its own, and nothing in it that a killed or
 * interrupted fetch could have left in the way. It may be thrown away at any time. */
#ifndef DAEMON_FETCH_GIT_CACHE_H
#define DAEMON_FETCH_GIT_CACHE_H

#include "daemon/fetch/git_run.h"

/* Commits that a first fetch brings: those of the log, and one behind them. */
#define GIT_DEPTH (SOURCE_LOG_MAX + 1)

/* What the source says that it has. */
struct git_advertised {
	char oid[GIT_OID_MAX + 1]; /* of the branch, tag or HEAD, or the commit that is asked for */
	char branch[1024];         /* what HEAD names; may be empty */
};

/* Ask for it, without the cache. Fails: ENOENT, there is no such branch or tag. */
CHECKED int git_ask(const struct git *g, struct git_advertised *ret, struct err *err);

/* Make the repository ready for object names of @oid_n digits. *fresh: it is empty. Fails: EUCLEAN, it is damaged; and
 * so on. */
CHECKED int git_cache_prepare(const struct git *g, size_t oid_n, bool *fresh, struct err *err);
CHECKED int git_cache_remove(const struct git *g, struct err *err);
/* Bring GIT_REF to what the source has, unless it is that already. *ret is what it is then; of another object than @a
 * says, when it has changed meanwhile. @whole: with all that led to it. */
CHECKED int git_cache_fetch(const struct git *g, const struct git_advertised *a, bool whole, char ret[GIT_OID_MAX + 1],
			    struct err *err);
/* Whether there are commits in it of which it has no parents. */
bool git_cache_is_shallow(const struct git *g);
/* Put together what many fetches brought. What it fails with is nobody's matter. */
void git_cache_tidy(const struct git *g);

#endif

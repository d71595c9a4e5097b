/* The repository in the cache of a source: bare, with one reference of its own. A killed or interrupted fetch leaves
 * nothing in it that would stop a later one. It may be thrown away at any time. */
#ifndef DAEMON_FETCH_GIT_CACHE_H
#define DAEMON_FETCH_GIT_CACHE_H

#include "daemon/fetch/git_run.h"

/* Number of commits that a first fetch brings: those of the log, and one before them. */
#define GIT_DEPTH (SOURCE_LOG_MAX + 1)

/* What the source advertises. */
struct git_advertised {
	char oid[GIT_OID_MAX + 1]; /* the object of the branch, tag or HEAD, or the wanted commit */
	char branch[1024];         /* the branch that HEAD names; may be empty */
};

/* Ask the source, without the cache. Fails: ENOENT, there is no such branch or tag. */
CHECKED int git_ask(const struct git *g, struct git_advertised *ret, struct err *err);

/* Make the repository ready for object names of @oid_n digits. *fresh: it is empty. Fails: EUCLEAN, it is damaged; and
 * so on. */
CHECKED int git_cache_prepare(const struct git *g, size_t oid_n, bool *fresh, struct err *err);
CHECKED int git_cache_remove(const struct git *g, struct err *err);
/* Fetch into GIT_REF what the source has, unless it is there already. *ret: the object of GIT_REF afterwards, which
 * differs from @a if the source has changed meanwhile. @whole: with its whole history. */
CHECKED int git_cache_fetch(const struct git *g, const struct git_advertised *a, bool whole, char ret[GIT_OID_MAX + 1],
			    struct err *err);
/* Whether the history in the cache is incomplete, so that some commits lack their parents. */
bool git_cache_is_shallow(const struct git *g);
/* Repack the results of many fetches. Errors are ignored. */
void git_cache_tidy(const struct git *g);

#endif

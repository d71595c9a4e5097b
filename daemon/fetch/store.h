/* Writing the store (config/source_store.h has its layout). One driftd-fetch writes at a time; whoever reads sees whole
 * revisions only, also when this process is killed at any moment. */
#ifndef DAEMON_FETCH_STORE_H
#define DAEMON_FETCH_STORE_H

#include "config/source_request.h"
#include "config/source_revision.h"
#include "config/source_store.h"
#include "daemon/fetch/tree.h"

/* Go on as whoever @store belongs to, when an administrator's command writes to it: what it writes is to be the
 * service's. */
CHECKED int store_become_owner(const char *store, struct err *err);
/* Make the folders of @store that are missing, take its lock, and remove what an earlier life left in tmp/. The lock
 * ends with the process. Fails: EAGAIN, another process has it; the codes of open(2). */
CHECKED int store_open(const char *store, struct err *err);

/* Keep @tree as the revision that @about is, whose counts are filled in; its id in @ret. It is on disk when this
 * returns. A revision that is there already stays as it is. Fails: EINVAL, the tree is empty; ENOSPC and others. */
CHECKED int store_put(const char *store, const struct source_revision *about, struct tree *tree,
		      char ret[SOURCE_ID_SIZE], struct err *err);
/* What was fetched last of the reference @name is @id from now on. */
CHECKED int store_link(const char *store, str name, const char *id, struct err *err);

/* Remove what is in the way of a file or link at @path, and of one that is made beside it: folders. */
void store_make_way(const char *path);
/* Make the folder @path, in the place of what is none. */
CHECKED int store_make_folder(const char *path, mode_t mode, struct err *err);
/* Remove what is in tmp/. Only while nothing is being fetched. */
void store_sweep(const char *store);

/* An empty folder below tmp/, in *ret, for free(). */
CHECKED int store_scratch(const char *store, str name, char **ret, struct err *err);
/* Remove the folder @path with all in it, which may be anything; links are not followed. What cannot be removed stays.
 */
void store_remove(const char *path);

/* While what it returns is open, nothing is removed that somebody else has put there: who keeps a revision and then
 * links to it holds the store for so long, for the revision may have been there already, and have been needed by
 * nobody. Close it. Fails: the codes of open(2). */
CHECKED int store_lock(const char *store, struct err *err);

/* Remove sources that @r does not have and that are none of the @n_busy ones of @busy, in which somebody works, and
 * revisions that no source needs: a revision is needed while a link leads to it or @r keeps it, and for STORE_GRACE_S
 * after it came. False: another process has locked the store, so nothing was looked at. */
#define STORE_GRACE_S 600
CHECKED bool store_collect(const char *store, const struct source_request *r, const str *busy, size_t n_busy);

#endif

/* Writes the store (config/source_store.h describes its layout). Only one driftd-fetch writes at a time. Readers see
 * complete revisions only, even when this process is killed. */
#ifndef DAEMON_FETCH_STORE_H
#define DAEMON_FETCH_STORE_H

#include "config/source_request.h"
#include "config/source_revision.h"
#include "config/source_store.h"
#include "daemon/fetch/tree.h"

/* Change to the user who owns @store, so that what an administrator's command writes belongs to the service. */
CHECKED int store_become_owner(const char *store, struct err *err);
/* Make the missing folders of @store, take its lock, and remove what a former process left in tmp/. The lock ends
 * with the process. Fails: EAGAIN, another process has it; the codes of open(2). */
CHECKED int store_open(const char *store, struct err *err);

/* Store @tree as the revision that @about describes, with the counts of the tree; @ret: its id. It is on disk when
 * this returns. A revision that exists already stays as it is. Fails: EINVAL, the tree is empty; ENOSPC and others. */
CHECKED int store_put(const char *store, const struct source_revision *about, struct tree *tree,
		      char ret[SOURCE_ID_SIZE], struct err *err);
/* Make @id the last fetched revision of the reference @name. */
CHECKED int store_link(const char *store, str name, const char *id, struct err *err);

/* Remove folders that are in the way of a file or link at @path, or of a temporary one beside it. */
void store_make_way(const char *path);
/* Make the folder @path, replacing whatever else is there. */
CHECKED int store_make_folder(const char *path, mode_t mode, struct err *err);
/* Remove everything in tmp/. Call this only while nothing is being fetched. */
void store_sweep(const char *store);

/* Make an empty folder below tmp/; *ret: its path, for free(). */
CHECKED int store_scratch(const char *store, str name, char **ret, struct err *err);
/* Remove @path, a folder with everything in it or anything else; links are not followed. What cannot be removed
 * stays. */
void store_remove(const char *path);

/* Prevent the removal of revisions while the returned descriptor is open. Hold it from storing a revision until it
 * is linked: the revision may have existed before, and been needed by nobody. Close it. Fails: the codes of open(2). */
CHECKED int store_lock(const char *store, struct err *err);

/* Remove sources that @r does not have, except the @n_busy ones of @busy, which are in use, and revisions that no
 * source needs: a revision is needed while a link leads to it or @r names it, and for STORE_GRACE_S after it was
 * stored. False: another process has locked the store, so nothing was done. */
#define STORE_GRACE_S 600
CHECKED bool store_collect(const char *store, const struct source_request *r, const str *busy, size_t n_busy);

#endif

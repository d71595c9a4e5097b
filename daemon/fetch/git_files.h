/* Reads the files of a commit from the repository. Nothing is checked out, so that nothing is filtered, linked or
 * run. */
#ifndef DAEMON_FETCH_GIT_FILES_H
#define DAEMON_FETCH_GIT_FILES_H

#include "daemon/fetch/git_run.h"

/* Read one whole object. *type: "commit", "tag" or another kind; *raw: its bytes. Both live in @out. */
CHECKED int git_read_object(const struct git *g, const char *oid, struct buf *out, str *type, str *raw,
			    struct err *err);

/* Read the files below the source's path. Fails: ENOENT, there is no such folder; E2BIG, EINVAL, EBADMSG as struct
 * tree has it, and for pointers of LFS. */
CHECKED int git_read_files(const struct git *g, const char *commit, struct tree *t, struct err *err);

#endif

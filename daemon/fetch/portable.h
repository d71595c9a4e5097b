/* A revision as one file, for hosts without a network: a tar, compressed with zstd, of its folder in the store. Its
 * id is computed from its content, so that it arrives as it was sent. */
#ifndef DAEMON_FETCH_PORTABLE_H
#define DAEMON_FETCH_PORTABLE_H

#include "base/err.h"
#include "base/str.h"

/* Write the last fetched revision of the reference @name, or its revision @id ("": the last), to @path. Fails:
 * ENOENT, there is none; EBADMSG, it is not complete; the codes of open(2) and write(2). */
CHECKED int portable_export(const char *store, str name, str id, const char *path, struct err *err);
#define PORTABLE_MAX ((size_t)128 << 20)
/* Store the revision in @file, the text of such a file, and link it as the last fetched one of the reference @name.
 * The store must be open. Fails: EBADMSG, EINVAL, E2BIG, it is no such file; ENOSPC and others. */
CHECKED int portable_import(const char *store, str name, str file, struct err *err);

#endif

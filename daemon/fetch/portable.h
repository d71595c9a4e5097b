/* A revision as one file, for hosts without a network: a tar, packed by zstd, of its folder as the store has it. Its id
 * is that of what is in it, so that what arrives is what was sent. */
#ifndef DAEMON_FETCH_PORTABLE_H
#define DAEMON_FETCH_PORTABLE_H

#include "base/err.h"
#include "base/str.h"

/* Write what was fetched last of the reference @name, or its revision @id ("": the last), to @path. Fails: ENOENT,
 * there is none; EBADMSG, it is not whole; the codes of open(2) and write(2). */
CHECKED int portable_export(const char *store, str name, str id, const char *path, struct err *err);
#define PORTABLE_MAX ((size_t)128 << 20)
/* Keep what @file, the text of such a file, holds, and link it as what was fetched last of the reference @name. The
 * store is open. Fails: EBADMSG, EINVAL, E2BIG, it is no such file; ENOSPC and others. */
CHECKED int portable_import(const char *store, str name, str file, struct err *err);

#endif

/* Files of this host that a source names: keys, credentials, authorities. */
#ifndef DAEMON_FETCH_LOCAL_FILE_H
#define DAEMON_FETCH_LOCAL_FILE_H

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"

/* Read the whole file, at most @max bytes, into @a. Whatever is wrong with it concerns this host and must not look
 * like an answer of the source: fails with EPERM, or ENOMEM. The message names the file. */
CHECKED int local_file_read(str path, size_t max, struct arena *a, str *ret, struct err *err);

#endif

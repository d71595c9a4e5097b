/* Files of this host that a source names: keys, credentials, authorities. */
#ifndef DAEMON_FETCH_LOCAL_FILE_H
#define DAEMON_FETCH_LOCAL_FILE_H

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"

/* The whole file, at most @max bytes, in @a. Whatever is wrong with it is a matter of this host, and no answer of the
 * source: fails with EPERM, or ENOMEM. The message names the file. */
CHECKED int local_file_read(str path, size_t max, struct arena *a, str *ret, struct err *err);

#endif

/* Whether the log of a database has all that was committed to it. SQLite takes a log for ended where it cannot read on,
 * without a word: what follows would be lost in silence. */
#ifndef DAEMON_STORE_DATABASE_LOG_CHECK_H
#define DAEMON_STORE_DATABASE_LOG_CHECK_H

#include "base/err.h"

/* Look at the log of the database @path and at its index as an earlier life left them, before anybody opens it. A log
 * that is not whole is copied to @path-wal.bad. Fails: EBADMSG, and *why says so; 0 also when nobody knows.
 * sqlite.org/walformat.html */
CHECKED int log_check(const char *path, struct err *why);

#endif

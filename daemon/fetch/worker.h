/* Fetches a source in a process of its own, so that a failure there ends that process only. */
#ifndef DAEMON_FETCH_WORKER_H
#define DAEMON_FETCH_WORKER_H

#include "config/source_request.h"

#include <sys/types.h>

/* Begin to fetch @w into @store. Returns the process, or a negated errno. The process ends soon after the time limit
 * of the source in any case, and status.json has the outcome. */
CHECKED pid_t worker_start(const char *store, const struct source_wish *w, struct err *err);

/* The process of @w has ended with @how of waitpid(2). Store an outcome that the process could not store itself.
 * False: that has failed, so that @w does not count as served. */
CHECKED bool worker_ended(const char *store, const struct source_wish *w, int how);

/* Note that the revision @id was brought by hand, and is the last fetched one of the reference @name. */
CHECKED int worker_keep_imported(const char *store, str name, const char *id, struct err *err);

#endif

/* Fetching one source, in a process of its own: what goes wrong there ends that process only. */
#ifndef DAEMON_FETCH_WORKER_H
#define DAEMON_FETCH_WORKER_H

#include "config/source_request.h"

#include <sys/types.h>

/* Begin to fetch @w into @store. Returns the process, which is over soon after the time limit of the source whatever
 * happens, and whose status.json says how it went; or a negated errno. */
CHECKED pid_t worker_start(const char *store, const struct source_wish *w, struct err *err);

/* The process of @w ended with @how of waitpid(2): keep as the outcome of @w what the process could not say itself.
 * False: the outcome could not be kept, so that @w seems not to be served. */
CHECKED bool worker_ended(const char *store, const struct source_wish *w, int how);

/* The revision @id was brought by hand: it is what was fetched last of the reference @name. */
CHECKED int worker_keep_imported(const char *store, str name, const char *id, struct err *err);

#endif

/* Requests that wait for what comes of the reload that they asked for.
 *
 *                  a reload begins to read           it is in force, or refused
 *   asked for -----------------------------> read --------------------------------> told --> answered
 *
 * A reload that had read its files before says nothing about what was asked for since: that waits for the next one. */
#ifndef DAEMON_APP_RELOAD_WAITERS_H
#define DAEMON_APP_RELOAD_WAITERS_H

#include "daemon/serve/http.h"

#include <sys/queue.h>

struct reload_waiter;
TAILQ_HEAD(reload_waiters, reload_waiter);

/* One more. NULL: out of memory. */
struct reload_waiter *reload_waiter_new(struct reload_waiters *all);
/* Its request waits, unless that came of it already: then false. */
bool reload_waiter_waits(struct reload_waiter *a, const struct http_request *q);
/* What came of it; @a is no more then. */
void reload_waiter_answer(struct reload_waiter *a, struct http_response *r);
/* A reload begins to read, on behalf of all that there are. */
void reload_waiters_read(struct reload_waiters *all);
/* It is in force. Who waited for it is answered before this returns, and may have asked for more by then. */
void reload_waiters_tell_done(struct reload_waiters *all);
/* It has mistakes, a line each; NULL: there was no memory to say which. The same of who waited. */
void reload_waiters_tell_refused(struct reload_waiters *all, const char *mistakes);

#endif

/* Requests that wait for what comes of the reload that they asked for.
 *
 *                  a reload begins to read           it is in force, or refused
 *   asked for -----------------------------> read --------------------------------> done --> answered
 *
 * A reload that had read its files before says nothing about what was asked for since: that waits for the next one. */
#ifndef DAEMON_APP_RELOAD_WAITERS_H
#define DAEMON_APP_RELOAD_WAITERS_H

#include "daemon/serve/http.h"

#include <sys/queue.h>

struct reload_waiter;
TAILQ_HEAD(reload_waiters, reload_waiter);

/* Add a waiter to @all. NULL: out of memory. */
struct reload_waiter *reload_waiter_new(struct reload_waiters *all);
/* Make the request @q wait for the outcome of the reload. Returns false when the outcome is already known. */
bool reload_waiter_waits(struct reload_waiter *a, const struct http_request *q);
/* Answer with the outcome of the reload, and free @a. */
void reload_waiter_answer(struct reload_waiter *a, struct http_response *r);
/* A reload begins to read the configuration, for everyone who waits by now. */
void reload_waiters_read(struct reload_waiters *all);
/* The reload is in force: every request that waits for it is answered before this returns. An answer may already have
 * begun another reload. */
void reload_waiters_answer_done(struct reload_waiters *all);
/* The reload is refused: every request that waits for it is answered before this returns. @mistakes has a line for
 * each; NULL: there was no memory for them. */
void reload_waiters_answer_refused(struct reload_waiters *all, const char *mistakes);

#endif

/* Requests that wait for what comes of the reload that they asked for.
 *
 *                  a reload begins to read           it is in force, or refused
 *   asked for -----------------------------> read --------------------------------> told --> answered
 *
 * A reload that had read its files before says nothing about what was asked for since: that waits for the next one. */
#ifndef DAEMON_APP_ASKERS_H
#define DAEMON_APP_ASKERS_H

#include "daemon/serve/http.h"

#include <sys/queue.h>

struct asker;
TAILQ_HEAD(askers, asker);

/* One more. NULL: out of memory. */
struct asker *asker_new(struct askers *all);
/* Its request waits, unless that came of it already: then false. */
bool asker_waits(struct asker *a, const struct http_request *q);
/* What came of it; @a is no more then. */
void asker_answer(struct asker *a, struct http_response *r);
/* A reload begins to read, on behalf of all that there are. */
void askers_read(struct askers *all);
/* It is in force. Who waited for it is answered before this returns, and may have asked for more by then. */
void askers_tell_done(struct askers *all);
/* It has mistakes, a line each; NULL: there was no memory to say which. The same of who waited. */
void askers_tell_refused(struct askers *all, const char *mistakes);

#endif

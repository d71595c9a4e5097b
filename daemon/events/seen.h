/* The records that have been shown. driftd may have sent a record twice, when it could not know whether the journal
 * took it. */
#ifndef DAEMON_EVENTS_SEEN_H
#define DAEMON_EVENTS_SEEN_H

#include "base/str.h"

struct seen;

struct seen *seen_new(void); /* NULL without memory */
void seen_free(struct seen *s);
void seen_clear(struct seen *s);
/* Remember @id, of as many of the last ones as fit, and return whether it was there. What is no id was not. */
bool seen_before(struct seen *s, str id);

#endif

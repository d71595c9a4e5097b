/* The records that have been shown. driftd may have sent a record twice, when it could not know whether the journal
 * had it. */
#ifndef DAEMON_EVENTS_SEEN_H
#define DAEMON_EVENTS_SEEN_H

#include "base/str.h"

struct seen;

struct seen *seen_new(void); /* NULL without memory */
void seen_free(struct seen *s);
void seen_clear(struct seen *s);
/* Whether @id was seen before; it is remembered, but only the last ones fit. A text that is no id was never seen. */
bool seen_before(struct seen *s, str id);

#endif

/* Which objects were inspected, in which version: those of a cluster when it was left in good order. Whoever watches it
 * again inspects them in silence, because their effects have been. */
#ifndef DAEMON_INSPECTION_INSPECTED_H
#define DAEMON_INSPECTION_INSPECTED_H

#include "base/buf.h"
#include "base/err.h"

struct inspected;

/* Of what inspected_add wrote; anything else is nothing. Fails: ENOMEM. */
CHECKED int inspected_new(str bytes, struct inspected **ret, struct err *err);
void inspected_free(struct inspected *s);
bool inspected_has(const struct inspected *s, str uid, str version);
/* Append all of them. */
void inspected_write(const struct inspected *s, struct buf *out);
/* Append one, "" being none. */
void inspected_add(str uid, str version, struct buf *out);

#endif

/* The objects of a cluster that were inspected, and in which version, when the cluster was left in good order. The
 * next process that watches it inspects them without effects, because these have happened already. */
#ifndef DAEMON_INSPECTION_INSPECTED_H
#define DAEMON_INSPECTION_INSPECTED_H

#include "base/buf.h"
#include "base/err.h"

struct inspected;

/* Read lines that inspected_add wrote; a malformed text gives no objects. Fails: ENOMEM. */
CHECKED int inspected_new(str bytes, struct inspected **ret, struct err *err);
void inspected_free(struct inspected *s);
bool inspected_has(const struct inspected *s, str uid, str version);
/* Append all lines. */
void inspected_write(const struct inspected *s, struct buf *out);
/* Append the line of one object, unless a text is "". */
void inspected_add(str uid, str version, struct buf *out);

#endif

/* Why driftd says of an object what it says, for people. */
#ifndef DAEMON_CONTROL_EXPLAIN_TEXT_H
#define DAEMON_CONTROL_EXPLAIN_TEXT_H

#include "base/buf.h"
#include "value/val.h"

/* Append @x, an item of an ObjectList (docs/api.md); what is not printable is escaped. */
void explain_object(val x, struct buf *out);
/* Append @x, an Explanation, below it. Fails: ENOMEM. */
CHECKED int explain_reference(val x, struct buf *out, struct err *err);

#endif

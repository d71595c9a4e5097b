/* One finding for people, as kubectl describe shows an object. */
#ifndef DAEMON_CONTROL_DESCRIBE_H
#define DAEMON_CONTROL_DESCRIBE_H

#include "base/buf.h"
#include "value/val.h"

/* Append @x, a finding of the control API with what was told of it (docs/api.md). @now: Unix time. What is not
 * printable is escaped. */
void describe_finding(val x, int64_t now, struct buf *out);

#endif

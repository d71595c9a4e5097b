/* The cause of a finding: what findings have in common that probably have one origin. It consists of the type, the
 * reference, the template or rule, the field with its wanted and its actual value, and who wrote it. */
#ifndef DAEMON_FINDINGS_CAUSE_H
#define DAEMON_FINDINGS_CAUSE_H

#include "daemon/findings/finding.h"

#define CAUSE_MAX ((size_t)1 << 20) /* the most bytes of a cause */

/* Append the cause of @x, which is equal for all findings of the same cause. It contains values: compare it, but
 * never show it. */
void finding_cause(const struct finding *x, struct buf *out);

#endif

/* What findings have in common that come from one cause: the type, the reference, the template or rule, the field with
 * what is wanted and what is there, and who wrote it. */
#ifndef DAEMON_FINDINGS_CAUSE_H
#define DAEMON_FINDINGS_CAUSE_H

#include "daemon/findings/finding.h"

#define CAUSE_MAX ((size_t)1 << 20) /* bytes of one */

/* Append the cause of @x: the same for all of the same cause. It holds values: it is compared, and not shown. */
void finding_cause(const struct finding *x, struct buf *out);

#endif

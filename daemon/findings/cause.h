/* What findings have in common that come from one cause: the type, the reference, the template or rule, the field with
 * what is wanted and what is there, and who wrote it. */
#ifndef DAEMON_FINDINGS_CAUSE_H
#define DAEMON_FINDINGS_CAUSE_H

#include "daemon/findings/findings.h"

/* Append the cause of @x: the same for all of the same cause. It holds values: it is compared, and not shown. */
void finding_cause(const struct finding *x, struct buf *out);
/* What the cause @text is called, alike in each life of a driftd with the same key, and from which nobody learns a
 * value by trial. False without memory. */
CHECKED bool finding_cause_id(const struct findings *f, str text, char out[FINDING_ID_SIZE]);

#endif

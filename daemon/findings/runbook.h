/* The section of the runbook (docs/guide/runbook.md, the page /runbook) that is about a finding. */
#ifndef DAEMON_FINDINGS_RUNBOOK_H
#define DAEMON_FINDINGS_RUNBOOK_H

#include "daemon/findings/finding.h"

/* The section of the runbook that says what to do about @x; NULL: none does. */
const char *runbook_section(const struct finding *x);
/* Append "/runbook#driftdwatchgap". */
void runbook_address(const char *section, struct buf *out);
/* Append what GitHub makes of a heading, which the page and the runbook_url of Prometheus' alerts have too. */
void runbook_anchor(str heading, struct buf *out);

#endif

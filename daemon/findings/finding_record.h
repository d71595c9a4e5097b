/* The records of what becomes of a finding. */
#ifndef DAEMON_FINDINGS_FINDING_RECORD_H
#define DAEMON_FINDINGS_FINDING_RECORD_H

#include "daemon/findings/findings.h"

/* Each inits @r, which is to be released with record_done. @cluster_named: its text names the cluster. */

/* A begin or a change, as @report has it. */
void record_report(struct record *r, const struct finding *x, enum transition t, const struct finding_report *report,
		   bool cluster_named);
/* An end. @now: the object as it is, or NULL; @why: how it ended when it was not repaired, or NULL. */
void record_end(struct record *r, const struct finding *x, const struct finding_subject *now, const char *why,
		const struct blame *by, bool cluster_named);
/* A change, from what is kept of the finding. */
void record_state(struct record *r, const struct finding *x, bool cluster_named);

/* "3 min 5 s" */
str duration_text(struct arena *a, int64_t usec);

#endif

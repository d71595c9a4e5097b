/* How often an event of each event rule was reported, for the metrics. */
#ifndef DAEMON_FINDINGS_RULE_COUNTS_H
#define DAEMON_FINDINGS_RULE_COUNTS_H

#include "base/strmap.h"
#include "daemon/findings/finding.h"

#define RULE_COUNTS_MAX 10000 /* the most rules; rules that come later are not counted */

/* Numbers by path and severity of a rule; text -> number. A zeroed one is empty. */
struct rule_counts {
	struct strmap counts;
};

void rule_counts_done(struct rule_counts *c);
/* Count the events of @report. Without memory they are not counted. */
void rule_counts_add(struct rule_counts *c, const struct finding_report *report);
uint64_t rule_counts_get(const struct rule_counts *c, str path, enum severity severity);

#endif

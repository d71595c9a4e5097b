/* Makes findings of verdicts: texts of paths and values, who wrote them, the diff; nothing sensitive. */
#ifndef DAEMON_WATCH_VERDICT_REPORT_H
#define DAEMON_WATCH_VERDICT_REPORT_H

#include "compare/compare.h"
#include "compare/groups.h"
#include "daemon/findings/findings.h"

struct verdict_context {
	const struct verdict *verdict;
	val object;         /* the object as the cluster has it */
	val managed_fields; /* decoded; VAL_ABSENT: unknown */
	val writers_before; /* the writers at the last verdict; VAL_ABSENT: unknown */
	bool several;       /* several versions came since the last verdict, of which only the last is known */
	const struct finding_subject *subject;
	enum finding_kind kind; /* how a drifted verdict is reported: FINDING_DRIFT or FINDING_ACCEPTED */
	enum severity severity;
	int64_t hold_ns;
	uint64_t received_ns;
	const struct limits *limits;
};

/* The object does not drift, or no longer does: end its finding because of @why (NULL: the drift was repaired). */
void verdict_repaired(struct findings *f, const struct verdict_context *c, enum end_reason why);
/* Report the drift of a drifted verdict, or the error of a verdict with an error. Where memory is short, texts are
 * left out. Fails: as findings_report. */
CHECKED int verdict_report(struct findings *f, const struct verdict_context *c, struct err *err);

/* An object that should not exist, or not together with others. */
struct offender {
	struct identity identity;
	str uid;
	str resource; /* "deployments.apps" */
	val writers;  /* field managers and their times; VAL_ABSENT: unknown */
};

#define OFFENDERS_MAX 8 /* how many offenders are reported of one component: the first by name */

/* How the reference wants a component to be reported. */
struct component_terms {
	enum finding_kind kind; /* FINDING_COMPONENT, FINDING_ACCEPTED */
	enum severity severity;
	int64_t hold_ns;
};

/* Report a component that is not satisfied, with the objects at fault unless objects are missing. Fails: as
 * findings_report. */
CHECKED int component_report(struct findings *f, const struct component_verdict *v, const struct finding_subject *s,
			     const struct component_terms *terms, const struct offender *offenders, size_t n_offenders,
			     uint64_t received_ns, struct err *err);

#endif

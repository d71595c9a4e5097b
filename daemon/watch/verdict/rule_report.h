/* Makes a finding of a failed rule, with nothing sensitive in it. */
#ifndef DAEMON_WATCH_VALIDATOR_REPORT_H
#define DAEMON_WATCH_VALIDATOR_REPORT_H

#include "cel/cel_rules.h"
#include "daemon/findings/findings.h"
#include "mask/mask.h"

struct failure_context {
	const struct cel_failure *failure;
	val object;
	val managed_fields;    /* decoded; VAL_ABSENT: unknown */
	uint64_t *blame_steps; /* the steps that blame_field takes */
	val writers_before;    /* the writers at the last verdict; VAL_ABSENT: unknown */
	/* several versions came since the last verdict, of which only the last is known */
	bool several;
	const struct finding_subject *subject; /* with rule, rule_path, rule_source and reason */
	enum finding_kind kind;                /* FINDING_VALIDATION, FINDING_ACCEPTED */
	enum severity severity;
	int64_t hold_ns;
	uint64_t received_ns;
	const struct mask_fields *mask;
};

/* The finding of an object that fails a rule. Fails: as findings_report. */
CHECKED int failure_report(struct findings *f, const struct failure_context *c, struct err *err);

/* The finding that stands for @n failures of an object that are only counted. Fails: as findings_report. */
CHECKED int more_failures_report(struct findings *f, enum finding_kind kind, const struct finding_subject *s,
				 enum severity severity, size_t n, uint64_t received_ns, struct err *err);

/* The finding of a rule that cannot be evaluated; @why may have several lines. Fails: as findings_report. */
CHECKED int rule_error_report(struct findings *f, const struct finding_subject *s, str why, struct err *err);

#endif

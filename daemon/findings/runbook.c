/* Finds the section of docs/guide/runbook.md for a finding. */
#include "daemon/findings/runbook.h"

static const char *section_of_gap(const struct finding_subject *s)
{
	if (str_eq(s->resource, STR("driftd")))
		return "DriftdStepStuck";
	if (s->reference.n && !s->component.n)
		return "DriftdReferenceBroken";
	return s->kind.n || s->resource.n || s->component.n ? "DriftdWatchGap" : "DriftdClusterUnreachable";
}

/* The section for drift, violations and inspections, which have an alert for each severity that pages. A severity that
 * does not page has the section @least, which says so. */
static const char *section_by_severity(enum severity s, const char *critical, const char *error, const char *warning,
				       const char *least)
{
	switch (s) {
	case SEVERITY_CRITICAL:
		return critical;
	case SEVERITY_ERROR:
		return error;
	case SEVERITY_WARNING:
		return warning;
	default:
		return least;
	}
}

/* The table of the section "Types and severities". */
const char *runbook_section(const struct finding *x)
{
	enum severity s = x->severity;

	switch (x->kind) {
	case FINDING_DRIFT:
		return section_by_severity(s, "DriftdCriticalDrift", "DriftdErrorDrift", "DriftdWarningDrift",
					   "DriftdDriftPersisting");
	case FINDING_COMPONENT:
		return section_by_severity(s, "DriftdCriticalComponent", "DriftdErrorComponent",
					   "DriftdComponentUnsatisfied", "DriftdComponentUnsatisfied");
	case FINDING_VALIDATION:
		return section_by_severity(s, "DriftdCriticalViolation", "DriftdErrorViolation",
					   "DriftdWarningViolation", "DriftdWarningViolation");
	case FINDING_INSPECTION:
		return section_by_severity(s, "DriftdCriticalInspection", "DriftdErrorInspection",
					   "DriftdWarningInspection", "DriftdWarningInspection");
	case FINDING_ERROR:
		return x->subject.rule.n ? "DriftdRulesInvalid" : "DriftdEvaluationErrors";
	case FINDING_GAP:
		return section_of_gap(&x->subject);
	case FINDING_ACCEPTED:
		return "Accepted deviations";
	default:
		return NULL;
	}
}

void runbook_anchor(str heading, struct buf *out)
{
	for (size_t i = 0; i < heading.n; i++) {
		char c = heading.p[i];

		buf_add_byte(out, c == ' ' ? '-' : c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c);
	}
}

void runbook_address(const char *section, struct buf *out)
{
	buf_add_cstr(out, "/runbook#");
	runbook_anchor(str_from(section), out);
}

/* What of a verdict somebody has accepted: it is told as findings of its own, and taken out of the rest. */
#ifndef DAEMON_WATCH_ACCEPTED_JUDGE_H
#define DAEMON_WATCH_ACCEPTED_JUDGE_H

#include "daemon/watch/reference/acceptances.h"
#include "daemon/watch/verdict/verdict_report.h"

/* Who accepts, and where that is told. @set may be NULL: nothing is accepted. */
struct accepted_judge {
	const struct acceptances *set;
	struct findings *findings;
};

/* Of a drifted verdict. *left is what of c->verdict->changes nobody has accepted, in @a; when that is nothing, *by
 * has accepted the last of it. Fails: ENOMEM, as findings_report. */
CHECKED int accepted_drift(const struct accepted_judge *j, const struct verdict_context *c, struct arena *a,
			   struct changes *left, const struct accepted **by, struct err *err);
/* The object does not drift, because of @why. */
void accepted_object_ends(const struct accepted_judge *j, const struct finding_subject *s, enum end_reason why);
/* It is as it was, as far as that is known. */
void accepted_object_confirm(const struct accepted_judge *j, const struct finding_subject *s);

/* Of a component that is not satisfied: @v is left with the templates that nobody has accepted, and is satisfied when
 * there are none; *by then has accepted the last of them. Fails: ENOMEM. */
CHECKED int accepted_component(const struct accepted_judge *j, struct component_verdict *v,
			       const struct finding_subject *s, const struct component_terms *terms,
			       uint64_t received_ns, struct arena *a, const struct accepted **by, struct err *err);
void accepted_component_confirm(const struct accepted_judge *j, const struct finding_subject *s);

/* The first acceptance in force for the change of the object @o; NULL: there is none. */
const struct accepted *accepted_by(const struct acceptances *s, const struct finding_subject *o,
				   const struct change *change);

#endif

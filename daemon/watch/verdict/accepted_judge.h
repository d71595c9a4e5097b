/* Accepted deviations: takes them out of a verdict and reports them as findings of their own. */
#ifndef DAEMON_WATCH_ACCEPTED_JUDGE_H
#define DAEMON_WATCH_ACCEPTED_JUDGE_H

#include "daemon/watch/verdict/acceptances.h"
#include "daemon/watch/verdict/verdict_report.h"

/* The acceptances, and the findings in which they are reported. @set may be NULL: nothing is accepted. */
struct accepted_judge {
	const struct acceptances *set;
	/* NULL: nothing is reported, and @note is called with what is accepted of a component */
	struct findings *findings;
	int (*note)(void *ctx, const struct accepted *by, const struct component_verdict *taken, struct err *err);
	void *ctx;
};

/* Split the changes of a drifted verdict. *left, in @a, gets those of c->verdict->changes that nobody has accepted.
 * When it is empty, *by is the acceptance of the last change. Fails: ENOMEM, as findings_report. */
CHECKED int accepted_drift(const struct accepted_judge *j, const struct verdict_context *c, struct arena *a,
			   struct changes *left, const struct accepted **by, struct err *err);
/* The object does not drift, because of @why: end its accepted findings. */
void accepted_object_ends(const struct accepted_judge *j, const struct finding_subject *s, enum end_reason why);
/* Keep the accepted findings of the object open: nothing is known that would end them. */
void accepted_object_confirm(const struct accepted_judge *j, const struct finding_subject *s);

/* An object that a component should not have. */
struct component_member {
	const struct ref_template *template; /* one of the templates that the problem is about */
	/* without a kind: the object itself is not known, only that others name it */
	struct offender is;
	bool accepted;
};

/* Whether single objects that the component of @s should not have are accepted. */
bool accepted_names_members(const struct accepted_judge *j, const struct finding_subject *s);
/* @v is the verdict on a component that is not satisfied. Remove the templates from it that are accepted, and those
 * whose @members are all accepted (accepted_names_members). When no template is left that is a problem, @v becomes
 * satisfied, and *by is the acceptance of the last template. Fails: ENOMEM. */
CHECKED int accepted_component(const struct accepted_judge *j, struct component_verdict *v,
			       struct component_member *members, size_t n_members, const struct finding_subject *s,
			       const struct component_terms *terms, uint64_t received_ns, struct arena *a,
			       const struct accepted **by, struct err *err);
void accepted_component_confirm(const struct accepted_judge *j, const struct finding_subject *s);

/* The first acceptance in force for @change. @o says which object changed, and for a violation also which rule.
 * NULL: there is none. @s may be NULL. */
const struct accepted *accepted_by(const struct acceptances *s, const struct finding_subject *o,
				   const struct change *change);

/* The subject of the finding that says that @x accepts a deviation of @s. */
struct finding_subject accepted_subject(const struct finding_subject *s, const struct accepted *x);

#endif

/* One inspection of one object by the rules in force.   spec/inspection-rules.md
 *
 *   inspection_begin           inspection_object       inspection_end
 *   early --> preprocess ----> what is compared -----> main --> failure: a finding begins, or goes on
 *                                                               else it ends
 *
 * An object is inspected whenever it is judged, once under each reference that has a template for it, or once under
 * none. Effects (log, api-call) happen only when something has happened to it: what is judged again for reasons of our
 * own, or was inspected in an earlier life, is inspected in silence. */
#ifndef DAEMON_WATCH_INSPECTION_H
#define DAEMON_WATCH_INSPECTION_H

#include "daemon/watch/inspect/inspection_report.h"

/* What is inspected. */
struct inspection_subject {
	struct object *object;
	const struct cfg_reference *reference; /* NULL: none has a template for it */
	const struct ref_template *template;   /* as far as it is known before the comparison; NULL: not */
	enum object_event event;
	enum effects_due due;
};

/* One inspection. It is not moved. */
struct inspection {
	struct inspector *by;
	struct inspection_subject of;
	const struct insp_set *rules;
	struct arena arena;
	struct finding_subject subject;
	struct insp_config config;
	struct limits limits;
	struct insp_effects effects;
	struct effect *first_effect, **next_effect; /* those that are due, in order */
	const struct insp_rule *effects_of;
	size_t n_effects; /* that it asked for */
	val dependents;   /* as they are */
	struct inspection_secrets secrets;
	struct insp_run run;
	bool running;   /* there are rules, and the run has begun */
	bool oversized; /* what they made of the object is not compared */
	str problem;    /* why it could not begin; {NULL, 0}: it could */
};

/* Run the phases before the comparison. inspection_done is due in any case. Fails: ENOMEM. */
CHECKED int inspection_begin(struct inspection *x, struct inspector *by, const struct inspection_subject *of,
			     struct err *err);
/* The object as it is compared; it lives as long as the inspection. */
val inspection_object(const struct inspection *x);
/* Whether some rule runs behind the comparison, and so needs its verdict. */
bool inspection_awaits_verdict(const struct inspection *x);
/* Run the last phase, report, and carry the effects out. Without it nothing has happened. @v: of a comparison that was
 * left out, or of an object that no template is for, a zeroed one. Fails: ENOMEM. */
CHECKED int inspection_end(struct inspection *x, const struct verdict *v, struct err *err);
void inspection_done(struct inspection *x);

#endif

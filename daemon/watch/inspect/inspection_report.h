/* Makes a finding of an inspection, and decides what of its texts may be shown. */
#ifndef DAEMON_WATCH_INSPECTION_REPORT_H
#define DAEMON_WATCH_INSPECTION_REPORT_H

#include "daemon/watch/inspect/inspector.h"
#include "mask/names.h"

/* The texts of an inspection that may not be shown. They are looked for when they are first needed, and only once;
 * zeroed at first. */
struct inspection_secrets {
	struct mask_fields fields;
	uint64_t steps;  /* the steps that are left for looking for them */
	bool found, all; /* @all: everything is hidden, because the texts could not be found or are too many */
};

/* What came of an inspection. */
struct inspection_outcome {
	struct object *object;
	val dependents; /* the dependents that were looked at, before any edit */
	struct inspection_secrets *secrets;
	const struct finding_subject *subject;
	const struct insp_run *run; /* NULL: the rules did not run */
	str problem;                /* why the inspection could not go on; {NULL, 0}: it could */
};

bool inspection_failed(const struct inspection_outcome *o);
enum insp_phase inspection_failed_in(const struct inspection_outcome *o); /* the phase in which an inspection failed */

/* Begin, change or end the finding about failed inspections of the object. @a: the same as for inspection_shown.
 * Fails: ENOMEM. */
CHECKED int inspection_report(struct inspector *i, const struct inspection_outcome *o, struct arena *a,
			      struct err *err);

/* The text @message that a rule has made of the object, or a note that it is hidden. It is hidden if it was made of
 * what may not be shown, or contains that (engine/mask). All calls for one outcome get the same @a, which outlives
 * them, and share the steps of one evaluation. */
str inspection_shown(const struct inspector *i, const struct inspection_outcome *o, struct insp_text message,
		     struct arena *a);

#endif

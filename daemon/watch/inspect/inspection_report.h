/* From an inspection to a finding, and what of its texts may be shown. */
#ifndef DAEMON_WATCH_INSPECTION_REPORT_H
#define DAEMON_WATCH_INSPECTION_REPORT_H

#include "daemon/watch/inspect/inspector.h"
#include "mask/names.h"

/* The texts of an inspection that may not be shown. They are found once, when they are needed first; a zeroed one is
 * not found yet. */
struct inspection_secrets {
	struct mask_fields fields;
	uint64_t steps;  /* left for looking */
	bool found, all; /* @all: everything is hidden, because the texts could not be found or are too many */
};

/* What came of an inspection. */
struct inspection_outcome {
	struct object *object;
	val dependents; /* the dependents that were looked at, before any edit */
	struct inspection_secrets *secrets;
	const struct finding_subject *subject;
	const struct insp_run *run; /* NULL: it did not run */
	str problem;                /* why the inspection could not go on; {NULL, 0}: it could */
};

bool inspection_failed(const struct inspection_outcome *o);
enum insp_phase inspection_failed_in(const struct inspection_outcome *o); /* the phase in which an inspection failed */

/* Begin, change or end the finding of failed inspections of the object. @a as below. Fails: ENOMEM. */
CHECKED int inspection_report(struct inspector *i, const struct inspection_outcome *o, struct arena *a,
			      struct err *err);

/* The text that a rule has made of the object, or a note that it is hidden, if it was made of, or contains, what may
 * not be shown (engine/mask). All calls for one outcome have the same @a, which outlives them, and share the steps
 * of one evaluation. */
str inspection_shown(const struct inspector *i, const struct inspection_outcome *o, struct insp_text message,
		     struct arena *a);

#endif

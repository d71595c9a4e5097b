/* From an inspection to a finding, and what of its texts may be shown. */
#ifndef DAEMON_WATCH_INSPECTION_REPORT_H
#define DAEMON_WATCH_INSPECTION_REPORT_H

#include "daemon/watch/inspect/inspector.h"
#include "mask/names.h"

/* What of an inspection may not be shown: found when it is asked for, once. A zeroed one is not found yet. */
struct inspection_secrets {
	struct mask_fields fields;
	uint64_t steps;  /* left for looking */
	bool found, all; /* all: they could not be reported, or there are too many */
};

/* What came of an inspection. */
struct inspection_outcome {
	struct object *object;
	val dependents; /* that were looked at, before any edit */
	struct inspection_secrets *secrets;
	const struct finding_subject *subject;
	const struct insp_run *run; /* NULL: it did not run */
	str problem;                /* why it could not go on; {NULL, 0}: it could */
};

bool inspection_failed(const struct inspection_outcome *o);
enum insp_phase inspection_failed_in(const struct inspection_outcome *o); /* of one that failed */

/* A finding begins or goes on when the inspection failed, else it ends. @a as below. Fails: ENOMEM. */
CHECKED int inspection_report(struct inspector *i, const struct inspection_outcome *o, struct arena *a,
			      struct err *err);

/* What a rule says of the object; or, where that was made of what may not be shown (engine/mask), or holds some of it,
 * that it is hidden. All
 * calls for one outcome have the same @a, which outlives them, and a share of one evaluation's steps. */
str inspection_shown(const struct inspector *i, const struct inspection_outcome *o, struct insp_text message,
		     struct arena *a);

#endif

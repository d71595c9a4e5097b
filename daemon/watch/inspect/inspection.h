/* One inspection of one object by the rules in force.   spec/inspection-rules.md
 *
 *   inspection_begin           object()                end()
 *   early --> preprocess ----> what is compared -----> main --> failure: a finding begins, or goes on
 *                                                               else it ends
 *
 * An object is inspected whenever it is judged, once under each reference that has a template for it, or once under
 * none. Effects (log, api-call) happen only when something has happened to it: what is judged again for reasons of our
 * own, or was inspected in an earlier life, is inspected in silence. */
#ifndef DAEMON_WATCH_INSPECTION_H
#define DAEMON_WATCH_INSPECTION_H

#include "daemon/watch/inspect/inspection_report.h"

/* One inspection. */
struct inspection {
	struct watch_inspection base; /* must be the first member */
	struct inspector *by;
	struct inspection_subject of;
	const struct insp_set *rules;
	struct arena arena;
	struct finding_subject subject;
	struct insp_config config;
	struct limits limits;
	struct insp_effects effects;
	struct effect *first_effect, **next_effect; /* the effects that are due, in order */
	const struct insp_rule *effects_of;
	size_t n_effects; /* the number of effects that the inspection asked for */
	bool acted;       /* a rule that is not quiet has run its actions */
	val dependents;   /* the dependents of the object, as they were found */
	struct inspection_secrets secrets;
	struct insp_run run;
	struct watch_inspector_reads *reads; /* what the rules read; NULL: it is not known */
	uint64_t seen;                       /* watch_inspector_seen */
	bool known;     /* an inspection that saw the same has found nothing, so that none is run */
	bool running;   /* there are rules, and the inspection has begun */
	bool complete;  /* the last phase has run */
	bool oversized; /* the edited object is too large to be compared */
	str problem;    /* why the inspection could not begin; {NULL, 0}: it could */
};

/* The function begin of struct watch_inspector_ops. */
CHECKED int inspection_begin(struct watch_inspector *by, const struct inspection_subject *of,
			     struct watch_inspection **ret, struct err *err);

#endif

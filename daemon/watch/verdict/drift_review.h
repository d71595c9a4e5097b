/* Applies event rules to one difference, with what the daemon knows besides the object and a rule may ask for. */
#ifndef DAEMON_WATCH_DRIFT_REVIEW_H
#define DAEMON_WATCH_DRIFT_REVIEW_H

#include "config/cfg.h"
#include "daemon/watch/verdict/removal.h"
#include "rules/event_review.h"

struct drift_review {
	const struct event_review *rules;
	const struct cfg_reference *reference;
	val object;
	val schema;             /* the schema of a custom resource; VAL_ABSENT: it is unknown */
	struct removal removal; /* finds who removed fields; its @steps need not be set */
	/* if an object has no managedFields, it is unknown who wrote it. False: then nobody wrote its fields */
	bool writers_unknown;
	/* out: the result depends on who wrote a field, which must be known again when the object is judged again */
	bool asked;
	bool unknown; /* out: a rule asked who wrote a field, and that is unknown */
};

/* The function compare_env.review. Fails: as event_review_apply. */
CHECKED int drift_review_apply(struct drift_review *r, struct verdict *v, const struct mask_fields *mask,
			       uint64_t *steps, struct err *err);

#endif

/* Event rules applied to one difference, with what the daemon knows besides the object and a rule may ask for. */
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
	struct removal removal; /* who removed fields; the steps in it are not used */
	/* no managedFields say who wrote; otherwise a field without an owner was written by nobody */
	bool writers_unknown;
	/* out: the result depends on who wrote a field, so that this must be known again when the object is judged
	 * again */
	bool asked;
	bool unknown; /* out: and nobody knows that */
};

/* As compare_env.review. Fails: as event_review_apply. */
CHECKED int drift_review_apply(struct drift_review *r, struct verdict *v, const struct mask_fields *mask,
			       uint64_t *steps, struct err *err);

#endif

/* Event rules over one difference: what the daemon knows besides the object, and they may ask for. */
#ifndef DAEMON_WATCH_DRIFT_REVIEW_H
#define DAEMON_WATCH_DRIFT_REVIEW_H

#include "config/cfg.h"
#include "daemon/watch/verdict/removal.h"
#include "rules/event_review.h"

struct drift_review {
	const struct event_review *rules;
	const struct cfg_reference *reference;
	val object;
	val schema;             /* of a custom resource; VAL_ABSENT: unknown */
	struct removal removal; /* its steps are not used */
	bool writers_unknown;   /* where there are no managedFields; else nobody wrote then */
	bool asked;             /* out: who wrote a field decides: judged again, it must be known again */
	bool unknown;           /* out: and nobody knows that */
};

/* As compare_env.review. Fails: as event_review_apply. */
CHECKED int drift_review_apply(struct drift_review *r, struct verdict *v, const struct mask_fields *mask,
			       uint64_t *steps, struct err *err);

#endif

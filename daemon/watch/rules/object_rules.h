/* What becomes of the open findings about one object: when it is validated, when it is not, and when it is gone.
 *
 *   failed before   fails now                                         its finding
 *   no              yes                                               begins, or is only counted (rule_failures.h)
 *   yes             yes                                               goes on
 *   yes             no                                                ends
 *   yes             unknown: the rule was not run to its end, or      goes on; it is reported anew when its
 *                   compares with a state that is not known           acceptance has begun or ended
 *   yes             yes, but is only counted now                      ends; another one stands for all of these */
#ifndef DAEMON_WATCH_OBJECT_RULES_H
#define DAEMON_WATCH_OBJECT_RULES_H

#include "daemon/watch/rules/ruled_kinds.h"

struct object_rules {
	const struct rule_judge_options *o;
	const struct ruled_kinds *kinds;
	struct arena arena;   /* memory for one validation */
	uint64_t evaluations; /* expressions that were evaluated */
	size_t counted_only;  /* the number of failures of all objects that are only counted */
};

/* @o and @kinds outlive @x. */
void object_rules_init(struct object_rules *x, const struct rule_judge_options *o, const struct ruled_kinds *kinds);
void object_rules_done(struct object_rules *x);

/* Validate @object, of the kind @k, and report what changed. Fails: ENOMEM. */
CHECKED int object_rules_judge(struct object_rules *x, struct ruled_kind *k, struct object *object, struct err *err);
/* Keep the findings of the object, which is not validated now. */
void object_rules_keep(const struct object_rules *x, struct ruled_kind *k, struct object *object);
/* The object is gone because of @why: end its findings. */
void object_rules_end(struct object_rules *x, struct ruled_kind *k, struct object *object, enum end_reason why);

#endif

/* What the event rules of a reference make of a difference: which changes are none, how bad the others are.
 *
 *   expected, actual --event_tree--> leaves --equal?--> dropped
 *                                          --best rule--> ignore: dropped | its type, severity, message, action
 *   dropped leaves are put back into the actual value as the reference has them; what is left are the changes */
#ifndef RULES_EVENT_REVIEW_H
#define RULES_EVENT_REVIEW_H

#include "compare/compare.h"
#include "rules/event_rules.h"
#include "rules/event_set.h"

/* The rules of several sets, one set after the other. Immutable; several threads may use it at once. */
struct event_review;

/* Make a review of these sets, which must outlive it. Fails: ENOMEM. */
CHECKED int event_review_new(const struct event_set *const *sets, size_t n, struct event_review **ret, struct err *err);
void event_review_free(struct event_review *r);
DEFINE_CLEANUP(struct event_review *, event_review_free)

/* Whether a rule selects objects by their labels: then the labels are part of what a verdict depends on. */
bool event_review_reads_labels(const struct event_review *r);

/* One object compared with its reference. */
struct event_subject {
	val object;             /* the object as it is in the cluster */
	val schema;             /* the openAPIV3Schema of the kind; VAL_ABSENT: unknown */
	enum severity severity; /* for changes that no rule is for: their severity, */
	int64_t hold_ns;        /* for how long such changes must last to be reported */
	/* Whether one of the owners of the field at @p, or the one who removed it (@gone), is a manager that @s
	 * selects. NULL: it is not known who wrote. */
	bool (*written_by)(void *ctx, struct path p, bool gone, const struct event_selector *s, uint64_t *steps);
	void *ctx;
};

/* Whether a manager that @s selects owns the field at @p, which exists: what event_subject.written_by asks for. */
bool event_written_by(val managed_fields, val object, struct path p, const struct event_selector *s, uint64_t *steps);

/* The outcome of a verdict's review (verdict.outcome); it lives in the verdict's arena. The worst change is the first
 * of verdict.changes. */
struct event_outcome {
	const struct event_rule *const *rules;         /* the rules that events name, */
	const struct event_set_rule *const *set_rules; /* these rules with all that their files say */
	struct event_node *root;
	enum severity severity; /* the worst severity of all changes */
	int64_t hold_ns;        /* the shortest time of all changes */
	size_t dropped;         /* leaves that are no change */
};

/* The events of the changes that have a rule. They live in @a. Fails: ENOMEM. */
CHECKED int event_outcome_events(const struct event_outcome *o, struct arena *a, struct events *ret, struct err *err);

/* Review the difference of @v, which is drifted, and reduce its actual value, its changes and its state to what is
 * left. @mask is for the changes (changes_find). Uses up *steps. Fails: ENOMEM; E2BIG: no steps are left. */
CHECKED int event_review_apply(const struct event_review *r, const struct event_subject *subject, struct verdict *v,
			       const struct mask_fields *mask, uint64_t *steps, struct err *err);

/* The path of a leaf as it may be shown, in @a. {NULL, 0} without memory. */
str event_leaf_text(const struct event_node *leaf, const struct mask_fields *mask, struct arena *a);

/* The severity of changes for which @rule is the best: its own, or that of its type. */
enum severity event_rule_severity(const struct event_set_rule *rule);

#endif

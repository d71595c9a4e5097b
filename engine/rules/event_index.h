/* Finding the best of many event rules for a changed leaf without trying each: the rules as a tree of their segments.
 *
 *   spec --containers--> ... --> *  --image--> { rules that end here }
 *        \--replicas--> { … }
 *
 * A leaf goes down every branch that a segment of its path matches; the rules met on the way are all that match. */
#ifndef RULES_EVENT_INDEX_H
#define RULES_EVENT_INDEX_H

#include "rules/event_rule.h"

struct event_index;

/* Index @rules, and call each rule by its number there. The rules must outlive the index, as must what they view.
 * Fails: ENOMEM. */
CHECKED int event_index_new(const struct event_rule *const *rules, size_t n, struct event_index **ret, struct err *err);
void event_index_free(struct event_index *x);
DEFINE_CLEANUP(struct event_index *, event_index_free)

/* A changed leaf, and what else a rule must be for; fits may be NULL. */
struct event_leaf {
	struct event_segments path;
	enum event_change change;
	/* whether a rule is for the leaf; not asked about rules that another one beats */
	bool (*fits)(void *ctx, size_t rule);
	void *ctx;
	uint64_t *steps; /* each branch and rule takes a step; when none is left, the search ends; may be NULL */
};

/* 1 + the best rule: the one with the longest path, then the fewest wildcards, then the highest type, and among
 * equal ones the first. 0: no rule matches. */
size_t event_index_best(const struct event_index *x, const struct event_leaf *leaf);

#endif

/* Event rules: which events the changes between two documents are. A changed leaf is at most one event: that of the
 * best rule for it (event_index.h). spec/event-rules.source.txt; conformance/eventrules/README.md, "How the events
 * arise". */
#ifndef RULES_EVENT_RULES_H
#define RULES_EVENT_RULES_H

#include "rules/event_rule.h"

struct event {
	size_t rule;
	enum event_change change;                /* of the node that it is about: the leaf, or what the anchor names */
	const struct event_node *about;          /* of what was gathered, the first */
	const struct event_node *const *matched; /* the leaves */
	size_t n_matched;
};

struct events {
	const struct event *p; /* in the order of their first leaves */
	size_t n;
};

/* The events of the leaves whose rule is known (event_node.rule) and that are not dropped. Of objects the segments of a
 * path are the keys of its places; else what lies between the dots of its text, as the requirement has it. All lives
 * in @a. Fails: ENOMEM. */
CHECKED int events_gather(const struct event_rule *const *rules, struct event_node *root, bool objects, struct arena *a,
			  struct events *ret, struct err *err);

/* Find the rule of each leaf of a tree of documents, and gather. Rules are valid. Fails: ENOMEM. */
CHECKED int event_rules_apply(const struct event_rule *rules, size_t n, struct event_node *root, struct arena *a,
			      struct events *ret, struct err *err);

#endif

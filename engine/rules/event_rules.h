/* Makes events of the changes between two documents. A changed leaf is in at most one event: that of the best rule
 * for it (event_index.h). See spec/event-rules.source.txt, and conformance/eventrules/README.md, "How the events
 * arise". */
#ifndef RULES_EVENT_RULES_H
#define RULES_EVENT_RULES_H

#include "rules/event_rule.h"

struct event {
	size_t rule;
	enum event_change change; /* the change of the node that the event is about */
	/* the node that the first leaf's message is about: the leaf, or what the anchor names */
	const struct event_node *about;
	const struct event_node *const *matched; /* the leaves of the event */
	size_t n_matched;
};

struct events {
	const struct event *p; /* the events in the order of their first leaves */
	size_t n;
};

/* The events of the leaves that have a rule (event_node.rule) and are not dropped. In objects the segments of a path
 * are the keys of its places; otherwise they are what lies between the dots of its text, as the requirement has it.
 * All lives in @a. Fails: ENOMEM. */
CHECKED int events_gather(const struct event_rule *const *rules, struct event_node *root, bool objects, struct arena *a,
			  struct events *ret, struct err *err);

/* Find the rule for each leaf of a tree of documents, and make the events. The rules must be valid. Fails: ENOMEM. */
CHECKED int event_rules_apply(const struct event_rule *rules, size_t n, struct event_node *root, struct arena *a,
			      struct events *ret, struct err *err);

#endif

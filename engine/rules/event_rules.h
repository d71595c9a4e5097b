/* Event rules: which events the changes between two documents are. A changed leaf is at most one event: of the rules
 * whose path and change match it, that with the longest path, then the fewest wildcards, then the highest type, and of
 * equal ones the first. spec/event-rules.source.txt; conformance/eventrules/README.md, "How the events arise". */
#ifndef RULES_EVENT_RULES_H
#define RULES_EVENT_RULES_H

#include "rules/event_path.h"
#include "rules/event_tree.h"

/* Their priorities: any number to 255 is a type, and is reported as the nearest of these below it. */
enum { EVENT_ALLOW = 0, EVENT_WARN = 100, EVENT_ERROR = 200, EVENT_IGNORE = 255 };

struct event_rule {
	struct event_path path;
	uint8_t type;
	bool any_change;
	enum event_change change; /* unless any; EVENT_NONE never happens */
	str message, action;
};

struct event {
	size_t rule;
	enum event_change change; /* of the node that it is about: the leaf, or what the anchor names */
	str path;                 /* of that node */
	const str *matched;       /* the leaves */
	size_t n_matched;
};

struct events {
	const struct event *p; /* in the order of their first leaves */
	size_t n;
};

/* "any", "none", "create", "modify", "delete". Fails: EINVAL, in the words of the original: @path is the rule's. */
CHECKED int event_change_read(str text, const struct event_path *path, bool *any, enum event_change *ret,
			      struct err *err);
/* "allow", "warn", "error", "ignore" */
bool event_type_read(str text, uint8_t *ret);
const char *event_type_name(uint8_t type);

/* The events of a tree (event_tree.h); rules are valid. All lives in @a. Fails: ENOMEM. */
CHECKED int event_rules_apply(const struct event_rule *rules, size_t n, const struct event_node *root, struct arena *a,
			      struct events *ret, struct err *err);

#endif

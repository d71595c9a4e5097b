/* One event rule, and the words for its parts. See spec/event-rules.source.txt, "Rule", "RuleType". */
#ifndef RULES_EVENT_RULE_H
#define RULES_EVENT_RULE_H

#include "rules/event_path.h"
#include "rules/event_tree.h"

/* The types of event rules, which are also their priorities. A rule has any number up to 255, and is reported as the
 * nearest of these types at or below it. */
enum { EVENT_ALLOW = 0, EVENT_WARN = 100, EVENT_ERROR = 200, EVENT_IGNORE = 255 };

struct event_rule {
	struct event_path path;
	uint8_t type;
	bool any_change;
	enum event_change change; /* unless any_change; never EVENT_NONE */
	str message, action;
};

/* Read "any", "none", "create", "modify" or "delete". @path is the rule's. Fails: EINVAL, in the words of the
 * original. */
CHECKED int event_change_read(str text, const struct event_path *path, bool *any, enum event_change *ret,
			      struct err *err);
/* Read "allow", "warn", "error" or "ignore". */
bool event_type_read(str text, uint8_t *ret);
const char *event_type_name(uint8_t type);

#endif

/* What the rules have open for one object: those that it fails, and those that cost too much over it. */
#ifndef DAEMON_WATCH_OPEN_RULES_H
#define DAEMON_WATCH_OPEN_RULES_H

#include "base/vec.h"
#include "rules/kind_rules.h"

struct open_rule {
	bool costly; /* else failed */
	enum rule_source source;
	char *rule, *path; /* its text, the field */
};

struct open_rules {
	VEC(struct open_rule) list;
};

/* @x may be NULL. */
void open_rules_free(struct open_rules *x);
/* False without memory; the texts are copied. */
CHECKED bool open_rules_add(struct open_rules *to, bool costly, enum rule_source source, str rule, str path);
bool open_rules_has(const struct open_rules *in, bool costly, enum rule_source source, str rule, str path);

#endif

/* Rules of one kind that cannot be evaluated. Each is an error finding about the rule, reported once for the kind. */
#ifndef DAEMON_WATCH_RULE_ERRORS_H
#define DAEMON_WATCH_RULE_ERRORS_H

#include "base/shard.h"
#include "daemon/findings/findings.h"
#include "daemon/watch/snapshot/snapshot.h"
#include "rules/kind_rules.h"

/* Where the findings of a kind's rules go. */
struct rule_scope {
	struct findings *findings;
	str cluster;
	struct shard shard; /* which objects this process reports */
	const struct kind *kind;
};

struct rule_error {
	enum rule_source source;
	char *rule, *place; /* @place says which expression of the rule is meant, since several may be wrong */
	size_t objects;     /* the number of objects for which the rule costs too much */
};

struct rule_errors {
	VEC(struct rule_error) invalid; /* the rules that do not compile */
	VEC(struct rule_error) costly;
};

void rule_errors_done(struct rule_errors *e);

/* The subject of a finding about a rule: @place is a field of the object, or what is wrong with the rule. */
struct finding_subject rule_subject(const struct rule_scope *s, enum rule_source source, str rule, str place);

/* The rules @k are in force now: report those that do not compile, and end the findings of those that were mended or
 * removed. Fails: ENOMEM, and then the findings stay as they were. */
CHECKED int rule_errors_update(struct rule_errors *e, const struct rule_scope *s, const struct kind_rules *k,
			       struct err *err);

/* The rule costs too much for one object more, or for one less. Fails: ENOMEM, and then the object is not counted. */
CHECKED int rule_errors_costs(struct rule_errors *e, const struct rule_scope *s, enum rule_source source, str rule,
			      str why, struct err *err);
void rule_errors_costs_less(struct rule_errors *e, const struct rule_scope *s, enum rule_source source, str rule,
			    enum end_reason why);

#endif

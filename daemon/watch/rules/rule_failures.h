/* Runs the rules of one object and reports what fails, each failure once, up to FINDINGS_PER_OBJECT_MAX; the rest is
 * only counted. Looking at failures has a budget of its own, because one object may have very many. */
#ifndef DAEMON_WATCH_RULE_FAILURES_H
#define DAEMON_WATCH_RULE_FAILURES_H

#include "daemon/watch/rules/open_rules.h"
#include "daemon/watch/rules/violations.h"
#include "topology/topology.h"

struct rule_failures {
	struct violations of;
	val old; /* VAL_ABSENT: the object has not changed, its old state is unknown, or no rule asks for it */
	bool changed;
	bool stopped[RULE_SOURCES]; /* the budget is used up: a rule that was not seen to fail may fail */
	const struct compiled_rules *set;
	struct open_rules *before; /* the violations that were open before; may be NULL */
	struct open_rules *open;   /* the violations that are open now */
	size_t n_failed;           /* the number of rules that failed for the object */
	enum severity worst;       /* the worst severity of failures that are only counted */
	uint64_t blame_steps;
	uint64_t value_steps, path_steps;
	struct topo type; /* the type of the object */
};

/* Begin with an object of a kind with rules. *g must not be moved, for it points into itself. @open is empty at first.
 * Everything is borrowed. */
void rule_failures_init(struct rule_failures *g, const struct rule_judge_options *o, struct ruled_kind *kind,
			struct object *object, struct open_rules *open);
/* Run all rules, in @scratch, and add to *evaluated how many expressions that took. Fails: ENOMEM. */
CHECKED int rule_failures_run(struct rule_failures *g, struct arena *scratch, uint64_t *evaluated, struct err *err);
/* Report the violation @f of a rule of g->set, at @path, which @by accepts (NULL: nobody does). @was: the id of the
 * acceptance under which it was open, or "". Fails: ENOMEM. */
CHECKED int rule_failures_report(struct rule_failures *g, const struct cel_failure *f, str path, const char *was,
				 const struct accepted *by, struct err *err);

#endif

/* CEL validation rules over the objects of one cluster: those of CustomResourceDefinitions, and those of the
 * administrator's rule files.
 *
 * The API server runs rules on writes only. Here every object is validated when it comes, when it changes, and when a
 * rule comes or changes, so that objects stored before a rule existed are seen too. Each failed rule is a finding of
 * its own, for the first FINDINGS_PER_OBJECT_MAX of an object (by rule set, then by place); one more finding stands for
 * all others. They are of FINDING_VALIDATION, or, when somebody has accepted that, of FINDING_ACCEPTED. A transition
 * rule (one that mentions oldSelf) is judged by changes only, and its finding lasts until a later change keeps the
 * rule. A rule that does not compile, or that costs too much, is an error finding of its own, once for the kind. */
#ifndef DAEMON_WATCH_RULE_JUDGE_H
#define DAEMON_WATCH_RULE_JUDGE_H

#include "daemon/watch/rules/rule_judge_options.h"
#include "daemon/watch/rules/rules_in_force.h"

struct rule_judge;

/* Make a judge. All that @o points to outlives it. The judge adopts the cluster's findings in @o->findings as it
 * sees their objects again. Fails: ENOMEM. */
CHECKED int rule_judge_new(const struct rule_judge_options *o, struct rule_judge **ret, struct err *err);
void rule_judge_free(struct rule_judge *j);
DEFINE_CLEANUP(struct rule_judge *, rule_judge_free)

/* Begin to judge a kind that is watched; nothing happens when the judge has it already. Fails: ENOMEM. */
CHECKED int rule_judge_add_kind(struct rule_judge *j, struct kind *k, struct err *err);
/* Stop judging a kind that is watched no longer: its rules are not in force, and the findings about the rules end. The
 * objects of the kind are forgotten one by one. */
void rule_judge_drop_kind(struct rule_judge *j, struct kind *k);

/* A CustomResourceDefinition was added, changed or removed. Without memory nothing happens. */
void rule_judge_definition(struct rule_judge *j, struct doc *crd);
void rule_judge_definition_gone(struct rule_judge *j, str name);
/* Call @each for the definitions that are known, until a call returns false. False: a call did so. */
bool rule_judge_each_definition(const struct rule_judge *j, bool (*each)(void *ctx, struct doc *crd), void *ctx);
/* The kind was listed completely. The objects of a kind are removed with its definition: when the definition is made
 * again, objects known from before are not checked against it until the kind is listed. */
void rule_judge_kind_listed(struct rule_judge *j, const struct kind *k);
/* All definitions were seen. Before this call the findings of an earlier process about their rules stay as they are. */
void rule_judge_definitions_known(struct rule_judge *j);

/* Adopt @x, as rule_judge_new does: a violation, accepted or not, that another driftd has reported. Without memory
 * @x ends unless its violation is seen again. */
void rule_judge_restore(struct rule_judge *j, const struct finding *x);

/* Validate the object and report what changed. The object itself has changed if @o->received_ns is set. Fails:
 * ENOMEM. */
CHECKED int rule_judge_object(struct rule_judge *j, struct object *o, struct err *err);
/* Whether the validation of @o is still valid when the object becomes @e: it has no rules, or it passed them all and
 * nothing that they can see has changed. */
bool rule_judge_still_valid(struct rule_judge *j, const struct object *o, const struct kc_object *e);
/* Whether an object that was not validated may have to be validated: rules are in force for it, or a violation of it
 * is open whose definition may not have been seen yet. */
bool rule_judge_may_look_at(const struct rule_judge *j, const struct object *o);
/* Whether objects of the kind must wait for their turn: the rules may not be complete, an earlier process reported
 * violations of such objects, or it is not known what the rules see. */
bool rule_judge_awaits(const struct rule_judge *j, const struct kind *kind);
/* Whether no rule is for @o, or the rules may let @o pass before its turn comes. */
bool rule_judge_may_pass(const struct rule_judge *j, const struct object *o);
/* Lend the rules of the kind for speculative evaluation; returns a reference. NULL: these rules alone do not decide. */
struct rules_in_force *rule_judge_lend(const struct rule_judge *j, const struct kind *kind);
/* Note that @o, whose old state is unknown, has passed the rules @by (rules_in_force_pass). @by NULL: no rule was
 * checked. False: other rules are in force by now, or a violation of @o is open; then @o has to be validated. */
bool rule_judge_take_passed(struct rule_judge *j, struct object *o, const struct rules_in_force *by,
			    const struct rules_passed *passed);
/* Whether a result of rule_judge_take_passed still holds, or no rules are for the object. */
bool rule_judge_has_passed(const struct rule_judge *j, const struct object *o);
/* Keep the findings of the object, which is not validated now. */
void rule_judge_keep(struct rule_judge *j, struct object *o);
/* Whether the kind has such a rule now. NULL stands for a kind that is not watched. */
bool rule_judge_has(const struct rule_judge *j, const struct kind *k, enum rule_source source, str rule);
/* The object is gone because of @why: end its findings. */
void rule_judge_forget(struct rule_judge *j, struct object *o, enum end_reason why);
/* Free what the judge keeps of the object: no record is written, and no finding ends. */
void rule_judge_release(struct object *o);

/* The openAPIV3Schema of the kind; VAL_ABSENT: no definition of it is known. */
val rule_judge_schema(const struct rule_judge *j, const struct kind *k);

struct rule_facts {
	size_t rules[RULE_SOURCES];   /* rules in force; a rule of a file counts once for each of its kinds */
	size_t invalid[RULE_SOURCES]; /* rules that do not compile */
	uint64_t evaluations;
	size_t counted_only; /* failures beyond FINDINGS_PER_OBJECT_MAX of an object */
};
struct rule_facts rule_judge_facts(const struct rule_judge *j);

#endif

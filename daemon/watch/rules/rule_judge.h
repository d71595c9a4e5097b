/* CEL validation rules over the objects of one cluster: those of CustomResourceDefinitions, and those of the
 * administrator's rule files.
 *
 * The API server runs rules on writes only. Here every object is validated when it comes, when it changes, and when a
 * rule comes or changes, so that objects stored before a rule existed are seen too. Each failed rule is a finding of
 * its own, for the first FINDINGS_PER_OBJECT_MAX of an object (by rule set, then by place); one more finding stands for
 * all others. A transition rule (one that mentions oldSelf) is judged by changes only, and its finding lasts until a
 * later change keeps the rule. A rule that does not compile, or that costs too much, is an error finding of its own,
 * once for the kind. */
#ifndef DAEMON_WATCH_RULE_JUDGE_H
#define DAEMON_WATCH_RULE_JUDGE_H

#include "base/shard.h"
#include "config/cfg.h"
#include "daemon/findings/findings.h"
#include "daemon/watch/rules/rules_in_force.h"
#include "daemon/watch/snapshot/snapshot.h"

struct rule_judge;

struct rule_judge_options {
	const struct cfg *cfg;
	str cluster;
	struct shard shard; /* what this process reports */
	struct findings *findings;
	struct key_table *keys;
	const struct limits *limits;
	void (*again)(void *ctx, struct kind *k); /* validate all objects of the kind again */
	/* Whether the definition is kept, because its kind may be watched later. */
	bool (*awaits)(void *ctx, val crd);
	void *ctx;
};

/* All that @o points to outlives the judge. Findings that @o->findings holds for the cluster are taken over as the
 * objects are seen again. Fails: ENOMEM. */
CHECKED int rule_judge_new(const struct rule_judge_options *o, struct rule_judge **ret, struct err *err);
void rule_judge_free(struct rule_judge *j);
DEFINE_CLEANUP(struct rule_judge *, rule_judge_free)

/* A kind that is watched; nothing when it is known already. Fails: ENOMEM. */
CHECKED int rule_judge_add_kind(struct rule_judge *j, struct kind *k, struct err *err);
/* Stop judging a kind that is watched no longer: its rules are not in force, and the findings about the rules end. The
 * objects of the kind are forgotten one by one. */
void rule_judge_drop_kind(struct rule_judge *j, struct kind *k);

/* A CustomResourceDefinition came or changed, or is gone. Without memory nothing happens. */
void rule_judge_definition(struct rule_judge *j, struct doc *crd);
void rule_judge_definition_gone(struct rule_judge *j, str name);
/* Call @each for the definitions that are known; false: one of these calls returned that. */
bool rule_judge_each_definition(const struct rule_judge *j, bool (*each)(void *ctx, struct doc *crd), void *ctx);
/* A complete list of the kind was seen. Its objects went with their definition: when that is made again, those that are
 * known from before are not checked against it. */
void rule_judge_kind_listed(struct rule_judge *j, const struct kind *k);
/* All definitions have been seen. Before this call, what an earlier process knew of their rules stays as it is. */
void rule_judge_definitions_known(struct rule_judge *j);

/* @x, a FINDING_VALIDATION that another driftd has reported, is adopted like those of rule_judge_new. Without memory it
 * ends when it is not seen again. */
void rule_judge_restore(struct rule_judge *j, const struct finding *x);

/* Validate the object and report what changed; it was itself changed if @o->received_ns is set. Fails: ENOMEM. */
CHECKED int rule_judge_object(struct rule_judge *j, struct object *o, struct err *err);
/* Whether the rules say of @o, which was validated, when it is as @e has it what they said before: none are for it, or
 * it passed them all, and what they can see of it is the same. */
bool rule_judge_still_valid(struct rule_judge *j, const struct object *o, const struct kc_object *e);
/* Whether rules are in force for an object that was not validated, or something is open of it: they may come with a
 * definition that is not seen yet. */
bool rule_judge_may_look_at(const struct rule_judge *j, const struct object *o);
/* Whether the rules of the kind cannot decide before the turn of its objects comes: they may not be complete, an
 * earlier process reported violations of them, or what they see is not known. */
bool rule_judge_awaits(const struct rule_judge *j, const struct kind *kind);
/* Whether rules are not for @o, or it may pass them before its turn comes. */
bool rule_judge_may_pass(const struct rule_judge *j, const struct object *o);
/* The rules of the kind, for who looks ahead with them; a reference. NULL: by them alone nothing can be said ahead. */
struct rules_in_force *rule_judge_lend(const struct rule_judge *j, const struct kind *kind);
/* @o, of which nothing is known from before, passed the rules @by, as rules_in_force_pass says; @by NULL: it was not
 * looked at. False: other rules are for it by now, or something is open of it; then it is to be validated. */
bool rule_judge_take_passed(struct rule_judge *j, struct object *o, const struct rules_in_force *by,
			    const struct rules_passed *passed);
/* Whether what was taken so still holds, or no rules look at it. */
bool rule_judge_has_passed(const struct rule_judge *j, const struct object *o);
/* The object is not validated: its findings stay. */
void rule_judge_keep(struct rule_judge *j, struct object *o);
/* Whether there is such a rule for the kind now; NULL is none that is watched. */
bool rule_judge_has(const struct rule_judge *j, const struct kind *k, enum rule_source source, str rule);
/* The object is gone, because of @why: end its findings. */
void rule_judge_forget(struct rule_judge *j, struct object *o, enum end_reason why);
/* The same without records. */
void rule_judge_release(struct object *o);

/* The openAPIV3Schema of the kind; VAL_ABSENT: no definition of it is known. */
val rule_judge_schema(const struct rule_judge *j, const struct kind *k);

struct rule_facts {
	size_t rules[RULE_SOURCES];   /* in force: a rule of a file counts once for each kind that it is for */
	size_t invalid[RULE_SOURCES]; /* do not compile */
	uint64_t evaluations;
	size_t counted_only; /* failures beyond FINDINGS_PER_OBJECT_MAX of an object */
};
struct rule_facts rule_judge_facts(const struct rule_judge *j);

#endif

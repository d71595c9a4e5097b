/* The watched kinds with their validation rules, and the definitions that rules come from.
 *
 *   unknown --ruled_kinds_add--> IN FORCE --ruled_kinds_drop--> DROPPED --ruled_kinds_add--> IN FORCE
 *                                 |    ^
 *    its definition was removed   v    | the kind was listed again
 *                                 STALE
 *
 * A stale kind has only the rules of files. When its definition comes back before it was listed, objects that are known
 * from before are not validated by it until then. */
#ifndef DAEMON_WATCH_RULED_KINDS_H
#define DAEMON_WATCH_RULED_KINDS_H

#include "base/strmap.h"
#include "base/vec.h"
#include "daemon/watch/rules/rule_errors.h"
#include "daemon/watch/rules/rule_judge_options.h"
#include "daemon/watch/rules/rules_in_force.h"

struct ruled_kind {
	struct kind *kind;
	struct rules_in_force *now; /* the rules in force; NULL: there are none */
	struct rule_errors errors;
	bool dropped; /* the kind was watched once, and is not judged now */
	bool stale;   /* the definition was removed, and the kind has not been listed since */
};

struct ruled_kinds {
	const struct rule_judge_options *o;
	VEC(struct ruled_kind *) list;
	struct strmap definitions; /* name -> struct doc: the definitions of kinds that may be watched later */
	bool definitions_known;    /* all of them were seen */
	uint64_t editions;         /* how many sets of rules were put in force */
};

/* @o outlives @x. */
void ruled_kinds_init(struct ruled_kinds *x, const struct rule_judge_options *o);
void ruled_kinds_done(struct ruled_kinds *x);

/* NULL: the kind was never added. A result stays valid as long as @x. */
struct ruled_kind *ruled_kinds_find(const struct ruled_kinds *x, const struct kind *k);

/* The functions below are as those of rule_judge.h. */
CHECKED int ruled_kinds_add(struct ruled_kinds *x, struct kind *kind, struct err *err);
void ruled_kinds_drop(struct ruled_kinds *x, struct kind *kind);
void ruled_kinds_definition(struct ruled_kinds *x, struct doc *crd);
void ruled_kinds_definition_gone(struct ruled_kinds *x, str name);
bool ruled_kinds_each_definition(const struct ruled_kinds *x, bool (*each)(void *ctx, struct doc *crd), void *ctx);
void ruled_kinds_listed(struct ruled_kinds *x, const struct kind *kind);
void ruled_kinds_definitions_known(struct ruled_kinds *x);

/* Whether a definition for the kind may exist that was not seen yet. */
bool ruled_kinds_may_be_defined(const struct ruled_kinds *x, const struct kind *kind);

/* The rules of the kind; none where none are in force. */
const struct kind_rules *ruled_kind_rules(const struct ruled_kind *k);
/* What the rules can see of an object; NULL: unknown. */
const struct object_ways *ruled_kind_read_set(const struct ruled_kind *k);
struct rule_scope ruled_kind_scope(const struct ruled_kind *k, const struct rule_judge_options *o);
/* The first rule of the kind with this text. Its set is put into *ret_set, unless @ret_set is NULL. */
const struct cel_rule *ruled_kind_find(const struct ruled_kind *k, enum rule_source source, str text,
				       const struct compiled_rules **ret_set);
/* Whether some rule of the kind has this text. A finding for several rules (open_rules.h) lasts as long as one of them
 * does. */
bool ruled_kind_has(const struct ruled_kind *k, enum rule_source source, str text);

#endif

/* The inspection rules in force: those of users, in the order of their creation, and built-in ones. It also decides how
 * often a rule may have an effect (inspection_rules_take).
 *
 * It has the same rules as the database: a user's rule is added when it is committed, and not before. */
#ifndef DAEMON_INSPECTION_RULES_H
#define DAEMON_INSPECTION_RULES_H

#include "rules/inspection/insp_api.h"
#include "rules/inspection/insp_run.h"

struct inspection_rules;

/* Takes ownership of the built-in rules, also on failure; *built_in is empty then. Fails: ENOMEM. */
CHECKED int inspection_rules_new(struct insp_builtins *built_in, struct inspection_rules **ret, struct err *err);
void inspection_rules_free(struct inspection_rules *s);
DEFINE_CLEANUP(struct inspection_rules *, inspection_rules_free)

/* Add a user's rule, or replace the one with the same uuid (in any case). Takes ownership of @rule, also on failure;
 * copies the times. Fails: ENOMEM. */
CHECKED int inspection_rules_put(struct inspection_rules *s, struct insp_rule *rule, str created_at, str updated_at,
				 struct err *err);
/* Remove the user's rule with the uuid (in any case), if there is one. */
void inspection_rules_remove(struct inspection_rules *s, str uuid);
void inspection_rules_clear(struct inspection_rules *s);

/* The user's rule at @i, from 0; NULL: there are no more. Valid until the rules change. */
const struct insp_stored *inspection_rules_at(const struct inspection_rules *s, size_t i);

/* A walk over the users' rules, which continues when they change meanwhile: deleted rules are left out, changed ones
 * appear as they are then, created ones are not part of it. */
struct inspection_walk {
	uint64_t next, end;
};
struct inspection_walk inspection_rules_walk(const struct inspection_rules *s);
/* The next rule; NULL: there are no more. Valid until the rules change. */
const struct insp_stored *inspection_rules_next(const struct inspection_rules *s, struct inspection_walk *walk);

const struct insp_builtins *inspection_rules_built_in(const struct inspection_rules *s);
/* Whether a rule of that uuid is in force, a user's or a built-in one. */
bool inspection_rules_has(const struct inspection_rules *s, str uuid);

/* Take one token of the rule's quota, a bucket that holds @per_minute tokens and is filled with as many each minute.
 * False: there is none, and *news is true if the last refusal was more than a minute ago. Without memory the
 * answer is true, and nothing is counted. */
bool inspection_rules_take(struct inspection_rules *s, str uuid, unsigned per_minute, uint64_t now_ns, bool *news);

/* All rules in the order in which they run; valid until the rules change. Fails: ENOMEM. */
CHECKED int inspection_rules_set(struct inspection_rules *s, const struct insp_set **ret, struct err *err);
/* A number that grows with each change; 1 at first. */
uint64_t inspection_rules_generation(const struct inspection_rules *s);
bool inspection_rules_any(const struct inspection_rules *s);

#endif

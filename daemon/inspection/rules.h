/* The inspection rules in force: those of users, in the order of their creation, and built-in ones. How often a rule
 * may do something is decided here, too (inspection_rules_take).
 *
 * What is here is what is kept: a user's rule comes in when it is committed, and not before. */
#ifndef DAEMON_INSPECTION_RULES_H
#define DAEMON_INSPECTION_RULES_H

#include "rules/inspection/insp_api.h"
#include "rules/inspection/insp_run.h"

struct inspection_rules;

/* Takes the built-in rules over, also when it fails; *built_in is empty then. Fails: ENOMEM. */
CHECKED int inspection_rules_new(struct insp_builtins *built_in, struct inspection_rules **ret, struct err *err);
void inspection_rules_free(struct inspection_rules *s);
DEFINE_CLEANUP(struct inspection_rules *, inspection_rules_free)

/* Add a user's rule, or put it in the place of the one with the same uuid (without case). Takes @rule over, also when
 * it fails; copies the times. Fails: ENOMEM. */
CHECKED int inspection_rules_put(struct inspection_rules *s, struct insp_rule *rule, str created_at, str updated_at,
				 struct err *err);
/* Without case; nothing when there is none. */
void inspection_rules_remove(struct inspection_rules *s, str uuid);
void inspection_rules_clear(struct inspection_rules *s);

/* The user's rule at @i, from 0; NULL: there are no more. Valid until the rules change. */
const struct insp_stored *inspection_rules_at(const struct inspection_rules *s, size_t i);

/* A walk over the users' rules that goes on when they change meanwhile: what is deleted is left out, what is changed is
 * seen as it then is, what is created is not part of it. */
struct inspection_walk {
	uint64_t next, end;
};
struct inspection_walk inspection_rules_walk(const struct inspection_rules *s);
/* NULL: that was the last one. Valid until the rules change. */
const struct insp_stored *inspection_rules_next(const struct inspection_rules *s, struct inspection_walk *walk);

const struct insp_builtins *inspection_rules_built_in(const struct inspection_rules *s);
/* Whether a rule of that uuid is in force, a user's or a built-in one. */
bool inspection_rules_has(const struct inspection_rules *s, str uuid);

/* What the effects of a rule may still do: a bucket that @per_minute tokens a minute fill, and that holds as many.
 * Takes one; false: there is none, and *news when that was not so for a minute. Without memory nothing is taken, and
 * nothing refused. */
bool inspection_rules_take(struct inspection_rules *s, str uuid, unsigned per_minute, uint64_t now_ns, bool *news);

/* All of them in the order in which they run; valid until the rules change. Fails: ENOMEM. */
CHECKED int inspection_rules_set(struct inspection_rules *s, const struct insp_set **ret, struct err *err);
/* Grows with each change; 1 at first. */
uint64_t inspection_rules_generation(const struct inspection_rules *s);
bool inspection_rules_any(const struct inspection_rules *s);

#endif

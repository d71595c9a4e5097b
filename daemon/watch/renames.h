/* Names that changed between two configurations, applied to what is known: findings and acceptances go over.
 *
 * A cluster or a reference is known by its place (config/cfg_places.h). A manifest is known by its object: the
 * component of a finding that no reference has any more is, of manifests, where that object's manifest is now. Whatever
 * is not known for sure stays where it is, and ends there. */
#ifndef DAEMON_WATCH_RENAMES_H
#define DAEMON_WATCH_RENAMES_H

#include "base/strmap.h"
#include "config/cfg_places.h"
#include "daemon/findings/findings.h"
#include "daemon/watch/verdict/acceptances.h"

struct renames {
	const struct cfg *next;
	struct shard shard;
	struct arena arena;
	struct cfg_places was, is;
	struct cfg_renames names;
	struct strmap acceptances; /* old id -> new id, in the arena */
	size_t manifests;          /* how many findings moved because the file of their manifest changed */
};

/* Find what was renamed between the places @was, which are taken over, and those of @next, which outlives the
 * renames. Fails: ENOMEM; @ret is empty then. */
CHECKED int renames_begin(struct renames *ret, struct cfg_places *was, const struct cfg *next, struct shard shard,
			  struct err *err);
void renames_done(struct renames *r); /* zeroed is fine */

/* Called for a change: @now is accepted under the id @id. @now NULL: the acceptance with this id, which was made of
 * old names, is gone. */
typedef void renames_accepted_fn(void *ctx, const char *id, const struct acceptance *now);
/* Rename the acceptances in @s that were made at run time. @s has the acceptances of the next configuration already.
 * @each, which may be NULL, is called for each change, first for what is accepted under new names. Must be called
 * before the findings are moved. Fails: ENOMEM. */
CHECKED int renames_acceptances(struct renames *r, struct acceptances *s, renames_accepted_fn *each, void *ctx,
				struct err *err);
/* Give the finding *copy its new names (a findings_elsewhere). @ctx: the struct renames. */
bool renames_move(void *ctx, struct finding *copy);

#endif

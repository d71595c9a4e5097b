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
	size_t manifests;          /* findings that moved with the file of a manifest */
};

/* From the names of @was, which is taken over, to those of @next, which outlives them. Fails: ENOMEM; @ret is empty. */
CHECKED int renames_begin(struct renames *ret, struct cfg_places *was, const struct cfg *next, struct shard shard,
			  struct err *err);
void renames_done(struct renames *r); /* zeroed is fine */

/* @now is accepted under @id by the new names. NULL: nothing is any more under @id, which was made of the old ones. */
typedef void renames_accepted_fn(void *ctx, const char *id, const struct acceptance *now);
/* Let @s, which has the acceptances of the next configuration already, accept under the new names what was accepted at
 * run time under the old ones. @each, which may be NULL, is called for each change, first for what is accepted now.
 * Before the findings. Fails: ENOMEM. */
CHECKED int renames_acceptances(struct renames *r, struct acceptances *s, renames_accepted_fn *each, void *ctx,
				struct err *err);
/* A findings_elsewhere. @ctx: the renames. */
bool renames_move(void *ctx, struct finding *copy);

#endif

/* The kinds that rules name by pattern, "*" for any text, as a server offers them.
 *
 * A pattern stands for the kinds that can be listed and watched, each in the version that the server prefers among
 * those that the pattern allows. Events and leases change all the time and configure nothing: they are meant only where
 * their kind is written out. */
#ifndef DAEMON_WATCH_KIND_PATTERNS_H
#define DAEMON_WATCH_KIND_PATTERNS_H

#include "base/strmap.h"
#include "daemon/watch/source/source.h"
#include "daemon/watch/source/watch_plan.h"

struct found_kinds {
	/* in order of group, kind and version; the entries belong to the discovery of the source */
	VEC(const struct kc_resource *) list;
	struct strmap chosen; /* "apps Deployment": some version of it is in the list */
};

/* Find the kinds that the patterns of @p mean, after @source has done its discovery. Call found_kinds_done also
 * after a failure. Fails: ENOMEM. */
CHECKED int found_kinds_make(const struct watch_plan *p, const struct watch_source *source, struct found_kinds *ret,
			     struct err *err);
void found_kinds_done(struct found_kinds *f);
/* Whether a version of this kind was found, perhaps another one. */
bool found_kinds_have(const struct found_kinds *f, str api_version, str kind);

/* kind_patterns_reach: whether a pattern may mean some kind of @api_version. kind_patterns_mean: whether one means
 * this kind. */
bool kind_patterns_reach(const struct watch_plan *p, str api_version);
bool kind_patterns_mean(const struct watch_plan *p, str api_version, str kind);

#endif

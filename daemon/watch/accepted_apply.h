/* Apply changes of the acceptances: findings that no longer hold end, and what may be reported otherwise now is judged
 * again. */
#ifndef DAEMON_WATCH_ACCEPTED_APPLY_H
#define DAEMON_WATCH_ACCEPTED_APPLY_H

#include "daemon/watch/cluster/cluster.h"
#include "daemon/watch/verdict/acceptances.h"

/* What of the set has changed, and what that may be about. */
struct accepted_news {
	uint64_t last;   /* the last change that is among it; 0: nothing has changed */
	bool many;       /* concerned objects are looked up by name, so that not each object is gone through */
	bool everything; /* the changed acceptances may be about any object */
	bool exact;      /* each is for one object, by namespace and name; or for components */
	bool lost;       /* findings may end, of those that are not in force any more */
};
struct accepted_news accepted_news(const struct acceptances *s);
/* Whether it is about the object of @of in @c. */
bool accepted_news_concern(const struct acceptances *s, const struct accepted_news *news, const struct cluster *c,
			   const struct finding_subject *of);

/* A round of changes, which is applied in slices; zeroed: none. What changes meanwhile is the next round's. It is due
 * to end with the findings, or before them by accepted_round_end. */
struct accepted_round {
	bool all;          /* set by its owner before it begins: findings may end whatever has changed */
	bool begun, ended; /* ended: the findings that had to */
	struct accepted_news news;
	struct findings_scan scan;
	const struct cluster *cluster; /* the cluster that is walked, which is the one at @at */
	size_t at;
	struct cluster_walk walk;
};
/* Apply what has changed, or go on with it, until @until_ns (uv_hrtime). True: nothing is left to do. */
bool accepted_apply_some(struct accepted_round *r, struct acceptances *s, struct findings *f,
			 struct cluster *const *clusters, size_t n, uint64_t until_ns);
void accepted_round_end(struct accepted_round *r);
/* All of it at once. */
void accepted_apply(struct acceptances *s, struct findings *f, struct cluster *const *clusters, size_t n);
/* Only that findings end, for those that were restored or copied; @scan: zeroed at first. True: all have ended. */
bool accepted_end_lost(const struct acceptances *s, struct findings *f, struct findings_scan *scan, uint64_t until_ns);

#endif

/* Apply changes of the acceptances: findings that no longer hold end, and what may be reported otherwise now is judged
 * again. */
#ifndef DAEMON_WATCH_ACCEPTED_APPLY_H
#define DAEMON_WATCH_ACCEPTED_APPLY_H

#include "daemon/watch/cluster/cluster.h"
#include "daemon/watch/verdict/acceptances.h"

/* The acceptances of a set that have changed: the last of them, and what they may be about. */
struct accepted_news {
	uint64_t last; /* the number of the last of these changes; 0: nothing has changed */
	/* there are many changes: they are looked up by the name of an object, so that not each of them is tried */
	bool many;
	bool everything; /* the changed acceptances may be about any object */
	bool exact;      /* each changed acceptance is for one object, by namespace and name, or for a component */
	bool lost;       /* a changed acceptance is not in force any more, so that its findings may end */
};
struct accepted_news accepted_news(const struct acceptances *s);
/* Whether a changed acceptance of @news may be about the object of @of in @c. */
bool accepted_news_concern(const struct acceptances *s, const struct accepted_news *news, const struct cluster *c,
			   const struct finding_subject *of);

/* A round applies the changes that were there when it began, in slices; later changes belong to the next round.
 * Zeroed: no round is on. A round must not outlive the findings: it ends with them, or before them by
 * accepted_round_end. */
struct accepted_round {
	/* set by the owner before the round begins: findings may end even if no acceptance has changed */
	bool all;
	bool begun, ended; /* @ended: the findings that nothing accepts any more have ended */
	struct accepted_news news;
	struct findings_scan scan;
	const struct cluster *cluster; /* the cluster that is being walked: number @at of the clusters */
	size_t at;
	struct cluster_walk walk;
};
/* Apply what has changed, or go on with it, until @until_ns (uv_hrtime). True: nothing is left to do. */
bool accepted_apply_some(struct accepted_round *r, struct acceptances *s, struct findings *f,
			 struct cluster *const *clusters, size_t n, uint64_t until_ns);
void accepted_round_end(struct accepted_round *r);
/* Apply all changes in one call. */
void accepted_apply(struct acceptances *s, struct findings *f, struct cluster *const *clusters, size_t n);
/* End the findings of acceptances that are not in force, and do nothing else: for findings that were restored or
 * copied. @scan: zeroed at first. True: all have ended. */
bool accepted_end_lost(const struct acceptances *s, struct findings *f, struct findings_scan *scan, uint64_t until_ns);

#endif

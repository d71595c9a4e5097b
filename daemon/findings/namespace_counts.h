/* How many findings are open of each type and severity by reference and namespace, for the metrics: a team routes by
 * them. Tenants name namespaces and may make a hundred thousand of them, so that only some counts are series of their
 * own; the others are folded into one. A count that is a series stays one until nothing of it is open, or a worse one
 * needs its place. */
#ifndef DAEMON_FINDINGS_NAMESPACE_COUNTS_H
#define DAEMON_FINDINGS_NAMESPACE_COUNTS_H

#include "base/strmap.h"
#include "daemon/findings/finding.h"

#define NAMESPACE_RANKS 9 /* 0, the best rank: findings in no namespace; then a rank for each severity */

TAILQ_HEAD(namespace_queue, namespace_count);

struct namespace_count {
	struct finding_counters *counters; /* the counters of the cluster; this module keeps their as_series */
	str cluster, reference, namespace; /* texts in this entry's own memory */
	enum finding_kind kind;
	enum severity severity;
	size_t n; /* findings */
	bool folded;
	unsigned rank;
	TAILQ_ENTRY(namespace_count) link;
};

/* A zeroed one counts nothing and must be begun. */
struct namespace_counts {
	struct strmap counts; /* -> struct namespace_count */
	/* In each queue the count that is there for longest is the first. Counts in no namespace, and those of the
	 * worst severities, have series before others. */
	struct namespace_queue series[NAMESPACE_RANKS], folded[NAMESPACE_RANKS];
	size_t n_series, limit;
	struct buf key; /* scratch */
};

void namespace_counts_begin(struct namespace_counts *c, size_t limit);
/* Nothing is counted any more; as_series of clusters is left as it is. */
void namespace_counts_done(struct namespace_counts *c);
/* Count @x. The result is borrowed until as many findings were taken off as were counted there. NULL without memory:
 * @x is not counted. */
struct namespace_count *namespace_counts_add(struct namespace_counts *c, const struct finding *x);
void namespace_counts_take_off(struct namespace_counts *c, struct namespace_count *of);
/* Let at most @limit counts be series from now on. */
void namespace_counts_limit(struct namespace_counts *c, size_t limit);
/* The next series: start with NULL, NULL at the end. The best ranks come first. */
const struct namespace_count *namespace_counts_next(const struct namespace_counts *c, const struct namespace_count *at);
/* Counts that are no series. */
size_t namespace_counts_folded(const struct namespace_counts *c);

#endif

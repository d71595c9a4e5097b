/* How many findings of each severity were open over a time, and when nobody knew: from rows of the history, one by one,
 * in memory that grows with the findings and not with the rows. Pure: no clock, no database.
 *
 * Rows come in the order of their times. What a row says of the time before it is known only then: a finding that
 * changes or ends before anything was said of its begin was open since the beginning of the range. */
#ifndef DAEMON_HISTORY_TIMELINE_H
#define DAEMON_HISTORY_TIMELINE_H

#include "daemon/findings/finding.h"

#define TIMELINE_SEVERITIES 8 /* indexed by enum severity */
#define TIMELINE_BUCKETS_MAX 1000
#define TIMELINE_CLUSTERS_MAX 256
#define TIMELINE_FINDINGS_MAX 1000000 /* findings with a row within a range: 64 MB */
#define TIMELINE_SPANS_MAX 10000      /* spans of one cluster, after they are joined */

struct timeline_row {
	int64_t usec, seq; /* Unix time; the order in which the rows were written */
	enum transition event;
	enum severity severity;
	str finding, cluster;
	bool gap;    /* the row says that something cannot be watched */
	bool wanted; /* the row is counted as a finding; a gap also counts as blindness in any case */
};

/* The last row before another one of the same finding. */
struct timeline_before {
	bool is_there; /* otherwise it was pruned */
	int64_t usec;
	enum severity severity;
};

struct timeline_span {
	int64_t from_usec, to_usec;
	bool away; /* driftd was away; otherwise there was a gap */
};

struct timeline_cluster {
	str name;
	/* The maximum that was open at one time in each bucket. */
	uint32_t *most[TIMELINE_SEVERITIES];
	uint64_t began, ended;
	size_t open[TIMELINE_SEVERITIES]; /* at the end of the range */
	/* In order of time. Spans of one kind do not overlap. */
	struct timeline_span *spans;
	size_t n_spans, spans_size;
	int64_t blind_usec; /* how much of the range, however many reasons there were at once */
};

struct timeline {
	int64_t since_usec, until_usec;
	size_t n_buckets;
	struct timeline_cluster *clusters; /* by name, after timeline_end */
	size_t n_clusters;
	struct timeline_map *map; /* NULL after timeline_end */
	struct arena names;
};

/* Fails: EINVAL (no range, or too many buckets), ENOMEM. */
CHECKED int timeline_init(struct timeline *t, int64_t since_usec, int64_t until_usec, size_t n_buckets,
			  struct err *err);
void timeline_done(struct timeline *t); /* Free the timeline, which may be all 0. */

bool timeline_knows(const struct timeline *t, str finding);
/* Whether timeline_add needs the row before this one, which has to be looked up for findings that are not known yet. */
bool timeline_needs_before(const struct timeline *t, const struct timeline_row *row);
/* Add the next row, from the range or after it. @before: the row that timeline_needs_before asks for, else NULL.
 * Fails: E2BIG (too many findings or clusters), ENOMEM. */
CHECKED int timeline_add(struct timeline *t, const struct timeline_row *row, const struct timeline_before *before,
			 struct err *err);
/* Add a finding that is open now, since @row->usec, after all rows. If there are rows about it, they count instead.
 * Fails as timeline_add. */
CHECKED int timeline_add_open(struct timeline *t, const struct timeline_row *row, struct err *err);
/* Add a span in which nobody watched @cluster. Fails as timeline_add. */
CHECKED int timeline_add_away(struct timeline *t, str cluster, const struct time_span *span, struct err *err);
/* Complete the counts, after all rows. Fails: ENOMEM. */
CHECKED int timeline_end(struct timeline *t, struct err *err);

/* The time at which the bucket begins; for n_buckets, the time at which the range ends. */
int64_t timeline_bucket_usec(const struct timeline *t, size_t bucket);

#endif

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
#define TIMELINE_FINDINGS_MAX 1000000 /* that say anything within a range: 64 MB */
#define TIMELINE_SPANS_MAX 10000      /* of one cluster, when they are united */

struct timeline_row {
	int64_t usec, seq; /* Unix time; which of two rows was written later */
	enum transition event;
	enum severity severity;
	str finding, cluster;
	bool gap;    /* it says that something cannot be watched */
	bool wanted; /* it is counted; one that is a gap as well counts as blindness in any case */
};

/* The last row before one, of the same finding. */
struct timeline_before {
	bool is_there; /* else it was pruned */
	int64_t usec;
	enum severity severity;
};

struct timeline_span {
	int64_t from_usec, to_usec;
	bool away; /* driftd was: else there was a gap */
};

struct timeline_cluster {
	str name;
	/* The most that were open at one time within each bucket. */
	uint32_t *most[TIMELINE_SEVERITIES];
	uint64_t began, ended;
	size_t open[TIMELINE_SEVERITIES]; /* at the end of the range */
	/* In order of time, without overlaps among those of one kind. */
	struct timeline_span *spans;
	size_t n_spans, spans_size;
	int64_t blind_usec; /* of the range, however many reasons there were at once */
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
void timeline_done(struct timeline *t); /* of one that is all 0 as well */

bool timeline_knows(const struct timeline *t, str finding);
/* Whether a row of @finding needs to know what was before it: only of one that is not known is that looked up. */
bool timeline_needs_before(const struct timeline *t, const struct timeline_row *row);
/* The next row, from the range or behind it. @before: of timeline_needs_before, else NULL. Fails: E2BIG (too many
 * findings or clusters), ENOMEM. */
CHECKED int timeline_add(struct timeline *t, const struct timeline_row *row, const struct timeline_before *before,
			 struct err *err);
/* Behind all rows: what is open now, since @row->usec. Rows of it count before this does. Fails as above. */
CHECKED int timeline_add_open(struct timeline *t, const struct timeline_row *row, struct err *err);
/* Nobody watched @cluster. Fails as above. */
CHECKED int timeline_add_away(struct timeline *t, str cluster, const struct time_span *span, struct err *err);
/* Nothing follows. Fails: ENOMEM. */
CHECKED int timeline_end(struct timeline *t, struct err *err);

/* When the bucket begins; of n_buckets, when the range ends. */
int64_t timeline_bucket_usec(const struct timeline *t, size_t bucket);

#endif

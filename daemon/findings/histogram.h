/* A Prometheus histogram of durations in seconds. */
#ifndef DAEMON_FINDINGS_HISTOGRAM_H
#define DAEMON_FINDINGS_HISTOGRAM_H

#include <stdint.h>

#define HISTOGRAM_BUCKETS 13 /* without +Inf */

struct histogram {
	uint64_t buckets[HISTOGRAM_BUCKETS + 1]; /* not cumulative; the last is +Inf */
	uint64_t sum_ns;
};

extern const double histogram_bounds[HISTOGRAM_BUCKETS]; /* seconds */

void histogram_observe(struct histogram *h, uint64_t ns);

#endif

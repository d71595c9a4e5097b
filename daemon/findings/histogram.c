/* Counts durations into the buckets of a histogram. */
#include "daemon/findings/histogram.h"

const double histogram_bounds[HISTOGRAM_BUCKETS] = { 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1,
						     0.25,  0.5,    1,     2.5,  5,     10 };

void histogram_observe(struct histogram *h, uint64_t ns)
{
	int i = 0;

	while (i < HISTOGRAM_BUCKETS && (double)ns > histogram_bounds[i] * 1e9)
		i++;
	h->buckets[i]++;
	h->sum_ns += ns;
}

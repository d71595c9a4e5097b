/* Whose turn it is. */
#include "daemon/watch/round.h"

bool round_work(struct cluster *const *clusters, size_t n, size_t *next, uint64_t until_ns)
{
	size_t first = n ? *next % n : 0;
	bool more = false;

	for (size_t i = 0; i < n; i++) {
		*next = (first + i + 1) % n;
		more |= cluster_work(clusters[(first + i) % n], until_ns);
		if (uv_hrtime() >= until_ns)
			return more || i + 1 < n;
	}
	return more;
}

/* Reading the clock. */
#include "daemon/findings/clock.h"

#include <time.h>
#include <uv.h>

int64_t clock_usec(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

double clock_seconds(void)
{
	return (double)clock_usec() / 1e6;
}

int64_t clock_usec_of(uint64_t hrtime_ns)
{
	return hrtime_ns ? clock_usec() - (int64_t)((uv_hrtime() - hrtime_ns) / 1000) : 0;
}

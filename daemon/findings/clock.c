/* Reading the clock. */
#include "daemon/findings/clock.h"

#include <time.h>

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

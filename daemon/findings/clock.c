/* Reading the clock, or what stands in for it. */
#include "daemon/findings/clock.h"

#include "base/assert.h"

#include <time.h>
#include <uv.h>

static struct {
	int64_t usec;
	uint64_t ns; /* 0: the system's time */
} stands;

void clock_set(int64_t usec, uint64_t ns)
{
	ASSERT(ns);
	stands.usec = usec;
	stands.ns = ns;
}

int64_t clock_usec(void)
{
	struct timespec t;

	if (stands.ns)
		return stands.usec;
	clock_gettime(CLOCK_REALTIME, &t);
	return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

double clock_seconds(void)
{
	return (double)clock_usec() / 1e6;
}

int64_t clock_usec_of(uint64_t ns)
{
	return ns ? clock_usec() - (int64_t)((clock_ns() - ns) / 1000) : 0;
}

uint64_t clock_ns(void)
{
	return stands.ns ? stands.ns : uv_hrtime();
}

/* Reading the clock, or what stands in for it. */
#include "daemon/findings/clock.h"

#include "base/assert.h"

#include <string.h>
#include <time.h>
#include <uv.h>

#define NAPS_MAX 32 /* the most naps that are known; older naps count as part of the first known one */

static struct {
	int64_t usec;
	uint64_t ns; /* 0: the clock does not stand, but is the system's */
} frozen;

/* The last times at which the host slept: how far the steady clock is behind since then. */
static struct {
	struct {
		uint64_t ns, behind_ns;
	} of[NAPS_MAX];
	size_t n;
} naps;

void clock_set(int64_t usec, uint64_t ns)
{
	ASSERT(ns);
	frozen.usec = usec;
	frozen.ns = ns;
}

int64_t clock_usec(void)
{
	struct timespec t;

	if (frozen.ns)
		return frozen.usec;
	clock_gettime(CLOCK_REALTIME, &t);
	return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

double clock_seconds(void)
{
	return (double)clock_usec() / 1e6;
}

void clock_slept(uint64_t ns, uint64_t for_ns)
{
	uint64_t behind = naps.n ? naps.of[naps.n - 1].behind_ns : 0;

	if (!for_ns)
		return;
	if (naps.n == NAPS_MAX)
		memmove(&naps.of[0], &naps.of[1], --naps.n * sizeof(naps.of[0]));
	naps.of[naps.n].ns = ns;
	naps.of[naps.n++].behind_ns = behind + for_ns;
}

/* How long the host has slept since the steady clock was @ns. */
static uint64_t slept_since(uint64_t ns)
{
	size_t i = naps.n;

	while (i > 0 && naps.of[i - 1].ns > ns)
		i--;
	return naps.n ? naps.of[naps.n - 1].behind_ns - (i ? naps.of[i - 1].behind_ns : 0) : 0;
}

int64_t clock_usec_of(uint64_t ns)
{
	return ns ? clock_usec() - (int64_t)((clock_ns() - ns + slept_since(ns)) / 1000) : 0;
}

uint64_t clock_ns(void)
{
	return frozen.ns ? frozen.ns : uv_hrtime();
}

uint64_t clock_boot_ns(void)
{
	struct timespec t;

	if (frozen.ns)
		return frozen.ns;
	clock_gettime(CLOCK_BOOTTIME, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

int64_t clock_boot_usec(void)
{
	return (int64_t)(clock_boot_ns() / 1000);
}

struct clock_moment clock_now(void)
{
	return (struct clock_moment){ .ns = clock_ns(), .boot_ns = clock_boot_ns(), .usec = clock_usec() };
}

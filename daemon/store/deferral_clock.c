/* The clock of deferred records. */
#include "daemon/store/deferral_clock.h"

#include "daemon/findings/clock.h"

#include <uv.h>

/* a smaller difference between the clocks is drift; from here on the clock was set */
#define CLOCK_STEP_USEC (2 * INT64_C(1000000))

int64_t steady_usec(void)
{
	return (int64_t)(uv_hrtime() / 1000);
}

uint64_t steady_ms(void)
{
	return uv_hrtime() / 1000000;
}

int64_t deferral_clock_wall_usec(const struct deferral_clock *c)
{
	return steady_usec() + c->ahead_usec;
}

void deferral_clock_look(struct deferral_clock *c)
{
	c->ahead_usec = clock_usec() - steady_usec();
}

void deferral_clock_inherit(struct deferral_clock *c)
{
	c->by = DEFERRED_BY_ANY;
}

bool deferral_clock_follow(struct deferral_clock *c, struct database *d)
{
	int64_t ahead = clock_usec() - steady_usec(), step = ahead - c->ahead_usec;
	struct err err;

	if (c->by == DEFERRED_BY_ANY && database_cap_not_due(d, deferral_clock_wall_usec(c), &err) < 0)
		return false;
	c->by = DEFERRED_BY_OURS;
	if (step > -CLOCK_STEP_USEC && step < CLOCK_STEP_USEC)
		return false;
	/* A row that is due by the old or by the new time, and was not released yet, stays due. */
	if (database_shift_not_due(d, step, deferral_clock_wall_usec(c) + (step < 0 ? step : 0), &err) < 0)
		return false;
	c->ahead_usec = ahead;
	return true;
}

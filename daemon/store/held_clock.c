/* The time by which what is held becomes due: the wall clock as it goes on steadily from when it was last looked at.
 * How long something is held does not depend on what the clock is set to meanwhile. */
#include "daemon/store/writer_internal.h"

#include "daemon/findings/clock.h"

#include <uv.h>

#define CLOCK_STEP_USEC (2 * INT64_C(1000000)) /* which is no drift */

int64_t writer_steady_usec(void)
{
	return (int64_t)(uv_hrtime() / 1000);
}

int64_t writer_wall_usec(const struct writer *w)
{
	return writer_steady_usec() + w->ahead_usec;
}

void writer_look_at_clock(struct writer *w)
{
	w->ahead_usec = clock_usec() - writer_steady_usec();
}

/* The clock may have been set back when nobody looked, or while the disk was full, so that an earlier life could not
 * say so. Tried again while the disk is full: nothing of this life is held before. */
static int follow_clock_of_earlier(struct writer *w, struct err *err)
{
	int r = w->inherits ? database_cap_held(w->database, writer_wall_usec(w), err) : 0;

	if (r == 0)
		w->inherits = false;
	return r;
}

void writer_follow_clock(struct writer *w)
{
	int64_t ahead = clock_usec() - writer_steady_usec(), step = ahead - w->ahead_usec;
	struct err err;

	if (follow_clock_of_earlier(w, &err) < 0 || (step > -CLOCK_STEP_USEC && step < CLOCK_STEP_USEC))
		return;
	/* What is due by either time but was not released yet stays due. */
	if (database_shift_held(w->database, step, writer_wall_usec(w) + (step < 0 ? step : 0), &err) < 0)
		return; /* it is tried again */
	w->ahead_usec = ahead;
	writer_count_deferred(w);
}

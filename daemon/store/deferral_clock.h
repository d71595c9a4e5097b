/* The clock by which deferred records become due: the wall clock as it goes on steadily from when it was last looked
 * at. How long a record is deferred does not depend on what the clock is set to meanwhile. */
#ifndef DAEMON_STORE_DEFERRAL_CLOCK_H
#define DAEMON_STORE_DEFERRAL_CLOCK_H

#include "daemon/store/database/database.h"

int64_t steady_usec(void); /* of this life only */
uint64_t steady_ms(void);

/* The clock may have been set back when nobody looked, or while the disk was full, so that an earlier life could not
 * say so:
 *
 *     DEFERRED_BY_ANY --- what an earlier process deferred is due no later than it would be by this clock --->
 * DEFERRED_BY_OURS
 */
enum deferred_by { DEFERRED_BY_OURS, DEFERRED_BY_ANY };

struct deferral_clock {
	int64_t ahead_usec; /* of the steady clock: the wall clock, when it was last looked at */
	enum deferred_by by;
};

int64_t deferral_clock_wall_usec(const struct deferral_clock *c);
/* Before all others. */
void deferral_clock_look(struct deferral_clock *c);
/* The database has deferred records of an earlier process. */
void deferral_clock_inherit(struct deferral_clock *c);
/* The clock may have been set. True: the deferred records are due at another time. Where that cannot be stored, it is
 * tried again: no record of this process is deferred before. */
bool deferral_clock_follow(struct deferral_clock *c, struct database *d);

#endif

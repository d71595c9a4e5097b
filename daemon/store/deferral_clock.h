/* The clock by which deferred records become due: it starts from the wall clock and then runs steadily, so that
 * setting the wall clock does not change how long a record is deferred. */
#ifndef DAEMON_STORE_DEFERRAL_CLOCK_H
#define DAEMON_STORE_DEFERRAL_CLOCK_H

#include "daemon/store/database/database.h"

int64_t steady_usec(void); /* a steady clock, whose times mean nothing in another process */
uint64_t steady_ms(void);

/* The wall clock may have been set back while driftd did not run, or while the disk was full and an earlier process
 * could not store that:
 *
 *     DEFERRED_BY_ANY --deferral_clock_follow--> DEFERRED_BY_OURS
 *
 * On the way, rows of an earlier process are made due no later than they would be by this clock. */
enum deferred_by { DEFERRED_BY_OURS, DEFERRED_BY_ANY };

struct deferral_clock {
	int64_t ahead_usec; /* the wall clock minus the steady clock, when the wall clock was last looked at */
	enum deferred_by by;
};

int64_t deferral_clock_wall_usec(const struct deferral_clock *c);
/* Look at the wall clock. Call this before all other functions of this clock. */
void deferral_clock_look(struct deferral_clock *c);
/* The database has deferred records of an earlier process. */
void deferral_clock_inherit(struct deferral_clock *c);
/* Follow a wall clock that may have been set. True: the deferred records are due at other times now. If that cannot
 * be stored, it is tried again, and no record of this process is deferred until then. */
bool deferral_clock_follow(struct deferral_clock *c, struct database *d);

#endif

/* Whether the process ran: what is known of a watch is evidence only while somebody reads it.
 *
 *   running --a look that comes too late--> it did not run between the look before and this one --> running
 *
 * A look is due at each turn of the loop, of which a timer makes one each second, and before anything counts that a
 * turn has read. Each clock shows another reason: a host that was suspended, the clock that goes on meanwhile
 * (CLOCK_BOOTTIME); a process that was stopped, or busy with one thing, the steady clock; a virtual machine whose
 * clocks all stood, the time of day, once that is right again. When the time of day is set ahead, that looks the same
 * as such a virtual machine; then the process counts as not having run.
 */
#ifndef DAEMON_WATCH_AWAKE_H
#define DAEMON_WATCH_AWAKE_H

#include "daemon/findings/clock.h"

#include <stdbool.h>

/* A look that is later than this came too late. A shorter delay does not count: the machine may be busy. */
#define AWAKE_LATE_NS (5 * UINT64_C(1000000000))

enum nap_kind {
	NAP_STOPPED, /* the steady clock went on: the process was stopped, or busy */
	NAP_HOST,    /* only CLOCK_BOOTTIME went on: the host was suspended */
	NAP_CLOCK,   /* only the time of day went on: all other clocks stood, or somebody set it ahead */
	NAP_KINDS,
};

/* A time in which the process did not run. */
struct nap {
	enum nap_kind kind;
	struct clock_moment from, to; /* the last look before the nap, and the first look after it */
};

/* Embedded in its owner; zeroed but for woke and ctx. */
struct awake {
	struct clock_moment last; /* ns 0: nobody has looked yet */
	/* Called by awake_look after each nap. */
	void (*woke)(void *ctx, const struct nap *n);
	void *ctx;
};

/* Compare the clocks with the last look. @a may be NULL: then the process counts as running all the time, as when a
 * recording is replayed. */
void awake_look(struct awake *a);
/* Do the same with the time @now, which the caller has read. */
void awake_look_at(struct awake *a, struct clock_moment now);

/* What may have been the reason, for messages: "the host slept". */
const char *nap_cause(const struct nap *n);
/* The time of day at which the steady clock was @ns. @ns is at most the steady clock's time at the end of the nap:
 * of what was heard in the nap it is only known that it came after its beginning. @ns 0: the time of day at the
 * beginning of the nap. */
int64_t nap_usec_of(const struct nap *n, uint64_t ns);

#endif

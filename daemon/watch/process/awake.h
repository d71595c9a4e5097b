/* Whether the process ran: what is known of a watch is evidence only while somebody reads it.
 *
 *   running --a look that comes too late--> it did not run between the look before and this one --> running
 *
 * Looks are due at each turn of the loop, of which a timer makes one each second, and before anything counts that a
 * turn has read. A host that was suspended shows in the clock that goes on meanwhile (CLOCK_BOOTTIME), a process that
 * was stopped, or busy with one thing, in the steady one, and a virtual machine whose clocks all stood in the time of
 * day, once that is right again: when it is set ahead the two cannot be distinguished, and not to have run is assumed.
 */
#ifndef DAEMON_WATCH_AWAKE_H
#define DAEMON_WATCH_AWAKE_H

#include "daemon/findings/clock.h"

#include <stdbool.h>

/* A look that is later than this came too late. A shorter delay does not count: the machine may be busy. */
#define AWAKE_LATE_NS (5 * UINT64_C(1000000000))

enum nap_kind {
	NAP_STOPPED, /* all clocks went on */
	NAP_HOST,    /* the host slept */
	NAP_CLOCK,   /* the time of day ran ahead */
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
	/* After each nap, from awake_look. */
	void (*woke)(void *ctx, const struct nap *n);
	void *ctx;
};

/* @a may be NULL: then the process always runs, as for a recording. */
void awake_look(struct awake *a);
/* The same at a time that the caller has read. */
void awake_look_at(struct awake *a, struct clock_moment now);

/* What may have been the reason, for messages: "the host slept". */
const char *nap_cause(const struct nap *n);
/* The time of day at which the steady clock was @ns, which is at most that of the nap's end: of what was heard in it
 * nothing is known but that it came after its beginning. 0: at its beginning. */
int64_t nap_usec_of(const struct nap *n, uint64_t ns);

#endif

/* The time by which clusters and findings go: what they wait for, and what their records say. It is the system's, or,
 * for a replay, one that stands until it is set. How long a turn of the loop takes is measured with uv_hrtime. */
#ifndef DAEMON_FINDINGS_CLOCK_H
#define DAEMON_FINDINGS_CLOCK_H

#include <stdint.h>

int64_t clock_usec(void); /* since the Unix epoch */
double clock_seconds(void);
uint64_t clock_ns(void);            /* steady, as uv_hrtime; never 0; it stands while the host sleeps */
uint64_t clock_boot_ns(void);       /* steady too, and goes on then */
int64_t clock_boot_usec(void);      /* the same: for how long something lasts */
int64_t clock_usec_of(uint64_t ns); /* clock_usec of a past clock_ns; 0 of 0 */

/* What all of them say. */
struct clock_moment {
	uint64_t ns, boot_ns;
	int64_t usec;
};
struct clock_moment clock_now(void);

/* The host slept for @for_ns, which clock_ns does not know of, just before clock_ns was @ns: for clock_usec_of. */
void clock_slept(uint64_t ns, uint64_t for_ns);

/* Stand at this time from now on, until it is set again. @ns is not 0. */
void clock_set(int64_t usec, uint64_t ns);

#endif

/* The time for clusters and findings: what they wait for, and what their records say. It is the system's time or, in
 * a replay, a time that stands until it is set. The length of a turn of the loop is measured with uv_hrtime instead. */
#ifndef DAEMON_FINDINGS_CLOCK_H
#define DAEMON_FINDINGS_CLOCK_H

#include <stdint.h>

int64_t clock_usec(void); /* since the Unix epoch */
double clock_seconds(void);
uint64_t clock_ns(void);      /* steady, as uv_hrtime; never 0; it stands while the host sleeps */
uint64_t clock_boot_ns(void); /* steady too; it goes on while the host sleeps */
/* steady too; it goes on while the host sleeps: for how long something lasts */
int64_t clock_boot_usec(void);
int64_t clock_usec_of(uint64_t ns); /* the time of day at a past clock_ns; 0 for 0 */

/* What all these clocks say at one moment. */
struct clock_moment {
	uint64_t ns, boot_ns;
	int64_t usec;
};
struct clock_moment clock_now(void);

/* Tell clock_usec_of that the host slept for @for_ns just before clock_ns was @ns, which clock_ns did not count. */
void clock_slept(uint64_t ns, uint64_t for_ns);

/* Let the clock stand at this time until it is set again. @ns is not 0. */
void clock_set(int64_t usec, uint64_t ns);

#endif

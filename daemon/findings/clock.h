/* The time by which clusters and findings go: what they wait for, and what their records say. It is the system's, or,
 * for a replay, one that stands until it is set. How long a turn of the loop takes is measured with uv_hrtime. */
#ifndef DAEMON_FINDINGS_CLOCK_H
#define DAEMON_FINDINGS_CLOCK_H

#include <stdint.h>

int64_t clock_usec(void); /* since the Unix epoch */
double clock_seconds(void);
uint64_t clock_ns(void);            /* steady, as uv_hrtime; never 0 */
int64_t clock_usec_of(uint64_t ns); /* clock_usec of a past clock_ns; 0 of 0 */

/* Stand at this time from now on, until it is set again. @ns is not 0. */
void clock_set(int64_t usec, uint64_t ns);

#endif

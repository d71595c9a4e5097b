/* The time of day for records and metrics. */
#ifndef DAEMON_FINDINGS_CLOCK_H
#define DAEMON_FINDINGS_CLOCK_H

#include <stdint.h>

int64_t clock_usec(void); /* since the Unix epoch */
double clock_seconds(void);
int64_t clock_usec_of(uint64_t hrtime_ns); /* of a past uv_hrtime; 0 of 0 */

#endif

/* The time of day for records and metrics. */
#ifndef DAEMON_FINDINGS_CLOCK_H
#define DAEMON_FINDINGS_CLOCK_H

#include <stdint.h>

int64_t clock_usec(void); /* since the Unix epoch */
double clock_seconds(void);

#endif

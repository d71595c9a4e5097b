/* Notifies the service manager (sd_notify(3)). The results of these calls are ignored: without a service manager there
 * is nothing to notify. */
#ifndef DAEMON_APP_NOTIFY_H
#define DAEMON_APP_NOTIFY_H

#include <stdint.h>

/* The start takes longer, for this reason; call it again within five seconds. */
void notify_waiting(const char *why);
void notify_ready(void);
void notify_reloading(void);
void notify_stopping(void);
void notify_status(const char *text);
void notify_watchdog(void);
/* WatchdogSec of the unit; 0: none. */
uint64_t notify_watchdog_interval_ns(void);

#endif

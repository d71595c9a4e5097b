#include "notify.h"

#include <inttypes.h>
#include <systemd/sd-daemon.h>
#include <time.h>

void notify_ready(void)
{
	(void)sd_notify(0, "READY=1");
}

void notify_reloading(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	(void)sd_notifyf(0, "RELOADING=1\nMONOTONIC_USEC=%" PRId64, (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000);
}

void notify_stopping(void)
{
	(void)sd_notify(0, "STOPPING=1");
}

void notify_status(const char *text)
{
	(void)sd_notifyf(0, "STATUS=%s", text);
}

void notify_watchdog(void)
{
	(void)sd_notify(0, "WATCHDOG=1");
}

uint64_t notify_watchdog_interval_ns(void)
{
	uint64_t usec = 0;

	return sd_watchdog_enabled(0, &usec) > 0 ? usec * 1000 : 0;
}

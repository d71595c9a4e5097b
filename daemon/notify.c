/* The lines that sd_notify(3) knows. */
#include "daemon/notify.h"

#include "base/defs.h"

#include <inttypes.h>
#include <stdio.h>
#include <systemd/sd-daemon.h>
#include <time.h>

void notify_ready(void)
{
	(void)sd_notify(0, "READY=1");
}

void notify_reloading(void)
{
	struct timespec t;
	char text[80];

	clock_gettime(CLOCK_MONOTONIC, &t);
	snprintf(text, sizeof(text), "RELOADING=1\nMONOTONIC_USEC=%" PRId64,
		 (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000);
	(void)sd_notify(0, text);
}

void notify_stopping(void)
{
	(void)sd_notify(0, "STOPPING=1");
}

void notify_status(const char *text)
{
	CLEANUP(freep) char *state = NULL;

	if (asprintf(&state, "STATUS=%s", text) < 0)
		state = NULL;
	else
		(void)sd_notify(0, state);
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

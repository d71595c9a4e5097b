/* Sends the lines that sd_notify(3) defines. */
#include "daemon/app/notify.h"

#include "mask/credentials.h"

#include <inttypes.h>
#include <stdio.h>
#include <systemd/sd-daemon.h>
#include <time.h>

#define STATUS_MAX ((size_t)64 << 10)

void notify_waiting(const char *why)
{
	(void)sd_notifyf(0, "EXTEND_TIMEOUT_USEC=5000000\nSTATUS=%s", why);
}

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
	CLEANUP(buf_done) struct buf state = BUF_INIT(STATUS_MAX);

	buf_add_cstr(&state, "STATUS=");
	credentials_hide(str_from(text), NULL, 0, &state);
	if (!state.error)
		(void)sd_notify(0, state.p);
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

/* Times on a command line, in the syntax of journalctl (systemd.time(7)). */
#ifndef DAEMON_EVENTS_EVENT_TIME_H
#define DAEMON_EVENTS_EVENT_TIME_H

#include "config/command_line.h"

/* Parse @text as a time, when it is @now_usec, both in Unix time: "2026-02-03 14:05[:06[.5]]", where "T" may replace
 * the blank, with "Z", " UTC" or "+02:00" behind it, otherwise in local time; a date, or a time of today, alone;
 * "now", "today", "yesterday", "tomorrow"; "-1h 30min", "+5s", "10 min ago"; "@" and seconds since 1970. Fails:
 * EINVAL; ERANGE before 1970 and after the year 9999. */
CHECKED int event_time_parse(str text, int64_t now_usec, int64_t *ret_usec, struct err *err);

/* Parse the value of an option into its int64_t. */
option_fn event_time_take;

#endif

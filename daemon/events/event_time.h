/* Times of a command line, as journalctl takes them (systemd.time(7)). */
#ifndef DAEMON_EVENTS_EVENT_TIME_H
#define DAEMON_EVENTS_EVENT_TIME_H

#include "config/command_line.h"

/* What @text means when it is @now_usec, both in Unix time: "2026-02-03 14:05[:06[.5]]" with "T" for the blank, and
 * "Z", " UTC" or "+02:00" behind it, else in local time; a date, or a time of today, alone; "now", "today",
 * "yesterday", "tomorrow"; "-1h 30min", "+5s", "10 min ago"; "@" and seconds since 1970. Fails: EINVAL; ERANGE before
 * 1970 and behind the year 9999. */
CHECKED int event_time_parse(str text, int64_t now_usec, int64_t *ret_usec, struct err *err);

/* The value of an option, to the int64_t that is its time. */
option_fn event_time_take;

#endif

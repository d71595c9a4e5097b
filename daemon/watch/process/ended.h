/* How the last process ended, according to others: it could not record that itself. */
#ifndef DAEMON_WATCH_ENDED_H
#define DAEMON_WATCH_ENDED_H

#include <stdbool.h>
#include <stdint.h>

enum ended {
	ENDED_UNKNOWN,    /* nobody said */
	ENDED_FOR_MEMORY, /* there was too little of it for this service */
	ENDED_OTHERWISE,
};

/* What a service manager has written to @path: what systemd has for $SERVICE_RESULT (systemd.exec(5)). The file is
 * taken away: it is about one end. */
enum ended ended_take(const char *path);

/* What the kernel counts since the machine has started: processes that it ended for lack of memory. Without a service
 * manager that is the only trace. Zeroed where it is not said (a sandbox). */
struct oom_kills {
	char boot_id[40];
	uint64_t n;
};
struct oom_kills oom_kills_now(void);
/* One more since. False also when one of them is not known, or of another start of the machine. */
bool oom_kills_since(const struct oom_kills *before, const struct oom_kills *now);

#endif

/* How the last process ended, according to others: the process could not record that itself. */
#ifndef DAEMON_WATCH_ENDED_H
#define DAEMON_WATCH_ENDED_H

#include <stdbool.h>
#include <stdint.h>

enum ended {
	ENDED_UNKNOWN,    /* nobody has said how */
	ENDED_FOR_MEMORY, /* the kernel ended it because its service had too little memory */
	ENDED_OTHERWISE,
};

/* What a service manager has written to @path: the value of $SERVICE_RESULT (systemd.exec(5)). The file is removed,
 * because it describes one end only. */
enum ended ended_take(const char *path);

/* The kernel's count of processes that it ended for lack of memory since the machine started. Without a service
 * manager this is the only trace of such an end. Zeroed where the kernel does not say (in a sandbox). */
struct oom_kills {
	char boot_id[40];
	uint64_t n;
};
struct oom_kills oom_kills_now(void);
/* Whether the kernel ended one more process since @before. False also when one of the counts is unknown, or is of
 * another start of the machine. */
bool oom_kills_since(const struct oom_kills *before, const struct oom_kills *now);

#endif

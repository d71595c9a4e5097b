/* What the halves of child_run share: the process that starts a program, and the one that waits for it. */
#ifndef DAEMON_FETCH_CHILD_INTERNAL_H
#define DAEMON_FETCH_CHILD_INTERNAL_H

#include "daemon/fetch/child.h"

#include <sys/types.h>

/* What a report means, which the waiting process sends through a pipe. */
enum child_stage {
	CHILD_ENDED,    /* the program ended; the value is its status as child_run returns it */
	CHILD_NOT_BEGUN /* the program could not be started; the value is an errno */
};

struct child_report {
	int stage; /* enum child_stage */
	int value;
};

/* All data that the new processes need: they must not allocate memory. */
struct child_start {
	const char *path;
	char *const *argv;
	char *const *environment;
	const char *home;
	int in, out, errors; /* ends of pipes, with numbers above the standard descriptors */
	int report;          /* receives a struct child_report; close-on-exec */
	pid_t parent;
	uint64_t file_bytes_max;
	uint64_t seconds; /* processor time for each process */
	bool offline;
};

/* Be the waiting process, just after the fork and with all signals blocked: run the program, wait for it, kill what
 * is left of it, and report. SIGTERM, which also follows the end of @s->parent, kills the program. */
_Noreturn void child_watch(const struct child_start *s);

/* Forbid sockets for this process and all that it starts. Returns 0 or a negated errno: ENOSYS, this machine cannot
 * do it. */
CHECKED int child_go_offline(void);

#endif

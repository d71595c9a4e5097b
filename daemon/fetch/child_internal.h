/* What the halves of child_run share: the process that starts a program, and the one that waits for it. */
#ifndef DAEMON_FETCH_CHILD_INTERNAL_H
#define DAEMON_FETCH_CHILD_INTERNAL_H

#include "daemon/fetch/child.h"

#include <sys/types.h>

/* How it went, as it goes through a pipe. */
enum child_stage {
	CHILD_ENDED,    /* with a status as child_run returns it */
	CHILD_NOT_BEGUN /* the errno of what its process asked for in vain */
};

struct child_report {
	int stage; /* enum child_stage */
	int value;
};

/* All that the new processes need: they may not allocate. */
struct child_start {
	const char *path;
	char *const *argv;
	char *const *environment;
	const char *home;
	int in, out, errors; /* ends of pipes, all above the standard ones */
	int report;          /* where a struct child_report goes; close-on-exec */
	pid_t parent;
	uint64_t file_bytes_max;
	uint64_t seconds; /* of the processor, for each process */
	bool offline;
};

/* The middle process, which was just forked, with all signals blocked: it runs the program, waits for it, kills what is
 * left of it, and reports. SIGTERM, also from the end of @s->parent, kills the program. */
_Noreturn void child_watch(const struct child_start *s);

/* No sockets from now on, for this process and what it starts. Returns 0 or a negated errno: ENOSYS, not on this
 * machine. */
CHECKED int child_go_offline(void);

#endif

/* Running another program to its end, and temporary folders for it. */
#ifndef DAEMON_COMPARE_RUN_COMMAND_H
#define DAEMON_COMPARE_RUN_COMMAND_H

#include "base/buf.h"

enum run_flags {
	RUN_MERGE_STDERR = 1, /* its standard error goes where its output goes; else it is the caller's */
	RUN_STDIN = 2,        /* it reads the caller's standard input; else it has none */
};

/* Run argv[0], found by PATH, without a shell; append its output to @out. Returns its exit status (128 and the number
 * of a signal that killed it), or negative: ENOENT when there is no such program, E2BIG when the output passes the
 * buffer's ceiling, … */
CHECKED int run_command(const char *const *argv, unsigned flags, struct buf *out, struct err *err);

bool command_exists(const char *name); /* as an executable in PATH */

/* A new folder "PREFIX-<digits>" in $TMPDIR or /tmp, for its owner only; free() the name. */
CHECKED int temporary_folder(const char *prefix, char **ret, struct err *err);
/* Remove a folder and all below it, without following links. What cannot be removed stays. */
void remove_tree(const char *path);

#endif

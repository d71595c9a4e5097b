/* Runs another program until it ends. */
#ifndef DAEMON_COMPARE_RUN_COMMAND_H
#define DAEMON_COMPARE_RUN_COMMAND_H

#include "base/buf.h"

enum run_flags {
	/* the program's standard error goes where its output goes; otherwise it is the caller's */
	RUN_MERGE_STDERR = 1,
	RUN_STDIN = 2, /* the program reads the caller's standard input; otherwise it has none */
};

/* Run argv[0], found by PATH, without a shell; append its output to @out. Returns its exit status (128 and the number
 * of a signal that killed it), or negative: ENOENT when there is no such program, E2BIG when the output passes the
 * buffer's ceiling, … */
CHECKED int run_command(const char *const *argv, unsigned flags, struct buf *out, struct err *err);

bool command_exists(const char *name); /* Whether PATH has an executable of that name. */

#endif

/* Runs a program for a source: without a shell or a terminal, with an environment of exactly the named variables, a
 * deadline, and limits for memory, files and output. */
#ifndef DAEMON_FETCH_CHILD_H
#define DAEMON_FETCH_CHILD_H

#include "base/buf.h"

#define CHILD_WORDS_MAX 64
#define CHILD_ERRORS_MAX ((size_t)16 << 10)

struct child_options {
	const char *const *argv; /* argv[0] is looked up in /usr/bin, /bin and /usr/local/bin only */
	const char *const
		*environment;    /* "NAME=value", NULL at the end; PATH, LC_ALL=C.UTF-8 and HOME=@home are added */
	const char *home;        /* the child's home and working directory */
	str input;               /* the content of its standard input */
	uint64_t deadline_ns;    /* CLOCK_MONOTONIC; at this time the program and its descendants are killed */
	uint64_t file_bytes_max; /* limit for each file that it writes */
	bool offline;            /* the child cannot make sockets: for programs that verify */
};

/* Run a program until it ends. Its output is appended to @out, and the end of its standard error to @errors
 * (CHILD_ERRORS_MAX bytes at most, foreign text). Returns its exit status, 128 and the number of a signal that ended
 * it, or negative: ENOEXEC, there is no such program; E2BIG, more output than @out may hold; ETIMEDOUT; … Processes
 * that it started and left behind are killed in any case, also when this process is killed. */
CHECKED int child_run(const struct child_options *o, struct buf *out, struct buf *errors, struct err *err);

#endif

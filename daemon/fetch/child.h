/* Running a program for a source: no shell, an environment of exactly what is named, no terminal, a deadline, and
 * ceilings for memory, files and output. */
#ifndef DAEMON_FETCH_CHILD_H
#define DAEMON_FETCH_CHILD_H

#include "base/buf.h"

#define CHILD_WORDS_MAX 64
#define CHILD_ERRORS_MAX ((size_t)16 << 10)

struct child_options {
	const char *const *argv; /* argv[0] is found in /usr/bin, /bin and /usr/local/bin only */
	const char *const
		*environment;    /* "NAME=value", NULL at the end; PATH, LC_ALL=C.UTF-8 and HOME=@home are added */
	const char *home;        /* its working directory too */
	str input;               /* for its standard input */
	uint64_t deadline_ns;    /* CLOCK_MONOTONIC: then it and what it started are killed */
	uint64_t file_bytes_max; /* of any file that it writes */
	bool offline;            /* it can make no socket: for what verifies */
};

/* Run it to its end: its output is appended to @out, and the end of what it wrote to its standard error is in @errors
 * (CHILD_ERRORS_MAX bytes at most, foreign text). Returns its exit status, 128 and the number of a signal that ended
 * it, or negative: ENOEXEC, there is no such program; E2BIG, more output than @out may hold; ETIMEDOUT; … What it
 * started and left behind is killed in any case, also when this process is. */
CHECKED int child_run(const struct child_options *o, struct buf *out, struct buf *errors, struct err *err);

#endif

/* Reading a recording: a line at a time, of which nothing is believed. */
#ifndef DAEMON_RECORDING_READER_H
#define DAEMON_RECORDING_READER_H

#include "base/key.h"
#include "base/limits.h"
#include "value/doc.h"

#include <stdio.h>

struct reader;

/* One line. Everything is borrowed until the next one. */
struct recording_line {
	val root;     /* without "object" and "managedFields" */
	str event;    /* "state" */
	uint64_t ns;  /* when it was said, steady; never 0 */
	int64_t usec; /* the same as Unix time */
	str object;   /* as JSON text; {NULL, 0}: it has none */
	str managed;  /* of its managedFields, likewise */
};

/* Reads @from, which stays the caller's. NULL without memory. */
struct reader *reader_new(FILE *from);
void reader_free(struct reader *r);
DEFINE_CLEANUP(struct reader *, reader_free)

/* 1: a line. 0: the end. Fails: EBADMSG and E2BIG with the number of the line, also for a last one that was cut short;
 * EIO; ENOMEM. */
CHECKED int reader_next(struct reader *r, struct recording_line *ret, struct err *err);
uint64_t reader_lines(const struct reader *r);

/* A member that is a whole number of no sign; 0 when it is none. */
uint64_t line_number(const struct recording_line *l, str name);
bool line_bool(const struct recording_line *l, str name);

#endif

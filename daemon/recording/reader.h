/* Reads a recording line by line. Its content is not trusted. */
#ifndef DAEMON_RECORDING_READER_H
#define DAEMON_RECORDING_READER_H

#include "base/key.h"
#include "base/limits.h"
#include "value/doc.h"

#include <stdio.h>

struct reader;

/* One line. All texts are borrowed until the next line is read. */
struct recording_line {
	val root;     /* without "object" and "managedFields" */
	str event;    /* the kind of line, such as "state" */
	uint64_t ns;  /* when it was recorded, by a steady clock; never 0 */
	int64_t usec; /* when it was recorded, in Unix time */
	str object;   /* the object as JSON text; {NULL, 0}: the line has none */
	str managed;  /* the managedFields of the object, likewise */
};

/* Make a reader of @from, which stays the caller's. NULL without memory. */
struct reader *reader_new(FILE *from);
void reader_free(struct reader *r);
DEFINE_CLEANUP(struct reader *, reader_free)

/* Read the next line. 1: there is one; 0: the end. Fails: EBADMSG and E2BIG with the number of the line, also for a
 * last one that was cut short; EIO; ENOMEM. */
CHECKED int reader_next(struct reader *r, struct recording_line *ret, struct err *err);
uint64_t reader_lines(const struct reader *r);

/* The member @name if it is an integer without a sign; otherwise 0. */
uint64_t line_number(const struct recording_line *l, str name);
bool line_bool(const struct recording_line *l, str name);

#endif

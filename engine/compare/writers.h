/* Who wrote, and when: a digest of metadata.managedFields without the sets of fields, kept of each object for the day
 * on which a field of it goes. Nobody owns what is gone; but who wrote in the moment in which it went has an entry
 * whose time moved, unless nothing but the removal was written: an update that only removes leaves no trace.
 * https://kubernetes.io/docs/reference/using-api/server-side-apply/#field-management
 *
 * What the digest holds, how it is made and how two are compared stands in writers.c and nowhere else. */
#ifndef COMPARE_WRITERS_H
#define COMPARE_WRITERS_H

#include "base/buf.h"
#include "compare/blame.h"

/* Append to @out the list of @managed, the text of managedFields as a server sent it (unchecked): of each entry its
 * manager, operation, subresource and time, as far as they are texts. Nothing where it is no list of objects. */
void writers_write(str managed, struct buf *out);
/* As writers_write, for a text that begins at @p and ends before @end. Returns the place behind its closing bracket;
 * NULL, with nothing appended, when it is no such list. */
const char *writers_read(const char *p, const char *end, struct buf *out);

/* How many writers there are to choose from. */
enum writers_found {
	WRITERS_NONE,
	WRITERS_ONE, /* it is the one */
	WRITERS_SEVERAL,
};

/* Who wrote from @before, a digest, to @now, a later digest or managedFields of the same object: the entries whose time
 * moved or that are new. *ret is the latest of them, untouched when there is none. Each comparison of two entries takes
 * from *steps; without any left there is none. */
enum writers_found writers_between(val before, val now, uint64_t *steps, struct blame *ret);
/* Who wrote after @time (RFC 3339, UTC, in seconds; "": ever), likewise. */
enum writers_found writers_after(val now, str time, uint64_t *steps, struct blame *ret);

#endif

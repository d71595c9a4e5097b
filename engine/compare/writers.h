/* Who wrote, and when: a digest of metadata.managedFields without the sets of fields. It is kept for each object, to
 * find out who removed a field. Nobody owns a field that is gone, but the one who removed it has an entry with a new
 * time, unless nothing else was written: an update that only removes leaves no trace.
 * https://kubernetes.io/docs/reference/using-api/server-side-apply/#field-management
 *
 * Only writers.c knows what the digest contains, how it is made and how two digests are compared. */
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

/* How many writers may have made a change. */
enum writers_found {
	WRITERS_NONE,
	WRITERS_ONE, /* exactly one writer was found */
	WRITERS_SEVERAL,
};

/* Find who wrote between @before, a digest, and @now, a later digest or managedFields of the same object: the
 * entries that are new or whose time changed. *ret is the latest of them, untouched when there is none. Each
 * comparison of two entries takes from *steps; when none are left, no entry is found. */
enum writers_found writers_between(val before, val now, uint64_t *steps, struct blame *ret);
/* Find who wrote after @time (RFC 3339, UTC, in seconds; "": ever), as writers_between does. */
enum writers_found writers_after(val now, str time, uint64_t *steps, struct blame *ret);

#endif

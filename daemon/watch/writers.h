/* Who wrote, and when: metadata.managedFields without the sets of fields, for blame when a field has gone. */
#ifndef DAEMON_WATCH_WRITERS_H
#define DAEMON_WATCH_WRITERS_H

#include "base/buf.h"

/* Append to @out the list of @managed, the text of managedFields as a server sent it (unchecked): of each entry its
 * manager, operation, subresource and time, as far as they are texts. Nothing where it is no list of objects. */
void writers_write(str managed, struct buf *out);
/* The same of a text that begins at @p and ends before @end: behind its closing bracket. NULL, and nothing appended:
 * it is no such list. */
const char *writers_read(const char *p, const char *end, struct buf *out);

#endif

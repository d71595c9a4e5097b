/* What a dry run of a reload found out (docs/api.md). */
#ifndef DAEMON_API_REHEARSAL_DOC_H
#define DAEMON_API_REHEARSAL_DOC_H

#include "daemon/watch/rehearsal.h"

/* Append it as one JSON document. @trusted: with messages, which quote values. */
void rehearsal_doc(const struct rehearsal_result *result, bool trusted, struct buf *out);

#endif

/* What a dry run of a reload found out (docs/api.md). */
#ifndef DAEMON_API_REHEARSAL_DOC_H
#define DAEMON_API_REHEARSAL_DOC_H

#include "daemon/watch/rehearsal.h"

/* Append it as one JSON document, with messages, which quote values: for who is trusted. */
void rehearsal_doc(const struct rehearsal_result *result, struct buf *out);

#endif

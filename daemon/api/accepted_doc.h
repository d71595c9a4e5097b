/* Accepted deviations as JSON. docs/api.md has the members. */
#ifndef DAEMON_API_ACCEPTED_DOC_H
#define DAEMON_API_ACCEPTED_DOC_H

#include "daemon/watch/reference/acceptances.h"

/* One as a document of its own. */
void accepted_doc(const struct accepted *x, struct buf *out);
/* All of them, with what each holds (accepted_count_held). */
void accepted_list_doc(const struct acceptances *s, struct buf *out);

#endif

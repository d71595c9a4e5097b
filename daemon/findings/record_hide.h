/* The last look at a record: a server may have put into it what driftd proves itself with. */
#ifndef DAEMON_FINDINGS_RECORD_HIDE_H
#define DAEMON_FINDINGS_RECORD_HIDE_H

#include "daemon/findings/record.h"

/* Returns @r if it has no credential of ours (mask/credentials.h); otherwise @space, a copy of it with "***" in
 * place of each credential, without what does not fit into memory. The fields that say which object the record is
 * about stay as they are: cluster, kind, namespace and name. @space borrows from @r; record_done is due in any case. */
const struct record *record_hide(const struct record *r, struct record *space);

#endif

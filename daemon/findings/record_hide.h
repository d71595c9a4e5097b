/* The last look at a record: a server may have put into it what driftd proves itself with. */
#ifndef DAEMON_FINDINGS_RECORD_HIDE_H
#define DAEMON_FINDINGS_RECORD_HIDE_H

#include "daemon/findings/record.h"

/* @r where it holds no credential of ours (mask/credentials.h); else *space, which is it with "***" for each,
 * and what does not fit into memory left out. What says which object it is about stays: cluster, kind, namespace and
 * name. @space borrows from @r; record_done is due in any case. */
const struct record *record_hide(const struct record *r, struct record *space);

#endif

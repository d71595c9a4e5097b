/* What PREFIX/leader and PREFIX/last say: "CLAIM NAME", the id of the claim by which a host leads, and its name. A
 * restored etcd counts its revisions again, so that two claims may have the same revision. */
#ifndef DAEMON_LEADER_ETCD_HOLDER_H
#define DAEMON_LEADER_ETCD_HOLDER_H

#include "base/buf.h"
#include "daemon/findings/record.h"
#include "daemon/leader/leader.h"

/* Append the value that says that the host @name leads by @claim. */
void holder_write(const char *claim, const char *name, struct buf *out);
/* Read the name in @value, in a form that is safe to show; "?" where it has none. */
void holder_name(str value, char ret[ELECTION_NAME_SIZE]);
/* Whether @value says that its host leads by @claim; "" stands for no claim. */
bool holder_is(str value, const char claim[RECORD_ID_SIZE]);

#endif

/* Which shard a finding belongs to: the one that owns the object it is about. */
#ifndef DAEMON_FINDINGS_FINDING_OWNER_H
#define DAEMON_FINDINGS_FINDING_OWNER_H

#include "base/buf.h"
#include "base/shard.h"
#include "daemon/findings/finding.h"
#include "daemon/findings/record.h"

/* Append the name by which shard_of knows the owner: the uid of the object; of a component of a reference, accepted or
 * not, "CLUSTER\x1fREFERENCE\x1fPART\x1fCOMPONENT"; nothing of what is about neither, which is shard 0's. */
void finding_owner_name(enum finding_kind kind, const struct finding_subject *s, struct buf *out);

/* Whether it is @shard's. Without memory for a component's name it is. */
bool finding_is_of_shard(const struct finding_subject *s, enum finding_kind kind, struct shard shard);

/* What the record is about, as far as finding_owner_name looks at it; texts of @r. False: it is about no finding. */
bool finding_of_record(const struct record *r, enum finding_kind *kind, struct finding_subject *ret);

/* The same of a record of a finding. One that is about none is shard 0's. */
bool record_is_of_shard(const struct record *r, struct shard shard);

#endif

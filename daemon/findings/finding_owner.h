/* Whose a finding is, where several processes share what they watch (base/shard.h): of an object by its uid, of all
 * else by its names. What a process cannot do is its own. */
#ifndef DAEMON_FINDINGS_FINDING_OWNER_H
#define DAEMON_FINDINGS_FINDING_OWNER_H

#include "base/shard.h"
#include "daemon/findings/finding.h"

/* An object without a uid, which no server has, goes by its names. */
bool object_is_own(struct shard s, str uid, str namespace, str name);
/* The component that @x names with cluster, reference, part and component. */
bool component_is_own(struct shard s, const struct finding_subject *x);
/* That the rule which @x names does not compile. */
bool rule_is_own(struct shard s, const struct finding_subject *x);

/* One of an earlier life, perhaps of another number of processes: what was one's own then belongs to whoever has its
 * ordinal, or to the first. */
bool finding_is_own(struct shard s, const struct finding *x);

#endif

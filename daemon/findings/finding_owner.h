/* The owner of a finding where several processes share what they watch (base/shard.h): for an object its uid decides,
 * for everything else the names. A finding about what a process cannot do belongs to that process. */
#ifndef DAEMON_FINDINGS_FINDING_OWNER_H
#define DAEMON_FINDINGS_FINDING_OWNER_H

#include "base/buf.h"
#include "base/shard.h"
#include "daemon/findings/finding.h"
#include "daemon/findings/record.h"

/* Whether this process owns the object. An object without a uid, which no server has, goes by its names. */
bool object_is_own(struct shard s, str uid, str namespace, str name);
/* Whether this process owns the component that @x names by cluster, reference, part and component. */
bool component_is_own(struct shard s, const struct finding_subject *x);
/* Whether this process owns the finding that the rule of @x does not compile. */
bool rule_is_own(struct shard s, const struct finding_subject *x);

/* Whether this process owns a finding of an earlier process, perhaps of another number of shards. A finding that
 * belonged to a process goes to the shard with its ordinal, or to the first one. */
bool finding_is_own(struct shard s, enum finding_kind kind, const struct finding_subject *x);
/* Whether the finding is of a single process: a gap, or a rule that costs its own objects too much. Its subject names
 * the process; one that takes the finding over puts its own name there. */
bool finding_is_of_process(enum finding_kind kind, const struct finding_subject *x);
/* Append the text by which shard_of knows the owner of the finding; nothing for a finding of a single process. */
void finding_owner_name(enum finding_kind kind, const struct finding_subject *x, struct buf *out);

/* What the record is about; texts of @r. False: it is about no finding. */
bool finding_of_record(const struct record *r, enum finding_kind *kind, struct finding_subject *ret);
/* As finding_is_own, for a record. A record that is about no finding belongs to the first process. */
bool record_is_own(struct shard s, const struct record *r);

#endif

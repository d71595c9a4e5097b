/* What the files of the set of findings share.
 *
 *   findings.c   what is open, and the records of what becomes of it
 *   adoption.c   another driftd's in its place
 */
#ifndef DAEMON_FINDINGS_FINDINGS_INTERNAL_H
#define DAEMON_FINDINGS_FINDINGS_INTERNAL_H

#include "base/strmap.h"
#include "base/vec.h"
#include "daemon/findings/finding_record.h"
#include "daemon/findings/findings.h"
#include "daemon/findings/rule_counts.h"

struct old_key {
	unsigned char bytes[FINDINGS_KEY_SIZE];
};

struct findings {
	struct sink *sink;
	struct strmap by_key;     /* -> struct finding */
	struct strmap dormant;    /* -> struct finding: it flaps, and may be open again soon */
	struct strmap by_cluster; /* -> struct finding_counters */
	struct flapping flapping;
	struct rule_counts rule_counts;
	struct buf key; /* scratch: subject_key */
	struct record_terms terms;
	unsigned char hash_key[FINDINGS_KEY_SIZE];
	VEC(struct old_key) old_keys;
};

/* The open one; NULL: there is none. */
struct finding *findings_lookup(struct findings *f, enum finding_kind kind, const struct finding_subject *s);
/* Of @cluster, zeroed when it had none yet. NULL without memory. */
struct finding_counters *findings_counters_of(struct findings *f, str cluster);
/* Whether @x is as its judge saw it last: findings_sweep ends it else. */
void finding_set_confirmed(struct finding *x, bool confirmed);

#endif

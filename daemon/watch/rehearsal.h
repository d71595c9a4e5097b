/* What another configuration would say, found out from what is known now: each cluster that it changes is judged once
 * more, beside the one that runs, over the objects that this one knows. No server is asked, nothing is reported or
 * stored.
 *
 *   running cluster's objects --> feed --> cluster of the next configuration --> findings of its own, which begin as
 *   those that are open --> what begins, changes, ends
 *
 * Objects of kinds that are not watched now are not known, and nothing is said of them. Where several processes share a
 * cluster, each keeps of what others report only what it needs now: nothing is said of components that need more. */
#ifndef DAEMON_WATCH_REHEARSAL_H
#define DAEMON_WATCH_REHEARSAL_H

#include "base/vec.h"
#include "daemon/watch/cluster/cluster.h"

#define REHEARSED_MAX 200 /* reported one by one; all are counted */

struct rehearsed {
	enum transition transition;
	enum severity severity;
	str message;              /* the message of the record that would be written */
	char id[FINDING_ID_SIZE]; /* the id of the finding; "": the finding begins and has no id yet */
	enum finding_kind kind;
	struct finding_subject subject;
};

/* What a rehearsal has found. It is valid during the call that delivers it. */
struct rehearsal_result {
	size_t n[TRANSITIONS]; /* the number of transitions of each sort; those of gaps are not counted */
	VEC(struct rehearsed) first;
	VEC(str) unknown; /* what nothing could be found out about: "cluster prod: deployments.apps", "cluster test" */
	/* false: the rehearsal took too long or memory was short, so that there may be more transitions */
	bool complete;
};

struct rehearsal_options {
	uv_loop_t *loop;
	struct cluster *const *clusters; /* the running clusters, each with its configuration of today */
	size_t n_clusters;
	struct findings *findings;             /* the findings that are open now */
	const struct acceptances *acceptances; /* the acceptances that are in force now; NULL: there are none */
	const struct watch_inspector_maker
		*inspection; /* the inspection rules of today, which inspect without effects; NULL: there are none */
	struct key_table *keys;
	const struct limits *limits;
	/* today's configuration, so that a finding whose names change stays the same finding; NULL: nothing is
	 * renamed */
	const struct cfg *now;
	struct cfg *next;
	struct shard shard;   /* the shard of the clusters that run */
	uint64_t patience_ns; /* how long the rehearsal may last; what it has found by then is its result */
	/* Called once from the loop when the rehearsal is over, unless it was closed before. */
	void (*done)(void *ctx, const struct rehearsal_result *result);
	void *ctx;
};

struct rehearsal;

/* Begin a rehearsal. It reads the running clusters during this call only; the findings have to outlive it. The rest
 * is done on the loop in slices of some milliseconds. Fails: ENOMEM. */
CHECKED int rehearsal_new(const struct rehearsal_options *o, struct rehearsal **ret, struct err *err);
/* End the rehearsal without a result, because nobody waits for it any more. The memory is freed on the loop. NULL is
 * fine. */
void rehearsal_close(struct rehearsal *r);

#endif

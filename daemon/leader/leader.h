/* Two hosts for one cluster: both watch, one reports. A thread of its own renews the lease; the writer's agrees with
 * etcd on each batch before it reports.
 *
 *   PREFIX/leader         who reports: bound to its lease; its revision is the term
 *   PREFIX/last           who did last, whatever became of its lease
 *   PREFIX/known          what was reported is known: without it these findings say nothing
 *   PREFIX/key            what identifies keys of states without revealing them
 *   PREFIX/hash_key       the key itself, where the hosts agree on it (for all shards one, without /shards/N/M):
 * whoever can read it can find out by trial what the hashes of findings are of PREFIX/findings/ID    what was reported
 * of each open finding, as finding_to_json has it PREFIX/made/accepted/ID  what users accepted at run time (made.h),
 *   PREFIX/made/rules/UUID   and their inspection rules; in the order in which they were created
 *   PREFIX/made/known     that these are all; whoever follows reads them again when it has changed
 *   PREFIX/step           what was carried out last of that: what a member has kept back until then comes too late
 *                         (and it never goes back, unless etcd was put back to what it was before)
 *   PREFIX/batch          the records of the last batch, which perhaps was not reported; none: it was
 *
 * Whoever takes over goes on from these findings as after a restart, and reports the batch again under the same ids,
 * with DRIFTD_RESENT=1. No value of an object is there that is not in the journal, and nothing is written to a cluster.
 */
#ifndef DAEMON_LEADER_LEADER_H
#define DAEMON_LEADER_LEADER_H

#include "base/shard.h"
#include "daemon/findings/findings.h"
#include "daemon/store/agreement.h"
#include "daemon/store/made.h"

#define ELECTION_NAME_SIZE 128

enum election_state { ELECTION_FOLLOWS, ELECTION_UNSURE, ELECTION_LEADS };

/* "follows", "unsure", "leads" */
const char *election_state_name(enum election_state s);

struct leader_options {
	const struct cfg_leader *from; /* outlives it */
	struct shard shard;            /* the shard whose leader is elected: PREFIX becomes PREFIX/shards/0/2 */
	/* no administrator gives the hosts a key: they agree on the key of the host that leads first */
	bool shares_key;
	const char *
		own_step_path; /* the file in which it keeps what it put into etcd last (etcd/own_step.h); NULL: none */
	void (*changed)(void *ctx); /* called on the leader's thread: leader_status or leader_take_loaded have news */
	void *ctx;
};

/* What a new leader, or a host that follows, has to know. */
struct leader_loaded {
	bool follows; /* the host follows, and only @made counts: users have changed it on another host */
	int64_t term;
	uint64_t generation;
	bool resumes;   /* the leader goes on where it was, and needs to know nothing */
	bool publishes; /* etcd has nothing: what this host knows is published */
	struct arena arena;
	VEC(str) states; /* finding_to_json */
	str batch;       /* records that may not have been sent: leader_batch_next */
	/* etcd has what users made at run time; otherwise what this host has is published */
	bool made_known;
	VEC(struct made_item) made; /* rules in their order */
};

void leader_loaded_free(struct leader_loaded *x); /* NULL is fine */
/* leader_batch_add: append a record to a batch. leader_batch_next: take the next one from *batch; 0: there is none.
 * Fails: EBADMSG. */
void leader_batch_add(struct buf *batch, str record);
CHECKED int leader_batch_next(str *batch, str *record, struct err *err);

struct leader_status {
	enum election_state state;
	bool reports; /* this host reports, and its lease is valid */
	char name[ELECTION_NAME_SIZE], holder[ELECTION_NAME_SIZE];
	int64_t term;
	uint64_t transitions, request_failures;
	int64_t renewal_age_ns; /* the time since the last renewal of the lease; -1: there was none */
	struct err error;       /* why */
};

/* The base of each kind of leader. Code that has one need not know where hosts agree, so that a build can leave etcd
 * out. */
struct leader {
	const struct leader_ops *ops;
	struct writer_agreement agreement; /* for the writer; valid as long as the leader */
};

struct leader_ops {
	int (*start)(struct leader *l, struct err *err);
	void (*stop)(struct leader *l);
	struct leader_loaded *(*take_loaded)(struct leader *l);
	void (*open)(struct leader *l, const struct leader_loaded *x);
	void (*status)(struct leader *l, struct leader_status *ret);
	void (*set_key)(struct leader *l, const unsigned char key[FINDINGS_KEY_SIZE]);
	void (*key)(struct leader *l, unsigned char ret[FINDINGS_KEY_SIZE]);
};

/* Make a leader that agrees with other hosts over etcd (daemon/leader/etcd). Fails: ENOMEM. */
CHECKED int leader_over_etcd(const struct leader_options *o, struct leader **ret, struct err *err);

/* Fails: EAGAIN. */
CHECKED static inline int leader_start(struct leader *l, struct err *err)
{
	return l->ops->start(l, err);
}

/* Give the lease back, so that another host need not wait for its end. Called when nothing is reported any more;
 * takes some seconds at most. NULL is fine. */
static inline void leader_stop(struct leader *l)
{
	if (l)
		l->ops->stop(l);
}

/* Take what was loaded; the caller owns it. Called on another thread than the leader's. NULL: nothing new. */
static inline struct leader_loaded *leader_take_loaded(struct leader *l)
{
	return l->ops->take_loaded(l);
}

/* The host knows everything that was loaded, @x: it reports from now on, during the term of @x, unless @x is
 * outdated. */
static inline void leader_open(struct leader *l, const struct leader_loaded *x)
{
	l->ops->open(l, x);
}

/* The key by which this host recognises values, before leader_start. */
static inline void leader_set_key(struct leader *l, const unsigned char key[FINDINGS_KEY_SIZE])
{
	l->ops->set_key(l, key);
}

/* The key by which the hosts recognise values, as far as is known: the host's own, until it knows better. What is
 * loaded was reported under it. In any thread. */
static inline void leader_key(struct leader *l, unsigned char ret[FINDINGS_KEY_SIZE])
{
	l->ops->key(l, ret);
}

/* In any thread. */
static inline void leader_status(struct leader *l, struct leader_status *ret)
{
	l->ops->status(l, ret);
}

#endif

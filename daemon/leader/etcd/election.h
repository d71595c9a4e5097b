/* The election of the host that reports: whoever holds a key in etcd, which lives as long as its holder's lease.
 *
 *                 the key is free, for long enough: claim
 *   FOLLOWS ------------------------------------------------> LEADS --.
 *    ^   ^                                                     |      | renewed in time
 *    |   '-- another one has it ------- UNSURE <---------------' <----'
 *    |                                   |  ^    not renewed in time, or the lease is gone
 *    '----------- lost the race ---------'  '-- etcd cannot be reached
 *                                        '--> LEADS: the key was still its own, or nobody led meanwhile (resumes)
 *
 * It reports only until its deadline, which is two thirds of the lease after the last request for it that was granted
 * was sent: etcd gives the lease to nobody before the whole of it has passed. The clock counts while the machine
 * sleeps, and whoever is stopped looks at it before each batch; besides, each batch is a transaction that etcd carries
 * out only for whoever holds the key (its revision is the term, the fencing token).
 *
 * An etcd that was put back to what it was before is wrong about who leads, and about what was reported. Whoever led
 * last (UNSURE) waits for the end of what holds the key there, and makes etcd forget the rest when it claims; others
 * leave it the time, as with an etcd that has lost all.
 *
 * What leads to a decision is asked of the functions of struct election_ops, so that a test can be all of them. One
 * thread at a time, but for election_may_report. */
#ifndef DAEMON_LEADER_ETCD_ELECTION_H
#define DAEMON_LEADER_ETCD_ELECTION_H

#include "daemon/leader/leader.h"

#include <stdatomic.h>
#include <stdbool.h>

/* What etcd has. */
struct election_record {
	/* @has_holder: somebody holds the key. @own: this host does, by a claim that it knows of. @former: by a claim
	 * of the process before this one, whose lease nobody can renew */
	bool has_holder, own, former;
	bool known;                      /* etcd has what was reported */
	bool led_last;                   /* no host has claimed the key since this host did and knew of it */
	bool older;                      /* etcd is older than at an earlier look, because it was restored */
	char holder[ELECTION_NAME_SIZE]; /* the holder's name; "": nobody holds it */
};

struct election_claim {
	int64_t term; /* 0: another host was faster */
	bool led_last, known;
};

/* Requests to etcd. Each fails as etcd.h says. keep also fails with ENOENT: the lease is gone; and with ESTALE: etcd
 * was restored, as above. */
struct election_ops {
	uint64_t (*now_ns)(void *ctx); /* the time of a clock that never goes back, nor stops */
	int (*look)(void *ctx, struct election_record *ret, struct err *err);
	/* Claim the lease. @anew: forget what etcd has of what was reported. */
	int (*claim)(void *ctx, bool anew, struct election_claim *ret, struct err *err);
	int (*keep)(void *ctx, struct err *err);
	int (*release)(void *ctx, struct err *err); /* leave the key for another host to claim */
};

struct election {
	const struct election_ops *ops;
	void *ctx;
	uint64_t lease_ns, retry_ns;
	enum election_state state;
	int64_t term;                    /* the term of the last successful claim; 0: there was none */
	int64_t led_term;                /* the last term in which this host led */
	bool resumes;                    /* this host goes on where it was, because nobody led meanwhile */
	bool published;                  /* etcd has what the predecessor reported; otherwise it has nothing */
	bool knows_another;              /* another host led during the life of this process */
	char holder[ELECTION_NAME_SIZE]; /* who leads, as far as is known */
	uint64_t free_since_ns;          /* since when the key is seen to be free; 0: it is not */
	uint64_t older_since_ns;         /* since when etcd is older and nobody leads; 0: it is not */
	uint64_t renewed_ns;             /* when the last granted request was sent; 0: never */
	uint64_t next_renewal_ns;
	uint64_t transitions;         /* leaderships that began or ended */
	struct err error;             /* the error of the last try; code 0: it succeeded */
	_Atomic uint64_t deadline_ns; /* until when this host may report; 0: it may not */
};

void election_init(struct election *e, const struct election_ops *ops, void *ctx, uint64_t lease_ns);
/* Say before the first step that this host led last, as far as it knows from before it was restarted. */
void election_led_before(struct election *e);
/* Make one step. Returns in how many nanoseconds the next one is due. */
uint64_t election_step(struct election *e);
/* etcd refused a transaction of this term, because another host holds the lease. */
void election_refused(struct election *e);
/* In any thread. */
bool election_may_report(const struct election *e, uint64_t now_ns);

#endif

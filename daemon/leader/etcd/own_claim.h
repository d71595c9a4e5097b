/* The claim by which this host led last, and the last revision of PREFIX/step that it saw: by them it recognises its
 * own name in etcd, and an etcd that was restored. Both are kept for another life of the process (own_step.h).
 *
 *   NONE ------ a claim succeeds (own_claim_win) ------> WON <--.
 *    ^                                                  | ^ |   | the next claim succeeds
 *    |   another host has led since (own_claim_lose)    | | '---'
 *    |--------------------------------------------------' |
 *    |                                                    |
 *    '---------- the same ---------- FORMER --------------'
 *                                      ^
 *                                      '-- the process before this one won it (own_claim_open) */
#ifndef DAEMON_LEADER_ETCD_OWN_CLAIM_H
#define DAEMON_LEADER_ETCD_OWN_CLAIM_H

#include "base/str.h"
#include "daemon/findings/record.h"

#include <pthread.h>
#include <stdatomic.h>

struct own_claim {
	/* The two members below are the election's thread's. */
	char won[RECORD_ID_SIZE]; /* the last claim that is known to have succeeded; "": none */
	bool former;              /* an earlier process won that, whose lease nobody can renew */
	/* The last revision of PREFIX/step that this host saw. */
	_Atomic int64_t seen_step;
	pthread_mutex_t lock;         /* protects the members below */
	int file;                     /* descriptor of the file of own_step.h; -1: there is none */
	bool over;                    /* another host has led since, and the file has nothing about the claim */
	char of_term[RECORD_ID_SIZE]; /* the last claim of this process that succeeded; "": none */
};

/* Read the file @path, unless it is NULL. */
void own_claim_open(struct own_claim *x, const char *path);
void own_claim_done(struct own_claim *x);

/* The functions up to own_claim_went_back are for the election's thread. */

/* Whether @value, of PREFIX/leader or PREFIX/last, is of the claim by which this host led last. */
bool own_claim_is(const struct own_claim *x, str value);
void own_claim_win(struct own_claim *x, const char claim[RECORD_ID_SIZE]);
void own_claim_lose(struct own_claim *x);
/* etcd has PREFIX/step of the revision @step (0: it has none), and own_claim_seen was @seen before it was asked. True:
 * etcd was restored. */
bool own_claim_went_back(struct own_claim *x, int64_t seen, int64_t step);

/* The functions below may be called in any thread. */

/* The last revision of PREFIX/step that this host saw. */
int64_t own_claim_seen(const struct own_claim *x);
void own_claim_of_term(struct own_claim *x, char ret[RECORD_ID_SIZE]);
/* Note that this host has made the step with the revision @step. */
void own_claim_made_step(struct own_claim *x, int64_t step);
/* Store @step for another life, unless it is of an earlier claim, with which the writer may still be busy. */
void own_claim_keep_step(struct own_claim *x, const char claim[RECORD_ID_SIZE], int64_t step);

#endif

/* What the files of a cluster share: its state, and the steps from one to the other. */
#ifndef DAEMON_WATCH_CLUSTER_INTERNAL_H
#define DAEMON_WATCH_CLUSTER_INTERNAL_H

#include "daemon/watch/cluster.h"

struct cluster {
	struct cluster_context context;
	struct cfg *cfg;
	const struct cfg_cluster *config; /* of @cfg */
	uint64_t hash;                    /* of all that it was made of; 0: not known */
	struct kubeconfig *kubeconfig;
	struct kc_client *client;
	struct snapshot snapshot;
	struct reference_judge *judges;
	size_t n_judges;
	struct cluster_watch *watches;
	size_t n_watches, max_watches;
	struct cluster_watch *definitions; /* one of them */
	struct rule_judge *rules;
	struct object *first_pending, *last_pending;
	size_t n_pending;
	uint64_t retry_ns; /* when objects that could not be judged are judged again; 0: there are none */
	bool settled;      /* every watch has listed, or failed */
	bool swept;        /* what was not seen again since the start has been ended */
	uint64_t up_since_ns, down_since_ns; /* as cluster_tick saw it; one of them is 0 */
	struct err discovery_problem;
	uint64_t component_cause_ns; /* reception of the event that made components due */
	void (*closed)(void *ctx);
	void *closed_ctx;
};

/* ---- cluster.c ---- */

struct cluster_watch *cluster_watch_of(const struct cluster *c, const struct kind *k); /* NULL: not watched */
struct judge_context cluster_judge_context(struct cluster *c);
/* Ask for the kind of @w, unless that is done already. Fails: what kc_watch_add fails with. */
CHECKED int cluster_begin_watch(struct cluster *c, struct cluster_watch *w, struct err *err);

/* ---- cluster_judge.c ---- */

void cluster_enqueue(struct cluster *c, struct object *o);
void cluster_dequeue(struct cluster *c, struct object *o);
void cluster_enqueue_again(void *ctx, struct object *o); /* @ctx: the cluster */
void cluster_validate_again(void *ctx, struct kind *k);
/* Judge again what could not be judged, when it is time. */
void cluster_retry(struct cluster *c, uint64_t now_ns);

/* ---- cluster_gaps.c ---- */

/* The watch is up: what was said of it is over. */
void cluster_watch_works(struct cluster *c, struct cluster_watch *w);
/* A template whose kind cannot be asked for, because its apiVersion varies. */
CHECKED int cluster_report_unwatchable(struct cluster *c, const struct ref_template *t, struct err *err);

/* ---- cluster_events.c ---- */

extern const struct kc_handler cluster_handler; /* ctx: the struct cluster_watch */
/* It was listed, or will not be for now: waiting for it is over. */
bool cluster_watch_settled(const struct cluster_watch *w);
bool cluster_all_settled(const struct cluster *c);

#endif

/* What the writer agrees on with other hosts (daemon/store/agreement.h), over etcd: findings with their batch, and what
 * users made. */
#ifndef DAEMON_LEADER_ETCD_ETCD_AGREEMENT_H
#define DAEMON_LEADER_ETCD_ETCD_AGREEMENT_H

#include "daemon/leader/etcd/etcd_steps.h"
#include "daemon/leader/etcd/reporting.h"

/* Used by the writer's thread. */
struct etcd_agreement {
	struct etcd_steps steps;
	struct reporting *reporting;
	void (*refused)(void *ctx); /* etcd has refused a transaction: this host does not lead any more */
	void *ctx;
};

/* The functions for the writer. They use @a, which outlives them. */
struct writer_agreement etcd_agreement_over(struct etcd_agreement *a);

#endif

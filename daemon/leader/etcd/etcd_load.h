/* Reads from etcd what the hosts share, page by page, for a host that takes over or follows. Pages that etcd finds too
 * long are asked for with fewer keys. */
#ifndef DAEMON_LEADER_ETCD_ETCD_LOAD_H
#define DAEMON_LEADER_ETCD_ETCD_LOAD_H

#include "daemon/leader/etcd/etcd.h"
#include "daemon/leader/etcd/etcd_keys.h"
#include "daemon/leader/leader.h"

struct etcd_load {
	struct etcd *etcd;
	const struct etcd_keys *keys;
	/* Called after each page, unless a host that follows reads. False: this host does not lead in @term any more.
	 */
	bool (*goes_on)(void *ctx, int64_t term);
	void *ctx;
};

/* An empty state, for leader_loaded_free. NULL without memory. */
struct leader_loaded *etcd_load_new(void);
/* Read everything that was reported, and what users made, into @x, whose term is set. Fails: ECANCELED (this host does
 * not lead any more), EPROTO (etcd gives other keys than those that were asked for); as etcd.h says. */
CHECKED int etcd_load(const struct etcd_load *from, struct leader_loaded *x, struct err *err);
/* Read only what users made. Fails as etcd_load. */
CHECKED int etcd_load_made(const struct etcd_load *from, struct leader_loaded *x, struct err *err);

#endif

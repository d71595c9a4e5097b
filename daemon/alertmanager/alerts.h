/* Open findings as alerts, posted to all Alertmanagers of a configuration.
 *
 * Level-triggered: once a second it is looked whether the findings are others than those that were posted; nothing
 * depends on an event that could be missed. Nothing ends when it is closed: alerts end by themselves 15 minutes after
 * they were posted last, so that a driftd that is away for less ends none. */
#ifndef DAEMON_ALERTMANAGER_ALERTS_H
#define DAEMON_ALERTMANAGER_ALERTS_H

#include "base/shard.h"
#include "config/cfg.h"
#include "daemon/alertmanager/alertmanager_status.h"
#include "kubeclient/kc_pace.h"

struct alerts;
struct findings;
struct sink;

struct alerts_options {
	uv_loop_t *loop;
	struct kc_pace *pace;                /* NULL: one of its own */
	const struct cfg_alertmanager *from; /* copied; it has urls */
	struct findings *findings;           /* these outlive it */
	struct sink *sink;
	struct shard shard;
	bool (*may_post)(void *ctx); /* asked before each request, which waits meanwhile; NULL: always */
	void *ctx;
};

/* Nothing is posted before alerts_tick. Fails: EINVAL, ENOMEM, EIO. */
CHECKED int alerts_new(const struct alerts_options *o, struct alerts **ret, struct err *err);
/* Called about once a second. @reports: this host reports findings, and all of them are known. When that ends, what is
 * under way is dropped. */
void alerts_tick(struct alerts *a, bool reports);
/* The process did not run for a while: all is posted again at once. */
void alerts_hurry(struct alerts *a);
/* Whether @from says the same as what it was made of. */
bool alerts_are_of(const struct alerts *a, const struct cfg_alertmanager *from);
/* One for each Alertmanager, good until the next turn of the loop. */
const struct alertmanager_status *alerts_views(struct alerts *a, size_t *n);
/* Drop what is under way, close each handle, free it, and call @closed (may be NULL) from the loop. */
void alerts_close(struct alerts *a, void (*closed)(void *ctx), void *ctx);

#endif

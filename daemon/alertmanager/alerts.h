/* Posts open findings as alerts to all Alertmanagers of a configuration.
 *
 * It is level-triggered: once a second it compares the findings with the posted alerts, so that nothing depends on
 * an event that could be missed. Closing it ends no alert: alerts end by themselves 15 minutes after they were last
 * posted, so that a driftd that is away for less ends none. */
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
	struct kc_pace *pace;                /* NULL: a pace of its own */
	const struct cfg_alertmanager *from; /* copied; it must have urls */
	struct findings *findings;           /* the findings, the sink: both outlive the alerts */
	struct sink *sink;
	struct shard shard;
	bool (*may_post)(void *ctx); /* asked before each request, which waits if it says no; NULL: always */
	void *ctx;
};

/* Make it. Nothing is posted before alerts_tick. Fails: EINVAL, ENOMEM, EIO. */
CHECKED int alerts_new(const struct alerts_options *o, struct alerts **ret, struct err *err);
/* Call this about once a second. @reports: this host reports findings, and all of them are known. When that becomes
 * false, what is under way is dropped. */
void alerts_tick(struct alerts *a, bool reports);
/* Post all alerts again at once, because the process did not run for a while. */
void alerts_hurry(struct alerts *a);
/* Whether @from equals the configuration from which @a was made. */
bool alerts_are_of(const struct alerts *a, const struct cfg_alertmanager *from);
/* The states of all Alertmanagers, valid until the next turn of the loop. */
const struct alertmanager_status *alerts_views(struct alerts *a, size_t *n);
/* Drop what is under way, close each handle, free it, and call @closed (may be NULL) from the loop. */
void alerts_close(struct alerts *a, void (*closed)(void *ctx), void *ctx);

#endif

/* The cluster that "driftd compare" speaks to: a kubeconfig, and the flags that win over it. */
#ifndef DAEMON_COMPARE_TARGET_H
#define DAEMON_COMPARE_TARGET_H

#include "daemon/compare/options.h"
#include "kubeclient/kubeconfig.h"

/* Not to be moved: @target points into it, and into the options. */
struct compare_target {
	struct kubeconfig *config; /* NULL: flags only */
	struct kube_cluster cluster;
	struct kube_user user;
	struct kube_target target;
	char *server;        /* completed with a scheme; NULL: not needed */
	const char **groups; /* to impersonate, NULL-terminated; NULL: none */
	uint64_t timeout_ms; /* of one list or of discovery; 0: none */
};

/* Fails: as kubeconfig_load and kubeconfig_target; EINVAL for flags that contradict each other. Call
 * compare_target_done in either case. */
CHECKED int compare_target_init(struct compare_target *t, const struct compare_options *o,
				const struct kubeconfig_source *source, struct err *err);
void compare_target_done(struct compare_target *t);

/* As --request-timeout is written: "30" seconds, "1m30s", "0". False: neither. */
bool compare_timeout_parse(const char *text, uint64_t *ret_ms);

#endif

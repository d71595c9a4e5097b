/* The cluster that a command speaks to: a kubeconfig, and the flags that win over it. */
#ifndef DAEMON_LIVE_TARGET_H
#define DAEMON_LIVE_TARGET_H

#include "base/string_list.h"
#include "kubeclient/kubeconfig.h"

/* The flags. NULL or an empty text means that a flag was not given, as scripts pass it. */
struct live_flags {
	char *kubeconfig, *context, *cluster, *user, *server, *token, *as, *as_uid;
	struct string_list as_groups;
	char *certificate_authority, *client_certificate, *client_key, *tls_server_name, *request_timeout;
	bool insecure, disable_compression;
};

/* The target of a command. Do not move it: @target points into it, and into the options. */
struct live_target {
	struct kubeconfig *config; /* NULL: flags only */
	struct kube_cluster cluster;
	struct kube_user user;
	struct kube_target target;
	char *server;        /* completed with a scheme; NULL: not needed */
	const char **groups; /* to impersonate, NULL-terminated; NULL: none */
	uint64_t timeout_ms; /* the time for one list or for discovery; 0: it has no limit */
};

/* Make the target. Fails: as kubeconfig_load and kubeconfig_target; EINVAL for flags that contradict each other.
 * Call live_target_done in either case. */
CHECKED int live_target_init(struct live_target *t, const struct live_flags *f, const struct kubeconfig_source *source,
			     struct err *err);
void live_target_done(struct live_target *t);

/* Parse a time as --request-timeout takes it: "30" seconds, "1m30s", "0". Return false for any other text. */
bool live_timeout_parse(const char *text, uint64_t *ret_ms);

#endif

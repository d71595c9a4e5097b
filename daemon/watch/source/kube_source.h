/* An API server as the source of a cluster's events: the one that the kubeconfig of the configuration names. */
#ifndef DAEMON_WATCH_KUBE_SOURCE_H
#define DAEMON_WATCH_KUBE_SOURCE_H

#include "daemon/watch/source/source.h"

extern const struct source_maker kube_source;

/* Check that the kubeconfig that @config names can be read, says where the cluster is, and names files that can be
 * used. No server is asked. Fails: as kubeconfig_load, kubeconfig_target and kc_client_new. */
CHECKED int kube_source_check(const struct cfg_cluster *config, struct err *err);
/* The kubeconfig that @config names, and the target in it, which borrows from it. Fails: what kubeconfig_load and
 * kubeconfig_target fail with; release *ret in any case. */
CHECKED int kube_source_target(const struct cfg_cluster *config, struct kubeconfig **ret, struct kube_target *target,
			       struct err *err);
/* The hash that a source made now would have; 0: the kubeconfig cannot be used. */
uint64_t kube_source_hash(const struct cfg_cluster *config, uint64_t config_hash);

#endif

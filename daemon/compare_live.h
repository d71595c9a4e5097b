/* The objects of a live cluster for "driftd compare". */
#ifndef DAEMON_COMPARE_LIVE_H
#define DAEMON_COMPARE_LIVE_H

#include "compare_input.h"

struct kc_client;
struct compare_live;

/* Connect as the options and the kubeconfig say. Fails: as kubeconfig_load, kubeconfig_target and kc_client_new. */
CHECKED int compare_live_open(const struct compare_options *o, const struct limits *limits, struct key_table *keys,
			      struct compare_live **ret, struct err *err);
void compare_live_close(struct compare_live *l);
DEFINE_CLEANUP(struct compare_live *, compare_live_close)

/* List one kind into @in; @namespace may be empty. Fails: ENOENT when the cluster does not know the kind; what else
 * kc_list_all fails with. */
CHECKED int compare_live_list(struct compare_live *l, str api_version, str kind, str namespace,
			      struct compare_input *in, struct err *err);

#endif

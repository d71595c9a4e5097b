/* One watched collection, as its owner sees it: what is watched, and what can be asked about it. kc_watch_add of
 * kc_client.h makes one. */
#ifndef KUBECLIENT_KC_WATCH_H
#define KUBECLIENT_KC_WATCH_H

#include "kubeclient/kc_event.h"

/* What to watch. Strings are copied; NULL or empty: not restricted. */
struct kc_watch_spec {
	const char *api_version; /* "apps/v1" */
	const char *kind;        /* "Deployment" */
	const char *namespace;
	const char *name; /* becomes fieldSelector=metadata.name=… */
	const char *label_selector;
	const char *field_selector;
};

/* Stop watching. No callback runs any more, even when called from one; @w is not valid afterwards. NULL is ignored. */
void kc_watch_remove(struct kc_watch *w);

const char *kc_watch_resource(const struct kc_watch *w); /* "deployments.apps"; before discovery by guess */
const struct kc_watch_counters *kc_watch_counters(const struct kc_watch *w);

#endif

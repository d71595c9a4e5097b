/* The probe: asks for the current version of a collection with a list of one object.
 *
 * It is the consistent read beside a watch that proves, with the watch's own answer, that what is known of the
 * collection is so (kc_evidence.h). And it shows a server that was set back:
 *
 * An API server whose etcd was set back to a backup takes a watch from a version that it has not reached, and sends
 * nothing, not even bookmarks, until it has; a restarted server cannot be distinguished from it. So what goes on after
 * a failure is compared with the version that a consistent read gives. */
#ifndef KUBECLIENT_KC_PROBE_H
#define KUBECLIENT_KC_PROBE_H

#include "kubeclient/kc_call.h"
#include "kubeclient/kc_collection.h"

/* The owner fills the first part and keeps what it points to. */
struct kc_probe {
	const struct kc_collection *what;
	/* The answer. */
	void (*done)(void *ctx, str version);
	/* There is none: the request failed, or what came is no list (result->err). */
	void (*failed)(void *ctx, const struct kc_result *result);
	void *ctx;

	struct kc_call call;
};

void kc_probe_init(struct kc_probe *p, struct kc_http *http); /* the second part */
/* Ask, behind all other requests, unless that is under way; no callback runs in here. Without memory nothing happens.
 */
void kc_probe_ask(struct kc_probe *p);
/* End it without a callback. */
void kc_probe_stop(struct kc_probe *p);

#endif

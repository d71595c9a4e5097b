/* The client's state, for those who run its loop, and for tests. */
#ifndef KUBECLIENT_KC_CLIENT_INTERNAL_H
#define KUBECLIENT_KC_CLIENT_INTERNAL_H

#include "kubeclient/kc_client.h"
#include "kubeclient/kc_reflector.h"

struct kc_client {
	uv_loop_t *loop;
	struct kube_target target;
	struct kc_tuning tuning;
	struct limits limits;
	void (*notice)(void *ctx, const struct kc_notice *n);
	void *notice_ctx;
	void (*discovered)(void *ctx);
	void *discovered_ctx;
	struct kc_http http;
	struct kc_discovery discovery;
	struct kc_backoff discovery_backoff;
	struct err discovery_error; /* the error of the last round; code 0: it was good */
	uv_timer_t timer;           /* the next discovery */
	uint64_t discovered_ms;     /* when the last round ended */
	bool discovery_due;         /* a round was asked for while another one was under way */
	bool insecure_reported;
	struct kc_watches watches;
	bool closing;
	bool noticing;   /* a notice that needs no reaction is being handed to the owner */
	unsigned n_open; /* open handles: timers of the client and its watches, the HTTP client */
	void (*closed)(void *ctx);
	void *closed_ctx;
};

#endif

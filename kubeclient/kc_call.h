/* One request that is answered by one small JSON document. */
#ifndef KUBECLIENT_KC_CALL_H
#define KUBECLIENT_KC_CALL_H

#include "kubeclient/kc_http.h"
#include "value/val.h"

/* The owner fills the first part and keeps what it points to. */
struct kc_call {
	struct kc_http *http;
	size_t max; /* bytes of the answer */
	/* Called from the loop at the end. @answer is VAL_ABSENT when the request failed or its answer is no JSON;
	 * it is valid during the call, which may begin the next request. */
	void (*done)(void *ctx, const struct kc_result *result, val answer);
	void *ctx;

	struct kc_req *req; /* NULL: none is under way */
	struct buf body;
};

/* Send @ask; no callback runs in here. Not while one is under way. False without memory: then nothing happens. */
CHECKED bool kc_call_begin(struct kc_call *c, const struct kc_ask *ask);
/* End it without a callback, if one is under way. */
void kc_call_stop(struct kc_call *c);

#endif

/* One call, and one try of it. */
#ifndef DAEMON_INSPECTION_CALLS_INTERNAL_H
#define DAEMON_INSPECTION_CALLS_INTERNAL_H

#include "daemon/inspection/calls.h"
#include "kubeclient/kc_transfer.h"

#include <sys/queue.h>

#define CALL_WHY_MAX KC_WHY_MAX

struct call {
	TAILQ_ENTRY(call) link; /* links the call in one of the lists of its owner */
	struct arena arena;     /* memory for its texts */
	struct call_origin origin;
	const char *url, *proxy; /* @proxy: "" if there is none */
	str shown;               /* the URL for people */
	struct curl_slist *headers;
	const char *refused; /* why the call is never tried; NULL: it may be */
	uint64_t timeout_ms;
	uint32_t retries;
	double backoff_factor;
	uint32_t tries; /* tries that were begun so far */
	uint64_t added_ms, due_ms;
	/* The try that runs: */
	struct kc_transfer transfer;
	bool answered; /* the head of the answer is complete */
	size_t body_left;
};

enum call_end {
	CALL_SUCCEEDED,
	CALL_AGAIN, /* another try may succeed */
	CALL_FAILED,
};

/* Make a copy of @call. For a call that can never be sent call->refused has the reason. Fails: E2BIG, ENOMEM.
 * calls_request.c */
CHECKED int call_new(const struct insp_call *call, const struct call_origin *origin, struct call **ret,
		     struct err *err);
void call_free(struct call *x);
DEFINE_CLEANUP(struct call *, call_free)

/* Begin x->transfer on @loop, with x as its CURLINFO_PRIVATE. Fails: ENOMEM, EIO. calls_request.c */
CHECKED int call_try_begin(struct call *x, uint64_t timeout_ms, const struct calls_options *o, struct kc_loop *loop,
			   struct err *err);
/* Evaluate a try that has ended; @why: the reason, if it has not succeeded. calls_request.c */
enum call_end call_try_end(struct call *x, CURLcode code, char why[CALL_WHY_MAX]);

#endif

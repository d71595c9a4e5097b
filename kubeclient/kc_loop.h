/* libcurl's multi interface on a libuv loop.
 *
 * The owner's callbacks never run inside libcurl: transfers store what they get, and when libcurl has returned, @turn
 * and then @done for each finished transfer are called, where everything is allowed, closing included. What takes long
 * is cut into jobs, and sockets are served as the pace allows that all clients of the loop share. */
#ifndef KUBECLIENT_KC_LOOP_H
#define KUBECLIENT_KC_LOOP_H

#include "base/err.h"
#include "kubeclient/kc_pace.h"
#include "kubeclient/kc_pump.h"
#include "kubeclient/kc_tls.h"

#include <curl/curl.h>

struct kc_loop {
	uv_loop_t *uv;
	CURLM *multi; /* NULL once closing */
	uv_timer_t timer;
	struct kc_pace own;
	struct kc_pace *pace;        /* the pace of several loops, or this loop's own */
	TAILQ_HEAD(, kc_pump) pumps; /* one for each socket that libcurl has */
	/* the pump whose bytes libcurl reads now; NULL: libcurl goes on with what it has */
	struct kc_pump *acting;
	struct kc_tls tls; /* the last handshake of a transfer that verifies */
	struct err cut;    /* within @done: why driftd cut the connection that ended last; code 0: it did not */
	unsigned n_open;   /* handles not closed yet */
	bool closing;
	bool inside; /* libcurl is running, and may not be called now */
	void (*turn)(void *ctx);
	void (*done)(void *ctx, CURL *easy, CURLcode code); /* the handle was removed from the multi before */
	void *ctx;
	void (*closed)(void *ctx);
};

/* Initialize a loop on @uv. @pace outlives it; NULL: the loop has a pace of its own. */
CHECKED int kc_loop_init(struct kc_loop *l, uv_loop_t *uv, struct kc_pace *pace, void (*turn)(void *ctx),
			 void (*done)(void *ctx, CURL *easy, CURLcode code), void *ctx, struct err *err);

/* None of these from inside a callback of libcurl. The transfer uses sockets of the loop. Adding fails: ENOMEM, EIO. */
CHECKED int kc_loop_add(struct kc_loop *l, CURL *easy, struct err *err);
void kc_loop_remove(struct kc_loop *l, CURL *easy);

/* A transfer that its write function has paused. Runs the owner's callbacks. */
void kc_loop_go_on(struct kc_loop *l, CURL *easy);

/* Called within libcurl's callbacks: bytes of an answer were taken. A server that sends much without any is cut off. */
void kc_loop_useful(struct kc_loop *l);

/* As kc_pace_later and kc_pace_never. */
void kc_loop_later(struct kc_loop *l, struct kc_job *job);
void kc_loop_never(struct kc_loop *l, struct kc_job *job);

/* All transfers were removed, and no job waits. Calls @closed from the loop when the last handle is closed. */
void kc_loop_close(struct kc_loop *l, void (*closed)(void *ctx));

#endif

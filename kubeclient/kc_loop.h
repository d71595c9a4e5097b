/* libcurl's multi interface on a libuv loop.
 *
 * The owner's callbacks never run inside libcurl: transfers store what they get, and when libcurl has returned, @turn
 * and then @done for each finished transfer are called, where everything is allowed, closing included. */
#ifndef KUBECLIENT_KC_LOOP_H
#define KUBECLIENT_KC_LOOP_H

#include "base/err.h"

#include <curl/curl.h>
#include <uv.h>

struct kc_loop {
	uv_loop_t *uv;
	CURLM *multi; /* NULL once closing */
	uv_timer_t timer;
	unsigned n_open; /* handles not closed yet */
	bool closing;
	bool inside; /* libcurl: it may not be called now */
	void (*turn)(void *ctx);
	void (*done)(void *ctx, CURL *easy, CURLcode code); /* the handle was removed from the multi before */
	void *ctx;
	void (*closed)(void *ctx);
};

CHECKED int kc_loop_init(struct kc_loop *l, uv_loop_t *uv, void (*turn)(void *ctx),
			 void (*done)(void *ctx, CURL *easy, CURLcode code), void *ctx, struct err *err);

/* None of these from inside a callback of libcurl. Adding fails: ENOMEM, EIO. */
CHECKED int kc_loop_add(struct kc_loop *l, CURL *easy, struct err *err);
void kc_loop_remove(struct kc_loop *l, CURL *easy);

/* All transfers were removed. Calls @closed from the loop when the last handle is closed. */
void kc_loop_close(struct kc_loop *l, void (*closed)(void *ctx));

#endif

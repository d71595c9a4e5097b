/* libcurl's multi interface on a libuv loop.
 *
 * The owner's callbacks never run inside libcurl: transfers store what they get, and when libcurl has returned, @turn
 * and then @done for each finished transfer are called, where everything is allowed, closing included. What takes long
 * is cut into jobs: one of them runs in a turn of the loop, and sockets are looked at before the next. */
#ifndef KUBECLIENT_KC_LOOP_H
#define KUBECLIENT_KC_LOOP_H

#include "base/err.h"

#include <curl/curl.h>
#include <sys/queue.h>
#include <uv.h>

/* Something to go on with in a following turn of the loop; the owner fills the first part. */
struct kc_job {
	void (*run)(void *ctx); /* everything is allowed, closing included */
	void *ctx;

	TAILQ_ENTRY(kc_job) link;
	bool waits;
};
TAILQ_HEAD(kc_jobs, kc_job);

struct kc_loop {
	uv_loop_t *uv;
	CURLM *multi; /* NULL once closing */
	uv_timer_t timer;
	uv_idle_t work; /* active while jobs wait */
	struct kc_jobs jobs;
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

/* A transfer that its write function has paused. Runs the owner's callbacks. */
void kc_loop_go_on(struct kc_loop *l, CURL *easy);

/* For CURLOPT_OPENSOCKETFUNCTION: as libcurl 7.88 opens one, but for no program that is started. */
curl_socket_t kc_loop_socket(void *ctx, curlsocktype purpose, struct curl_sockaddr *address);

/* Run the job once, behind those that wait; nothing if it waits already. */
void kc_loop_later(struct kc_loop *l, struct kc_job *job);
/* Nothing if it does not wait. */
void kc_loop_never(struct kc_loop *l, struct kc_job *job);

/* All transfers were removed, and no job waits. Calls @closed from the loop when the last handle is closed. */
void kc_loop_close(struct kc_loop *l, void (*closed)(void *ctx));

#endif

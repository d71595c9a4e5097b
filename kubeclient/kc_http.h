/* Requests to one cluster: the queue, the rate limit, credentials, and failures in words. */
#ifndef KUBECLIENT_KC_HTTP_H
#define KUBECLIENT_KC_HTTP_H

#include "kubeclient/kc_auth.h"
#include "kubeclient/kc_backoff.h"
#include "kubeclient/kc_loop.h"
#include "kubeclient/kc_proxy.h"
#include "kubeclient/kc_result.h"
#include "kubeclient/kc_url.h"

#include <sys/queue.h>

struct kc_req;
TAILQ_HEAD(kc_req_list, kc_req);

struct kc_req_ops {
	/* Store bytes of a 2xx response; runs inside libcurl and must do nothing else. Negative: the transfer ends with
	 * *err. */
	int (*write)(void *ctx, const char *p, size_t n, struct err *err);
	void (*ready)(void *ctx); /* a 2xx response has begun, or bytes were stored; may be NULL */
	/* The end; the request is gone when it returns and must not be cancelled in it. */
	void (*done)(void *ctx, const struct kc_result *result);
};

struct kc_ask {
	enum kc_verb verb;
	const char *path;   /* copied; begins with '/' */
	const char *accept; /* a literal; NULL: application/json */
	const char *body;   /* JSON to POST, copied; NULL: a GET */
	bool fresh;         /* use a new connection, because the old one may be broken */
	bool behind;        /* send it after all other waiting requests, and only while the server is not asked much */
	/* evidence is lost while it waits: send it before all others except those that continue something */
	bool proves;
	bool goes_on; /* the request continues something that was asked for before, and is sent before all that wait */
	bool lists;   /* the answer is large: read it in larger pieces, each into the same memory */
};

struct kc_http {
	struct kc_loop loop;
	struct kc_auth auth;
	struct kc_server server;
	struct kc_bucket bucket;
	const struct kc_tuning *tuning;
	const struct kube_target *target;
	struct kc_proxy proxy;
	struct curl_slist *connect_to; /* NULL: not needed */
	uv_timer_t pump_timer;
	struct kc_req_list waiting; /* not sent yet, in order; the requests with @behind are at the end */
	struct kc_req_list active;
	struct kc_req_list dirty; /* the active requests that have stored bytes */
	size_t n_stored;          /* bytes of bodies that were stored in this turn of libcurl */
	bool has_paused;          /* some requests are paused until the next turn of the loop */
	struct kc_job go_on;      /* lets them go on */
	struct kc_counters counters;
	/* until when other requests wait for the connection that is being made; 0: they do not wait */
	uint64_t lead_until_ms;
	bool one_each;     /* the server does not speak HTTP/2, so that each request has its own connection */
	bool up;           /* the last request that reached an end got an answer, or one goes on; */
	uint64_t heard_ns; /* uv_hrtime of the last answer that ended, or byte of one; 0: none */
	bool closing;
	unsigned n_open;
	void (*notice)(void *ctx, enum kc_notice_kind kind, const char *message);
	void (*renewed)(void *ctx); /* the credentials have changed: what was refused may be tried again */
	void (*closed)(void *ctx);
	void *ctx;
};

/* @target and @tuning outlive it. */
CHECKED int kc_http_init(struct kc_http *h, uv_loop_t *uv, struct kc_pace *pace, const struct kube_target *target,
			 const struct kc_tuning *tuning, struct err *err);
/* Whether the server answers: it did when it was asked last, and that is not older than tuning->evidence_ms. The header
 * of a watch alone is no answer: a server sends it before it knows anything. */
bool kc_http_up(const struct kc_http *h);
/* Nothing that was heard until now counts any more, but the server has the time of a test to answer. */
void kc_http_distrust(struct kc_http *h);
/* Drop all requests without a callback, and close. */
void kc_http_close(struct kc_http *h, void (*closed)(void *ctx));

/* Queue a request. No callback runs in here. */
CHECKED int kc_http_ask(struct kc_http *h, const struct kc_ask *get, const struct kc_req_ops *ops, void *ctx,
			struct kc_req **ret, struct err *err);
/* Drop a request without a callback. NULL is ignored. */
void kc_req_cancel(struct kc_req *r);

#endif

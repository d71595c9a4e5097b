/* GET requests to one cluster: queue, rate limit, credentials, and what went wrong in words. */
#ifndef KUBECLIENT_KC_HTTP_H
#define KUBECLIENT_KC_HTTP_H

#include "kubeclient/kc_auth.h"
#include "kubeclient/kc_backoff.h"
#include "kubeclient/kc_loop.h"
#include "kubeclient/kc_url.h"

#include <sys/queue.h>

struct kc_req;
TAILQ_HEAD(kc_req_list, kc_req);

struct kc_result {
	int status;              /* HTTP; 0: none came */
	uint64_t retry_after_ms; /* 0: not given */
	char reason[40];         /* of a Kubernetes Status, such as "Expired"; or "" */
	bool too_new;            /* the version asked for is not there yet (ResourceVersionTooLarge) */
	bool aggregated;         /* the content type names aggregated discovery */
	/* Code 0: a 2xx response came in full. ENOKEY 401, EACCES 403, ENOENT 404, ESTALE 410, EINVAL 400 and 422,
	 * EAGAIN 429, EREMOTEIO 5xx, EPROTO any other; ECONNREFUSED, EHOSTUNREACH (DNS), ETIMEDOUT, EKEYREJECTED (TLS),
	 * ECONNRESET, EIO. */
	struct err err;
};

struct kc_req_ops {
	/* Store bytes of a 2xx response; runs inside libcurl and must do nothing else. Negative: the transfer ends with
	 * *err. */
	int (*write)(void *ctx, const char *p, size_t n, struct err *err);
	void (*ready)(void *ctx); /* a 2xx response has begun, or bytes were stored; may be NULL */
	/* The end; the request is gone when it returns and must not be cancelled in it. */
	void (*done)(void *ctx, const struct kc_result *result);
};

struct kc_get {
	enum kc_verb verb;
	const char *path;   /* copied; begins with '/' */
	const char *accept; /* a literal; NULL: application/json */
	bool fresh;         /* on a new connection: the old one is suspect */
};

struct kc_http {
	struct kc_loop loop;
	struct kc_auth auth;
	struct kc_server server;
	struct kc_bucket bucket;
	const struct kc_tuning *tuning;
	const struct kube_target *target;
	char *user_agent;
	char *proxy;
	struct curl_slist *connect_to; /* NULL: not needed */
	uv_timer_t pump_timer;
	struct kc_req_list waiting; /* not sent yet, in order */
	struct kc_req_list active;
	struct kc_req_list dirty; /* those of the active ones that have stored bytes */
	struct kc_counters counters;
	bool up, closing;
	unsigned n_open;
	char tls_problem[256]; /* what the verification of a certificate said last; "" after a good one */
	char tls_peer[256];    /* subject and names of the last server certificate */
	void (*notice)(void *ctx, enum kc_notice_kind kind, const char *message);
	void (*closed)(void *ctx);
	void *ctx;
};

/* @target and @tuning outlive it; @user_agent is copied. */
CHECKED int kc_http_init(struct kc_http *h, uv_loop_t *uv, const struct kube_target *target,
			 const struct kc_tuning *tuning, const char *user_agent, struct err *err);
/* All requests are dropped without a callback. */
void kc_http_close(struct kc_http *h, void (*closed)(void *ctx));

/* Queue a request. No callback runs in here. */
CHECKED int kc_http_get(struct kc_http *h, const struct kc_get *get, const struct kc_req_ops *ops, void *ctx,
			struct kc_req **ret, struct err *err);
/* Drop a request without a callback. NULL is ignored. */
void kc_req_cancel(struct kc_req *r);

#endif

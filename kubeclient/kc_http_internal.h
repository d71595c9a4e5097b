/* One request, and the parts of the HTTP client that live in files of their own. */
#ifndef KUBECLIENT_KC_HTTP_INTERNAL_H
#define KUBECLIENT_KC_HTTP_INTERNAL_H

#include "kubeclient/kc_http.h"
#include "kubeclient/kc_transfer.h"

/* The most that is read in one turn of the loop. libcurl reads as long as a socket has something, so that a server
 * which is faster than driftd would never let the turn end: beyond this, requests are paused until the next turn. */
#define KC_TURN_BYTES ((size_t)512 << 10)

/* What is kept of the body of a failed response. */
#define KC_ERROR_BODY_MAX 65536

struct kc_req {
	TAILQ_ENTRY(kc_req) link; /* in waiting or active */
	TAILQ_ENTRY(kc_req) dirty_link;
	struct kc_http *http;
	enum kc_verb verb;
	char *path, *body; /* body NULL: a GET */
	const char *accept;
	bool fresh, behind, proves, goes_on, lists, is_active, is_dirty, is_paused, retried;
	bool answered;          /* a 2xx response has begun */
	bool packed;            /* the answer's body is compressed */
	bool is_over;           /* the owner's callback runs */
	unsigned n_repeated;    /* how often the request was repeated because the server asked for that */
	uint64_t not_before_ms; /* the server does not want the request before this time of the loop */
	const struct kc_req_ops *ops;
	void *ctx;
	uint64_t generation; /* the generation of the credentials that the request was sent with */
	uint64_t sent_ns;    /* uv_hrtime; 0: not sent, or its answer is counted */
	struct kc_transfer transfer;
	struct curl_slist *headers;
	uint64_t unpacked;      /* bytes of the body, without compression */
	struct err write_error; /* code 0: none */
	struct buf error_body;
};

/* Begin r->transfer, and fill r->headers. kc_easy.c */
CHECKED int kc_easy_begin(struct kc_req *r, struct err *err);

/* Whether it is making a connection. kc_easy.c */
bool kc_easy_connecting(const struct kc_req *r);

/* What came of it. kc_easy.c */
void kc_easy_result(struct kc_req *r, CURLcode code, struct kc_result *result);

#endif

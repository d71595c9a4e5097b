/* A server in place of kc_http.c, without a network: requests stand in a list until the program answers them. For
 * programs that are linked with a --wrap of each of these. */
#ifndef SUPPORT_SCRIPTED_HTTP_H
#define SUPPORT_SCRIPTED_HTTP_H

#include "kubeclient/kc_http_internal.h"

#include "base/assert.h"

#include <errno.h>

static struct {
	struct kc_http *http;
	uint64_t n_asked;
	void (*asked)(const struct kc_req *r); /* may be NULL */
} scripted_http;

/* NOLINTBEGIN(bugprone-reserved-identifier): the linker's names */
int __wrap_kc_http_init(struct kc_http *h, uv_loop_t *uv, struct kc_pace *pace, const struct kube_target *target,
			const struct kc_tuning *tuning, struct err *err);
int __wrap_kc_http_ask(struct kc_http *h, const struct kc_ask *get, const struct kc_req_ops *ops, void *ctx,
		       struct kc_req **ret, struct err *err);
void __wrap_kc_req_cancel(struct kc_req *r);
void __wrap_kc_http_close(struct kc_http *h, void (*closed)(void *ctx));

int __wrap_kc_http_init(struct kc_http *h, uv_loop_t *uv, struct kc_pace *pace, const struct kube_target *target,
			const struct kc_tuning *tuning, struct err *err)
{
	(void)pace;
	(void)err;
	*h = (struct kc_http){ .target = target, .tuning = tuning, .loop.uv = uv };
	TAILQ_INIT(&h->waiting);
	scripted_http.http = h;
	scripted_http.n_asked = 0;
	return 0;
}

int __wrap_kc_http_ask(struct kc_http *h, const struct kc_ask *get, const struct kc_req_ops *ops, void *ctx,
		       struct kc_req **ret, struct err *err)
{
	struct kc_req *r = calloc(1, sizeof(*r));

	(void)err;
	ASSERT(r && *get->path == '/');
	*r = (struct kc_req){ .http = h, .verb = get->verb, .ops = ops, .ctx = ctx };
	r->path = strdup(get->path);
	r->body = get->body ? strdup(get->body) : NULL;
	ASSERT(r->path && (!get->body || r->body));
	TAILQ_INSERT_TAIL(&h->waiting, r, link);
	scripted_http.n_asked++;
	if (scripted_http.asked)
		scripted_http.asked(r);
	*ret = r;
	return 0;
}

static inline void scripted_http_free(struct kc_req *r)
{
	free(r->path);
	free(r->body);
	free(r);
}

void __wrap_kc_req_cancel(struct kc_req *r)
{
	if (!r)
		return;
	ASSERT(!r->is_over);
	TAILQ_REMOVE(&r->http->waiting, r, link);
	scripted_http_free(r);
}

void __wrap_kc_http_close(struct kc_http *h, void (*closed)(void *ctx))
{
	struct kc_req *r;

	while ((r = TAILQ_FIRST(&h->waiting)))
		__wrap_kc_req_cancel(r);
	closed(h->ctx);
}
/* NOLINTEND(bugprone-reserved-identifier) */

/* Whether it still waits: its owner may cancel it at any call. */
static inline bool scripted_http_waits(const struct kc_req *r)
{
	const struct kc_req *at;

	for (at = TAILQ_FIRST(&scripted_http.http->waiting); at && at != r; at = TAILQ_NEXT(at, link))
		;
	return at != NULL;
}

/* Bytes of a 2xx answer arrive; false when the request is over. */
static inline bool scripted_http_give(struct kc_req *r, str bytes)
{
	struct err err;

	r->answered = true;
	if (bytes.n && r->ops->write(r->ctx, bytes.p, bytes.n, &err) < 0)
		r->write_error = err;
	else if (r->ops->ready)
		r->ops->ready(r->ctx);
	return scripted_http_waits(r) && !r->write_error.code;
}

/* The end, as kc_easy_result and kc_http.c have it; @result may have headers. @body: of an answer that is an error.
 * @broken: the connection ends in the middle. */
static inline void scripted_http_end(struct kc_req *r, struct kc_result *result, str body, bool broken)
{
	if (r->write_error.code)
		result->err = r->write_error;
	else if (result->status && (result->status < 200 || result->status >= 300))
		kc_result_status(result, "get /", "", foreign_bytes(str_sub(body, 0, KC_ERROR_BODY_MAX)));
	else if (broken)
		(void)err_set(&result->err, result->status ? ECONNRESET : ECONNREFUSED, "get /: broken");
	TAILQ_REMOVE(&r->http->waiting, r, link);
	r->is_over = true;
	r->ops->done(r->ctx, result);
	scripted_http_free(r);
}

#endif

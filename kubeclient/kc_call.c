/* Collects an answer, and decodes it. */
#include "kubeclient/kc_call.h"

#include "base/assert.h"
#include "value/json.h"

static int on_write(void *ctx, const char *p, size_t n, struct err *err)
{
	struct kc_call *c = ctx;

	buf_add(&c->body, p, n);
	return buf_error(&c->body, "answer", err);
}

static void on_done(void *ctx, const struct kc_result *result)
{
	struct kc_call *c = ctx;
	CLEANUP(buf_done) struct buf body = c->body;
	CLEANUP(doc_unrefp) struct doc *d = NULL;
	struct err ignored;

	c->req = NULL;
	c->body = (struct buf){ 0 };
	if (!result->err.code)
		(void)!json_decode(buf_str(&body), JSON_DEFAULTS, &d, &ignored); /* when it fails there is no answer */
	c->done(c->ctx, result, d ? d->root : (val){ 0 });
}

static const struct kc_req_ops ops = { .write = on_write, .done = on_done };

bool kc_call_begin(struct kc_call *c, const struct kc_ask *ask)
{
	struct err ignored;

	ASSERT(!c->req);
	c->body = BUF_INIT(c->max);
	return kc_http_ask(c->http, ask, &ops, c, &c->req, &ignored) == 0;
}

void kc_call_stop(struct kc_call *c)
{
	kc_req_cancel(TAKE(c->req));
	buf_done(&c->body);
}

/* One small list. */
#include "kubeclient/kc_probe.h"

#include "kubeclient/kc_url.h"
#include "value/json.h"

static int on_write(void *ctx, const char *p, size_t n, struct err *err)
{
	struct kc_probe *probe = ctx;

	buf_add(&probe->answer, p, n);
	return buf_error(&probe->answer, "one object of a list", err);
}

static void on_done(void *ctx, const struct kc_result *result)
{
	struct kc_probe *p = ctx;
	CLEANUP(buf_done) struct buf answer = p->answer;
	CLEANUP(doc_unrefp) struct doc *d = NULL;
	struct limits limits = LIMITS_DEFAULT;
	struct json_options options = { .limits = &limits };
	struct err ignored;
	str version;

	p->req = NULL;
	p->answer = (struct buf){ 0 };
	if (result->err.code || json_decode(buf_str(&answer), &options, &d, &ignored) < 0)
		return;
	version = val_str(val_dig(d->root, "metadata", "resourceVersion", NULL));
	if (version.n)
		p->done(p->ctx, version);
}

static const struct kc_req_ops ops = { .write = on_write, .done = on_done };

void kc_probe_ask(struct kc_probe *p)
{
	CLEANUP(buf_done) struct buf path = BUF_INIT(KC_URL_MAX * 4);
	struct kc_ask list = { .verb = KC_LIST, .behind = true };
	struct err ignored;

	if (p->req)
		return;
	kc_collection_path(p->what, &path);
	kc_url_number(&path, "limit", 1);
	kc_collection_selectors(p->what, &path);
	if (path.error)
		return;
	list.path = path.p;
	p->answer = BUF_INIT(p->http->tuning->response_bytes);
	(void)!kc_http_ask(p->http, &list, &ops, p, &p->req, &ignored);
}

void kc_probe_stop(struct kc_probe *p)
{
	kc_req_cancel(TAKE(p->req));
	buf_done(&p->answer);
}

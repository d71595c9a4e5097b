/* One small list. */
#include "kubeclient/kc_probe.h"

#include "kubeclient/kc_url.h"

static void on_done(void *ctx, const struct kc_result *result, val answer)
{
	struct kc_probe *p = ctx;
	str version = val_str(val_dig(answer, "metadata", "resourceVersion", NULL));

	(void)result;
	if (version.n)
		p->done(p->ctx, version);
}

void kc_probe_init(struct kc_probe *p, struct kc_http *http)
{
	p->call = (struct kc_call){ .http = http, .max = http->tuning->response_bytes, .done = on_done, .ctx = p };
}

void kc_probe_ask(struct kc_probe *p)
{
	CLEANUP(buf_done) struct buf path = BUF_INIT(KC_URL_MAX * 4);

	if (p->call.req)
		return;
	kc_collection_path(p->what, &path);
	kc_url_number(&path, "limit", 1);
	kc_collection_selectors(p->what, &path);
	if (!path.error)
		(void)!kc_call_begin(&p->call, &(struct kc_ask){ .verb = KC_LIST, .path = path.p });
}

void kc_probe_stop(struct kc_probe *p)
{
	kc_call_stop(&p->call);
}

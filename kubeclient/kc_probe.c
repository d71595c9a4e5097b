/* Asks for one small list to prove a watch. */
#include "kubeclient/kc_probe.h"

#include "kubeclient/kc_list_answer.h"
#include "kubeclient/kc_url.h"
#include "mask/foreign.h"

#include <errno.h>

/* Whether the list may have this kind. A definition can give its list another name, which a full list asks for; here
 * the first object must suffice, if there is one: objects of a kind with a definition name their own kind. */
static bool may_be_called_so(const struct kc_probe *p, val items)
{
	return !items.n || foreign_is(foreign_of(VAL_GET(val_at(items, 0), "kind")), str_from(p->what->kind));
}

static int check(const struct kc_probe *p, val answer, struct err *err)
{
	val listed = VAL_GET(answer, "items");
	bool items = listed.kind == VAL_LIST;
	int r = kc_list_answer_check(p->what, NULL, answer, err);

	if (r == 0 || (r == -EPROTO && items && may_be_called_so(p, listed)))
		r = kc_list_answer_whole(p->what, false, items, answer, err);
	return r < 0 ? err_wrap(err, "list of %.100s", p->what->shown) : 0;
}

static void on_done(void *ctx, const struct kc_result *result, val answer)
{
	struct kc_probe *p = ctx;
	struct kc_result none = *result;

	if (none.err.code || check(p, answer, &none.err) < 0)
		p->failed(p->ctx, &none);
	else
		p->done(p->ctx, foreign_data(foreign_of(val_dig(answer, "metadata", "resourceVersion", NULL))));
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
		(void)!kc_call_begin(&p->call, &(struct kc_ask){ .verb = KC_LIST, .path = path.p, .proves = true });
}

void kc_probe_stop(struct kc_probe *p)
{
	kc_call_stop(&p->call);
}

/* Runs the loop for one question. */
#include "kubeclient/kc_once.h"

#include "kubeclient/kc_access.h"
#include "kubeclient/kc_call.h"
#include "kubeclient/kc_client_internal.h"
#include "kubeclient/kc_wait.h"
#include "mask/foreign.h"

#include <errno.h>

#define VERSION_MAX 65536

/* ---- the version ---- */

struct version {
	bool over;
	struct kc_call call;
	char text[64];
	struct err err;
};

static void on_version(void *ctx, const struct kc_result *result, val answer)
{
	struct version *v = ctx;

	v->err = result->err;
	foreign_print(foreign_of(VAL_GET(answer, "gitVersion")), v->text, sizeof(v->text));
	if (!v->err.code && !*v->text)
		(void)err_set(&v->err, EPROTO, "/version: the answer names no version");
	v->over = true;
}

static bool version_over(void *ctx)
{
	return ((const struct version *)ctx)->over;
}

int kc_server_version(struct kc_client *c, uint64_t timeout_ms, char ret[64], struct err *err)
{
	struct version v = { 0 };

	v.call = (struct kc_call){ .http = &c->http, .max = VERSION_MAX, .done = on_version, .ctx = &v };
	if (!kc_call_begin(&v.call, &(struct kc_ask){ .verb = KC_GET, .path = "/version", .behind = true }))
		return err_nomem(err);
	if (!kc_wait(c->loop, version_over, &v, timeout_ms)) {
		kc_call_stop(&v.call);
		return err_set(err, ETIMEDOUT, "/version: no answer within %llu ms", (unsigned long long)timeout_ms);
	}
	if (v.err.code) {
		*err = v.err;
		return -err->code;
	}
	memcpy(ret, v.text, sizeof(v.text));
	return 0;
}

/* ---- access ---- */

struct question {
	bool over;
	struct kc_access access;
};

static void on_access(void *ctx, unsigned denied, bool offered)
{
	struct question *q = ctx;

	(void)denied;
	(void)offered;
	q->over = true;
}

static bool question_over(void *ctx)
{
	return ((const struct question *)ctx)->over;
}

static int ask(struct kc_client *c, struct kc_collection *what, uint64_t timeout_ms, struct question *q,
	       struct err *err)
{
	const struct kc_resource *r =
		kc_resources_find(c->discovery.known, str_from(what->api_version), str_from(what->kind));

	if (!r)
		return err_set(err, ENOENT, "%s %s is not known", what->api_version, what->kind);
	if (kc_collection_found(what, r, err) < 0)
		return -err->code;
	q->access = (struct kc_access){ .what = what, .done = on_access, .ctx = q };
	kc_access_init(&q->access, &c->http);
	if (!kc_access_ask(&q->access))
		return err_nomem(err);
	if (kc_wait(c->loop, question_over, q, timeout_ms))
		return 0;
	kc_access_stop(&q->access);
	return err_set(err, ETIMEDOUT, "review of %s: no answer within %llu ms", what->shown,
		       (unsigned long long)timeout_ms);
}

int kc_may_watch(struct kc_client *c, const struct kc_watch_spec *spec, uint64_t timeout_ms, unsigned *denied,
		 bool *known, struct err *err)
{
	struct question q = { 0 };
	struct kc_collection what;
	int r = kc_collection_init(&what, spec, err);

	if (r < 0)
		return r;
	r = ask(c, &what, timeout_ms, &q, err);
	kc_collection_done(&what);
	if (r < 0)
		return r;
	*denied = q.access.denied;
	*known = q.access.answered;
	return 0;
}

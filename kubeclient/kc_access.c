/* Reviews, one verb after the other. */
#include "kubeclient/kc_access.h"

#include "base/assert.h"
#include "value/json.h"

#include <errno.h>

#define PATH "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"
#define ANSWER_MAX 65536

static const struct kc_req_ops ops;

static void add_member(struct buf *b, const char *before, const char *value)
{
	buf_add_cstr(b, before);
	json_encode_string(str_from(value ? value : ""), JSON_PLAIN, b);
}

static bool build(const struct kc_access *a, struct buf *b)
{
	const struct kc_resource *r = &a->what->resource;

	add_member(b,
		   "{\"apiVersion\":\"authorization.k8s.io/v1\",\"kind\":\"SelfSubjectAccessReview\",\"spec\":{"
		   "\"resourceAttributes\":{\"verb\":",
		   kc_verb_name(a->verb));
	add_member(b, ",\"group\":", r->group);
	add_member(b, ",\"version\":", r->version);
	add_member(b, ",\"resource\":", r->plural);
	add_member(b, ",\"namespace\":", r->namespaced ? a->what->namespace : NULL);
	add_member(b, ",\"name\":", a->what->name);
	buf_add_cstr(b, "}}}");
	return !b->error;
}

static bool ask(struct kc_access *a, enum kc_verb verb)
{
	CLEANUP(buf_done) struct buf body = BUF_INIT(ANSWER_MAX);
	struct kc_ask review = { .verb = KC_CREATE, .path = PATH, .behind = true };
	struct err ignored;

	a->verb = verb;
	a->answer = BUF_INIT(ANSWER_MAX);
	if (!build(a, &body))
		return false;
	review.body = body.p;
	return kc_http_ask(a->http, &review, &ops, a, &a->req, &ignored) == 0;
}

static int on_write(void *ctx, const char *p, size_t n, struct err *err)
{
	struct kc_access *a = ctx;

	buf_add(&a->answer, p, n);
	return buf_error(&a->answer, "access review", err);
}

/* Only a plain no counts. */
static bool says_no(str answer)
{
	struct limits limits = LIMITS_DEFAULT;
	struct json_options options = { .limits = &limits };
	CLEANUP(doc_unrefp) struct doc *d = NULL;
	struct err ignored;
	val allowed;

	if (json_decode(answer, &options, &d, &ignored) < 0)
		return false;
	allowed = val_dig(d->root, "status", "allowed", NULL);
	return allowed.kind == VAL_BOOL && !allowed.b;
}

static void on_done(void *ctx, const struct kc_result *result)
{
	struct kc_access *a = ctx;
	int code = result->err.code;

	a->req = NULL;
	if (!code && says_no(buf_str(&a->answer)))
		a->denied |= 1u << a->verb;
	buf_done(&a->answer);
	if (!code && a->verb == KC_LIST && ask(a, KC_WATCH))
		return;
	a->done(a->ctx, a->denied, code != ENOENT && code != EACCES && code != EPROTO);
}

static const struct kc_req_ops ops = { .write = on_write, .done = on_done };

bool kc_access_ask(struct kc_access *a)
{
	ASSERT(a->what->resource.kind);
	if (a->req)
		return true;
	a->denied = 0;
	return ask(a, KC_LIST);
}

void kc_access_stop(struct kc_access *a)
{
	kc_req_cancel(TAKE(a->req));
	buf_done(&a->answer);
}

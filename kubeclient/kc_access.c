/* Asks the server with access reviews, one verb after the other. */
#include "kubeclient/kc_access.h"

#include "base/assert.h"
#include "value/json.h"

#include <errno.h>

#define PATH "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"
#define REVIEW_MAX 65536

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
	CLEANUP(buf_done) struct buf body = BUF_INIT(REVIEW_MAX);

	a->verb = verb;
	return build(a, &body) &&
	       kc_call_begin(&a->call,
			     &(struct kc_ask){ .verb = KC_CREATE, .path = PATH, .body = body.p, .behind = true });
}

static void on_done(void *ctx, const struct kc_result *result, val answer)
{
	struct kc_access *a = ctx;
	val allowed = val_dig(answer, "status", "allowed", NULL);
	int code = result->err.code;

	if (allowed.kind != VAL_BOOL)
		a->answered = false;
	else if (!allowed.b) /* only a plain no counts */
		a->denied |= 1u << a->verb;
	if (!code && a->verb == KC_LIST && ask(a, KC_WATCH))
		return;
	a->done(a->ctx, a->denied, code != ENOENT && code != EACCES && code != EPROTO);
}

void kc_access_init(struct kc_access *a, struct kc_http *http)
{
	a->call = (struct kc_call){ .http = http, .max = REVIEW_MAX, .done = on_done, .ctx = a };
}

bool kc_access_ask(struct kc_access *a)
{
	ASSERT(a->what->resource.kind);
	if (a->call.req)
		return true;
	a->denied = 0;
	a->answered = true;
	return ask(a, KC_LIST);
}

void kc_access_stop(struct kc_access *a)
{
	kc_call_stop(&a->call);
}

/* Runs the loop until discovery has an answer. */
#include "kubeclient/kc_kinds.h"

#include "kubeclient/kc_client_internal.h"
#include "kubeclient/kc_wait.h"

#include <errno.h>

static bool is_over(void *ctx)
{
	const struct kc_client *c = ctx;

	return c->discovery.known || c->discovery_error.code;
}

int kc_discover(struct kc_client *c, uint64_t timeout_ms, struct err *err)
{
	struct err late;

	if (!kc_wait(c->loop, is_over, c, timeout_ms)) {
		(void)err_set(&late, ETIMEDOUT, "no complete answer after %llu ms", (unsigned long long)timeout_ms);
		kc_discovery_cut(&c->discovery, &late);
	}
	if (c->discovery.known)
		return 0;
	if (!c->discovery_error.code)
		return err_set(err, ETIMEDOUT, "discovery: not complete after %llu ms", (unsigned long long)timeout_ms);
	*err = c->discovery_error;
	return -err->code;
}

const struct kc_resource *kc_listable(const struct kc_client *c, size_t *at)
{
	const struct kc_resources *known = c->discovery.known;

	while (known && *at < known->list.n) {
		const struct kc_resource *r = known->list.p[(*at)++];

		if (r->can_list)
			return r;
	}
	return NULL;
}

const char *kc_why_unknown(const struct kc_client *c, size_t *at, str *api_version)
{
	const struct kc_resources *known = c->discovery.known;
	const struct strmap_entry *e = known ? strmap_each(&known->unknown_versions, at) : NULL;

	if (!e)
		return NULL;
	*api_version = (str){ e->key, e->n };
	return e->value;
}

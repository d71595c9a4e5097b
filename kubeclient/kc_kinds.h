/* What kinds a server offers, from its discovery. */
#ifndef KUBECLIENT_KC_KINDS_H
#define KUBECLIENT_KC_KINDS_H

#include "kubeclient/kc_client.h"
#include "kubeclient/kc_resource.h"

/* For commands that end: run the client's loop until discovery has completed or failed once, or @timeout_ms passed (0:
 * without limit); groups that have not answered by then are not fully known (kc_why_unknown). To be called before the
 * first watch, so that old servers are asked for all their groups; never from a callback. Fails: ETIMEDOUT, what the
 * server's refusals and the transport fail with. */
CHECKED int kc_discover(struct kc_client *c, uint64_t timeout_ms, struct err *err);

/* The next resource of discovery whose objects can be listed, or NULL; start with *at = 0. In no certain order; valid
 * until the loop runs again. */
const struct kc_resource *kc_listable(const struct kc_client *c, size_t *at);

/* The next group and version whose kinds are not all known, and why; NULL: no more. Start with *at = 0. */
const char *kc_why_unknown(const struct kc_client *c, size_t *at, str *api_version);

#endif

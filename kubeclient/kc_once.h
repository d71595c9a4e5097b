/* Questions of one-shot commands to a server, besides its kinds (kc_kinds.h). Each function runs the client's loop
 * until there is an answer; never call one from a callback. */
#ifndef KUBECLIENT_KC_ONCE_H
#define KUBECLIENT_KC_ONCE_H

#include "kubeclient/kc_client.h"

/* The server's gitVersion, such as "v1.31.2", printable and cut. Fails: EPROTO (an answer without one), ETIMEDOUT, what
 * the server's refusals and the transport fail with. */
CHECKED int kc_server_version(struct kc_client *c, uint64_t timeout_ms, char ret[64], struct err *err);

/* Whether the account may list and watch what @spec says, a kind that discovery knows. *denied: 1u << KC_LIST, 1u <<
 * KC_WATCH; *known: the server has answered that. Fails: ENOENT (not known), ETIMEDOUT,
 * ENOMEM. */
CHECKED int kc_may_watch(struct kc_client *c, const struct kc_watch_spec *spec, uint64_t timeout_ms, unsigned *denied,
			 bool *known, struct err *err);

#endif

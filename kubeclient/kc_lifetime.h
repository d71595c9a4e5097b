/* How long the credentials and the trust of a client are valid. */
#ifndef KUBECLIENT_KC_LIFETIME_H
#define KUBECLIENT_KC_LIFETIME_H

#include "kubeclient/kc_auth.h"

enum kc_credential_kind {
	KC_AUTHORITIES, /* the authorities that verify the server's certificate */
	KC_CERTIFICATE, /* the client's own */
	KC_TOKEN,
	KC_PASSWORD,
	KC_PLUGIN, /* what a credential plugin answered, as it says itself */
};

#define KC_LIFETIMES_MAX 4

struct kc_lifetime {
	enum kc_credential_kind what;
	const char *from; /* the file or the plugin's command; NULL: the kubeconfig itself */
	int64_t ends;     /* Unix seconds; 0: it does not say */
};

/* Lists when the credentials that @a holds now end; returns how many entries there are. The end of a token is known
 * when it is a JSON Web Token. The end of the authorities is that of the last certificate to end; the end of a client
 * certificate is that of the first to end in its chain. */
size_t kc_lifetimes(const struct kc_auth *a, struct kc_lifetime ret[KC_LIFETIMES_MAX]);

/* When the JSON Web Token @token ends; 0: it is none, or does not say. Nothing is verified.   RFC 7519, 4.1.4 */
int64_t kc_token_ends(str token);

const char *kc_credential_name(enum kc_credential_kind c); /* "client certificate" */

#endif

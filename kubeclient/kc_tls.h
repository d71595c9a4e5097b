/* What the verification of a server's certificate saw, for messages: libcurl only says that it failed. */
#ifndef KUBECLIENT_KC_TLS_H
#define KUBECLIENT_KC_TLS_H

#include <curl/curl.h>
#include <stdbool.h>

/* What the last handshake showed; printable ASCII. */
struct kc_tls {
	char problem[256]; /* the certificate that was refused; "" after a good verification */
	char peer[256];    /* the server's own: subject, names, issuer, time */
};

/* Have the verifications of @easy written down in @t, which outlives it. False: libcurl refused. */
bool kc_tls_attach(struct kc_tls *t, CURL *easy);

#endif

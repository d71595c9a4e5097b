/* Verifies a server's certificate: by which authorities, and what was seen, for messages. libcurl only says that it
 * failed, and takes authorities as text only since version 7.77. */
#ifndef KUBECLIENT_KC_TLS_H
#define KUBECLIENT_KC_TLS_H

#include <curl/curl.h>
#include <stdbool.h>

/* What the last handshake showed; printable ASCII. */
struct kc_tls {
	char problem[256]; /* what is wrong with the refused certificate; "" after a good verification */
	char peer[256];    /* the server's own: subject, names, issuer, time */
};

/* What a transfer brings to its handshakes. */
struct kc_tls_use {
	struct kc_tls *seen;     /* is written; outlives the connection */
	const char *authorities; /* PEM, trusted beside those that libcurl was given; NULL: none */
};

/* @use stays where it is while @easy is used. False: libcurl refused. */
bool kc_tls_attach(struct kc_tls_use *use, CURL *easy);

#define KC_TLS_FOLDER_SIZE 96
/* The name of a folder that nobody can make, of its own for each text of authorities. False: OpenSSL has no SHA-256. */
bool kc_tls_folder(const char *authorities, char ret[KC_TLS_FOLDER_SIZE]);

#endif

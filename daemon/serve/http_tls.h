/* TLS of the web listeners: what GnuTLS is set to beyond libmicrohttpd's options. */
#ifndef DAEMON_SERVE_HTTP_TLS_H
#define DAEMON_SERVE_HTTP_TLS_H

#include "config/web_config.h"

/* Check that the certificate, key and CA can be used. Fails: EINVAL; no message shows a key. */
CHECKED int http_tls_check(const struct web_config *w, struct err *err);

/* Prepare the handshake of @session (a gnutls_session_t): ask the client for a certificate as @w says. A required
 * certificate that is missing or not valid ends the handshake. @w outlives the session. */
void http_tls_prepare(void *session, const struct web_config *w);

#endif

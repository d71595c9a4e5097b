/* TLS of the web listeners: what GnuTLS is set to beyond libmicrohttpd's options. */
#ifndef DAEMON_SERVE_HTTP_TLS_H
#define DAEMON_SERVE_HTTP_TLS_H

#include "config/web_config.h"

/* Whether its certificate, key and CA can be used. Fails: EINVAL; no message shows a key. */
CHECKED int http_tls_check(const struct web_config *w, struct err *err);

/* Ask the client of @session (a gnutls_session_t), whose handshake has not begun, for a certificate as @w says: one
 * that must be and is not, or is not as it must be, ends the handshake. @w outlives the session. */
void http_tls_prepare(void *session, const struct web_config *w);

#endif

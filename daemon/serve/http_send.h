/* Sending what a route answers. */
#ifndef DAEMON_SERVE_HTTP_SEND_H
#define DAEMON_SERVE_HTTP_SEND_H

#include "config/web_config.h"
#include "daemon/serve/http_types.h"

#include <microhttpd.h>

/* For the headers of a request, and for what is sent at a time. */
#define HTTP_CONNECTION_BYTES ((size_t)64 << 10)

/* Send @r off, whose body and stream are used up. @web may be NULL: else its headers win. MHD_NO: the connection
 * cannot go on. */
enum MHD_Result http_send(struct MHD_Connection *connection, struct http_response *r, const struct web_config *web);
/* It is not sent. */
void http_response_done(struct http_response *r);

#endif

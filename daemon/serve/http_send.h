/* Sending what a route answers. */
#ifndef DAEMON_SERVE_HTTP_SEND_H
#define DAEMON_SERVE_HTTP_SEND_H

#include "config/web_config.h"
#include "daemon/serve/http_types.h"

#include <microhttpd.h>
#include <sys/queue.h>

/* For the headers of a request, and for what is sent at a time. */
#define HTTP_CONNECTION_BYTES ((size_t)64 << 10)

/* The streams of a server share what time a turn of the loop has for them. */
TAILQ_HEAD(http_streams, stream);
struct http_turn {
	uint64_t ends_ns;         /* uv_hrtime: then no part is begun but the first */
	size_t n_parts;           /* that were made on it */
	struct http_streams line; /* that wait for another one: the first comes first */
};

void http_turn_init(struct http_turn *t);
void http_turn_begin(struct http_turn *t, uint64_t ends_ns);

/* Send @r off, whose body and stream are used up. @web may be NULL: else its headers win. @turn outlives the
 * connection. MHD_NO: the connection cannot go on. */
enum MHD_Result http_send(struct MHD_Connection *connection, struct http_response *r, const struct web_config *web,
			  struct http_turn *turn);
/* Free the body and the stream of a response that is not sent. */
void http_response_done(struct http_response *r);

#endif

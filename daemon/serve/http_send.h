/* Sending what a route answers. */
#ifndef DAEMON_SERVE_HTTP_SEND_H
#define DAEMON_SERVE_HTTP_SEND_H

#include "config/web_config.h"
#include "daemon/serve/http_types.h"

#include <microhttpd.h>
#include <sys/queue.h>

/* Bytes for the headers of a request, and for what is sent at once. */
#define HTTP_CONNECTION_BYTES ((size_t)64 << 10)

/* The streams of a server, which share the time that a turn of the loop has for them. */
TAILQ_HEAD(http_streams, stream);
struct http_turn {
	uint64_t ends_ns;         /* uv_hrtime after which no further part is begun */
	size_t n_parts;           /* the number of parts that were made in this turn */
	struct http_streams line; /* the waiting streams, in the order of their turns */
};

void http_turn_init(struct http_turn *t);
void http_turn_begin(struct http_turn *t, uint64_t ends_ns);

/* Send @r, whose body and stream are used up. The headers of @web, which may be NULL, win. @turn outlives the
 * connection. MHD_NO: the connection cannot go on. */
enum MHD_Result http_send(struct MHD_Connection *connection, struct http_response *r, const struct web_config *web,
			  struct http_turn *turn);
/* Free the body and the stream of a response that is not sent. */
void http_response_done(struct http_response *r);

#endif

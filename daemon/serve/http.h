/* The HTTP server for Prometheus and people: GET and HEAD only, on the daemon's loop. */
#ifndef DAEMON_SERVE_HTTP_H
#define DAEMON_SERVE_HTTP_H

#include "base/buf.h"

#include <uv.h>

struct http_server;

struct http_response {
	unsigned status;
	const char *content_type;
	struct buf body;
};

/* Fill the response to a GET of @path; @accept is the Accept header, "" without one. Unknown paths: leave
 * status 404. */
typedef void (*http_handler)(void *ctx, const char *path, const char *accept, struct http_response *response);

/* Listen on @address, "host:port" or "[v6]:port"; an empty host is every address. Port 0 takes a free one. The handler
 * runs on the loop's thread. Fails: EINVAL (address), EADDRINUSE and other codes of bind(2), ENOMEM. */
CHECKED int http_server_new(uv_loop_t *loop, const char *address, http_handler handler, void *ctx,
			    struct http_server **ret, struct err *err);
/* "127.0.0.1:19470", the address that was bound. */
const char *http_server_address(const struct http_server *s);
/* Stops listening, drops connections, closes its handles on the loop and frees itself from there. */
void http_server_close(struct http_server *s);

#endif

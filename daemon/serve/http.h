/* The HTTP server on the daemon's loop: a table of routes, answered in place or as streams, on TCP and on Unix sockets.
 */
#ifndef DAEMON_SERVE_HTTP_H
#define DAEMON_SERVE_HTTP_H

#include "daemon/serve/http_types.h"

#include <sys/types.h>
#include <uv.h>

struct http_server;
struct web_config;

/* What a server serves; it must outlive the server. Unknown paths get 404, other methods of a known one 405, bad
 * requests 4xx without a call. */
struct http_site {
	const struct http_route *routes;
	const struct http_resource *resources; /* paths below a resource are not looked up in @routes; may be NULL */
	void *ctx;
	/* Routes that answer whatever host name a client uses; may be NULL. Other routes require a Host that is an
	 * address, localhost or one of @hosts: otherwise a foreign page whose name leads here could read them
	 * through its visitors (DNS rebinding). Unix sockets, and clients that identify themselves, are not
	 * concerned. */
	const struct http_route *open_routes;
	const str *hosts;
	size_t n_hosts;
	struct web_config *web; /* the web configuration of TCP listeners when they start; may be NULL */
};

/* Listen on @address, "host:port" or "[v6]:port"; an empty host is every address. Port 0 takes a free one. Routes are
 * called on the loop's thread. Fails: EINVAL (address), EADDRINUSE and other codes of bind(2), ENOMEM. */
CHECKED int http_server_new(uv_loop_t *loop, const char *address, const struct http_site *site,
			    struct http_server **ret, struct err *err);
/* Listen on the Unix socket @path with the permissions @mode. A socket that a dead server left there is replaced.
 * Its requests are trusted. Fails: EADDRINUSE (somebody accepts there), EEXIST (no socket), ENAMETOOLONG and others
 * as above. */
CHECKED int http_server_new_unix(uv_loop_t *loop, const char *path, mode_t mode, const struct http_site *site,
				 struct http_server **ret, struct err *err);
/* Serve the listening stream socket @fd, which the server owns even when this fails. A Unix socket file is not
 * removed. Fails: EINVAL (no such socket). */
CHECKED int http_server_new_passed(uv_loop_t *loop, int fd, const struct http_site *site, struct http_server **ret,
				   struct err *err);
/* The bound address, such as "127.0.0.1:19470" or "/run/driftd/driftd.sock". */
const char *http_server_address(const struct http_server *s);
/* Stops listening, drops connections, closes its handles on the loop and frees itself from there. A route may ask for
 * it: then it happens after the answer is handed over. */
void http_server_close(struct http_server *s);

#endif

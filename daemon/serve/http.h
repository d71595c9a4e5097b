/* The HTTP server on the daemon's loop: a table of routes, answered in place or as streams, on TCP and on Unix sockets.
 */
#ifndef DAEMON_SERVE_HTTP_H
#define DAEMON_SERVE_HTTP_H

#include "base/buf.h"
#include "daemon/serve/routes.h"

#include <sys/types.h>
#include <uv.h>

#define HTTP_BODY_MAX ((size_t)64 << 10)
#define HTTP_HEADERS_MAX 8

struct http_server;
struct web_config;

/* Who asks. A Unix socket tells the user; where user ids are mapped (PrivateUsers=) all others are one. */
enum http_peer { HTTP_PEER_NETWORK, HTTP_PEER_OTHER, HTTP_PEER_SELF, HTTP_PEER_ROOT };

/* Valid during the call. Its texts are UTF-8, but for the body. */
struct http_request {
	const char *method, *path; /* the path is decoded, without the query */
	str body;                  /* a larger one than HTTP_BODY_MAX never gets here: 413 */
	enum http_peer peer;
	bool trusted; /* may see values and diffs: of a Unix socket, or known by password or certificate */

	/* Of http.c. */
	const struct http_route *route;
	struct uri uri;
	struct MHD_Connection *connection;
};

/* The first of that name, any case; NULL without it. */
const char *http_header(const struct http_request *q, const char *name);
/* The first of that name, decoded; NULL without it. */
const char *http_query(const struct http_request *q, const char *name);
/* All of them, in their order, however often: start with *at = 0. False after the last. */
bool http_query_each(const struct http_request *q, size_t *at, const char **name, const char **value);
/* The segment that stands for {name} of the route's pattern; asking for another name is a mistake. */
const char *http_route_value(const struct http_request *q, const char *name);

/* The rest of a body, part by part, at most one part on a turn of the loop. */
struct http_stream {
	/* Appends the next part, some tens of KB at most, to @out, which is empty; one that appends nothing is asked
	 * again on another turn. 1: there is more; 0: that was all; negative: broken off, the connection is dropped so
	 * that the reader sees a body cut short. */
	int (*next)(void *state, struct buf *out);
	void (*done)(void *state); /* called once, whatever happens; may be NULL */
	void *state;
};

struct http_response {
	unsigned status;          /* 200 */
	const char *content_type; /* plain text */
	struct buf body;          /* an error in it makes the response a 500 */
	bool compress;            /* a body that is whole goes as gzip to who accepts that: no secret may be beside what
				     a client chose */
	/* With a name each; copied when the handler returns. */
	struct {
		const char *name, *value;
	} headers[HTTP_HEADERS_MAX];
	struct http_stream stream; /* with next: what follows the body */
};

/* Both must live until the response is on its way: literals, or what the context of the routes owns. */
void http_response_header(struct http_response *r, const char *name, const char *value);

/* What a server serves; it must outlive the server. Unknown paths get 404, other methods of a known one 405, bad
 * requests 4xx without a call. */
struct http_site {
	const struct http_route *routes;
	void *ctx;
	/* The same, but whatever name of the host a client uses; may be NULL. Other routes want a Host that is an
	 * address, localhost or one of @hosts: a page elsewhere whose name leads here could read them through its
	 * visitors (DNS rebinding). Does not concern Unix sockets, nor clients who show who they are. */
	const struct http_route *open_routes;
	const str *hosts;
	size_t n_hosts;
	struct web_config *web; /* of TCP listeners, when they start; may be NULL */
};

/* Listen on @address, "host:port" or "[v6]:port"; an empty host is every address. Port 0 takes a free one. Routes are
 * called on the loop's thread. Fails: EINVAL (address), EADDRINUSE and other codes of bind(2), ENOMEM. */
CHECKED int http_server_new(uv_loop_t *loop, const char *address, const struct http_site *site,
			    struct http_server **ret, struct err *err);
/* The same on the Unix socket @path with the permissions @mode. What was left there by a server that is gone is
 * replaced. Its requests are trusted. Fails: EADDRINUSE (somebody accepts there), EEXIST (no socket), ENAMETOOLONG and
 * others as above. */
CHECKED int http_server_new_unix(uv_loop_t *loop, const char *path, mode_t mode, const struct http_site *site,
				 struct http_server **ret, struct err *err);
/* The same on the listening stream socket @fd, which is the server's, also when this fails. A Unix socket stays where it
 * is. Fails: EINVAL (no such socket). */
CHECKED int http_server_new_passed(uv_loop_t *loop, int fd, const struct http_site *site, struct http_server **ret,
				   struct err *err);
/* "127.0.0.1:19470" or "/run/driftd/driftd.sock", what was bound. */
const char *http_server_address(const struct http_server *s);
/* Stops listening, drops connections, closes its handles on the loop and frees itself from there. A route may ask for
 * it: then it happens after the answer is handed over. */
void http_server_close(struct http_server *s);

#endif

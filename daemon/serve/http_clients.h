/* The connections of the HTTP server, so that no client holds one for long or shuts others out. Knows sockets and
 * times, no HTTP. */
#ifndef DAEMON_SERVE_HTTP_CLIENTS_H
#define DAEMON_SERVE_HTTP_CLIENTS_H

#include "base/defs.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The time for a request, from its connection or the end of the one before, to the end of its answer. Each part of a
 * streamed answer has as much. */
#define HTTP_REQUEST_MS 10000
#define HTTP_REFUSED_MS 500 /* the time for the rest of a request that is refused */
#define HTTP_CLIENTS_MAX 192

struct http_client;

/* The clients that were not dropped, in the order of their connections. Zero it. */
struct http_clients {
	struct http_client *first, *last;
	size_t n;
};

/* A connection on @fd, which stays the caller's, has begun; when there would be more than HTTP_CLIENTS_MAX, the one
 * that connected first is dropped: however many requests others send, a newcomer has its turn. NULL without memory:
 * then @fd is dropped. */
CHECKED struct http_client *http_clients_add(struct http_clients *all, int fd, uint64_t now_ms);
/* The request, or a part of its answer, is finished: the client's time begins again. */
void http_clients_renew(struct http_client *c, uint64_t now_ms);
/* The request of @c is refused: the client has at most HTTP_REFUSED_MS left to send the rest of it. */
void http_clients_refuse(struct http_client *c, uint64_t now_ms);
bool http_client_is_dropped(const struct http_client *c);
/* Whether the client has had no answer yet. */
bool http_client_is_new(const struct http_client *c);
/* Drop the clients whose time is over: both directions of the socket are shut down; its owner sees that and closes
 * it. */
void http_clients_expire(struct http_clients *all, uint64_t now_ms);
/* The connection has ended: frees @c, before its socket is closed. */
void http_clients_remove(struct http_clients *all, struct http_client *c);

#endif

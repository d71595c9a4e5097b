/* Find the route that answers a request. Knows methods and paths, no connection. */
#ifndef DAEMON_SERVE_ROUTES_H
#define DAEMON_SERVE_ROUTES_H

#include "base/buf.h"
#include "daemon/serve/uri.h"

struct http_request;
struct http_response;

struct http_route {
	const char *method;  /* "GET" serves HEAD as well; NULL ends a table */
	const char *pattern; /* "/api/v1/findings/{id}": a segment in braces is any that is not empty */
	void (*answer)(void *ctx, const struct http_request *request, struct http_response *response);
};

/* All requests below a path, whatever their method and whatever is there: it answers for itself, errors too. */
struct http_resource {
	const char *path; /* "/v1/rules"; NULL ends a table */
	void (*answer)(void *ctx, const struct http_request *request, struct http_response *response);
	size_t body_max;
	bool trusted_only; /* others are refused before their body is read: 403 */
	/* What is refused without a call of @answer is said by this. */
	void (*refuse)(struct http_response *response, unsigned status, const char *why);
};

/* The first route of @table for @method at @u, or NULL; then *known says whether another method has that path. */
const struct http_route *routes_find(const struct http_route *table, const char *method, const struct uri *u,
				     bool *known);
/* "GET, HEAD, POST": what may be done at @u, in the order of @table. */
void routes_allowed(const struct http_route *table, const struct uri *u, struct buf *out);
/* Whether @u is @path, "/v1/rules", or anything below it. */
bool routes_below(const char *path, const struct uri *u);
/* What stands for {name} of @pattern, which @u matches; NULL: the pattern has no such name. */
const char *routes_value(const char *pattern, const struct uri *u, const char *name);

#endif

/* Finds the route of a request. It knows methods and paths, but no connections. */
#ifndef DAEMON_SERVE_ROUTES_H
#define DAEMON_SERVE_ROUTES_H

#include "base/buf.h"
#include "daemon/serve/uri.h"

struct http_request;
struct http_response;

struct http_route {
	const char *method; /* "GET" serves HEAD as well; NULL ends a table */
	/* such as "/api/v1/findings/{id}": a segment in braces stands for any that is not empty */
	const char *pattern;
	void (*answer)(void *ctx, const struct http_request *request, struct http_response *response);
};

/* All requests below a path, whatever their method: the resource answers for itself, errors too. */
struct http_resource {
	const char *path; /* "/v1/rules"; NULL ends a table */
	void (*answer)(void *ctx, const struct http_request *request, struct http_response *response);
	size_t body_max;
	bool trusted_only; /* others are refused before their body is read: 403 */
	/* Answers a request that is refused without a call of @answer. */
	void (*refuse)(struct http_response *response, unsigned status, const char *why);
};

/* The first route of @table for @method at @u, or NULL; then *known says whether another method has that path. */
const struct http_route *routes_find(const struct http_route *table, const char *method, const struct uri *u,
				     bool *known);
/* The methods that are allowed at @u, such as "GET, HEAD, POST", in the order of @table. */
void routes_allowed(const struct http_route *table, const struct uri *u, struct buf *out);
/* Whether @u is @path, "/v1/rules", or anything below it. */
bool routes_below(const char *path, const struct uri *u);
/* The segment of @u that stands for {name} in @pattern, which @u matches; NULL: the pattern has no such name. */
const char *routes_value(const char *pattern, const struct uri *u, const char *name);

#endif

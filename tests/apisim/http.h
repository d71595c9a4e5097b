/* One HTTP request, from the first header to the queued answer, and the ways to answer it. */
#ifndef APISIM_HTTP_H
#define APISIM_HTTP_H

#include "sim.h"
#include "status.h"

#include "base/buf.h"

#include <microhttpd.h>

#define HTTP_PATH_PARTS 12

struct request {
	struct sim *sim;
	struct MHD_Connection *conn;
	const char *method;
	char *path;
	struct buf body;
	/* What the path names; set by route(). Strings point into path_parts. */
	char *path_parts;
	struct resource *res; /* borrowed */
	const char *version;
	const char *ns, *name, *sub; /* NULL when absent */
	const char *verb; /* get, list, watch, create, update, patch, delete, deletecollection; else the method */
	uint64_t stall_until_ms;
	bool stall_checked;
	const struct fault *fault; /* what a list or a watch does wrong; borrowed while it is routed; NULL: nothing */
	bool shaped;               /* the body of the answer goes out in this shape */
	struct body_shape shape;
	bool suspended;
};

struct MHD_Daemon *http_start(struct sim *sim, const char *cert, const char *key, const char *ca, int listen_fd);

/* The value of a query parameter; NULL when absent, "" when it has no value. */
const char *http_query(const struct request *req, const char *key);
bool http_query_true(const struct request *req, const char *key);
const char *http_header(const struct request *req, const char *key);

/* The answers. Each takes what it is given, queues the response and returns libmicrohttpd's result. */
enum MHD_Result http_json(struct request *req, unsigned status, json_t *json_take);
enum MHD_Result http_json_as(struct request *req, unsigned status, json_t *json_take, const char *content_type);
enum MHD_Result http_text(struct request *req, unsigned status, const char *text);
/* The status, headers and body of a FAULT_ANSWER. */
enum MHD_Result http_given(struct request *req, const struct fault *given);
enum MHD_Result http_rev(struct request *req, unsigned status, const struct rev *rev);
enum MHD_Result http_refusal(struct request *req, const struct refusal *refusal);
enum MHD_Result http_not_found(struct request *req);

/* The body as a JSON object (new reference), or a refusal. */
CHECKED int http_body(const struct request *req, json_t **ret, struct refusal *refusal);

bool http_accepts_gzip(const struct request *req);
/* @text compressed into @out. False when it cannot be done. */
bool http_gzip(str text, struct buf *out);

#endif

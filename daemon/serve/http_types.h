/* Requests and responses, as routes see them. */
#ifndef DAEMON_SERVE_HTTP_TYPES_H
#define DAEMON_SERVE_HTTP_TYPES_H

#include "base/buf.h"
#include "daemon/serve/routes.h"

#define HTTP_BODY_MAX ((size_t)64 << 10)
#define HTTP_HEADERS_MAX 8

/* Who sends the request. The kernel names the user of a Unix socket; where user ids are mapped (PrivateUsers=), all
 * others look like one. */
enum http_peer { HTTP_PEER_NETWORK, HTTP_PEER_OTHER, HTTP_PEER_SELF, HTTP_PEER_ROOT };

/* A request, valid during the call. Its texts are UTF-8, except the body. */
struct http_request {
	const char *method, *path; /* the path is decoded, without the query */
	str body;                  /* a body that is too large for the route gets a 413, and does not come here */
	enum http_peer peer;
	/* the client may see values and diffs: it uses a Unix socket, or a password or certificate identified it */
	bool trusted;
	void *state; /* the state that the route left with http_later, which owns it again; NULL in the first call */

	/* The rest is for http.c only. */
	const struct http_route *route;
	struct uri uri;
	struct MHD_Connection *connection;
};

/* The first header of that name, in any case; NULL without one. */
const char *http_header(const struct http_request *q, const char *name);
/* Whether the body is of that media type, whatever parameters follow. A foreign page can make a browser send a form,
 * but not "application/json". */
bool http_sends(const struct http_request *q, const char *type);
/* The first parameter of that name, decoded; NULL without one. */
const char *http_query(const struct http_request *q, const char *name);
/* All parameters in their order, repeated ones too: start with *at = 0. False after the last. */
bool http_query_each(const struct http_request *q, size_t *at, const char **name, const char **value);
/* The segment that stands for {name} of the route's pattern; asking for another name is a mistake. */
const char *http_route_value(const struct http_request *q, const char *name);

/* The rest of a body, part by part, at most one part in a turn of the loop. */
struct http_stream {
	/* Appends the next part, some tens of KB at most, to @out, which is empty; one that appends nothing is asked
	 * again on another turn. A part takes some hundred microseconds at most: so many are made on a turn as there
	 * is time for. 1: there is more; 0: that was all; negative: broken off, the connection is dropped so
	 * that the reader sees a body cut short. */
	int (*next)(void *state, struct buf *out);
	void (*done)(void *state); /* called once, whatever happens; may be NULL */
	void *state;
};

/* A request that waits for its answer. */
struct http_ticket;

/* The answer of @q takes a while: what the route does to the response counts for nothing, and it is called once more,
 * on the turn after http_go_on, with @state in q->state. If the client or the server ends before, @forget is called
 * with it instead, and the ticket is no more. */
struct http_ticket *http_later(const struct http_request *q, void *state, void (*forget)(void *state));
/* Call the route again. Not within the call of http_later's route. */
void http_go_on(struct http_ticket *t);
/* As http_go_on, but the answer is made before this returns: for a caller that may close the server next. Not for
 * answers that a client can ask for again and again, or the loop would never come out of them. */
void http_go_on_now(struct http_ticket *t);

/* The answer of @q takes work, which would make the turn long: @some is called on this turn's successors until it says
 * that nothing is left to do, each time until about @until_ns (uv_hrtime), and then the route as by http_later. All
 * requests of a server share the time that a turn has for them, in turns. */
typedef bool http_some_fn(void *state, uint64_t until_ns);
void http_work(const struct http_request *q, void *state, http_some_fn *some, void (*forget)(void *state));

struct http_response {
	unsigned status;          /* 200 */
	const char *content_type; /* plain text */
	struct buf body;          /* an error in it makes the response a 500 */
	bool compress;            /* a body that is whole goes as gzip to who accepts that: no secret may be beside what
				     a client chose */
	struct {
		const char *name;
		char *value;
	} headers[HTTP_HEADERS_MAX]; /* with a name each */
	struct http_stream stream;   /* with next: what follows the body */
};

/* @name is a literal, @value is copied. Without memory the response becomes a 500. */
void http_response_header(struct http_response *r, const char *name, const char *value);

#endif

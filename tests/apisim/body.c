/* A reader between a body and libmicrohttpd, that holds it back or cuts it. */
#include "body.h"

#include "http.h"

#include <gnutls/gnutls.h>
#include <sys/socket.h>

#define BLOCK ((size_t)64 << 10)
/* Of a slow body, that many pieces go out in a second. */
#define PIECES_PER_SECOND 10
/* MHD_RF_HTTP_1_0_COMPATIBLE_STRICT; older versions have another name for it. */
#define HTTP_1_0 ((enum MHD_ResponseFlags)1)

struct body {
	struct request *req;
	struct body_shape shape;
	MHD_ContentReaderCallback read;
	MHD_ContentReaderFreeCallback done;
	void *cls;
	uint64_t sent, due_ms;
	bool paused;
};

static void body_free(void *cls)
{
	struct body *b = cls;

	b->done(b->cls);
	free(b);
}

/* The connection sleeps until @until_ms: release_stalled() wakes it. */
static ssize_t hold(struct body *b, uint64_t until_ms)
{
	struct sim *sim = b->req->sim;

	if (!vec_push(&sim->stalled, b->req))
		return (ssize_t)MHD_CONTENT_READER_END_WITH_ERROR;
	b->req->stall_until_ms = until_ms;
	MHD_suspend_connection(b->req->conn);
	return 0;
}

/* libmicrohttpd leaves a connection open that had a request with a body before: it is ended here, not at its close. */
static int socket_of(struct MHD_Connection *conn)
{
	const union MHD_ConnectionInfo *info = MHD_get_connection_info(conn, MHD_CONNECTION_INFO_CONNECTION_FD);

	return info ? info->connect_fd : -1;
}

void body_reset(struct MHD_Connection *conn)
{
	const struct sockaddr nobody = { .sa_family = AF_UNSPEC };

	(void)connect(socket_of(conn), &nobody,
		      sizeof(nobody)); /* a connection that is dissolved is reset: connect(2) */
}

void body_cut(struct MHD_Connection *conn)
{
	(void)shutdown(socket_of(conn), SHUT_RDWR);
}

/* In order: what was sent is all, and with TLS that is said. */
static void body_close(struct MHD_Connection *conn)
{
	const union MHD_ConnectionInfo *tls = MHD_get_connection_info(conn, MHD_CONNECTION_INFO_GNUTLS_SESSION);

	if (tls && tls->tls_session)
		(void)gnutls_bye(tls->tls_session, GNUTLS_SHUT_WR);
	(void)shutdown(socket_of(conn), SHUT_WR);
}

static ssize_t in_order(const struct body *b)
{
	if (b->shape.cut == BODY_CLOSE)
		body_close(b->req->conn);
	return (ssize_t)MHD_CONTENT_READER_END_OF_STREAM;
}

static ssize_t end_of(const struct body *b)
{
	if (b->shape.cut == BODY_END || b->shape.cut == BODY_CLOSE)
		return in_order(b);
	if (b->shape.cut == BODY_RST)
		body_reset(b->req->conn);
	else
		body_cut(b->req->conn);
	return (ssize_t)MHD_CONTENT_READER_END_WITH_ERROR;
}

/* How much may go out now. */
static size_t room(const struct body *b, size_t max)
{
	uint64_t piece = b->shape.per_second / PIECES_PER_SECOND + 1, ahead = b->shape.bytes - b->sent;
	bool marked = b->shape.cut != BODY_WHOLE || (b->shape.pause_ms && !b->paused);

	if (b->shape.per_second && piece < max)
		max = (size_t)piece;
	return marked && ahead < max ? (size_t)ahead : max;
}

static ssize_t shaped_read(void *cls, uint64_t pos, char *to, size_t max)
{
	struct body *b = cls;
	bool at_mark = b->sent >= b->shape.bytes, stopping = b->req->sim->stopping;
	ssize_t n;

	if (at_mark && b->shape.cut != BODY_WHOLE)
		return end_of(b);
	if (at_mark && b->shape.pause_ms && !b->paused) {
		b->paused = true;
		b->due_ms = now_ms() + b->shape.pause_ms;
	}
	if (now_ms() < b->due_ms && !stopping)
		return hold(b, b->due_ms);
	n = b->read(b->cls, pos, to, room(b, max));
	if (n <= 0)
		return n == (ssize_t)MHD_CONTENT_READER_END_OF_STREAM ? in_order(b) : n;
	b->sent += (uint64_t)n;
	if (b->shape.per_second)
		b->due_ms = now_ms() + (uint64_t)n * 1000 / b->shape.per_second;
	return n;
}

struct MHD_Response *body_response(struct request *req, uint64_t size, MHD_ContentReaderCallback read, void *cls,
				   MHD_ContentReaderFreeCallback done)
{
	const struct body_shape *shape = &req->shape;
	struct MHD_Response *response;
	struct body *b;

	if (!req->shaped)
		return MHD_create_response_from_callback(size, BLOCK, read, cls, done);
	b = calloc(1, sizeof(*b));
	if (!b)
		return NULL;
	*b = (struct body){ .req = req, .shape = *shape, .read = read, .done = done, .cls = cls };
	if (shape->cut == BODY_CLOSE)
		size = MHD_SIZE_UNKNOWN;
	else if (shape->cut == BODY_END && size > shape->bytes && size != MHD_SIZE_UNKNOWN)
		size = shape->bytes;
	response = MHD_create_response_from_callback(size, BLOCK, shaped_read, b, body_free);
	if (!response)
		free(b);
	else if (shape->cut == BODY_CLOSE)
		(void)MHD_set_response_options(response, HTTP_1_0, MHD_RO_END);
	return response;
}

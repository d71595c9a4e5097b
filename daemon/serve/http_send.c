/* Turns answers into responses of libmicrohttpd. */
#include "daemon/serve/http_send.h"

#include "base/assert.h"
#include "daemon/serve/accept.h"
#include "daemon/serve/http_clients.h"
#include "mask/credentials.h"

#include <sys/types.h>
#include <uv.h>
#include <zlib.h>

#define PART_BYTES_MAX ((size_t)4 << 20)
#define COMPRESS_FROM 1024 /* shorter bodies gain nothing from compression */

void http_response_header(struct http_response *r, const char *name, const char *value)
{
	size_t i = 0;

	while (i < HTTP_HEADERS_MAX && r->headers[i].name)
		i++;
	ASSERT(i < HTTP_HEADERS_MAX);
	r->headers[i].value = strdup(value);
	if (r->headers[i].value)
		r->headers[i].name = name;
	else if (!r->body.error)
		r->body.error = -ENOMEM;
}

/* ---- streams ---- */

struct stream {
	struct http_stream source;
	struct http_client *client;
	struct http_turn *turn;
	bool waits; /* the stream waits in its line */
	TAILQ_ENTRY(stream) line;
	struct buf part;
	size_t sent; /* bytes of the part that were sent */
	int last;    /* the last result of next() */
};

void http_turn_init(struct http_turn *t)
{
	*t = (struct http_turn){ 0 };
	TAILQ_INIT(&t->line);
}

void http_turn_begin(struct http_turn *t, uint64_t ends_ns)
{
	t->ends_ns = ends_ns;
	t->n_parts = 0;
}

static void leave_line(struct stream *s)
{
	if (s->waits)
		TAILQ_REMOVE(&s->turn->line, s, line);
	s->waits = false;
}

/* Whether a part is made in this turn: while there is time, and one in any case. Waiting streams come first, in
 * their order; libmicrohttpd asks for each of them in each turn. */
static bool may_make_part(struct stream *s)
{
	struct http_turn *t = s->turn;
	struct stream *first = TAILQ_FIRST(&t->line);

	if ((!first || first == s) && (!t->n_parts || uv_hrtime() < t->ends_ns)) {
		leave_line(s);
		t->n_parts++;
		return true;
	}
	if (!s->waits)
		TAILQ_INSERT_TAIL(&t->line, s, line);
	s->waits = true;
	return false;
}

static void stream_free(void *cls)
{
	struct stream *s = cls;

	leave_line(s);
	if (s->source.done)
		s->source.done(s->source.state);
	buf_done(&s->part);
	free(s);
}

/* Hide driftd's own credentials in the body, the last check before it is sent: a server may have put them into its
 * data. */
static void hide_credentials(struct buf *body)
{
	struct buf out = BUF_INIT(body->max);

	if (body->error || !credentials_in(buf_str(body)))
		return;
	credentials_hide(buf_str(body), NULL, 0, &out);
	buf_done(body);
	*body = out;
}

static ssize_t stream_read(void *cls, uint64_t position, char *out, size_t max)
{
	struct stream *s = cls;
	size_t n;

	(void)position;
	if (s->sent == s->part.n && s->last > 0) {
		if (!may_make_part(s))
			return 0;
		buf_clear(&s->part);
		s->sent = 0;
		s->last = s->source.next(s->source.state, &s->part);
		hide_credentials(&s->part);
		if (s->client) /* a client that keeps reading may take longer than the time limit of a request */
			http_clients_renew(s->client, uv_hrtime() / 1000000);
	}
	if (s->last < 0 || s->part.error)
		return (ssize_t)MHD_CONTENT_READER_END_WITH_ERROR;
	n = s->part.n - s->sent;
	if (n == 0)
		return s->last > 0 ? 0 : (ssize_t)MHD_CONTENT_READER_END_OF_STREAM;
	if (n > max)
		n = max;
	memcpy(out, s->part.p + s->sent, n);
	s->sent += n;
	return (ssize_t)n;
}

/* Make a response for a stream, whose first part is the body. */
static struct MHD_Response *stream_response(struct MHD_Connection *connection, struct http_response *r,
					    struct http_turn *turn)
{
	const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
	struct stream *stream = calloc(1, sizeof(*stream));
	struct MHD_Response *response;

	if (!stream) {
		if (r->stream.done)
			r->stream.done(r->stream.state);
		return NULL;
	}
	*stream = (struct stream){
		.source = r->stream,
		.client = info->socket_context,
		.turn = turn,
		.part = r->body,
		.last = 1,
	};
	stream->part.max = PART_BYTES_MAX;
	r->body = BUF_INIT(0);
	response = MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, HTTP_CONNECTION_BYTES, stream_read, stream,
						     stream_free);
	if (!response)
		stream_free(stream);
	return response;
}

/* ---- whole bodies ---- */

static struct MHD_Response *whole_response(struct buf *body)
{
	size_t n = body->n;
	char *p = n ? buf_steal(body) : NULL;
	struct MHD_Response *response =
		MHD_create_response_from_buffer(n, p, p ? MHD_RESPMEM_MUST_FREE : MHD_RESPMEM_PERSISTENT);

	if (!response)
		free(p);
	return response;
}

/* Compress the body with gzip if that makes it shorter. */
static bool compress_body(struct buf *body)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(body->n);
	z_stream z = { .next_in = (Bytef *)body->p, .avail_in = (uInt)body->n, .avail_out = (uInt)body->n - 1 };
	bool shorter;

	if (body->n > UINT32_MAX || deflateInit2(&z, Z_BEST_SPEED, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
		return false;
	z.next_out = (Bytef *)buf_reserve(&out, body->n - 1);
	shorter = z.next_out && deflate(&z, Z_FINISH) == Z_STREAM_END;
	if (shorter) {
		struct buf whole = *body;

		buf_commit(&out, z.total_out);
		*body = out;
		out = whole;
	}
	(void)deflateEnd(&z);
	return shorter;
}

static void compress_for(struct MHD_Connection *connection, struct http_response *r)
{
	const char *accepted =
		MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_ACCEPT_ENCODING);

	http_response_header(r, MHD_HTTP_HEADER_VARY, MHD_HTTP_HEADER_ACCEPT_ENCODING);
	if (r->body.n >= COMPRESS_FROM && accepts_coding(accepted, "gzip") && compress_body(&r->body))
		http_response_header(r, MHD_HTTP_HEADER_CONTENT_ENCODING, "gzip");
}

/* ---- headers ---- */

static void add_headers(struct MHD_Response *response, const struct http_response *r, const struct web_config *web)
{
	(void)MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, r->content_type);
	(void)MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
	for (size_t i = 0; i < HTTP_HEADERS_MAX && r->headers[i].name; i++)
		(void)MHD_add_response_header(response, r->headers[i].name, r->headers[i].value);
	for (size_t i = 0; web && i < web->n_headers; i++) {
		const char *name = web->headers[i].name, *value;

		while ((value = MHD_get_response_header(response, name)))
			(void)MHD_del_response_header(response, name, value);
		(void)MHD_add_response_header(response, name, web->headers[i].value);
	}
}

static void drop_body(struct http_response *r)
{
	if (r->stream.next && r->stream.done)
		r->stream.done(r->stream.state);
	r->stream = (struct http_stream){ 0 };
	buf_done(&r->body);
}

void http_response_done(struct http_response *r)
{
	drop_body(r);
	for (size_t i = 0; i < HTTP_HEADERS_MAX && r->headers[i].name; i++) {
		r->headers[i].name = NULL;
		free(r->headers[i].value);
	}
}

static void give_up(struct http_response *r)
{
	drop_body(r);
	r->status = MHD_HTTP_INTERNAL_SERVER_ERROR;
}

enum MHD_Result http_send(struct MHD_Connection *connection, struct http_response *r, const struct web_config *web,
			  struct http_turn *turn)
{
	struct MHD_Response *response;
	enum MHD_Result result;

	hide_credentials(&r->body);
	if (r->body.error)
		give_up(r);
	if (r->compress && !r->stream.next)
		compress_for(connection, r);
	response = r->stream.next ? stream_response(connection, r, turn) : whole_response(&r->body);
	r->stream = (struct http_stream){ 0 }; /* the response owns it now */
	if (response)
		add_headers(response, r, web);
	http_response_done(r);
	if (!response)
		return MHD_NO;
	result = MHD_queue_response(connection, r->status, response);
	MHD_destroy_response(response);
	return result;
}

/* libmicrohttpd's callbacks, and the forms of an answer. */
#include "http.h"

#include "route.h"
#include "stats.h"

#include <gnutls/gnutls.h>
#include <gnutls/x509.h>
#include <stdio.h>
#include <strings.h>
#include <zlib.h>

#define BODY_MAX ((size_t)3 << 20)         /* of an API request, as the real server's */
#define CONTROL_BODY_MAX ((size_t)2 << 30) /* of a bulk load */
#define GZIP_MAX ((size_t)4 << 30)
#define CONNECTION_MEMORY ((size_t)256 << 10)
#define CONNECTIONS 2000u

static enum MHD_Result queue(struct request *req, unsigned status, struct MHD_Response *response)
{
	enum MHD_Result r;

	if (!response)
		return MHD_NO;
	r = MHD_queue_response(req->conn, status, response);
	MHD_destroy_response(response);
	return r;
}

const char *http_query(const struct request *req, const char *key)
{
	const char *value = NULL;

	if (MHD_lookup_connection_value_n(req->conn, MHD_GET_ARGUMENT_KIND, key, strlen(key), &value, NULL) != MHD_YES)
		return NULL;
	return value ? value : "";
}

bool http_query_true(const struct request *req, const char *key)
{
	const char *value = http_query(req, key);

	return value && (strcmp(value, "1") == 0 || strcasecmp(value, "true") == 0);
}

const char *http_header(const struct request *req, const char *key)
{
	return MHD_lookup_connection_value(req->conn, MHD_HEADER_KIND, key);
}

bool http_accepts_gzip(const struct request *req)
{
	const char *accept = http_header(req, "Accept-Encoding");

	return accept && strstr(accept, "gzip");
}

bool http_gzip(str text, struct buf *out)
{
	z_stream z = { 0 };
	char *to;
	size_t room;

	if (text.n > UINT32_MAX || deflateInit2(&z, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
		return false;
	room = deflateBound(&z, text.n);
	to = buf_reserve(out, room);
	if (!to) {
		deflateEnd(&z);
		return false;
	}
	z.next_in = (Bytef *)(uintptr_t)text.p;
	z.avail_in = (uInt)text.n;
	z.next_out = (Bytef *)to;
	z.avail_out = (uInt)room;
	if (deflate(&z, Z_FINISH) != Z_STREAM_END) {
		deflateEnd(&z);
		return false;
	}
	buf_commit(out, z.total_out);
	deflateEnd(&z);
	return true;
}

static ssize_t read_text(void *cls, uint64_t pos, char *to, size_t max)
{
	const struct buf *text = cls;
	str rest = str_sub(buf_str(text), (size_t)pos, text->n);

	if (rest.n == 0)
		return (ssize_t)MHD_CONTENT_READER_END_OF_STREAM;
	if (rest.n > max)
		rest.n = max;
	memcpy(to, rest.p, rest.n);
	return (ssize_t)rest.n;
}

static void free_text(void *cls)
{
	struct buf *text = cls;

	buf_done(text);
	free(text);
}

/* Takes @text; NULL without memory. */
static struct MHD_Response *text_response(struct request *req, struct buf *text)
{
	struct buf *own = text->error ? NULL : malloc(sizeof(*own));
	struct MHD_Response *response = NULL;

	if (own) {
		*own = *text;
		*text = BUF_INIT(text->max);
		response = body_response(req, own->n, read_text, own, free_text);
		if (!response)
			free_text(own);
	}
	buf_done(text);
	return response;
}

/* Takes @text. */
static enum MHD_Result answer(struct request *req, unsigned status, const char *type, struct buf *text)
{
	struct buf zipped = BUF_INIT(GZIP_MAX);
	bool zip = text->n >= req->sim->opt.gzip_min && http_accepts_gzip(req) && http_gzip(buf_str(text), &zipped);
	struct MHD_Response *response = text_response(req, zip ? &zipped : text);

	buf_done(text);
	if (!response)
		return MHD_NO;
	MHD_add_response_header(response, "Content-Type", type);
	MHD_add_response_header(response, "Cache-Control", "no-cache, private");
	if (zip) {
		MHD_add_response_header(response, "Content-Encoding", "gzip");
		MHD_add_response_header(response, "Vary", "Accept-Encoding");
	}
	return queue(req, status, response);
}

static int dump_to_buf(const char *p, size_t n, void *data)
{
	struct buf *b = data;

	buf_add(b, p, n);
	return b->error ? -1 : 0;
}

enum MHD_Result http_json_as(struct request *req, unsigned status, json_t *json, const char *content_type)
{
	struct buf text = BUF_INIT(GZIP_MAX);

	if (!json || json_dump_callback(json, dump_to_buf, &text, JSON_COMPACT)) {
		json_decref(json);
		buf_done(&text);
		return MHD_NO;
	}
	json_decref(json);
	buf_add_byte(&text, '\n');
	return answer(req, status, content_type, &text);
}

enum MHD_Result http_json(struct request *req, unsigned status, json_t *json)
{
	return http_json_as(req, status, json, "application/json");
}

enum MHD_Result http_text(struct request *req, unsigned status, const char *text)
{
	struct buf b = BUF_INIT(GZIP_MAX);

	buf_add_cstr(&b, text);
	return answer(req, status, "text/plain; charset=utf-8", &b);
}

static void add_retry_after(struct MHD_Response *response, unsigned seconds)
{
	char text[16];

	if (!seconds)
		return;
	(void)snprintf(text, sizeof(text), "%u", seconds);
	MHD_add_response_header(response, "Retry-After", text);
}

enum MHD_Result http_given(struct request *req, const struct fault *given)
{
	struct buf b = BUF_INIT(GZIP_MAX);
	struct MHD_Response *response;

	buf_add_cstr(&b, given->text);
	response = text_response(req, &b);
	if (!response)
		return MHD_NO;
	MHD_add_response_header(response, "Content-Type", given->type ? given->type : "text/plain; charset=utf-8");
	if (given->location)
		MHD_add_response_header(response, "Location", given->location);
	add_retry_after(response, given->retry_after);
	return queue(req, (unsigned)given->status, response);
}

enum MHD_Result http_rev(struct request *req, unsigned status, const struct rev *rev)
{
	struct buf b = BUF_INIT(GZIP_MAX);
	char gv[320];

	group_version(req->res->group, req->version, gv, sizeof(gv));
	buf_printf(&b, "{\"apiVersion\":\"%s\"", gv);
	buf_add_str(&b, str_sub(rev->text, rev->version_end, rev->text.n));
	buf_add_byte(&b, '\n');
	return answer(req, status, "application/json", &b);
}

enum MHD_Result http_refusal(struct request *req, const struct refusal *refusal)
{
	struct buf text = BUF_INIT(1u << 20);
	json_t *json = refusal_json(refusal);
	struct MHD_Response *response;

	if (json)
		(void)json_dump_callback(json, dump_to_buf, &text, JSON_COMPACT);
	json_decref(json);
	buf_add_byte(&text, '\n');
	response = text_response(req, &text);
	if (!response)
		return MHD_NO;
	MHD_add_response_header(response, "Content-Type", "application/json");
	add_retry_after(response, refusal->retry_after);
	return queue(req, (unsigned)refusal->code, response);
}

enum MHD_Result http_not_found(struct request *req)
{
	return http_text(req, 404, "404 page not found\n");
}

int http_body(const struct request *req, json_t **ret, struct refusal *refusal)
{
	const char *type = http_header(req, "Content-Type");
	json_error_t e;
	json_t *body;

	if (type && (strstr(type, "protobuf") || strstr(type, "yaml") || strstr(type, "cbor")))
		return refuse(refusal, 415, "UnsupportedMediaType",
			      "the body of the request was in an unknown format - accepted media types include: "
			      "application/json");
	body = json_loadb(req->body.p ? req->body.p : "", req->body.n, JSON_ALLOW_NUL, &e);

	if (json_is_object(body)) {
		*ret = body;
		return 0;
	}
	if (body) {
		json_decref(body);
		return refuse(refusal, 400, "BadRequest", "the body is not a JSON object");
	}
	return refuse(refusal, 400, "BadRequest", "the object provided is unrecognized (must be JSON): line %d: %s",
		      e.line, e.text);
}

/* --- who may come in --- */

static bool has_client_cert(struct request *req)
{
	const union MHD_ConnectionInfo *info = MHD_get_connection_info(req->conn, MHD_CONNECTION_INFO_GNUTLS_SESSION);
	unsigned problems = 0, n = 0;

	if (!info || !info->tls_session)
		return false;
	if (!gnutls_certificate_get_peers((gnutls_session_t)info->tls_session, &n) || n == 0)
		return false;
	return gnutls_certificate_verify_peers2((gnutls_session_t)info->tls_session, &problems) == 0 && problems == 0;
}

static bool is_public(const char *path)
{
	static const char *const open[] = { "/version", "/healthz", "/livez", "/readyz" };

	for (size_t i = 0; i < ARRAY_LEN(open); i++)
		if (strcmp(path, open[i]) == 0)
			return true;
	return strncmp(path, "/_apisim/", 9) == 0;
}

static bool authorized(struct request *req)
{
	const struct options *opt = &req->sim->opt;
	const char *header = http_header(req, "Authorization");

	if ((!opt->token && !opt->require_client_cert) || is_public(req->path))
		return true;
	if (opt->token && header && strncmp(header, "Bearer ", 7) == 0)
		return strcmp(header + 7, opt->token) == 0;
	return has_client_cert(req);
}

/* --- the life of a request --- */

static enum MHD_Result dispatch(struct request *req)
{
	struct refusal refusal;

	if (req->body.error) {
		(void)refuse(&refusal, 413, "RequestEntityTooLarge", "limit is %zu", req->body.max);
		return http_refusal(req, &refusal);
	}
	if (!authorized(req)) {
		stats_count(&req->sim->stats, "unauthorized", "");
		(void)refuse(&refusal, 401, "Unauthorized", "Unauthorized");
		return http_refusal(req, &refusal);
	}
	return route(req);
}

static struct request *request_new(struct sim *sim, struct MHD_Connection *conn, const char *path, const char *method)
{
	struct request *req = calloc(1, sizeof(*req));
	bool control = strncmp(path, "/_apisim/", 9) == 0;

	if (!req)
		return NULL;
	req->sim = sim;
	req->conn = conn;
	req->method = method;
	req->body = BUF_INIT(control ? CONTROL_BODY_MAX : BODY_MAX);
	req->path = str_dup(str_from(path));
	if (req->path)
		return req;
	free(req);
	return NULL;
}

static enum MHD_Result on_request(void *cls, struct MHD_Connection *conn, const char *url, const char *method,
				  const char *version, const char *data, size_t *data_n, void **req_cls)
{
	struct request *req = *req_cls;

	(void)version;
	if (!req) {
		*req_cls = request_new(cls, conn, url, method);
		return *req_cls ? MHD_YES : MHD_NO;
	}
	if (*data_n) {
		buf_add(&req->body, data, *data_n);
		*data_n = 0;
		return MHD_YES;
	}
	return dispatch(req);
}

static void on_completed(void *cls, struct MHD_Connection *conn, void **req_cls, enum MHD_RequestTerminationCode code)
{
	struct sim *sim = cls;
	struct request *req = *req_cls;

	(void)conn;
	(void)code;
	if (!req)
		return;
	for (size_t i = 0; i < sim->stalled.n; i++)
		if (sim->stalled.p[i] == req)
			sim->stalled.p[i--] = sim->stalled.p[--sim->stalled.n];
	buf_done(&req->body);
	free(req->path_parts);
	free(req->path);
	free(req);
	*req_cls = NULL;
}

static void on_log(void *cls, const char *fmt, va_list ap) PRINTF(2, 0);
static void on_log(void *cls, const char *fmt, va_list ap)
{
	const struct sim *sim = cls;

	if (sim->opt.verbose)
		(void)vfprintf(stderr, fmt, ap);
}

struct MHD_Daemon *http_start(struct sim *sim, const char *cert, const char *key, const char *ca, int listen_fd)
{
	unsigned flags = MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG | MHD_USE_TURBO;
	struct MHD_OptionItem tls[] = {
		{ MHD_OPTION_HTTPS_MEM_CERT, 0, (void *)(uintptr_t)cert },
		{ MHD_OPTION_HTTPS_MEM_KEY, 0, (void *)(uintptr_t)key },
		{ MHD_OPTION_HTTPS_MEM_TRUST, 0, (void *)(uintptr_t)ca },
		{ MHD_OPTION_END, 0, NULL },
	};
	struct MHD_OptionItem plain[] = { { MHD_OPTION_END, 0, NULL } };

	if (cert)
		flags |= MHD_USE_TLS;
	return MHD_start_daemon(flags, 0, NULL, NULL, on_request, sim, MHD_OPTION_EXTERNAL_LOGGER, on_log, sim,
				MHD_OPTION_LISTEN_SOCKET, listen_fd, MHD_OPTION_NOTIFY_COMPLETED, on_completed, sim,
				MHD_OPTION_CONNECTION_MEMORY_LIMIT, CONNECTION_MEMORY, MHD_OPTION_CONNECTION_LIMIT,
				CONNECTIONS, MHD_OPTION_ARRAY, cert ? tls : plain, MHD_OPTION_END);
}

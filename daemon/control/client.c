/* Makes one request with libcurl, and explains failures in words that say what to do. */
#include "daemon/control/client.h"

#include "base/buf.h"
#include "base/limits.h"
#include "kubeclient/kc_perform.h"
#include "value/json.h"

#include <errno.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define ANSWER_BYTES_MAX ((size_t)1 << 30)
#define STATUS_OK 200
#define STATUS_NO_CONTENT 204
#define STATUS_UNPROCESSABLE 422

const char *control_socket(const char *given)
{
	const char *named = getenv("DRIFTD_SOCKET");

	if (given)
		return given;
	return named && *named ? named : CONTROL_SOCKET_DEFAULT;
}

/* Check the socket, because libcurl does not say why it cannot connect. */
static int check_socket(const char *path, struct err *err)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int fd, r = 0;

	if (strlen(path) >= sizeof(a.sun_path))
		return err_set(err, ENAMETOOLONG, "control socket '%s': the path is too long", path);
	memcpy(a.sun_path, path, strlen(path) + 1);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return err_set(err, errno, "socket: %s", strerror(errno));
	if (connect(fd, (struct sockaddr *)&a, sizeof(a)) < 0)
		r = errno;
	close(fd);
	if (r == EACCES || r == EPERM)
		return err_set(err, EACCES, "control socket '%s': %s; root and the members of its group may", path,
			       strerror(r));
	if (r == ENOENT || r == ECONNREFUSED)
		return err_set(err, r, "control socket '%s': %s; does driftd run? --socket says where it listens", path,
			       strerror(r));
	return r ? err_set(err, r, "control socket '%s': %s", path, strerror(r)) : 0;
}

/* A request. @method NULL: GET without a body. */
struct question {
	const char *method, *path;
	str body;
	uint64_t timeout_ms; /* 0: the default */
};

static int ask(const char *socket, const struct question *q, struct buf *body, int *status, struct err *err)
{
	CLEANUP(buf_done) struct buf url = BUF_INIT((size_t)64 << 10);
	CLEANUP(curl_slist_free_allp) struct curl_slist *headers = NULL;
	CLEANUP(kc_perform_freep) struct kc_perform *net = NULL;
	struct kc_answer answer = { 0 };
	int r;

	buf_printf(&url, "http://localhost%s", q->path);
	if (url.error || (q->method && kc_header_add(&headers, STR("Content-Type"), STR("application/json")) < 0))
		return err_nomem(err);
	r = kc_perform_new(&net, err);
	if (r == 0)
		r = kc_perform(net,
			       &(struct kc_transfer_options){
				       .url = url.p,
				       .method = q->method,
				       .body = q->body,
				       .headers = headers,
				       .plain = true, /* the socket's owner and mode are its protection */
				       .unix_socket = socket,
				       .timeout_ms = q->timeout_ms,
			       },
			       NULL, body, &answer, err);
	if (r == -ENOMEM)
		return r;
	if (r < 0) {
		err->code = r == -ETIMEDOUT ? ETIMEDOUT : EPROTO;
		return err_wrap(err, "control socket '%s'", socket);
	}
	*status = answer.status;
	return 0;
}

/* The message of an answer that is an error. */
static str message_of(val answer)
{
	str message = val_str(VAL_GET(answer, "message"));

	/* the resource of inspection rules has it there */
	return message.n ? message : val_str(VAL_GET(answer, "error"));
}

static int decode(const struct buf *body, struct doc **ret, struct err *err)
{
	struct limits limits = LIMITS_DEFAULT;
	const struct json_options o = { .limits = &limits };

	limits.object_bytes = body->n;
	limits.document_nodes = body->n + 1;
	return json_decode(buf_str(body), &o, ret, err);
}

static int no_document(struct err *err)
{
	return err_set(err, EPROTO, "the answer is not a document of driftd's");
}

static int read_answer(const struct buf *body, int status, struct doc **ret, struct err *err)
{
	CLEANUP(doc_unrefp) struct doc *d = NULL;
	str message;
	int r;

	if (status == STATUS_NO_CONTENT) {
		*ret = NULL;
		return 0;
	}
	r = decode(body, &d, err);
	if (r == -ENOMEM)
		return r;
	message = r < 0 ? STR("") : message_of(d->root);
	if (status / 100 != STATUS_OK / 100)
		return err_set(err, EREMOTEIO, "driftd says: %.*s (%d)",
			       message.n ? (int)message.n : (int)sizeof("nothing more") - 1,
			       message.n ? message.p : "nothing more", status);
	if (r < 0)
		return no_document(err);
	*ret = TAKE(d);
	return 0;
}

static int ask_who_listens(const char *socket, const struct question *q, struct buf *body, int *status, struct err *err)
{
	int r = check_socket(socket, err);

	return r < 0 ? r : ask(socket, q, body, status, err);
}

static int request(const char *socket, const struct question *q, struct doc **ret, struct err *err)
{
	CLEANUP(buf_done) struct buf body = BUF_INIT(ANSWER_BYTES_MAX);
	int status = 0;
	int r = ask_who_listens(socket, q, &body, &status, err);

	return r == 0 ? read_answer(&body, status, ret, err) : r;
}

int control_get(const char *socket, const char *path, struct doc **ret, struct err *err)
{
	return request(socket, &(struct question){ .path = path }, ret, err);
}

int control_get_built(const char *socket, struct buf *path, struct doc **ret, struct err *err)
{
	int r = buf_error(path, "request", err);

	return r < 0 ? r : control_get(socket, path->p, ret, err);
}

int control_post(const char *socket, const char *path, struct doc **ret, struct err *err)
{
	return control_send(socket, "POST", path, STR(""), ret, err);
}

int control_post_patiently(const char *socket, const char *path, uint64_t timeout_ms, struct doc **refused,
			   struct doc **ret, struct err *err)
{
	const struct question q = { .method = "POST", .path = path, .body = STR(""), .timeout_ms = timeout_ms };
	CLEANUP(buf_done) struct buf body = BUF_INIT(ANSWER_BYTES_MAX);
	int status = 0, r = ask_who_listens(socket, &q, &body, &status, err);

	*refused = NULL;
	if (r < 0)
		return r;
	r = read_answer(&body, status, ret, err);
	if (status != STATUS_UNPROCESSABLE || r != -EREMOTEIO)
		return r;
	r = decode(&body, refused, err);
	if (r == 0)
		r = err_set(err, EINVAL, "driftd says: %.*s", STR_ARG(message_of((*refused)->root)));
	return r;
}

int control_send(const char *socket, const char *method, const char *path, str body, struct doc **ret, struct err *err)
{
	return request(socket, &(struct question){ .method = method, .path = path, .body = body }, ret, err);
}

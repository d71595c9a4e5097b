/* libmicrohttpd on the loop: its sockets are polled by libuv, its requests answered in place. */
#include "daemon/serve/http.h"

#include "base/assert.h"
#include "daemon/serve/http_clients.h"

#include <errno.h>
#include <microhttpd.h>
#include <netdb.h>
#include <stdio.h>
#include <unistd.h>

#define CONNECTIONS_MAX (HTTP_CLIENTS_MAX + 16) /* those that were dropped and are not closed yet count as well */
#define RESPONSE_BYTES_MAX ((size_t)64 << 20)
#define TICK_MS 1000 /* how often connections are looked for whose time is over */

struct http_server {
	struct MHD_Daemon *daemon;
	uv_poll_t poll;
	uv_timer_t timer;
	int open_handles;
	struct http_clients clients;
	http_handler handler;
	void *ctx;
	char address[128];
};

static enum MHD_Result send_text(struct MHD_Connection *connection, unsigned status, const char *type, struct buf *body)
{
	struct MHD_Response *response =
		MHD_create_response_from_buffer(body->n, (void *)buf_str(body).p, MHD_RESPMEM_MUST_COPY);
	enum MHD_Result r;

	if (!response)
		return MHD_NO;
	(void)MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type);
	(void)MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
	if (status == MHD_HTTP_METHOD_NOT_ALLOWED)
		(void)MHD_add_response_header(response, MHD_HTTP_HEADER_ALLOW, "GET, HEAD");
	r = MHD_queue_response(connection, status, response);
	MHD_destroy_response(response);
	return r;
}

static enum MHD_Result on_request(void *cls, struct MHD_Connection *connection, const char *url, const char *method,
				  const char *version, const char *upload_data, size_t *upload_data_size, void **state)
{
	static int started;
	struct http_server *s = cls;
	CLEANUP(buf_done) struct buf text = BUF_INIT(256);
	struct http_response response = { .status = MHD_HTTP_NOT_FOUND,
					  .content_type = "text/plain; charset=utf-8",
					  .body = BUF_INIT(RESPONSE_BYTES_MAX) };
	const char *accept;
	enum MHD_Result r;

	(void)version;
	(void)upload_data;
	if (!*state) { /* the first call only announces the headers */
		*state = &started;
		return MHD_YES;
	}
	if (*upload_data_size) {
		*upload_data_size = 0;
		return MHD_YES;
	}
	if (strcmp(method, MHD_HTTP_METHOD_GET) != 0 && strcmp(method, MHD_HTTP_METHOD_HEAD) != 0) {
		buf_add_cstr(&text, "method not allowed\n");
		return send_text(connection, MHD_HTTP_METHOD_NOT_ALLOWED, response.content_type, &text);
	}
	accept = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_ACCEPT);
	s->handler(s->ctx, url, accept ? accept : "", &response);
	if (response.status == MHD_HTTP_NOT_FOUND)
		buf_add_cstr(&response.body, "not found\n");
	if (response.body.error) {
		buf_clear(&response.body);
		response.status = MHD_HTTP_INTERNAL_SERVER_ERROR;
	}
	r = send_text(connection, response.status, response.content_type, &response.body);
	buf_done(&response.body);
	return r;
}

/* ---- slow clients ---- */

static uint64_t now_ms(void)
{
	return uv_hrtime() / 1000000;
}

static void on_connection(void *cls, struct MHD_Connection *connection, void **client,
			  enum MHD_ConnectionNotificationCode code)
{
	struct http_server *s = cls;

	if (code == MHD_CONNECTION_NOTIFY_STARTED) {
		const union MHD_ConnectionInfo *info =
			MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);

		*client = http_clients_add(&s->clients, info->connect_fd, now_ms());
	} else if (*client) {
		http_clients_remove(&s->clients, *client);
		*client = NULL;
	}
}

static void on_completed(void *cls, struct MHD_Connection *connection, void **state,
			 enum MHD_RequestTerminationCode code)
{
	const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
	struct http_server *s = cls;

	(void)state;
	if (info->socket_context && code == MHD_REQUEST_TERMINATED_COMPLETED_OK)
		http_clients_renew(&s->clients, info->socket_context, now_ms());
}

/* ---- the socket ---- */

static int split_address(const char *address, char *host, size_t host_size, const char **port, struct err *err)
{
	const char *colon = strrchr(address, ':');
	size_t n = colon ? (size_t)(colon - address) : 0;

	if (!colon || n >= host_size)
		return err_set(err, EINVAL, "listen address '%s': host:port is expected", address);
	if (n >= 2 && address[0] == '[' && address[n - 1] == ']') {
		address++;
		n -= 2;
	}
	memcpy(host, address, n);
	host[n] = '\0';
	*port = colon + 1;
	return 0;
}

static int bind_socket(const struct addrinfo *ai)
{
	int fd = socket(ai->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), on = 1;

	if (fd < 0)
		return -errno;
	if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) < 0 ||
	    bind(fd, ai->ai_addr, ai->ai_addrlen) < 0 || listen(fd, SOMAXCONN) < 0) {
		int e = errno;

		close(fd);
		return -e;
	}
	return fd;
}

static int open_socket(const char *address, struct err *err)
{
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE | AI_NUMERICSERV }, *found;
	char host[256];
	const char *port = NULL;
	int r = split_address(address, host, sizeof(host), &port, err);

	if (r < 0)
		return r;
	r = getaddrinfo(host[0] ? host : NULL, port, &hints, &found);
	if (r != 0)
		return err_set(err, EINVAL, "listen address '%s': %s", address, gai_strerror(r));
	r = bind_socket(found);
	freeaddrinfo(found);
	if (r < 0)
		return err_set(err, -r, "listen on '%s': %s", address, strerror(-r));
	return r;
}

static void name_socket(int fd, char *out, size_t size)
{
	struct sockaddr_storage a;
	socklen_t n = sizeof(a);
	char host[80], port[8];

	if (getsockname(fd, (struct sockaddr *)&a, &n) == 0 &&
	    getnameinfo((struct sockaddr *)&a, n, host, sizeof(host), port, sizeof(port),
			NI_NUMERICHOST | NI_NUMERICSERV) == 0)
		(void)snprintf(out, size, strchr(host, ':') ? "[%s]:%s" : "%s:%s", host, port);
}

/* ---- on the loop ---- */

static void run(struct http_server *s)
{
	(void)MHD_run(s->daemon);
}

static void on_poll(uv_poll_t *poll, int status, int events)
{
	(void)status;
	(void)events;
	run(poll->data);
}

static void on_timer(uv_timer_t *timer)
{
	struct http_server *s = timer->data;

	http_clients_expire(&s->clients, now_ms());
	run(s);
}

static void on_close(uv_handle_t *handle)
{
	struct http_server *s = handle->data;

	ASSERT(s->open_handles > 0);
	if (--s->open_handles == 0)
		free(s);
}

void http_server_close(struct http_server *s)
{
	if (!s)
		return;
	uv_poll_stop(&s->poll);
	MHD_stop_daemon(s->daemon);
	uv_close((uv_handle_t *)&s->poll, on_close);
	uv_close((uv_handle_t *)&s->timer, on_close);
}

const char *http_server_address(const struct http_server *s)
{
	return s->address;
}

static int attach(struct http_server *s, uv_loop_t *loop, struct err *err)
{
	const union MHD_DaemonInfo *info = MHD_get_daemon_info(s->daemon, MHD_DAEMON_INFO_EPOLL_FD);
	int r = info ? uv_poll_init(loop, &s->poll, info->epoll_fd) : -ENOTSUP;

	if (r < 0)
		return err_set(err, -r, "poll the HTTP server: %s", strerror(-r));
	s->poll.data = s->timer.data = s;
	s->open_handles = 2;
	(void)uv_timer_init(loop, &s->timer);
	(void)uv_poll_start(&s->poll, UV_READABLE, on_poll);
	(void)uv_timer_start(&s->timer, on_timer, TICK_MS, TICK_MS);
	return 0;
}

static struct MHD_Daemon *start_daemon(struct http_server *s, int fd)
{
	struct MHD_OptionItem options[] = {
		{ MHD_OPTION_LISTEN_SOCKET, fd, NULL },
		{ MHD_OPTION_CONNECTION_LIMIT, CONNECTIONS_MAX, NULL },
		{ MHD_OPTION_NOTIFY_CONNECTION, (intptr_t)on_connection, s },
		{ MHD_OPTION_NOTIFY_COMPLETED, (intptr_t)on_completed, s },
		{ MHD_OPTION_END, 0, NULL },
	};

	return MHD_start_daemon(MHD_USE_EPOLL, 0, NULL, NULL, on_request, s, MHD_OPTION_ARRAY, options, MHD_OPTION_END);
}

int http_server_new(uv_loop_t *loop, const char *address, http_handler handler, void *ctx, struct http_server **ret,
		    struct err *err)
{
	struct http_server *s = calloc(1, sizeof(*s));
	int fd, r;

	if (!s)
		return err_nomem(err);
	s->handler = handler;
	s->ctx = ctx;
	fd = open_socket(address, err);
	if (fd < 0) {
		free(s);
		return fd;
	}
	name_socket(fd, s->address, sizeof(s->address));
	s->daemon = start_daemon(s, fd);
	if (!s->daemon) {
		close(fd);
		free(s);
		return err_set(err, EIO, "start the HTTP server on '%s'", address);
	}
	r = attach(s, loop, err);
	if (r < 0) {
		MHD_stop_daemon(s->daemon);
		free(s);
		return r;
	}
	*ret = s;
	return 0;
}

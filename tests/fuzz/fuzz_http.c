/* Requests: any bytes, to the server as it is, on a Unix socket. Every answer must be one of HTTP, and each connection
 * must come to an end once the client has said all. Host names and Accept-Encoding are read from the same bytes. */
#include "daemon/serve/accept.h"
#include "daemon/serve/host.h"
#include "daemon/serve/http.h"

#include "base/assert.h"

#include <errno.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define TURNS_MAX 10000

static int next_part(void *state, struct buf *out)
{
	int *left = state;

	buf_fill(out, 's', 1000);
	return --*left > 0 ? 1 : *left == 0 ? 0 : -EIO;
}

static void answer(void *ctx, const struct http_request *q, struct http_response *r)
{
	const char *name, *value;

	(void)ctx;
	ASSERT(q->trusted && q->peer != HTTP_PEER_NETWORK && q->body.n <= HTTP_BODY_MAX);
	for (size_t at = 0; http_query_each(q, &at, &name, &value);)
		buf_printf(&r->body, "%s=%s ", name, value);
	buf_add_cstr(&r->body, q->path);
	buf_add_str(&r->body, q->body);
	if (http_header(q, "X-Test"))
		r->compress = true;
}

static void answer_value(void *ctx, const struct http_request *q, struct http_response *r)
{
	ASSERT(*http_route_value(q, "id"));
	answer(ctx, q, r);
}

static void answer_stream(void *ctx, const struct http_request *q, struct http_response *r)
{
	static int left;

	(void)ctx;
	left = http_query(q, "short") ? 0 : 3;
	r->stream = (struct http_stream){ .next = next_part, .state = &left };
}

static const struct http_route routes[] = {
	{ "GET", "/", answer },
	{ "POST", "/a/{id}/b", answer_value },
	{ "GET", "/a/{id}", answer_value },
	{ "GET", "/s", answer_stream },
	{ 0 },
};
static const struct http_site site = { .routes = routes };

static uv_loop_t loop;
static struct http_server *server; /* as long as the process */
static struct sockaddr_un address = { .sun_family = AF_UNIX };

static void remove_socket(void)
{
	(void)unlink(address.sun_path);
}

static void start(void)
{
	struct err err;
	int r;

	(void)snprintf(address.sun_path, sizeof(address.sun_path), "/tmp/driftd-fuzz-http-%d", (int)getpid());
	r = uv_loop_init(&loop);
	ASSERT(r == 0);
	r = http_server_new_unix(&loop, address.sun_path, 0600, &site, &server, &err);
	ASSERT(r == 0);
	r = atexit(remove_socket);
	ASSERT(r == 0);
}

/* Whether the server has closed the connection; what it says is looked at. */
static bool is_over(int fd, bool *answered)
{
	char text[65536];
	ssize_t n;

	while ((n = recv(fd, text, sizeof(text), MSG_DONTWAIT)) > 0) {
		ASSERT(*answered || n < 7 || memcmp(text, "HTTP/1.", 7) == 0);
		*answered = true;
	}
	return n == 0 || errno == ECONNRESET;
}

static void exchange(const uint8_t *data, size_t size)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	bool answered = false, over = false;
	size_t sent = 0, turns = 0;
	int r = connect(fd, (struct sockaddr *)&address, sizeof(address));

	ASSERT(r == 0);
	for (; !over; turns++) {
		ssize_t n = sent < size ? send(fd, data + sent, size - sent, MSG_DONTWAIT | MSG_NOSIGNAL) : 0;

		sent = n > 0 ? sent + (size_t)n : n < 0 && errno != EAGAIN ? size : sent;
		if (sent == size)
			(void)shutdown(fd, SHUT_WR);
		(void)uv_run(&loop, UV_RUN_NOWAIT);
		over = is_over(fd, &answered);
		ASSERT(turns < TURNS_MAX);
	}
	close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	str own = STR("driftd.example"), text = { (const char *)data, size };
	char *header = str_dup(text);

	if (!server)
		start();
	(void)host_is_ours(text, &own, 1);
	(void)accepts_coding(header, "gzip");
	free(header);
	exchange(data, size);
	return 0;
}

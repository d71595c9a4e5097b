/* libmicrohttpd on the loop: its sockets are polled by libuv, its requests answered in place. */
#include "daemon/serve/http.h"

#include "base/assert.h"
#include "daemon/serve/host.h"
#include "daemon/serve/http_auth.h"
#include "daemon/serve/http_clients.h"
#include "daemon/serve/http_listen.h"
#include "daemon/serve/http_send.h"
#include "daemon/serve/http_tls.h"

#include <errno.h>
#include <microhttpd.h>
#include <sys/queue.h>
#include <sys/socket.h>
#include <unistd.h>

#define CONNECTIONS_MAX (HTTP_CLIENTS_MAX + 16) /* includes dropped connections that are not closed yet */
#define RESPONSE_BYTES_MAX ((size_t)64 << 20)
#define REFUSED_BODY_MAX (1u << 20)
/* The part of a turn of the loop that goes to unfinished answers first. */
#define WORK_NS (1 * UINT64_C(1000000))
/* Requests and parts of streams are answered until this long after the turn began, but at least one of each, and at
 * least TURN_NEWCOMERS requests of clients that have had no answer yet: libmicrohttpd accepts as many on a turn, and
 * otherwise those that wait would be pushed out before they are answered. What takes more than some hundred
 * microseconds counts as work. */
#define TURN_NS (2 * UINT64_C(1000000))
#define TURN_NEWCOMERS 10
#define TICK_MS 1000 /* how often connections with an expired time limit are looked for */
#define TEXT "text/plain; charset=utf-8"
#define TOO_LARGE 413 /* libmicrohttpd has renamed this status, and warns about the other name */

TAILQ_HEAD(exchanges, exchange);

struct http_server {
	struct MHD_Daemon *daemon;
	uv_poll_t poll;
	uv_timer_t timer;
	uv_idle_t more; /* there is something to do without waiting for a socket */
	uv_check_t turn_over;
	bool ran; /* run() has already run in this turn of the loop */
	int open_handles;
	bool running, close_wanted;
	struct http_clients clients;
	const struct http_site *site;
	struct web_config *web;   /* NULL on a Unix socket */
	struct http_auth *auth;   /* NULL if there are no users */
	struct exchanges waiting; /* wait for a verdict on a password */
	struct exchanges later;   /* wait for another turn */
	struct exchanges asking;  /* wait for what their routes wait for */
	struct exchanges working; /* wait for the answer of their routes, the first one is next */
	size_t n_admitted;        /* requests that were admitted in this turn */
	struct http_turn turn;    /* the turn for parts of streams */
	struct http_listen listen;
};

/* From the first line of a request to the end of its answer:
 *
 *   on_target --> admitted --> authorized --> begun --> body read --> route called --> answered
 *                  later        waiting                                asking, working: called once more
 *
 * A connection is suspended while its exchange is in one of these lists of the server. */
struct exchange {
	struct http_request request; /* first: http_later finds the exchange by it */
	struct buf body;
	unsigned refused; /* the status of a refusal, which no route answers; 0: none */
	struct err why;
	bool begun;
	const struct http_route *table;       /* the route of the path */
	const struct http_resource *resource; /* the resource of the path, where no route has it; NULL: none */

	struct http_server *server;
	bool admitted;               /* admitted to a turn of the loop */
	bool authorized, judged;     /* @authorized: by password; @judged: there is a verdict */
	struct exchanges *list;      /* the list that it is in while its connection is suspended */
	void (*forget)(void *state); /* frees request.state until the route is called again */
	http_some_fn *some;          /* does some of the work */
	TAILQ_ENTRY(exchange) next;
};

static void run(struct http_server *s);
static void on_more(uv_idle_t *idle);

static uint64_t now_ms(void)
{
	return uv_hrtime() / 1000000;
}

static void suspend(struct exchange *x, struct exchanges *list)
{
	x->list = list;
	TAILQ_INSERT_TAIL(list, x, next);
	MHD_suspend_connection(x->request.connection);
}

/* The client of the connection. NULL: there was no memory for it. */
static struct http_client *client_of(struct MHD_Connection *connection)
{
	return MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT)->socket_context;
}

/* Let the exchange continue in the next run(). */
static void go_on(struct exchange *x)
{
	TAILQ_REMOVE(x->list, x, next);
	MHD_resume_connection(x->request.connection);
}

/* Run in the next turn of the loop. If it ran now, exchanges could ask again and again, as long as clients come. */
static void run_soon(struct http_server *s)
{
	(void)uv_idle_start(&s->more, on_more); /* always 0 */
}

/* ---- requests ---- */

const char *http_header(const struct http_request *q, const char *name)
{
	return MHD_lookup_connection_value(q->connection, MHD_HEADER_KIND, name);
}

bool http_sends(const struct http_request *q, const char *type)
{
	const char *sent = http_header(q, MHD_HTTP_HEADER_CONTENT_TYPE);

	return sent && str_is_media_type(str_from(sent), str_from(type));
}

bool http_query_each(const struct http_request *q, size_t *at, const char **name, const char **value)
{
	if (*at == q->uri.n_parameters)
		return false;
	*name = q->uri.parameters[*at].name;
	*value = q->uri.parameters[*at].value;
	(*at)++;
	return true;
}

const char *http_query(const struct http_request *q, const char *name)
{
	const char *found, *value;

	for (size_t at = 0; http_query_each(q, &at, &found, &value);) {
		if (strcmp(found, name) == 0)
			return value;
	}
	return NULL;
}

const char *http_route_value(const struct http_request *q, const char *name)
{
	const char *value = routes_value(q->route->pattern, &q->uri, name);

	ASSERT(value);
	return value;
}

/* ---- routes that wait ---- */

struct http_ticket *http_later(const struct http_request *q, void *state, void (*forget)(void *state))
{
	struct exchange *x = (struct exchange *)(uintptr_t)q; /* the request is the first member of its exchange */

	ASSERT(!x->forget);
	x->request.state = state;
	x->forget = forget;
	suspend(x, &x->server->asking);
	return (struct http_ticket *)x;
}

void http_go_on(struct http_ticket *t)
{
	struct exchange *x = (struct exchange *)t;

	go_on(x);
	run_soon(x->server);
}

void http_go_on_now(struct http_ticket *t)
{
	struct exchange *x = (struct exchange *)t;
	struct http_server *s = x->server;

	go_on(x);
	if (!s->running) /* otherwise run() comes to it */
		run(s);
}

void http_work(const struct http_request *q, void *state, http_some_fn *some, void (*forget)(void *state))
{
	struct exchange *x = (struct exchange *)(uintptr_t)q; /* the request is the first member of its exchange */

	ASSERT(!x->forget);
	x->request.state = state;
	x->forget = forget;
	x->some = some;
	suspend(x, &x->server->working);
}

static void work_some(struct http_server *s, uint64_t until_ns)
{
	struct exchange *x;

	while ((x = TAILQ_FIRST(&s->working)) && uv_hrtime() < until_ns) {
		if (x->some(x->request.state, until_ns)) {
			TAILQ_REMOVE(&s->working, x, next);
			TAILQ_INSERT_TAIL(&s->working, x, next);
		} else {
			go_on(x);
		}
	}
}

static void forget(struct exchange *x)
{
	if (x->forget)
		x->forget(TAKE(x->request.state));
	x->forget = NULL;
}

/* ---- answers ---- */

static enum MHD_Result refuse(struct http_server *s, struct exchange *x)
{
	CLEANUP(buf_done) struct buf allowed = BUF_INIT(1024);
	struct http_response r = { .status = x->refused, .content_type = TEXT, .body = BUF_INIT(4096) };

	if (x->resource)
		x->resource->refuse(&r, x->refused, x->why.msg);
	else
		buf_printf(&r.body, "%s\n", x->why.msg);
	if (x->refused == MHD_HTTP_METHOD_NOT_ALLOWED) {
		routes_allowed(x->table, &x->request.uri, &allowed);
		http_response_header(&r, MHD_HTTP_HEADER_ALLOW, buf_str(&allowed).p);
	}
	if (x->refused == MHD_HTTP_UNAUTHORIZED)
		http_response_header(&r, MHD_HTTP_HEADER_WWW_AUTHENTICATE, "Basic realm=\"driftd\", charset=\"UTF-8\"");
	return http_send(x->request.connection, &r, s->web, &s->turn);
}

static enum MHD_Result answer(struct http_server *s, struct exchange *x)
{
	struct http_response r = { .status = MHD_HTTP_OK, .content_type = TEXT, .body = BUF_INIT(RESPONSE_BYTES_MAX) };

	x->request.body = buf_str(&x->body);
	x->forget = NULL;
	(x->resource ? x->resource->answer : x->request.route->answer)(s->site->ctx, &x->request, &r);
	if (x->forget) {
		http_response_done(&r);
		return MHD_YES;
	}
	return http_send(x->request.connection, &r, s->web, &s->turn);
}

/* ---- one request after the other ---- */

static void refused(struct exchange *x, unsigned status, const char *why)
{
	x->refused = status;
	(void)!err_set(&x->why, EINVAL, "%s", why);
}

static const struct http_resource *find_resource(const struct http_site *site, const struct uri *u)
{
	for (const struct http_resource *r = site->resources; r && r->path; r++) {
		if (routes_below(r->path, u))
			return r;
	}
	return NULL;
}

/* The resource for a target that cannot be parsed, guessed by its beginning. */
static const struct http_resource *guess_resource(const struct http_site *site, str target)
{
	for (const struct http_resource *r = site->resources; r && r->path; r++) {
		str path = str_from(r->path), rest = str_sub(target, path.n, target.n);

		if (str_has_prefix(target, path) && (!rest.n || rest.p[0] == '/' || rest.p[0] == '?'))
			return r;
	}
	return NULL;
}

static void *on_target(void *cls, const char *target, struct MHD_Connection *connection)
{
	struct exchange *x = calloc(1, sizeof(*x));
	struct http_server *s = cls;
	int r;

	if (!x)
		return NULL;
	x->server = s;
	x->request.connection = connection;
	r = uri_parse(&x->request.uri, str_from(target), &x->why);
	if (r < 0)
		x->refused = r == -E2BIG    ? MHD_HTTP_URI_TOO_LONG
			     : r == -ENOMEM ? MHD_HTTP_SERVICE_UNAVAILABLE
					    : MHD_HTTP_BAD_REQUEST;
	x->resource = r < 0 ? guess_resource(s->site, str_from(target)) : find_resource(s->site, &x->request.uri);
	return x;
}

static enum http_peer peer_of(const struct http_server *s, struct MHD_Connection *connection)
{
	const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
	struct ucred c;
	socklen_t n = sizeof(c);

	if (!s->listen.is_unix)
		return HTTP_PEER_NETWORK;
	if (getsockopt(info->connect_fd, SOL_SOCKET, SO_PEERCRED, &c, &n) < 0)
		return HTTP_PEER_OTHER;
	return c.uid == 0 ? HTTP_PEER_ROOT : c.uid == geteuid() ? HTTP_PEER_SELF : HTTP_PEER_OTHER;
}

/* ---- who may ---- */

static void on_verdict(void *ctx, bool right)
{
	struct exchange *x = ctx;

	x->judged = true;
	x->authorized = right;
	go_on(x);
	run_soon(x->server);
}

static enum http_verdict judge(struct http_server *s, struct exchange *x)
{
	char *password = NULL, *user;
	enum http_verdict v = HTTP_AUTH_WRONG;

	if (x->judged)
		return x->authorized ? HTTP_AUTH_RIGHT : HTTP_AUTH_WRONG;
	user = MHD_basic_auth_get_username_password(x->request.connection, &password);
	if (user && password)
		v = http_auth_check(s->auth, user, password, on_verdict, x);
	if (password)
		explicit_bzero(password, strlen(password));
	MHD_free(password);
	MHD_free(user);
	return v;
}

/* Whether there is a verdict on the user. False: there is none yet, and the connection waits for it. */
static bool authorize(struct http_server *s, struct exchange *x)
{
	enum http_verdict v = s->auth ? judge(s, x) : HTTP_AUTH_RIGHT;

	if (v == HTTP_AUTH_WRONG)
		refused(x, MHD_HTTP_UNAUTHORIZED, "unauthorized");
	if (v != HTTP_AUTH_LATER)
		return true;
	suspend(x, &s->waiting);
	return false;
}

/* Admit the request to this turn. False: the turn is full, and the connection waits for another one. libmicrohttpd
 * resumes waiting connections in their order, before new ones. */
static bool admit(struct http_server *s, struct exchange *x, const struct http_client *client)
{
	size_t least = http_client_is_new(client) ? TURN_NEWCOMERS : 1;

	if (!x->admitted && s->n_admitted >= least && uv_hrtime() >= s->turn.ends_ns) {
		suspend(x, &s->later);
		return false;
	}
	s->n_admitted += !x->admitted;
	x->admitted = true;
	return true;
}

static void go_on_all(struct exchanges *list)
{
	while (!TAILQ_EMPTY(list))
		go_on(TAILQ_FIRST(list));
}

/* ---- routes ---- */

/* Find the route. Returns whether any method has one for the path. */
static bool find_route(struct http_server *s, struct exchange *x)
{
	const struct http_route *tables[] = { s->site->open_routes, s->site->routes };
	struct http_request *q = &x->request;
	bool known = false;

	for (size_t i = 0; i < ARRAY_LEN(tables) && !q->route && !known; i++) {
		x->table = tables[i];
		if (x->table)
			q->route = routes_find(x->table, q->method, &q->uri, &known);
	}
	return known;
}

static void route(struct http_server *s, struct exchange *x)
{
	struct http_request *q = &x->request;
	const char *host = http_header(q, MHD_HTTP_HEADER_HOST);
	bool known = false;

	if (!x->resource)
		known = find_route(s, x);
	if (q->peer == HTTP_PEER_NETWORK && !q->trusted && (x->resource || x->table == s->site->routes) && host &&
	    !host_is_ours(str_from(host), s->site->hosts, s->site->n_hosts))
		refused(x, MHD_HTTP_MISDIRECTED_REQUEST,
			"the host is asked for by a name that is not its own: see metrics.allowed_hosts");
	else if (!x->resource && !q->route && known)
		refused(x, MHD_HTTP_METHOD_NOT_ALLOWED, "method not allowed");
	else if (!x->resource && !q->route)
		refused(x, MHD_HTTP_NOT_FOUND, "not found");
}

/* The length of the body according to the client; 0: it says none. */
static unsigned long long body_length(const struct exchange *x)
{
	const char *length = http_header(&x->request, MHD_HTTP_HEADER_CONTENT_LENGTH);

	return length ? strtoull(length, NULL, 10) : 0;
}

/* Decide whether the request is accepted, before its body is read. */
static void limit(struct exchange *x)
{
	size_t max = x->resource ? x->resource->body_max : HTTP_BODY_MAX;

	x->body = BUF_INIT(max);
	if (x->resource && x->resource->trusted_only && !x->request.trusted)
		refused(x, MHD_HTTP_FORBIDDEN, "over the control socket, or by who is known by --web.config.file");
	else if (body_length(x) > max)
		refused(x, TOO_LARGE, "the body is too large");
}

/* Begin when the headers are complete: whatever is wrong with them is found before a body is read. */
static void begin(struct http_server *s, struct exchange *x, const char *method)
{
	x->request.method = method;
	x->request.path = x->request.uri.path;
	x->request.peer = peer_of(s, x->request.connection);
	x->request.trusted = x->request.peer != HTTP_PEER_NETWORK || (s->web && web_config_authenticates(s->web));
	route(s, x);
	if (!x->refused)
		limit(x);
}

/* Whether the request may be answered at once. A client that still writes when its connection is closed may never
 * see the answer. So a short body is read to its end, unless the client waits for permission to send it. */
static bool may_be_answered(const struct exchange *x)
{
	unsigned long long n = body_length(x);

	return n == 0 || n > REFUSED_BODY_MAX || http_header(&x->request, MHD_HTTP_HEADER_EXPECT);
}

/* Take a part of the body. The body of a refused request is dropped, and so is one in chunks that turns out too
 * large. */
static void take_body(struct exchange *x, const char *p, size_t n)
{
	if (!x->refused)
		buf_add(&x->body, p, n);
	if (x->body.error) {
		refused(x, x->body.error == -E2BIG ? TOO_LARGE : MHD_HTTP_SERVICE_UNAVAILABLE, "the body is too large");
		buf_done(&x->body);
	}
}

static enum MHD_Result on_request(void *cls, struct MHD_Connection *connection, const char *url, const char *method,
				  const char *version, const char *upload_data, size_t *upload_data_size, void **state)
{
	struct http_server *s = cls;
	struct exchange *x = *state;
	struct http_client *client = client_of(connection);

	(void)url;
	(void)version;
	if (!x || !client || http_client_is_dropped(client)) /* no memory, or the client has gone */
		return MHD_NO;
	if (!x->begun) {
		if (!admit(s, x, client) || (!x->refused && !authorize(s, x)))
			return MHD_YES; /* libmicrohttpd calls this once more */
		x->begun = true;
		if (!x->refused)
			begin(s, x, method);
		if (x->refused && may_be_answered(x))
			return refuse(s, x);
		if (x->refused)
			http_clients_refuse(client, now_ms());
		return MHD_YES;
	}
	if (*upload_data_size) {
		take_body(x, upload_data, *upload_data_size);
		*upload_data_size = 0;
		return MHD_YES;
	}
	return x->refused ? refuse(s, x) : answer(s, x);
}

static void exchange_free(struct exchange *x)
{
	forget(x);
	uri_done(&x->request.uri);
	buf_done(&x->body);
	free(x);
}

/* ---- slow clients ---- */

static void on_connection(void *cls, struct MHD_Connection *connection, void **client,
			  enum MHD_ConnectionNotificationCode code)
{
	struct http_server *s = cls;

	if (code == MHD_CONNECTION_NOTIFY_STARTED) {
		const union MHD_ConnectionInfo *info =
			MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);

		*client = http_clients_add(&s->clients, info->connect_fd, now_ms());
		info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_GNUTLS_SESSION);
		if (info && info->tls_session)
			http_tls_prepare(info->tls_session, s->web);
	} else if (*client) {
		http_clients_remove(&s->clients, *client);
		*client = NULL;
	}
}

static void on_completed(void *cls, struct MHD_Connection *connection, void **state,
			 enum MHD_RequestTerminationCode code)
{
	const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);

	(void)cls;
	if (*state)
		exchange_free(TAKE(*state));
	if (info->socket_context && code == MHD_REQUEST_TERMINATED_COMPLETED_OK)
		http_clients_renew(info->socket_context, now_ms());
}

/* ---- on the loop ---- */

static void on_close(uv_handle_t *handle)
{
	struct http_server *s = handle->data;

	ASSERT(s->open_handles > 0);
	if (--s->open_handles == 0) {
		web_config_unref(s->web);
		free(s);
	}
}

void http_server_close(struct http_server *s)
{
	struct exchange *x;

	if (!s)
		return;
	if (s->running) {
		s->close_wanted = true;
		return;
	}
	uv_poll_stop(&s->poll);
	http_auth_free(TAKE(s->auth));
	go_on_all(&s->waiting);
	go_on_all(&s->later);
	TAILQ_FOREACH(x, &s->asking, next)
	forget(x);
	TAILQ_FOREACH(x, &s->working, next)
	forget(x);
	go_on_all(&s->asking);
	go_on_all(&s->working);
	http_listen_done(&s->listen);
	MHD_stop_daemon(s->daemon);
	uv_close((uv_handle_t *)&s->poll, on_close);
	uv_close((uv_handle_t *)&s->timer, on_close);
	uv_close((uv_handle_t *)&s->more, on_close);
	uv_close((uv_handle_t *)&s->turn_over, on_close);
}

/* libmicrohttpd does a bounded piece of each connection's work; that of another turn needs no event of a socket. A
 * timer, a socket and what is left of the last turn may all ask for it in one turn, whose time is there once. */
static void run(struct http_server *s)
{
	MHD_UNSIGNED_LONG_LONG wait_ms;
	uint64_t now = uv_hrtime();

	if (s->ran) {
		(void)uv_idle_start(&s->more, on_more);
		return;
	}
	s->ran = s->running = true;
	s->n_admitted = 0;
	http_turn_begin(&s->turn, now + TURN_NS);
	work_some(s, now + WORK_NS);
	go_on_all(&s->later);
	(void)MHD_run(s->daemon);
	s->running = false;
	if (s->close_wanted)
		http_server_close(s);
	else if (!TAILQ_EMPTY(&s->later) || !TAILQ_EMPTY(&s->working) ||
		 (MHD_get_timeout(s->daemon, &wait_ms) == MHD_YES && wait_ms == 0))
		(void)uv_idle_start(&s->more, on_more);
	else
		(void)uv_idle_stop(&s->more);
}

static void on_turn_over(uv_check_t *check)
{
	((struct http_server *)check->data)->ran = false;
}

static void on_more(uv_idle_t *idle)
{
	run(idle->data);
}

static void on_poll(uv_poll_t *poll, int status, int events)
{
	struct http_server *s = poll->data;

	(void)status;
	(void)events;
	if (!uv_is_active((uv_handle_t *)&s->more)) /* otherwise it runs in this turn anyway */
		run(s);
}

static void on_timer(uv_timer_t *timer)
{
	struct http_server *s = timer->data;
	struct exchange *x;

	TAILQ_FOREACH(x, &s->asking, next)
	http_clients_renew(client_of(x->request.connection), now_ms()); /* the delay is not their fault */
	TAILQ_FOREACH(x, &s->working, next)
	http_clients_renew(client_of(x->request.connection), now_ms());
	http_clients_expire(&s->clients, now_ms());
	run(s);
}

const char *http_server_address(const struct http_server *s)
{
	return s->listen.name;
}

static int attach(struct http_server *s, uv_loop_t *loop, struct err *err)
{
	const union MHD_DaemonInfo *info = MHD_get_daemon_info(s->daemon, MHD_DAEMON_INFO_EPOLL_FD);
	int r = info ? uv_poll_init(loop, &s->poll, info->epoll_fd) : -ENOTSUP;

	if (r < 0)
		return err_set(err, -r, "poll the HTTP server: %s", strerror(-r));
	s->poll.data = s->timer.data = s->more.data = s->turn_over.data = s;
	s->open_handles = 4;
	(void)uv_timer_init(loop, &s->timer);
	(void)uv_idle_init(loop, &s->more);
	(void)uv_check_init(loop, &s->turn_over);
	(void)uv_check_start(&s->turn_over, on_turn_over);
	(void)uv_poll_start(&s->poll, UV_READABLE, on_poll);
	(void)uv_timer_start(&s->timer, on_timer, TICK_MS, TICK_MS);
	return 0;
}

/* Keep escapes, which uri_parse decodes. */
static size_t keep_escapes(void *cls, struct MHD_Connection *connection, char *s)
{
	(void)cls;
	(void)connection;
	return strlen(s);
}

static struct MHD_Daemon *start_daemon(struct http_server *s)
{
	bool tls = s->web && s->web->tls;
	struct MHD_OptionItem options[] = {
		{ MHD_OPTION_LISTEN_SOCKET, s->listen.fd, NULL },
		{ MHD_OPTION_CONNECTION_LIMIT, CONNECTIONS_MAX, NULL },
		{ MHD_OPTION_CONNECTION_MEMORY_LIMIT, HTTP_CONNECTION_BYTES, NULL },
		{ MHD_OPTION_NOTIFY_CONNECTION, (intptr_t)on_connection, s },
		{ MHD_OPTION_NOTIFY_COMPLETED, (intptr_t)on_completed, s },
		{ MHD_OPTION_URI_LOG_CALLBACK, (intptr_t)on_target, s },
		{ MHD_OPTION_UNESCAPE_CALLBACK, (intptr_t)keep_escapes, NULL },
		{ MHD_OPTION_END, 0, NULL },
	};
	struct MHD_OptionItem of_tls[] = {
		{ MHD_OPTION_HTTPS_MEM_CERT, 0, tls ? (void *)(uintptr_t)s->web->cert : NULL },
		{ MHD_OPTION_HTTPS_MEM_KEY, 0, tls ? (void *)(uintptr_t)s->web->key : NULL },
		{ MHD_OPTION_HTTPS_PRIORITIES, 0, tls ? (void *)(uintptr_t)s->web->priorities : NULL },
		{ tls && s->web->client_ca ? MHD_OPTION_HTTPS_MEM_TRUST : MHD_OPTION_END, 0,
		  tls ? (void *)(uintptr_t)s->web->client_ca : NULL },
		{ MHD_OPTION_END, 0, NULL },
	};

	return MHD_start_daemon(MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME | (tls ? MHD_USE_TLS : 0), 0, NULL, NULL,
				on_request, s, MHD_OPTION_ARRAY, options, tls ? MHD_OPTION_ARRAY : MHD_OPTION_END,
				of_tls, MHD_OPTION_END);
}

static int start(struct http_server *s, uv_loop_t *loop, struct err *err)
{
	int r = s->web && s->web->n_users ? http_auth_new(loop, s->web, &s->auth, err) : 0;

	if (r < 0)
		return r;
	s->daemon = start_daemon(s);
	if (!s->daemon)
		return err_set(err, EIO, "start the HTTP server on '%s'", s->listen.name);
	s->listen.fd = -1; /* the daemon closes it */
	r = attach(s, loop, err);
	if (r < 0)
		MHD_stop_daemon(s->daemon);
	return r;
}

static int server_new(uv_loop_t *loop, struct http_listen *listen, const struct http_site *site,
		      struct http_server **ret, struct err *err)
{
	struct http_server *s = calloc(1, sizeof(*s));
	int r = s ? 0 : err_nomem(err);

	if (s) {
		TAILQ_INIT(&s->waiting);
		TAILQ_INIT(&s->later);
		TAILQ_INIT(&s->asking);
		TAILQ_INIT(&s->working);
		http_turn_init(&s->turn);
		s->site = site;
		s->listen = *listen;
		s->web = listen->is_unix ? NULL : web_config_ref(site->web);
		r = start(s, loop, err);
	}
	if (r < 0) {
		http_listen_done(s ? &s->listen : listen);
		if (s) {
			http_auth_free(s->auth);
			web_config_unref(s->web);
		}
		free(s);
		return r;
	}
	*ret = s;
	return 0;
}

int http_server_new(uv_loop_t *loop, const char *address, const struct http_site *site, struct http_server **ret,
		    struct err *err)
{
	struct http_listen listen;
	int r = http_listen_tcp(&listen, address, err);

	return r < 0 ? r : server_new(loop, &listen, site, ret, err);
}

int http_server_new_unix(uv_loop_t *loop, const char *path, mode_t mode, const struct http_site *site,
			 struct http_server **ret, struct err *err)
{
	struct http_listen listen;
	int r = http_listen_unix(&listen, path, mode, err);

	return r < 0 ? r : server_new(loop, &listen, site, ret, err);
}

int http_server_new_passed(uv_loop_t *loop, int fd, const struct http_site *site, struct http_server **ret,
			   struct err *err)
{
	struct http_listen listen;
	int r = http_listen_passed(&listen, fd, err);

	if (r < 0) {
		close(fd);
		return r;
	}
	return server_new(loop, &listen, site, ret, err);
}

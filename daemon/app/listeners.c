/* The listeners: configured places, and the servers that are bound to them. */
#include "daemon/app/listeners.h"

#include "base/assert.h"
#include "base/number.h"
#include "config/web_config.h"
#include "daemon/app/answers.h"
#include "daemon/app/app_internal.h"
#include "daemon/findings/notice.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <systemd/sd-daemon.h>
#include <unistd.h>

#define CONTROL_SOCKET_MODE 0660

enum listener_kind { LISTENER_TCP, LISTENER_CONTROL, LISTENER_PASSED, LISTENER_PASSED_CONTROL };

/* A place to listen at. Without a server it could not be bound: driftd tries again once a second. */
struct listener {
	enum listener_kind kind;
	char *address; /* the address of the configuration, or the name of a passed socket */
	int fd;        /* the passed socket; else -1 */
	struct http_server *server;
	uint64_t web_content; /* the hash of the web configuration of the server */
	bool reported;        /* the failure to bind is reported */
};

/* A socket from systemd. */
struct passed_socket {
	int fd;
	bool is_control;
	char name[64];
};

struct listeners {
	struct web_config *web; /* NULL without --web.config.file */
	VEC(struct passed_socket) passed;
	struct listener *p;
	size_t n, max;
};

struct listeners *listeners_new(struct web_config *web)
{
	struct listeners *l = calloc(1, sizeof(*l));

	if (l)
		l->web = web;
	else
		web_config_unref(web);
	return l;
}

void listeners_free(struct listeners *l)
{
	if (l)
		web_config_unref(l->web);
	free(l);
}

void listeners_set_web(struct app *app, struct web_config *web)
{
	web_config_unref(app->listeners->web);
	app->listeners->web = web;
}

/* ---- where ---- */

/* The path of the control socket in malloc'd memory; "" for none; NULL without memory. */
static char *control_path(const struct app *app)
{
	const char *runtime = getenv("RUNTIME_DIRECTORY"); /* a single folder, because the unit names one */
	char *path = NULL;

	if (app->options.control_socket)
		return str_dup(str_from(app->options.control_socket));
	if (app->cfg->control_socket.p)
		return str_dup(app->cfg->control_socket);
	if (runtime)
		return asprintf(&path, "%s/driftd.sock", runtime) < 0 ? NULL : path;
	return str_dup(access("/run/driftd", W_OK) == 0 ? STR("/run/driftd/driftd.sock") : STR(""));
}

static void want(struct listeners *l, enum listener_kind kind, char *address, int fd)
{
	ASSERT(l->n < l->max);
	l->p[l->n++] = (struct listener){
		.kind = kind,
		.address = address,
		.fd = fd,
		.web_content = l->web && kind != LISTENER_CONTROL ? l->web->content : 0,
	};
}

/* The address to listen at. Shards of one host share a configuration: each adds its number to the ports in it. NULL
 * without memory. */
static char *configured_address(const struct app *app, str address)
{
	str host = address, digits;
	char *ret = NULL;
	int64_t port;

	while (host.n && host.p[host.n - 1] != ':')
		host.n--;
	digits = str_sub(address, host.n, address.n);
	if (app->options.shard.ordinal == 0 || !host.n || !int64_parse(digits, &port) || port <= 0 || port > UINT16_MAX)
		return str_dup(address);
	port += app->options.shard.ordinal;
	return asprintf(&ret, "%.*s%" PRId64, STR_ARG(host), port) < 0 ? NULL : ret;
}

static void want_addresses(struct app *app)
{
	if (app->listeners->passed.n) /* passed sockets replace the addresses */
		return;
	for (size_t i = 0; i < app->options.n_listen; i++)
		want(app->listeners, LISTENER_TCP, str_dup(str_from(app->options.listen[i])), -1);
	for (size_t i = 0; app->options.n_listen == 0 && i < app->cfg->n_listen; i++)
		want(app->listeners, LISTENER_TCP, configured_address(app, app->cfg->listen[i]), -1);
}

static void want_passed(struct listeners *l)
{
	for (size_t i = 0; i < l->passed.n; i++) {
		const struct passed_socket *p = &l->passed.p[i];

		want(l, p->is_control ? LISTENER_PASSED_CONTROL : LISTENER_PASSED, str_dup(str_from(p->name)), p->fd);
	}
}

static void want_control(struct app *app)
{
	char *path;

	for (size_t i = 0; i < app->listeners->passed.n; i++) {
		if (app->listeners->passed.p[i].is_control)
			return;
	}
	path = control_path(app);
	if (path && !*path)
		free(path);
	else
		want(app->listeners, LISTENER_CONTROL, path, -1);
}

/* ---- listeners ---- */

static void listener_done(struct listener *l)
{
	http_server_close(l->server);
	free(l->address);
	*l = (struct listener){ 0 };
}

/* Keep the server of that listener in @old which is the same as @l. */
static void take_over(struct listener *l, struct listener *old, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (l->address && old[i].address && old[i].kind == l->kind && old[i].fd == l->fd &&
		    old[i].web_content == l->web_content && strcmp(old[i].address, l->address) == 0) {
			l->server = TAKE(old[i].server);
			l->reported = old[i].reported;
		}
	}
}

/* Serve on a socket of systemd, which outlives the servers on it. */
static int bind_passed(struct app *app, struct listener *l, struct err *err)
{
	int fd = fcntl(l->fd, F_DUPFD_CLOEXEC, 3);

	return fd < 0 ? err_set(err, errno, "use the socket that systemd passed: %s", strerror(errno))
		      : http_server_new_passed(&app->loop, fd, answers_site(app), &l->server, err);
}

static int bind_listener(struct app *app, struct listener *l, struct err *err)
{
	if (l->server)
		return 0;
	if (!l->address)
		return err_nomem(err);
	switch (l->kind) {
	case LISTENER_TCP:
		return http_server_new(&app->loop, l->address, answers_site(app), &l->server, err);
	case LISTENER_CONTROL:
		return http_server_new_unix(&app->loop, l->address, CONTROL_SOCKET_MODE, answers_site(app), &l->server,
					    err);
	case LISTENER_PASSED:
	case LISTENER_PASSED_CONTROL:
		return bind_passed(app, l, err);
	}
	return 0;
}

size_t listeners_open(struct app *app, struct err *first)
{
	struct listeners *l = app->listeners;
	struct listener *old = l->p;
	size_t n_old = l->n, failed = 0;

	if (answers_configure(app, l->web, first) < 0)
		return 1;
	l->max = app->options.n_listen + app->cfg->n_listen + l->passed.n + 1;
	l->p = calloc(l->max, sizeof(*l->p));
	if (!l->p) {
		l->p = old;
		(void)!err_nomem(first);
		return 1;
	}
	l->n = 0;
	want_addresses(app);
	want_passed(l);
	want_control(app);
	for (size_t i = 0; i < l->n; i++)
		take_over(&l->p[i], old, n_old);
	/* Close the old ones before the new ones are bound: "127.0.0.1:1" and ":1" cannot both be bound. */
	for (size_t i = 0; i < n_old; i++)
		listener_done(&old[i]);
	free(old);
	for (size_t i = 0; i < l->n; i++) {
		struct err err;

		/* driftd can do its work without a control socket: it tries again later. */
		if (bind_listener(app, &l->p[i], &err) < 0 && l->p[i].kind != LISTENER_CONTROL && failed++ == 0)
			*first = err;
	}
	return failed;
}

static const char *scheme(const struct app *app, const struct listener *l)
{
	if (l->kind != LISTENER_TCP && l->kind != LISTENER_PASSED)
		return "";
	return listeners_scheme(app);
}

void listeners_tick(struct app *app)
{
	for (size_t i = 0; i < app->listeners->n; i++) {
		struct listener *l = &app->listeners->p[i];
		bool missing = !l->server;
		struct err err;

		if (bind_listener(app, l, &err) < 0) {
			if (!l->reported)
				record_lifecycle(app->sink, MESSAGE_NOTICE, SEVERITY_ERROR,
						 "%s; tried again every second", err.msg);
			l->reported = true;
		} else if (missing) {
			record_lifecycle(app->sink, MESSAGE_NOTICE, SEVERITY_INFO, "listening on %s%s", scheme(app, l),
					 http_server_address(l->server));
			l->reported = false;
		}
	}
}

void listeners_close(struct app *app)
{
	struct listeners *l = app->listeners;

	for (size_t i = 0; i < l->n; i++)
		listener_done(&l->p[i]);
	free(TAKE(l->p));
	l->n = 0;
	for (size_t i = 0; i < l->passed.n; i++)
		close(l->passed.p[i].fd);
	vec_done(&l->passed);
}

const char *listeners_scheme(const struct app *app)
{
	return app->listeners->web && app->listeners->web->tls ? "https://" : "http://";
}

const char *listeners_address(const struct app *app, bool control)
{
	for (size_t i = 0; i < app->listeners->n; i++) {
		const struct listener *l = &app->listeners->p[i];
		bool is_control = l->kind == LISTENER_CONTROL || l->kind == LISTENER_PASSED_CONTROL;

		if (l->server && is_control == control)
			return http_server_address(l->server);
	}
	return "(none)";
}

/* ---- systemd ---- */

int listeners_take_passed(struct app *app, struct err *err)
{
	char **names = NULL;
	int n = sd_listen_fds_with_names(1, &names), r = 0;

	if (n < 0)
		return err_set(err, -n, "take the sockets that systemd passed: %s", strerror(-n));
	if (n == 0)
		return err_set(err, ENOENT, "--web.systemd-socket: systemd passed no socket");
	for (int i = 0; i < n; i++) {
		struct passed_socket p = { .fd = SD_LISTEN_FDS_START + i };

		(void)snprintf(p.name, sizeof(p.name), "%s", names ? names[i] : "");
		p.is_control = strcmp(p.name, "api") == 0;
		if (p.is_control && sd_is_socket(p.fd, AF_UNIX, SOCK_STREAM, 1) <= 0)
			r = err_set(err, EINVAL, "the socket 'api' that systemd passed is no Unix socket");
		else if (!vec_push(&app->listeners->passed, p))
			r = err_nomem(err);
		if (names)
			free(names[i]);
	}
	free(names);
	return r;
}

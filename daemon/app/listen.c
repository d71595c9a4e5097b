/* Where the daemon listens: addresses, the control socket, and sockets that systemd passes. */
#include "base/assert.h"
#include "base/number.h"
#include "daemon/app/app_internal.h"
#include "daemon/findings/notice.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <systemd/sd-daemon.h>
#include <unistd.h>

#define CONTROL_SOCKET_MODE 0660

/* ---- where ---- */

/* The path of the control socket in malloc'd memory; "" for none; NULL without memory. */
static char *control_path(const struct app *app)
{
	const char *runtime = getenv("RUNTIME_DIRECTORY"); /* one folder: the unit names one */
	char *path = NULL;

	if (app->options.control_socket)
		return str_dup(str_from(app->options.control_socket));
	if (app->cfg->control_socket.p)
		return str_dup(app->cfg->control_socket);
	if (runtime)
		return asprintf(&path, "%s/driftd.sock", runtime) < 0 ? NULL : path;
	return str_dup(access("/run/driftd", W_OK) == 0 ? STR("/run/driftd/driftd.sock") : STR(""));
}

static void want(struct app *app, enum listener_kind kind, char *address, int fd)
{
	ASSERT(app->n_listeners < app->listeners_max);
	app->listeners[app->n_listeners++] = (struct listener){
		.kind = kind,
		.address = address,
		.fd = fd,
		.web_content = app->web_config && kind != LISTENER_CONTROL ? app->web_config->content : 0,
	};
}

/* Shards of one host have one configuration: each adds its number to the ports in it. NULL without memory. */
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
	if (app->passed.n) /* they stand for the addresses */
		return;
	for (size_t i = 0; i < app->options.n_listen; i++)
		want(app, LISTENER_TCP, str_dup(str_from(app->options.listen[i])), -1);
	for (size_t i = 0; app->options.n_listen == 0 && i < app->cfg->n_listen; i++)
		want(app, LISTENER_TCP, configured_address(app, app->cfg->listen[i]), -1);
}

static void want_passed(struct app *app)
{
	for (size_t i = 0; i < app->passed.n; i++) {
		const struct passed_socket *p = &app->passed.p[i];

		want(app, p->is_control ? LISTENER_PASSED_CONTROL : LISTENER_PASSED, str_dup(str_from(p->name)), p->fd);
	}
}

static void want_control(struct app *app)
{
	char *path;

	for (size_t i = 0; i < app->passed.n; i++) {
		if (app->passed.p[i].is_control)
			return;
	}
	path = control_path(app);
	if (path && !*path)
		free(path);
	else
		want(app, LISTENER_CONTROL, path, -1);
}

/* ---- listeners ---- */

static void listener_done(struct listener *l)
{
	http_server_close(l->server);
	free(l->address);
	*l = (struct listener){ 0 };
}

/* The server of the listener in @old that is the same as @l goes on. */
static void take_over(struct listener *l, struct listener *old, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (l->address && old[i].address && old[i].kind == l->kind && old[i].fd == l->fd &&
		    old[i].web_content == l->web_content && strcmp(old[i].address, l->address) == 0) {
			l->server = TAKE(old[i].server);
			l->told = old[i].told;
		}
	}
}

/* What systemd passed outlives the servers on it. */
static int bind_passed(struct app *app, struct listener *l, const struct http_site *site, struct err *err)
{
	int fd = fcntl(l->fd, F_DUPFD_CLOEXEC, 3);

	return fd < 0 ? err_set(err, errno, "use the socket that systemd passed: %s", strerror(errno))
		      : http_server_new_passed(&app->loop, fd, site, &l->server, err);
}

static int bind_listener(struct app *app, struct listener *l, struct err *err)
{
	if (l->server)
		return 0;
	if (!l->address)
		return err_nomem(err);
	switch (l->kind) {
	case LISTENER_TCP:
		return http_server_new(&app->loop, l->address, &app->web, &l->server, err);
	case LISTENER_CONTROL:
		return http_server_new_unix(&app->loop, l->address, CONTROL_SOCKET_MODE, &app->control, &l->server,
					    err);
	case LISTENER_PASSED:
		return bind_passed(app, l, &app->web, err);
	case LISTENER_PASSED_CONTROL:
		return bind_passed(app, l, &app->control, err);
	}
	return 0;
}

size_t app_listen(struct app *app, struct err *first)
{
	struct listener *old = app->listeners;
	size_t n_old = app->n_listeners, failed = 0;

	if (app_set_routes(app, first) < 0)
		return 1;
	app->listeners_max = app->options.n_listen + app->cfg->n_listen + app->passed.n + 1;
	app->listeners = calloc(app->listeners_max, sizeof(*app->listeners));
	if (!app->listeners) {
		app->listeners = old;
		(void)!err_nomem(first);
		return 1;
	}
	app->n_listeners = 0;
	want_addresses(app);
	want_passed(app);
	want_control(app);
	for (size_t i = 0; i < app->n_listeners; i++)
		take_over(&app->listeners[i], old, n_old);
	/* Before the new ones are bound: "127.0.0.1:1" and ":1" cannot both be. */
	for (size_t i = 0; i < n_old; i++)
		listener_done(&old[i]);
	free(old);
	for (size_t i = 0; i < app->n_listeners; i++) {
		struct err err;

		/* Without a control socket driftd does what it is there for: it is tried again. */
		if (bind_listener(app, &app->listeners[i], &err) < 0 && app->listeners[i].kind != LISTENER_CONTROL &&
		    failed++ == 0)
			*first = err;
	}
	return failed;
}

static const char *scheme(const struct app *app, const struct listener *l)
{
	if (l->kind != LISTENER_TCP && l->kind != LISTENER_PASSED)
		return "";
	return app_scheme(app);
}

void app_listen_again(struct app *app)
{
	for (size_t i = 0; i < app->n_listeners; i++) {
		struct listener *l = &app->listeners[i];
		bool missing = !l->server;
		struct err err;

		if (bind_listener(app, l, &err) < 0) {
			if (!l->told)
				record_lifecycle(app->sink, MESSAGE_NOTICE, SEVERITY_ERROR,
						 "%s; tried again every second", err.msg);
			l->told = true;
		} else if (missing) {
			record_lifecycle(app->sink, MESSAGE_NOTICE, SEVERITY_INFO, "listening on %s%s", scheme(app, l),
					 http_server_address(l->server));
			l->told = false;
		}
	}
}

void app_stop_listening(struct app *app)
{
	for (size_t i = 0; i < app->n_listeners; i++)
		listener_done(&app->listeners[i]);
	free(TAKE(app->listeners));
	app->n_listeners = 0;
	for (size_t i = 0; i < app->passed.n; i++)
		close(app->passed.p[i].fd);
	vec_done(&app->passed);
	web_config_unref(TAKE(app->web_config));
	web_config_unref(TAKE(app->next_web_config));
}

const char *app_scheme(const struct app *app)
{
	return app->web_config && app->web_config->tls ? "https://" : "http://";
}

/* The address of the first one that runs and serves the metrics, or the control socket. */
static const char *first_address(const struct app *app, bool control)
{
	for (size_t i = 0; i < app->n_listeners; i++) {
		const struct listener *l = &app->listeners[i];
		bool is_control = l->kind == LISTENER_CONTROL || l->kind == LISTENER_PASSED_CONTROL;

		if (l->server && is_control == control)
			return http_server_address(l->server);
	}
	return "(none)";
}

const char *app_address(const struct app *app)
{
	return first_address(app, false);
}

const char *app_control_address(const struct app *app)
{
	return first_address(app, true);
}

/* ---- systemd ---- */

int app_take_passed(struct app *app, struct err *err)
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
		else if (!vec_push(&app->passed, p))
			r = err_nomem(err);
		if (names)
			free(names[i]);
	}
	free(names);
	return r;
}

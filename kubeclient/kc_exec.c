/* Runs a credential plugin as a child process: passes its input, reads its answer, and handles its end. */
#include "kubeclient/kc_exec.h"

#include "base/assert.h"
#include "base/file.h"
#include "go/base64.h"
#include "go/layout.h"
#include "mask/foreign.h"
#include "value/json.h"

#include <errno.h>
#include <limits.h>
#include <linux/close_range.h>
#include <openssl/crypto.h>
#include <signal.h>
#include <unistd.h>

#define READ_SIZE 16384
#define INFO_MAX ((size_t)2 << 20)
#define CA_FILE_MAX ((size_t)1 << 20)
#define PATH_SHOWN_MAX 160
#define HINT_SHOWN_MAX 200
#define DEFAULT_PATH "/bin:/usr/bin" /* execvp(3) without the variable */

static void secret_free(char *p)
{
	if (p)
		OPENSSL_cleanse(p, strlen(p));
	free(p);
}

void kc_credential_done(struct kc_credential *c)
{
	secret_free(c->token);
	secret_free(c->cert);
	secret_free(c->key);
	*c = (struct kc_credential){ 0 };
}

static int take_text(val status, const char *name, char **ret, struct err *err)
{
	val v = val_get(status, str_from(name));
	str s = foreign_data(foreign_of(v));

	if (val_exists(v) && !val_is_null(v) && !val_is_string(v))
		return err_set(err, EINVAL, "status.%s must be a string", name);
	if (s.n == 0)
		return 0;
	if (memchr(s.p, '\0', s.n))
		return err_set(err, EINVAL, "status.%s holds a NUL", name);
	*ret = str_dup(s);
	return *ret ? 0 : err_nomem(err);
}

static int read_credential(val root, const char *api_version, struct kc_credential *c, struct err *err)
{
	val status = VAL_GET(root, "status");
	str expires = foreign_data(foreign_of(VAL_GET(status, "expirationTimestamp")));
	struct go_stamp until;
	int r;

	if (!foreign_is(foreign_of(VAL_GET(root, "kind")), STR("ExecCredential")))
		return err_set(err, EINVAL, "its answer is no ExecCredential");
	if (!foreign_is(foreign_of(VAL_GET(root, "apiVersion")), str_from(api_version)))
		return err_set(err, EINVAL, "the apiVersion of its answer is not '%s'", api_version);
	if (!val_is_map(status))
		return err_set(err, EINVAL, "its answer has no status");
	if ((r = take_text(status, "token", &c->token, err)) < 0 ||
	    (r = take_text(status, "clientCertificateData", &c->cert, err)) < 0 ||
	    (r = take_text(status, "clientKeyData", &c->key, err)) < 0)
		return r;
	if (!c->cert != !c->key)
		return err_set(err, EINVAL, "its answer has only one of clientCertificateData and clientKeyData");
	if (!c->token && !c->cert)
		return err_set(err, EINVAL, "its answer has neither a token nor a client certificate");
	for (const char *p = c->token; p && *p; p++)
		if ((unsigned char)*p < 0x20 || *p == 0x7F)
			return err_set(err, EINVAL, "its token holds control characters");
	if (expires.n && !go_rfc3339_parse(expires, &until, NULL))
		return err_set(err, EINVAL, "its expirationTimestamp is not RFC 3339");
	if (expires.n)
		c->expires = until.sec; /* fractions of a second are cut */
	return 0;
}

int kc_exec_parse(struct foreign text, const char *api_version, struct kc_credential *ret, struct err *err)
{
	CLEANUP(doc_unrefp) struct doc *d = NULL;
	struct kc_credential c = { 0 };
	int r = json_decode(foreign_data(text), JSON_DEFAULTS, &d, err);

	if (r < 0) /* the decoder's message could quote a part of a token */
		return r == -ENOMEM ? r : err_set(err, EBADMSG, "its answer is not JSON");
	r = read_credential(d->root, api_version, &c, err);
	if (r < 0) {
		kc_credential_done(&c);
		return r;
	}
	*ret = c;
	return 0;
}

/* ---- the environment of the plugin ---- */

static void add_member(struct buf *b, const char *name, const char *value)
{
	if (!value)
		return;
	buf_printf(b, ",\"%s\":", name);
	json_encode_string(str_from(value), JSON_PLAIN, b);
}

static int add_cluster(const struct kube_cluster *c, struct buf *b, struct err *err)
{
	CLEANUP(freep) char *file = NULL;
	str ca = c->ca_data;

	if (c->ca_file) {
		int r = file_read(c->ca_file, CA_FILE_MAX, &file, &ca.n, err);

		if (r < 0)
			return r;
		ca.p = file;
	}
	buf_add_cstr(b, ",\"cluster\":{\"server\":");
	json_encode_string(str_from(c->server), JSON_PLAIN, b);
	add_member(b, "tls-server-name", c->tls_server_name);
	add_member(b, "proxy-url", c->proxy_url);
	if (c->insecure)
		buf_add_cstr(b, ",\"insecure-skip-tls-verify\":true");
	if (ca.n) {
		buf_add_cstr(b, ",\"certificate-authority-data\":\"");
		go_base64_encode(b, ca);
		buf_add_byte(b, '"');
	}
	buf_printf(b, ",\"config\":%s}", c->exec_config ? c->exec_config : "null");
	return 0;
}

static int build_info(const struct kc_exec *x, struct buf *b, struct err *err)
{
	buf_add_cstr(b, "KUBERNETES_EXEC_INFO={\"kind\":\"ExecCredential\",\"apiVersion\":");
	json_encode_string(str_from(x->config->api_version), JSON_PLAIN, b);
	buf_add_cstr(b, ",\"spec\":{\"interactive\":false");
	if (x->config->provide_cluster_info) {
		int r = add_cluster(x->cluster, b, err);

		if (r < 0)
			return r;
	}
	buf_add_cstr(b, "}}");
	return buf_error(b, "KUBERNETES_EXEC_INFO", err);
}

/* The variables that systemd sets for this process only (systemd.exec(5), sd_notify(3), sd_listen_fds(3)): with them
 * a plugin could speak for the daemon, or take descriptors that it does not have for sockets. */
static const char *const private_names[] = {
	"CACHE_DIRECTORY",
	"CONFIGURATION_DIRECTORY",
	"CREDENTIALS_DIRECTORY",
	"FDSTORE",
	"INVOCATION_ID",
	"JOURNAL_STREAM",
	"LISTEN_FDNAMES",
	"LISTEN_FDS",
	"LISTEN_PID",
	"LOGS_DIRECTORY",
	"MAINPID",
	"MANAGERPID",
	"MANAGERPIDFDID",
	"MEMORY_PRESSURE_WATCH",
	"MEMORY_PRESSURE_WRITE",
	"NOTIFY_SOCKET",
	"RUNTIME_DIRECTORY",
	"STATE_DIRECTORY",
	"SYSTEMD_EXEC_PID",
	"WATCHDOG_PID",
	"WATCHDOG_USEC",
};

static bool is_name(const char *entry, const char *name)
{
	size_t n = strcspn(entry, "=");

	return strlen(name) == n && memcmp(entry, name, n) == 0;
}

/* Whether the plugin's environment leaves @entry out. getenv takes the first of equal names, so replaced variables
 * are left out. */
static bool is_left_out(const struct kube_exec *c, const char *entry)
{
	if (is_name(entry, "KUBERNETES_EXEC_INFO"))
		return true;
	for (size_t i = 0; i < ARRAY_LEN(private_names); i++)
		if (is_name(entry, private_names[i]))
			return true;
	for (size_t i = 0; i < c->n_env; i++)
		if (is_name(entry, c->env[i].key))
			return true;
	return false;
}

static char **build_env(const struct kc_exec *x, struct arena *a, char *info)
{
	const struct kube_exec *c = x->config;
	size_t n = 0, at = 0;
	char **list;

	while (environ[n])
		n++;
	list = arena_array(a, n + c->n_env + 2, sizeof(*list));
	if (!list)
		return NULL;
	for (size_t i = 0; i < n; i++)
		if (!is_left_out(c, environ[i]))
			list[at++] = environ[i];
	for (size_t i = 0; i < c->n_env; i++) {
		list[at] = (char *)arena_printf(a, "%s=%s", c->env[i].key, c->env[i].value).p;
		if (!list[at++])
			return NULL;
	}
	list[at++] = info;
	list[at] = NULL;
	return list;
}

static char **build_args(const struct kc_exec *x, struct arena *a)
{
	const struct kube_exec *c = x->config;
	size_t n = 0;
	char **list;

	while (c->args && c->args[n])
		n++;
	list = arena_array(a, n + 2, sizeof(*list));
	if (!list)
		return NULL;
	list[0] = (char *)c->command;
	for (size_t i = 0; i < n; i++)
		list[i + 1] = (char *)c->args[i];
	list[n + 1] = NULL;
	return list;
}

/* ---- a run ---- */

static int bad_end(const struct kc_exec *x, struct err *err)
{
	return err_set(err, ENOKEY, "it ended with %s %d (run it by hand to see why)", x->signal ? "signal" : "status",
		       x->signal ? x->signal : (int)x->status);
}

static const char *variable_of(const struct kube_exec *c, const char *name)
{
	for (size_t i = c->n_env; i > 0; i--)
		if (strcmp(c->env[i - 1].key, name) == 0)
			return c->env[i - 1].value;
	return getenv(name);
}

/* Report that the plugin did not start, with the install hint of the kubeconfig and the place where it was searched. */
static int not_started(const struct kc_exec *x, struct err *err)
{
	const struct kube_exec *c = x->config;
	CLEANUP(buf_done) struct buf text = BUF_INIT(4096);
	const char *path = variable_of(c, "PATH");

	if (x->spawn_error == UV_ENOENT && !strchr(c->command, '/')) {
		buf_add_cstr(&text, "it is in no folder of PATH (");
		foreign_quote(foreign_bytes(str_from(path ? path : DEFAULT_PATH)), PATH_SHOWN_MAX, &text);
		buf_add_byte(&text, ')');
	} else {
		buf_add_cstr(&text, uv_strerror(x->spawn_error));
	}
	if (c->install_hint) {
		buf_add_cstr(&text, ". ");
		foreign_quote(foreign_bytes(str_from(c->install_hint)), HINT_SHOWN_MAX, &text);
	}
	return err_set(err, ENOKEY, "%s", text.p ? text.p : "");
}

static int judge(struct kc_exec *x, struct kc_credential *c, struct err *err)
{
	int r;

	if (x->timed_out)
		r = err_set(err, ETIMEDOUT, "no answer within %llu ms", (unsigned long long)x->limit_ms);
	else if (x->spawn_error)
		r = not_started(x, err);
	else if (x->signal || x->status)
		r = bad_end(x, err);
	else if ((r = buf_error(&x->output, "its answer", err)) == 0)
		r = kc_exec_parse(foreign_bytes(buf_str(&x->output)), x->config->api_version, c, err);
	return r < 0 ? err_wrap(err, "credential plugin '%s'", x->config->command) : 0;
}

static void finish(struct kc_exec *x)
{
	struct kc_credential c = { 0 };
	struct err err = { 0 };
	int r = 0;

	x->running = false;
	if (!x->closed)
		r = judge(x, &c, &err);
	if (x->output.p)
		OPENSSL_cleanse(x->output.p, x->output.n);
	buf_done(&x->output);
	if (x->closed)
		x->closed(x->ctx);
	else
		x->done(x->ctx, r < 0 ? NULL : &c, &err);
	kc_credential_done(&c);
}

static void on_closed(uv_handle_t *h)
{
	struct kc_exec *x = h->data;

	ASSERT(x->n_open > 0);
	if (--x->n_open == 0)
		finish(x);
}

static void close_handle(void *handle)
{
	uv_handle_t *h = handle;

	if (!uv_is_closing(h))
		uv_close(h, on_closed);
}

static void close_pipes(struct kc_exec *x)
{
	close_handle(&x->out);
	close_handle(&x->timer);
}

/* Kill the plugin's process group: processes that it started and left behind would keep its pipes open, and live on. */
static void kill_group(struct kc_exec *x)
{
	(void)kill(-x->process.pid, SIGKILL); /* the group may have ended by itself */
}

static void on_exit_status(uv_process_t *p, int64_t status, int sig)
{
	struct kc_exec *x = p->data;

	x->exited = true;
	x->status = status;
	x->signal = sig;
	kill_group(x);
	close_handle(&x->process);
	if (uv_is_closing((uv_handle_t *)&x->out))
		close_pipes(x); /* otherwise the process ends, or the time limit comes */
}

/* Give the run up. The process handle stays open until the exit was seen: otherwise nobody reaps the child. */
static void give_up(struct kc_exec *x)
{
	if (!x->exited)
		kill_group(x);
	close_pipes(x);
}

static void on_time_limit(uv_timer_t *t)
{
	struct kc_exec *x = t->data;

	x->timed_out = true;
	give_up(x);
}

static void on_alloc(uv_handle_t *h, size_t suggested, uv_buf_t *ret)
{
	struct kc_exec *x = h->data;

	(void)suggested;
	*ret = uv_buf_init(buf_reserve(&x->output, READ_SIZE), READ_SIZE);
	if (!ret->base)
		ret->len = 0;
}

static void on_read(uv_stream_t *s, ssize_t n, const uv_buf_t *b)
{
	struct kc_exec *x = s->data;

	(void)b;
	if (n > 0)
		buf_commit(&x->output, (size_t)n);
	if (n >= 0)
		return;
	if (n == UV_ENOBUFS) {
		give_up(x);
		return;
	}
	close_handle(s);
	if (x->exited)
		close_pipes(x);
}

static int spawn(struct kc_exec *x, char **args, char **env)
{
	uv_stdio_container_t io[3] = {
		{ .flags = UV_IGNORE },
		{ .flags = UV_CREATE_PIPE | UV_WRITABLE_PIPE, .data.stream = (uv_stream_t *)&x->out },
		{ .flags = UV_IGNORE },
	};
	uv_process_options_t o = {
		.exit_cb = on_exit_status,
		.flags = UV_PROCESS_DETACHED, /* setsid() */
		.file = x->config->command,
		.args = args,
		.env = env,
		.stdio_count = 3,
		.stdio = io,
	};
	int r;

	(void)uv_pipe_init(x->loop, &x->out, 0); /* uv_pipe_init and the next call always give 0 */
	(void)uv_timer_init(x->loop, &x->timer);
	x->out.data = x->timer.data = x->process.data = x;
	x->n_open = 3;
	/* The plugin would inherit the descriptors of libraries (such as the pair that wakes libcurl's multi
	 * handle). A kernel before 5.11 cannot mark them. */
	(void)close_range(STDERR_FILENO + 1, UINT_MAX, CLOSE_RANGE_CLOEXEC);
	r = uv_spawn(x->loop, &x->process, &o);
	if (r == 0) {
		(void)uv_timer_start(&x->timer, on_time_limit, x->limit_ms, 0);
		r = uv_read_start((uv_stream_t *)&x->out, on_alloc, on_read);
		if (r < 0)
			give_up(x);
		return 0; /* from here on @done reports the end */
	}
	/* Continue as if the plugin had run and failed: its handles close, then @done reports the failure. */
	x->exited = true;
	x->spawn_error = r;
	close_handle(&x->process);
	close_pipes(x);
	return 0;
}

int kc_exec_start(struct kc_exec *x, struct err *err)
{
	CLEANUP(buf_done) struct buf info = BUF_INIT(INFO_MAX);
	struct arena arena;
	char **args, **env;
	int r;

	if (x->running)
		return err_set(err, EALREADY, "credential plugin '%s' is running", x->config->command);
	r = build_info(x, &info, err);
	if (r < 0)
		return err_wrap(err, "credential plugin '%s'", x->config->command);
	x->timed_out = x->exited = false;
	x->status = x->signal = x->spawn_error = 0;
	x->output = BUF_INIT(KC_EXEC_OUTPUT_MAX);
	arena_init(&arena, 0, 0);
	args = build_args(x, &arena);
	env = build_env(x, &arena, info.p);
	if (args && env) {
		x->running = true;
		r = spawn(x, args, env);
	} else {
		r = err_nomem(err);
	}
	arena_done(&arena);
	return r;
}

void kc_exec_close(struct kc_exec *x, void (*closed)(void *ctx))
{
	if (!x->running) {
		closed(x->ctx);
		return;
	}
	ASSERT(!x->closed);
	x->closed = closed;
	give_up(x);
}

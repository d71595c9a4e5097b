/* Credential plugins: what they are told, what they may answer. */
#include "kubeclient/kc_exec.h"

#include "base/file.h"
#include "base/number.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

#define V1 "client.authentication.k8s.io/v1"
#define HEAD "{\"kind\":\"ExecCredential\",\"apiVersion\":\"" V1 "\",\"status\":"

static void test_parse(void **state)
{
	static const struct {
		const char *text, *token, *part;
		int64_t expires;
	} rows[] = {
		{ HEAD "{\"token\":\"t\"}}", "t", NULL, 0 },
		{ HEAD "{\"token\":\"t\",\"expirationTimestamp\":\"2030-01-01T00:00:00Z\"}}", "t", NULL, 1893456000 },
		{ HEAD "{\"token\":\"t\",\"expirationTimestamp\":\"2030-01-01T02:00:00.5+02:00\"}}", "t", NULL,
		  1893456000 },
		{ HEAD "{\"clientCertificateData\":\"c\",\"clientKeyData\":\"k\"}}", NULL, NULL, 0 },
		{ HEAD "{\"clientCertificateData\":\"c\"}}", NULL, "only one of", 0 },
		{ HEAD "{}}", NULL, "neither", 0 },
		{ HEAD "{\"token\":7}}", NULL, "must be a string", 0 },
		{ HEAD "{\"token\":\"a\\r\\nX: y\"}}", NULL, "control characters", 0 },
		{ HEAD "{\"token\":\"t\",\"expirationTimestamp\":\"tomorrow\"}}", NULL, "RFC 3339", 0 },
		{ "{\"kind\":\"Pod\"}", NULL, "no ExecCredential", 0 },
		{ "{\"kind\":\"ExecCredential\",\"apiVersion\":\"v9\"}", NULL, "the apiVersion of its answer is not",
		  0 },
		{ "secret", NULL, "not JSON", 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct kc_credential c = { 0 };
		struct err err;
		int r = kc_exec_parse(foreign_bytes(str_from(rows[i].text)), V1, &c, &err);

		assert_int_equal(r < 0, rows[i].part != NULL);
		if (rows[i].part && !strstr(err.msg, rows[i].part))
			fail_msg("row %zu: %s", i, err.msg);
		if (rows[i].token)
			assert_string_equal(c.token, rows[i].token);
		assert_int_equal(c.expires, rows[i].expires);
		kc_credential_done(&c);
	}
}

struct run {
	int code;
	char token[64], msg[512];
	bool closed;
};

static void on_done(void *ctx, struct kc_credential *c, const struct err *err)
{
	struct run *r = ctx;

	r->code = c ? 0 : err->code;
	snprintf(r->token, sizeof(r->token), "%s", c ? c->token : "");
	snprintf(r->msg, sizeof(r->msg), "%s", c ? "" : err->msg);
}

/* Where scripts write what the test wants to know. */
static char notes[] = "/tmp/driftd-exec-XXXXXX";

static char *read_notes(void)
{
	struct err err;
	char *text = NULL;
	size_t n = 0;

	assert_int_equal(file_read(notes, 1 << 20, &text, &n, &err), 0);
	return text;
}

static struct run run_plugin(const struct kube_exec *config, const struct kube_cluster *cluster, uint64_t limit_ms)
{
	struct run result = { .code = -1 };
	struct kc_exec x = {
		.config = config, .cluster = cluster, .limit_ms = limit_ms, .done = on_done, .ctx = &result
	};
	uv_loop_t loop;
	struct err err;

	uv_loop_init(&loop);
	x.loop = &loop;
	assert_int_equal(kc_exec_start(&x, &err), 0);
	uv_run(&loop, UV_RUN_DEFAULT);
	assert_int_equal(uv_loop_close(&loop), 0);
	return result;
}

/* A plugin that there is not. */
static struct run run_absent(const char *command, const char *path, const char *hint)
{
	const struct kube_pair env[] = { { "PATH", path } };
	const struct kube_exec config = {
		.api_version = V1, .command = command, .env = env, .n_env = path ? 1 : 0, .install_hint = hint
	};
	const struct kube_cluster cluster = { .server = "https://x.example" };

	return run_plugin(&config, &cluster, 1000);
}

static void test_absent(void **state)
{
	static const struct {
		const char *command, *path, *hint, *said;
	} rows[] = {
		{ "driftd-none", "/nowhere:/no/where", NULL,
		  "credential plugin 'driftd-none': it is in no folder of PATH (/nowhere:/no/where)" },
		{ "driftd-none", "/nowhere", "\nInstall it\nwith \x1b[31mapt.\n",
		  "credential plugin 'driftd-none': it is in no folder of PATH (/nowhere). Install it with  [31mapt." },
		{ "/nowhere/plugin", "/nowhere", "Install it.",
		  "credential plugin '/nowhere/plugin': no such file or directory. Install it." },
		{ "/dev/null", NULL, NULL, "credential plugin '/dev/null': permission denied" },
	};
	char *before = strdup(getenv("PATH")), long_path[1000];
	struct run r;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		r = run_absent(rows[i].command, rows[i].path, rows[i].hint);
		assert_int_equal(r.code, ENOKEY);
		assert_string_equal(r.msg, rows[i].said);
	}
	for (size_t i = 0; i < sizeof(long_path) - 1; i++)
		long_path[i] = "/x:"[i % 3];
	long_path[sizeof(long_path) - 1] = '\0';
	setenv("PATH", long_path, 1); /* ours, where the kubeconfig gives none */
	r = run_absent("driftd-none", NULL, "Install it.");
	assert_non_null(strstr(r.msg, "/x:/x:/...). Install it."));
	unsetenv("PATH");
	r = run_absent("driftd-none", NULL, NULL);
	assert_non_null(strstr(r.msg, "PATH (/bin:/usr/bin)"));
	setenv("PATH", before, 1);
	free(before);
}

static struct run run_shell(const char *script, uint64_t limit_ms)
{
	const char *const args[] = { "-c", script, NULL };
	const struct kube_pair env[] = { { "ANSWER", HEAD "{\"token\":\"fresh\"}}" },
					 { "NOTES", notes },
					 { "LISTEN_FDS", "said by the kubeconfig" },
					 { "SECRET", "hunter2" } };
	const struct kube_exec config = { .api_version = V1,
					  .command = "sh",
					  .args = args,
					  .env = env,
					  .n_env = ARRAY_LEN(env),
					  .install_hint = "Install it.",
					  .provide_cluster_info = true };
	const struct kube_cluster cluster = { .server = "https://x.example", .exec_config = "{\"audience\":\"a\"}" };
	struct kube_exec absent = config;

	absent.command = "/nowhere/plugin";
	absent.args = NULL;
	return run_plugin(script ? &config : &absent, &cluster, limit_ms);
}

static void test_runs(void **state)
{
	struct run r = run_shell("printf %s \"$ANSWER\"", 10000);

	(void)state;
	assert_int_equal(r.code, 0);
	assert_string_equal(r.token, "fresh");
	r = run_shell("case $KUBERNETES_EXEC_INFO in *'\"interactive\":false'*) echo no >&2; exit 3;; esac", 10000);
	assert_int_equal(r.code, ENOKEY);
	assert_non_null(strstr(r.msg, "status 3 ("));
	r = run_shell("exec sleep 60", 100);
	assert_int_equal(r.code, ETIMEDOUT);
	r = run_shell("yes", 10000);
	assert_int_equal(r.code < 0, 0);
	assert_int_not_equal(r.code, 0);
	r = run_shell(NULL, 1000);
	assert_int_equal(r.code, ENOKEY);
	assert_non_null(strstr(r.msg, "Install it."));
}

static void test_complaints(void **state)
{
	static const struct {
		const char *script, *said;
	} rows[] = {
		{ "echo hunter2 >&2; exit 1", "status 1 (run it by hand" },
		{ "echo hunter2; exit 1", "status 1 (run it by hand" },
		{ "echo $SECRET is wrong >&2; exit 1", "status 1 (run it by hand" },
		{ "printf %s \"$ANSWER\" >&2; exit 1", "status 1 (run it by hand" },
		{ "kill -9 $$", "signal 9" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct run r = run_shell(rows[i].script, 10000);

		assert_int_equal(r.code, ENOKEY);
		if (!strstr(r.msg, rows[i].said) || strstr(r.msg, "hunter2") || strstr(r.msg, "eyJ"))
			fail_msg("row %zu: %s", i, r.msg);
	}
}

/* What the service manager tells the daemon is not told on, the rest is; the kubeconfig's variables win. */
static void test_environment(void **state)
{
	CLEANUP(freep) char *env = NULL;
	struct run r;

	(void)state;
	setenv("NOTIFY_SOCKET", "/run/nobody", 1);
	setenv("LISTEN_FDS", "3", 1);
	setenv("CREDENTIALS_DIRECTORY", "/nowhere", 1);
	setenv("NOTIFY_SOCKET_OF_MINE", "kept", 1);
	setenv("KUBERNETES_EXEC_INFO", "forged", 1);
	r = run_shell("env >$NOTES; printf %s \"$ANSWER\"", 10000);
	assert_int_equal(r.code, 0);
	env = read_notes();
	assert_null(strstr(env, "NOTIFY_SOCKET="));
	assert_null(strstr(env, "CREDENTIALS_DIRECTORY="));
	assert_null(strstr(env, "forged"));
	assert_non_null(strstr(env, "\nNOTIFY_SOCKET_OF_MINE=kept\n"));
	assert_non_null(strstr(env, "LISTEN_FDS=said by the kubeconfig\n"));
	assert_non_null(strstr(env, "KUBERNETES_EXEC_INFO={\"kind\":\"ExecCredential\",\"apiVersion\":\"" V1
				    "\",\"spec\":{\"interactive\":false,\"cluster\":{\"server\":\"https://x.example\","
				    "\"config\":{\"audience\":\"a\"}}}}\n"));
}

static void test_descriptors(void **state)
{
	int fd = open("/dev/null", O_RDONLY); /* as a library opens it, without O_CLOEXEC */
	char text[16];
	struct run r;

	(void)state;
	assert_true(fd > 2);
	(void)snprintf(text, sizeof(text), "%d", fd);
	setenv("DESCRIPTOR", text, 1);
	r = run_shell("[ -d /proc/$$/fd ] && [ ! -e /proc/$$/fd/$DESCRIPTOR ] && printf %s \"$ANSWER\"", 10000);
	assert_int_equal(r.code, 0);
	close(fd);
}

/* Gone, or dead and only not collected by its new parent. */
static bool has_ended(int pid)
{
	CLEANUP(freep) char *stat = NULL;
	char path[64];
	struct err err;
	size_t n;

	(void)snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	return file_read(path, 4096, &stat, &n, &err) < 0 || strstr(stat, ") Z ");
}

/* The process whose number the script has written down. */
static void expect_ended(void)
{
	CLEANUP(freep) char *text = read_notes();
	int64_t pid = 0;

	assert_true(int64_parse(str_trim(str_from(text)), &pid));
	assert_in_range(pid, 2, INT32_MAX);
	for (int i = 0; i < 1000 && !has_ended((int)pid); i++)
		usleep(10000);
	assert_true(has_ended((int)pid));
}

#define LEAVE_CHILD "sleep 1000 & echo $! >$NOTES; "

/* What the plugin started ends with it: at the time limit, and when it left a child that holds its pipes. */
static void test_children(void **state)
{
	struct run r = run_shell(LEAVE_CHILD "wait", 1000);

	(void)state;
	assert_int_equal(r.code, ETIMEDOUT);
	expect_ended();
	r = run_shell(LEAVE_CHILD "printf %s \"$ANSWER\"", 600000);
	assert_int_equal(r.code, 0);
	assert_string_equal(r.token, "fresh");
	expect_ended();
	r = run_shell(LEAVE_CHILD "exit 4", 600000);
	assert_int_equal(r.code, ENOKEY);
	expect_ended();
}

static void on_closed(void *ctx)
{
	((struct run *)ctx)->closed = true;
}

static void on_written(uv_timer_t *t)
{
	CLEANUP(freep) char *text = read_notes();

	if (!strchr(text, '\n'))
		return;
	uv_close((uv_handle_t *)t, NULL);
	kc_exec_close(t->data, on_closed);
}

static void test_close_while_running(void **state)
{
	const char *const args[] = { "-c", LEAVE_CHILD "wait", NULL };
	const struct kube_pair env = { "NOTES", notes };
	const struct kube_exec config = { .api_version = V1, .command = "sh", .args = args, .env = &env, .n_env = 1 };
	struct run result = { .code = -1 };
	struct kc_exec x = { .config = &config, .limit_ms = 600000, .done = on_done, .ctx = &result };
	uv_timer_t timer;
	uv_loop_t loop;
	struct err err;

	(void)state;
	assert_int_equal(truncate(notes, 0), 0);
	uv_loop_init(&loop);
	uv_timer_init(&loop, &timer);
	timer.data = &x;
	uv_timer_start(&timer, on_written, 10, 10);
	x.loop = &loop;
	assert_int_equal(kc_exec_start(&x, &err), 0);
	assert_int_equal(kc_exec_start(&x, &err), -EALREADY);
	uv_run(&loop, UV_RUN_DEFAULT);
	assert_int_equal(uv_loop_close(&loop), 0);
	assert_true(result.closed);
	assert_int_equal(result.code, -1);
	expect_ended();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parse),       cmocka_unit_test(test_absent),
		cmocka_unit_test(test_runs),        cmocka_unit_test(test_complaints),
		cmocka_unit_test(test_environment), cmocka_unit_test(test_descriptors),
		cmocka_unit_test(test_children),    cmocka_unit_test(test_close_while_running),
	};
	int fd = mkstemp(notes), r;

	if (fd < 0)
		return 1;
	close(fd);
	r = cmocka_run_group_tests(tests, NULL, NULL);
	unlink(notes);
	return r;
}

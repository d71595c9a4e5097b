/* Fetching over HTTP, HTTPS and SSH from servers on this host: who gets in, who gets what, and how long it takes. */
#include "unit/daemon/fetch/git_fixture.h"

#include "mask/credentials.h"

#include <fcntl.h>

#define SERVER TEST_DATA "/../unit/daemon/fetch/git_server.py"

static pid_t server;
static int http_port, https_port, ssh_port;
static char url[512], path_of_credentials[128], path_of_ca[128], path_of_known_hosts[128];

static void start(struct fixture *x, const char *command)
{
	server = fork();
	if (server == 0) {
		if (chdir(x->top) == 0)
			(void)execl("/bin/sh", "sh", "-c", command, (char *)NULL);
		_exit(127);
	}
}

static void wait_for(struct fixture *x, const char *file)
{
	char script[256];

	(void)snprintf(script, sizeof(script), "for i in $(seq 300); do [ -s %s ] && exit 0; sleep 0.1; done; exit 1",
		       file);
	shell(x, script);
}

static int setup(void **state)
{
	struct fixture *x;
	char said[256];

	if (fixture_setup(state) != 0)
		return -1;
	x = *state;
	credentials_forget();
	shell(x,
	      "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout key.pem -out ca.pem "
	      "-days 2 "
	      "-subj /CN=127.0.0.1 -addext subjectAltName=IP:127.0.0.1 2>/dev/null; cat key.pem ca.pem >tls.pem; echo "
	      "ada:correct-horse-battery >basic; echo ada:correct-horse-battery >credentials; git clone -q --bare "
	      "origin "
	      "r.git");
	start(x, "exec python3 '" SERVER "' .");
	wait_for(x, "ports");
	shell_into(x, "cat ports", said);
	assert_int_equal(sscanf(said, "%d %d", &http_port, &https_port), 2);
	(void)snprintf(path_of_credentials, sizeof(path_of_credentials), "%s/credentials", x->top);
	(void)snprintf(path_of_ca, sizeof(path_of_ca), "%s/ca.pem", x->top);
	(void)snprintf(path_of_known_hosts, sizeof(path_of_known_hosts), "%s/known hosts %%h", x->top);
	return 0;
}

static int teardown(void **state)
{
	(void)kill(server, SIGKILL);
	(void)waitpid(server, NULL, 0);
	return fixture_teardown(state);
}

static void over_http(struct fixture *x, const char *path)
{
	(void)snprintf(url, sizeof(url), "http://127.0.0.1:%d%s", http_port, path);
	x->source.url = str_from(url);
	x->source.insecure = true;
}

static void over_https(struct fixture *x, const char *path)
{
	(void)snprintf(url, sizeof(url), "https://127.0.0.1:%d%s", https_port, path);
	x->source.url = str_from(url);
	x->source.ca_file = str_from(path_of_ca);
}

static void push(struct fixture *x)
{
	shell(x, "cd origin; commit more; git push -q ../r.git HEAD:main");
}

static void test_http(void **state)
{
	struct fixture *x = *state;

	over_http(x, "/open/r.git");
	assert_fetched(x);
	assert_files(x, "ref/a.yaml=1;ref/sub/b.yaml=2;top.txt=3;");
	remember_head(x);
	push(x);
	assert_fetched(x);
	assert_false(x->f.revision.rewritten);
	assert_int_equal(x->f.revision.n_log, 2);
	x->source.insecure = false;
	assert_refused(x, EINVAL, "has no TLS, and the source does not say 'insecure'");
	x->source.insecure = true;
	x->source.credentials = str_from(path_of_credentials);
	assert_refused(x, EINVAL, "no credentials are sent there");
	shell(x, "if grep -q Basic log; then exit 1; fi");
}

/* It hands out only what its references name. */
static void test_commit_from_an_old_server(void **state)
{
	struct fixture *x = *state;
	char commit[256];

	shell_into(
		x,
		"cd origin; git rev-parse HEAD; i=0; while [ $i -lt 60 ]; do commit c$i; i=$((i+1)); done; git push -q "
		"../r.git HEAD:side; git commit -q --allow-empty --amend -m x; git tag t; git push -q ../r.git t",
		commit);
	over_http(x, "/old/r.git");
	x->source.commit = str_from(commit);
	assert_fetched(x);
	assert_str(x->f.revision.revision, commit);
	assert_int_equal(x->f.revision.n_log, 1);
	x->source.commit = STR("0123456789012345678901234567890123456789");
	assert_refused(x, ENOENT, "there is no commit 0123456789");
	x->source.commit = (str){ NULL, 0 };
	x->source.branch = STR("side");
	assert_fetched(x);
	assert_int_equal(x->f.revision.n_log, 50);
}

static void test_https(void **state)
{
	struct fixture *x = *state;

	over_https(x, "/open/r.git");
	assert_fetched(x);
	x->source.ca_file = (str){ NULL, 0 };
	push(x);
	assert_refused(x, EPROTO, "certificate");
	x->source.ca_file = STR("/nonexistent/ca.pem");
	assert_refused(x, EPERM, "/nonexistent/ca.pem");
}

static void test_credentials(void **state)
{
	struct fixture *x = *state;

	over_https(x, "/auth/r.git");
	assert_refused(x, EACCES, "127.0.0.1");
	x->source.credentials = str_from(path_of_credentials);
	assert_fetched(x);
	push(x);
	assert_fetched(x);
	shell(x, "if grep -rqa correct-horse-battery cache scratch || grep -rqa \"$(base64 <basic | head -c 30)\" "
		 "cache scratch; then "
		 "exit 1; fi");
	shell(x, "echo ada:wrong-horse-battery >credentials");
	assert_refused(x, EACCES, "127.0.0.1");
	assert_null(strstr(x->err.msg, "horse"));
	shell(x, "echo token-of-somebody >credentials; echo oauth2:token-of-somebody >basic");
	assert_fetched(x);
	shell(x, "printf 'a:b\\nc:d\\n' >credentials");
	assert_refused(x, EPERM, "no single line");
	shell(x, ": >credentials");
	assert_refused(x, EPERM, "no single line");
	shell(x, "rm credentials");
	assert_refused(x, EPERM, "credentials");
}

/* A server that sends elsewhere gets nobody to go there, least of all with credentials. */
static void test_redirect(void **state)
{
	struct fixture *x = *state;
	char other[32], script[128];

	over_https(x, "/other/r.git");
	x->source.credentials = str_from(path_of_credentials);
	assert_refused(x, EINVAL, "it sends to another place, which is not followed");
	(void)snprintf(other, sizeof(other), "%d", http_port);
	(void)snprintf(script, sizeof(script), "if grep -q '^%s ' log; then exit 1; fi; grep -q ' Basic ' log", other);
	shell(x, script);
}

static void test_statuses(void **state)
{
	static const struct {
		const char *path;
		int code;
	} cases[] = {
		{ "/status/401/x", EACCES }, { "/status/403/x", EACCES }, { "/status/404/x", ENOENT },
		{ "/status/500/x", 0 },      { "/status/503/x", 0 },      { "/open/nowhere.git", ENOENT },
		{ "/status/200/x", 0 },
	};
	struct fixture *x = *state;

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		int r;

		over_http(x, cases[i].path);
		r = fetch(x);
		if (cases[i].code ? r != -cases[i].code
				  : (r == 0 || r == -EACCES || r == -ENOENT || r == -EINVAL || r == -EPERM))
			fail_msg("%s: %d %s", cases[i].path, r, x->err.msg);
	}
	x->source.url = STR("http://127.0.0.1:1/x");
	assert_refused(x, ECONNREFUSED, "127.0.0.1");
	x->source.url = STR("http://does-not-exist.invalid/x");
	assert_refused(x, EHOSTUNREACH, "does-not-exist.invalid");
}

static void test_server_that_hangs(void **state)
{
	static const char *const paths[] = { "/hang", "/trickle/x" };
	struct fixture *x = *state;

	for (size_t i = 0; i < ARRAY_LEN(paths); i++) {
		uint64_t begin = now();

		over_http(x, paths[i]);
		x->time_ns = 2 * S;
		assert_refused(x, ETIMEDOUT, "it did not end in time");
		assert_true(now() - begin < 6 * S);
	}
	x->time_ns = 0;
	over_http(x, "/open/r.git");
	assert_fetched(x);
}

static void test_proxy(void **state)
{
	struct fixture *x = *state;
	char proxy[64];

	(void)snprintf(proxy, sizeof(proxy), "http://127.0.0.1:%d", http_port);
	x->source.url = STR("http://git.invalid/open/r.git");
	x->source.insecure = true;
	x->source.proxy = str_from(proxy);
	(void)fetch(x); /* it is no proxy, but is asked */
	shell(x, "grep -q 'http://git.invalid/open/r.git/info/refs' log");
}

/* ---- SSH ---- */

static void start_ssh(struct fixture *x)
{
	char said[256], script[768];

	shell_into(x,
		   "python3 -c 'import socket; s = socket.socket(); s.bind((\"127.0.0.1\", 0)); "
		   "print(s.getsockname()[1])'",
		   said);
	ssh_port = atoi(said); /* NOLINT(cert-err34-c): a port */
	(void)snprintf(
		script, sizeof(script),
		"ssh-keygen -q -t ed25519 -N '' -f host; ssh-keygen -q -t ed25519 -N '' -f id; cp id.pub authorized; "
		"printf "
		"'[127.0.0.1]:%d %%s\\n' \"$(cut -d' ' -f1,2 host.pub)\" >'known hosts %%h'; printf 'Port "
		"%d\\nListenAddress "
		"127.0.0.1\\nHostKey %%s/host\\nAuthorizedKeysFile %%s/authorized\\nPasswordAuthentication no\\nUsePAM "
		"no\\nStrictModes no\\nPidFile none\\n' \"$PWD\" \"$PWD\" >sshd_config; mkdir -p /run/sshd 2>/dev/null "
		"|| true",
		ssh_port, ssh_port);
	shell(x, script);
	(void)kill(server, SIGKILL);
	(void)waitpid(server, NULL, 0);
	start(x, "exec /usr/sbin/sshd -D -f sshd_config -E sshd.log");
	shell(x, "for i in $(seq 100); do grep -qs listening sshd.log && exit 0; sleep 0.1; done; exit 1");
}

static void test_ssh(void **state)
{
	struct fixture *x = *state;
	char user[256];

	start_ssh(x);
	shell_into(x, "id -un", user);
	(void)snprintf(url, sizeof(url), "ssh://%s@127.0.0.1:%d%s/r.git", user, ssh_port, x->top);
	(void)snprintf(path_of_credentials, sizeof(path_of_credentials), "%s/id", x->top);
	x->source.url = str_from(url);
	assert_refused(x, EINVAL, "names no file of known hosts");
	x->source.known_hosts = str_from(path_of_known_hosts);
	assert_refused(x, EACCES, "Permission denied");
	x->source.credentials = str_from(path_of_credentials);
	assert_fetched(x);
	assert_files(x, "ref/a.yaml=1;ref/sub/b.yaml=2;top.txt=3;");
	shell(x, "test -L scratch/key; chmod 640 id");
	push(x);
	assert_fetched(x);
	shell(x, "test ! -L scratch/key; test \"$(stat -c %a scratch/key)\" = 600");
	shell(x, "printf '[127.0.0.1]:%s %s\\n' \"$(sed -n 's/^Port //p' sshd_config)\" \"$(cut -d' ' -f1,2 id.pub)\" "
		 ">'known hosts %h'");
	assert_refused(x, EPROTO, "the key of the host is not among the known hosts");
	shell(x, ": >'known hosts %h'");
	assert_refused(x, EPROTO, "the key of the host is not among the known hosts");
	x->source.credentials = STR("/nonexistent/key");
	assert_refused(x, EPERM, "/nonexistent/key");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_http),
		TEST(test_commit_from_an_old_server),
		TEST(test_https),
		TEST(test_credentials),
		TEST(test_redirect),
		TEST(test_statuses),
		TEST(test_server_that_hangs),
		TEST(test_proxy),
		TEST(test_ssh),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Web configurations: what they mean, and their mistakes. The files of TLS are not looked into here. */
#include "config/web_config.h"

#include "base/hash.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

#define HASH "$2y$10$X0h1gDsPszWURQaxFh.zoubFi6DXncSjhoQNJgRrnGs7EsimhC7zG"

static char path[] = "/tmp/driftd-web-config-XXXXXX";

static void write_file(const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

static struct web_config *load(const char *text)
{
	struct problems problems = { 0 };
	struct web_config *w = NULL;
	struct err err;

	write_file(text);
	if (web_config_load(path, &w, &problems, &err) < 0)
		fail_msg("%s", problems_text(&problems));
	problems_done(&problems);
	return w;
}

/* Each mistake at its place; nothing of the text that it is about, but keys. */
static void refuses(const char *text, const char *place, const char *what)
{
	struct problems problems = { 0 };
	struct web_config *w;
	char wanted[256];
	struct err err;

	write_file(text);
	assert_int_equal(web_config_load(path, &w, &problems, &err), -EINVAL);
	assert_int_equal(problems.list.n, 1);
	(void)snprintf(wanted, sizeof(wanted), "%s:%s: %s", path, place, what);
	assert_string_equal(problems.list.p[0], wanted);
	problems_done(&problems);
}

static void test_empty(void **state)
{
	struct web_config *w = load("");

	(void)state;
	assert_false(w->tls || w->n_users || w->n_headers || web_config_authenticates(w));
	web_config_unref(w);
}

static void test_all(void **state)
{
	struct web_config *w = load("tls_server_config:\n  cert: a\n  key: b\n  client_ca: c\n"
				    "  client_auth_type: RequireAndVerifyClientCert\n  client_allowed_sans: [x, y]\n"
				    "  min_version: TLS11\n  max_version: TLS12\n  cipher_suites: []\n"
				    "  prefer_server_cipher_suites: false\n  curve_preferences: [X25519, CurveP256]\n"
				    "http_server_config:\n  http2: false\n  headers: {x-frame-options: DENY, "
				    "X-XSS-Protection: ''}\nbasic_auth_users: {alice: '" HASH "'}\n");

	(void)state;
	assert_string_equal(w->cert, "a");
	assert_string_equal(w->client_ca, "c");
	assert_int_equal(w->client_auth, WEB_CLIENT_REQUIRE_AND_VERIFY);
	assert_int_equal(w->n_client_sans, 2);
	assert_string_equal(w->priorities, "NORMAL:-VERS-ALL:+VERS-TLS1.2:+VERS-TLS1.1:-GROUP-ALL:+GROUP-X25519"
					   ":+GROUP-SECP256R1");
	assert_int_equal(w->n_headers, 1);
	assert_string_equal(w->headers[0].name, "X-Frame-Options");
	assert_string_equal(w->users[0].hash, HASH);
	assert_true(web_config_authenticates(w));
	web_config_unref(w);
}

static void test_content(void **state)
{
	struct web_config *a = load("basic_auth_users: {a: '" HASH "'}"),
			  *b = load("basic_auth_users: {b: '" HASH "'}");

	(void)state;
	assert_true(a->content != b->content);
	assert_string_equal(a->priorities, "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2:%SERVER_PRECEDENCE");
	web_config_unref(a);
	web_config_unref(b);
}

static void test_mistakes(void **state)
{
	(void)state;
	refuses("users: {}", "1:1", "unknown key 'users'");
	refuses("[]", "1:1", "expected a map");
	refuses("basic_auth_users:\n  alice: secret", "2:10", "no bcrypt hash, such as htpasswd -nB gives");
	refuses("basic_auth_users:\n  alice: [secret]", "2:10", "no bcrypt hash, such as htpasswd -nB gives");
	refuses("basic_auth_users:\n  a:b: " HASH, "2:3", "no client can send a user's name with a colon");
	refuses("http_server_config:\n  http2: secret", "2:10", "expected one of false, true");
	refuses("http_server_config:\n  headers: {X-Frame-Options: secret}", "2:30",
		"no value of the header X-Frame-Options");
	refuses("tls_server_config:\n  cert: a\n  key: b\n  key_file: "
		"/dev/null",
		"4:13", "it is given twice: in this file and as the name of a file");
	refuses("tls_server_config:\n  cert: a\n  key: b\n  client_auth_type: VerifyClientCertIfGiven", "2:3",
		"one of client_ca and client_ca_file is missing");
	refuses("tls_server_config:\n  cert: a\n  key: b\n  client_allowed_sans: [x]", "2:3",
		"client_allowed_sans needs a client_auth_type that requires a certificate");
	refuses("tls_server_config:\n  cert: a\n  key: b\n  min_version: TLS13\n  max_version: TLS12", "2:3",
		"min_version is above max_version");
	refuses("tls_server_config:\n  cert: a\n  key: b\n  cipher_suites: [X]", "4:18",
		"cipher suites cannot be chosen here: GnuTLS has its own for each version of TLS");
}

static int make_file(void **state)
{
	int fd = mkstemp(path);

	(void)state;
	return fd < 0 ? -1 : close(fd);
}

static int remove_file(void **state)
{
	(void)state;
	return unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_all),
		cmocka_unit_test(test_content),
		cmocka_unit_test(test_mistakes),
	};

	return cmocka_run_group_tests(tests, make_file, remove_file);
}

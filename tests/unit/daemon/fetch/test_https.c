/* What is published at a URL, from a server with TLS on loopback. */
#include "daemon/fetch/digest.h"
#include "mask/credentials.h"
#include "support/fetching.h"

#include <errno.h>

#define SERVER TEST_DATA "/../support/https_server.py"

static struct {
	char folder[128];
	pid_t tls, other, plain;
	uint16_t tls_port, other_port, plain_port;
	bool there, minisign, signify;
} world;

static const char *in(const char *name)
{
	return fetching_path("%s/%s", world.folder, name);
}

static pid_t serve(uint16_t port, bool tls, const char *log)
{
	const char *const argv[] = {
		"python3",     SERVER, in("files"), fetching_path("%d", port), tls ? in("cert.pem") : NULL,
		in("key.pem"), NULL
	};

	return fetching_start(argv, in(log));
}

static void make_archives(void)
{
	assert_int_equal(fetching_shell("cd %s && mkdir -p r/ref/d && printf 'parts: []\\n' >r/ref/metadata.yaml && "
					"printf b >r/ref/d/b && ln -s /etc/passwd r/ref/l && "
					"tar -cf files/r.tar -C r . && gzip -k -c files/r.tar >files/r.tar.gz && "
					"cp files/r.tar.gz files/r.tgz && xz -k -c files/r.tar >files/r.tar.xz",
					world.folder),
			 0);
}

static int set_up(void **state)
{
	(void)state;
	world.there = fetching_has("python3") && fetching_has("openssl");
	if (!world.there) {
		print_message("python3 or openssl is not here: nothing is fetched\n");
		return 0;
	}
	world.minisign = fetching_has("minisign");
	world.signify = fetching_has("signify-openbsd");
	(void)snprintf(world.folder, sizeof(world.folder), "/tmp/test-https-XXXXXX");
	assert_non_null(mkdtemp(world.folder));
	assert_true(fetching_certificate(world.folder));
	fetching_write(in("files/bundle.yaml"), STR("kind: List\n"));
	fetching_write(in("files/page.html"), STR("<html>"));
	make_archives();
	world.tls_port = fetching_free_port();
	world.tls = serve(world.tls_port, true, "tls.log");
	world.other_port = fetching_free_port();
	world.other = serve(world.other_port, true, "other.log");
	world.plain_port = fetching_free_port();
	world.plain = serve(world.plain_port, false, "plain.log");
	fetching_await(world.tls_port);
	fetching_await(world.other_port);
	fetching_await(world.plain_port);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	fetching_stop(world.tls);
	fetching_stop(world.other);
	fetching_stop(world.plain);
	return *world.folder && fetching_shell("rm -rf %s", world.folder) ? -1 : 0;
}

static void point(struct fetching *f, const char *path)
{
	f->source = (struct source){ .name = STR("shop"), .kind = SOURCE_HTTPS };
	f->source.url = str_from(fetching_path("https://127.0.0.1:%d%s", world.tls_port, path));
	f->source.ca_file = str_from(in("cert.pem"));
}

static void run(struct fetching *f, const char *before)
{
	fetching_run(f, world.folder, before, 60, fetch_https);
}

static void assert_fails(struct fetching *f, int code, const char *words)
{
	run(f, "");
	if (f->r != -code || !strstr(f->err.msg, words))
		fail_msg("%d: %s, wanted %d with '%s'", f->r, f->err.msg, -code, words);
}

static void assert_gets(struct fetching *f, const char *wanted)
{
	run(f, "");
	assert_string_equal(fetching_shown(f), wanted);
}

static bool logged(const char *log, const char *words)
{
	return fetching_shell("grep -qF -- '%s' %s", words, in(log)) == 0;
}

/* ---- archives and files ---- */

static void test_archives(void **state)
{
	static const char *const names[] = {
		"/r.tar", "/r.tar.gz", "/r.tgz", "/r.tar.xz", "/r.tgz?x=1", "/r.tgz#part"
	};
	CLEANUP(fetching_done) struct fetching f = { 0 };
	char digest[DIGEST_SIZE];

	(void)state;
	if (!world.there)
		skip();
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		point(&f, names[i]);
		f.source.wants = i % 2 ? SOURCE_WANTS_FILES : SOURCE_WANTS_TEMPLATES;
		assert_gets(&f, "ref/d/b=b ref/metadata.yaml=parts: []\n +1");
		f.source.path = STR("ref/d");
		assert_gets(&f, "b=b +0");
	}
	f.source.path = STR("nothing");
	assert_fails(&f, ENOENT, "/r.tgz#part: it has no files below 'nothing'");
	f.source.path = STR("");
	run(&f, "");
	assert_true(digest_is_good(f.got.revision.revision));
	(void)snprintf(digest, sizeof(digest), "%.*s", STR_ARG(f.got.revision.revision));
	assert_false(f.got.unchanged);
	run(&f, digest);
	assert_true(f.r == 0 && f.got.unchanged);
}

static void test_files(void **state)
{
	CLEANUP(fetching_done) struct fetching f = { 0 };

	(void)state;
	if (!world.there)
		skip();
	point(&f, "/bundle.yaml");
	assert_gets(&f, "bundle.yaml=kind: List\n +0");
	f.source.path = STR("x");
	assert_fails(&f, EINVAL, "a path is one in an archive");
	point(&f, "/missing.yaml");
	assert_fails(&f, ENOENT, "the server says 404 Not Found");
	point(&f, "/missing.yaml?token=hunter2-hunter2");
	assert_fails(&f, ENOENT, "/missing.yaml: the server says 404");
	point(&f, "/page.html");
	assert_fails(&f, EBADMSG, "it is an HTML page");
	point(&f, "/");
	assert_fails(&f, EINVAL, "does not end with the name of a file");
	point(&f, "/endless");
	assert_fails(&f, E2BIG, "");
	point(&f, "/short/bundle.yaml");
	assert_fails(&f, ECONNRESET, "");
	point(&f, "/status/500");
	assert_fails(&f, EIO, "the server says 500");
	point(&f, "/status/403");
	assert_fails(&f, EACCES, "the server says 403");
}

static void test_transport(void **state)
{
	CLEANUP(fetching_done) struct fetching f = { 0 };

	(void)state;
	if (!world.there)
		skip();
	point(&f, "/bundle.yaml");
	f.source.ca_file = STR("");
	assert_fails(&f, EIO, "certificate");
	f.source.insecure = true; /* says nothing of TLS */
	assert_fails(&f, EIO, "certificate");
	point(&f, "/bundle.yaml");
	f.source.ca_file = STR("/nothing/here");
	assert_fails(&f, EPERM, "/nothing/here");
	point(&f, "/bundle.yaml");
	f.source.proxy = STR("http://user:hunter2-hunter2@127.0.0.1:1");
	assert_fails(&f, ECONNREFUSED, "");
	assert_null(strstr(f.err.msg, "hunter2"));
	point(&f, "/slow/bundle.yaml");
	fetching_run(&f, world.folder, "", 1, fetch_https);
	assert_int_equal(f.r, -ETIMEDOUT);
	fetching_run(&f, world.folder, "", 0, fetch_https);
	assert_int_equal(f.r, -ETIMEDOUT);
	point(&f, "/bundle.yaml");
	f.source.url = str_from(fetching_path("http://127.0.0.1:%d/bundle.yaml", world.plain_port));
	assert_fails(&f, EINVAL, "which the source does not allow");
	f.source.insecure = true;
	assert_gets(&f, "bundle.yaml=kind: List\n +0");
	f.source.credentials = str_from(in("cert.pem"));
	assert_fails(&f, EINVAL, "credentials are not sent without TLS");
	point(&f, "/bundle.yaml");
	f.source.url = STR("file:///etc/passwd");
	assert_fails(&f, EINVAL, "does not begin with https://");
	f.source.url = str_from(fetching_path("https://u:hunter2-hunter2@127.0.0.1:%d/bundle.yaml", world.tls_port));
	assert_fails(&f, EIO, "");
	assert_null(strstr(f.err.msg, "hunter2"));
}

static void test_redirects(void **state)
{
	CLEANUP(fetching_done) struct fetching f = { 0 };

	(void)state;
	if (!world.there)
		skip();
	point(&f, "/to/5/bundle.yaml");
	assert_gets(&f, "bundle.yaml=kind: List\n +0");
	point(&f, "/to/6/bundle.yaml");
	assert_fails(&f, EIO, "redirect");
	point(&f, fetching_path("/go/x?http://127.0.0.1:%d/insecure.yaml", world.plain_port));
	f.source.insecure = true;
	assert_fails(&f, EIO, "");
	assert_false(logged("plain.log", "insecure.yaml"));
	point(&f, "/go/x?file:///etc/passwd");
	assert_fails(&f, EIO, "");
}

static void test_credentials(void **state)
{
	CLEANUP(fetching_done) struct fetching f = { 0 };
	const char *file;

	(void)state;
	if (!world.there)
		skip();
	file = in("credentials");
	fetching_write(in("files/allowed"), STR("Basic dXNlcjpwYXNzd29yZC0xMjM0\nBearer token-of-the-test\n"));
	point(&f, "/locked/bundle.yaml");
	assert_fails(&f, EACCES, "the server says 401");
	fetching_write(file, STR("user:password-1234\n"));
	f.source.credentials = str_from(file);
	assert_gets(&f, "bundle.yaml=kind: List\n +0");
	fetching_write(file, STR("token-of-the-test"));
	assert_gets(&f, "bundle.yaml=kind: List\n +0");
	fetching_write(file, STR("two\nlines"));
	assert_fails(&f, EPERM, "no credentials on one line");
	fetching_write(file, STR(" \n"));
	assert_fails(&f, EPERM, "no credentials on one line");
	f.source.credentials = STR("/nothing/here");
	assert_fails(&f, EPERM, "/nothing/here");
	/* Another port is another host. */
	fetching_write(file, STR("token-of-the-test"));
	point(&f, fetching_path("/go/x?https://127.0.0.1:%d/bundle.yaml", world.other_port));
	f.source.credentials = str_from(file);
	run(&f, "");
	assert_int_equal(f.r, 0);
	assert_true(logged("other.log", "GET /bundle.yaml -"));
	point(&f, fetching_path("/go/x?https://localhost:%d/locked/bundle.yaml", world.tls_port));
	f.source.credentials = str_from(file);
	assert_fails(&f, EACCES, "401");
	assert_true(logged("tls.log", "GET /locked/bundle.yaml -"));
}

/* ---- what is verified ---- */

static void test_hash(void **state)
{
	CLEANUP(fetching_done) struct fetching f = { 0 };

	(void)state;
	if (!world.there)
		skip();
	point(&f, "/bundle.yaml");
	f.source.sha256 = STR("48bd4e0b9d54c5ea69a8b4ac1a0e0e0d8d7c1e4d6d5a5e0a4a7e2c2a6dbb5a2f");
	assert_fails(&f, EKEYREJECTED, "its SHA-256 is ");
	run(&f, "");
	f.source.sha256 = str_from(fetching_path("%.64s", strstr(f.err.msg, "SHA-256 is ") + 11));
	assert_gets(&f, "bundle.yaml=kind: List\n +0");
	assert_true(str_eq(f.got.revision.signer, STR("its SHA-256")));
	f.source.wants = SOURCE_WANTS_TEMPLATES;
	assert_fails(&f, EINVAL, "what is verified has to be an archive");
}

static void check_signed(const char *suffix, const char *key)
{
	CLEANUP(fetching_done) struct fetching f = { 0 };

	point(&f, "/r.tgz");
	f.source.minisign_key = str_from(key);
	f.source.path = STR("ref/d");
	assert_gets(&f, "b=b +0");
	assert_true(str_has_prefix(f.got.revision.signer, STR("minisign key ")));
	assert_int_equal(
		fetching_shell("cd %s/files && cp r.tgz old.tgz && mv r.tgz%s old.tgz%s && cp r.tar.gz x && printf x "
			       ">>x && mv x old.tgz",
			       world.folder, suffix, suffix),
		0);
	assert_fails(&f, EKEYREJECTED, "it is not signed: there is no r.tgz.minisig and no r.tgz.sig");
	f.source.url = str_from(fetching_path("https://127.0.0.1:%d/old.tgz", world.tls_port));
	assert_fails(&f, EKEYREJECTED, "is not one of this text");
	fetching_write(key, STR("no key"));
	assert_fails(&f, EPERM, "is not a public key of minisign or signify");
	f.source.minisign_key = STR("/nothing/here");
	assert_fails(&f, EPERM, "/nothing/here");
	assert_int_equal(fetching_shell("rm %s/files/old.tgz*", world.folder), 0);
}

static void test_minisign(void **state)
{
	(void)state;
	if (!world.there || !world.minisign) {
		print_message("minisign is not here\n");
		skip();
	}
	assert_int_equal(fetching_shell("cd %s && minisign -G -W -f -p m.pub -s m.key >/dev/null && "
					"minisign -S -s m.key -m files/r.tgz >/dev/null",
					world.folder),
			 0);
	check_signed(".minisig", in("m.pub"));
}

static void test_signify(void **state)
{
	(void)state;
	if (!world.there || !world.signify) {
		print_message("signify-openbsd is not here\n");
		skip();
	}
	assert_int_equal(fetching_shell("cd %s && signify-openbsd -G -n -p s.pub -s s.sec && "
					"signify-openbsd -S -s s.sec -m files/r.tgz -x files/r.tgz.sig",
					world.folder),
			 0);
	check_signed(".sig", in("s.pub"));
}

/* ---- references ---- */

#define METADATA                                                                                                       \
	"apiVersion: v2\nparts:\n- name: p\n  components:\n  - name: c\n    allOf:\n    - path: t/a.yaml\n"            \
	"    - path: t/b c.yaml\n"
#define TEMPLATE "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: b}\n"

static void test_references(void **state)
{
	CLEANUP(fetching_done) struct fetching f = { 0 };
	char digest[DIGEST_SIZE];

	(void)state;
	if (!world.there)
		skip();
	fetching_write(in("files/ref/metadata.yaml"), STR(METADATA));
	fetching_write(in("files/ref/t/a.yaml"), STR(TEMPLATE));
	fetching_write(in("files/ref/t/b c.yaml"), STR(TEMPLATE));
	point(&f, "/ref/metadata.yaml");
	f.source.wants = SOURCE_WANTS_TEMPLATES;
	assert_gets(&f, "metadata.yaml=" METADATA " t/a.yaml=" TEMPLATE " t/b c.yaml=" TEMPLATE " +0");
	(void)snprintf(digest, sizeof(digest), "%.*s", STR_ARG(f.got.revision.revision));
	run(&f, digest);
	assert_true(f.r == 0 && f.got.unchanged);
	/* A mistake is the reference's. */
	fetching_write(in("files/ref/t/a.yaml"), STR("{{ if"));
	assert_int_equal(unlink(in("files/ref/t/b c.yaml")), 0);
	assert_gets(&f, "metadata.yaml=" METADATA " t/a.yaml={{ if +0");
	fetching_write(in("files/ref/metadata.yaml"), STR("parts: ["));
	assert_gets(&f, "metadata.yaml=parts: [ +0");
	/* What does not arrive is a failure. */
	fetching_write(
		in("files/ref/metadata.yaml"),
		STR("apiVersion: v2\nparts:\n- name: p\n  components:\n  - name: c\n    allOf:\n    - path: t/big\n"));
	assert_int_equal(fetching_shell("head -c 9000000 /dev/zero >%s/files/ref/t/big", world.folder), 0);
	assert_fails(&f, E2BIG, "'t/big': ");
	point(&f, "/ref/missing.yaml");
	f.source.wants = SOURCE_WANTS_TEMPLATES;
	assert_fails(&f, ENOENT, "404");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_archives),  cmocka_unit_test(test_files),       cmocka_unit_test(test_transport),
		cmocka_unit_test(test_redirects), cmocka_unit_test(test_credentials), cmocka_unit_test(test_hash),
		cmocka_unit_test(test_minisign),  cmocka_unit_test(test_signify),     cmocka_unit_test(test_references),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}

/* Images and artifacts of a real registry on loopback, whose storage the test writes: so it also holds what no client
 * would push. */
#include "daemon/fetch/digest.h"
#include "daemon/fetch/oci_tag.h"
#include "go/base64.h"
#include "kubeclient/kc_transfer.h"
#include "support/fetching.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <openssl/pem.h>

#define OUT_MAX ((size_t)16 << 20)
#define MANIFEST "application/vnd.oci.image.manifest.v1+json"
#define INDEX "application/vnd.oci.image.index.v1+json"
#define LAYER "application/vnd.oci.image.layer.v1.tar+gzip"
/* of "tester:secret-of-a-test" */
#define HTPASSWD "tester:$2y$04$.QAaUJWXIa.svjtgpaPEKevMoK2VbaLvcmqRwwRXisnVyeTbIbCEe\n"

static struct {
	char folder[128];
	pid_t plain, tls, locked;
	uint16_t plain_port, tls_port, locked_port;
	EVP_PKEY *key;
	bool there;
} world;

/* ---- what is in the registry ---- */

static const char *store(void)
{
	return fetching_path("%s/store/docker/registry/v2", world.folder);
}

/* As "sha256:…", good for a few more calls. @lie: what it holds in place of what its name says. */
static const char *put_blob(const char *repo, str text, const char *lie)
{
	static char digests[64][DIGEST_SIZE];
	static size_t turn;
	char *d = digests[turn++ % ARRAY_LEN(digests)];
	const char *hex = d + 7;
	struct err err;

	assert_int_equal(digest_of(text, d, &err), 0);
	fetching_write(fetching_path("%s/blobs/sha256/%.2s/%s/data", store(), hex, hex), lie ? str_from(lie) : text);
	fetching_write(fetching_path("%s/repositories/%s/_layers/sha256/%s/link", store(), repo, hex), str_from(d));
	return d;
}

static const char *put_manifest(const char *repo, const char *tag, const char *text)
{
	const char *d = put_blob(repo, str_from(text), NULL), *hex = d + 7;

	fetching_write(fetching_path("%s/repositories/%s/_manifests/revisions/sha256/%s/link", store(), repo, hex),
		       str_from(d));
	if (!tag)
		return d;
	fetching_write(fetching_path("%s/repositories/%s/_manifests/tags/%s/current/link", store(), repo, tag),
		       str_from(d));
	fetching_write(
		fetching_path("%s/repositories/%s/_manifests/tags/%s/index/sha256/%s/link", store(), repo, tag, hex),
		str_from(d));
	return d;
}

struct layer {
	const char *type, *text; /* NULL text: an archive of @file */
	const char *path, *file; /* the second NULL: a link */
	const char *annotations; /* JSON members */
	const char *more;        /* JSON members of the descriptor */
	const char *lie;
	int64_t wrong_size;
};

static ssize_t on_write(struct archive *a, void *ctx, const void *p, size_t n)
{
	(void)a;
	buf_add(ctx, p, n);
	return (ssize_t)n;
}

static void pack(const struct layer *l, struct buf *out)
{
	struct archive *a = archive_write_new();
	struct archive_entry *e = archive_entry_new();

	archive_write_set_format_pax_restricted(a);
	archive_write_add_filter_gzip(a);
	assert_int_equal(archive_write_open(a, out, NULL, on_write, NULL), ARCHIVE_OK);
	archive_entry_set_pathname(e, l->path);
	archive_entry_set_filetype(e, l->file ? AE_IFREG : AE_IFLNK);
	archive_entry_set_size(e, l->file ? (int64_t)strlen(l->file) : 0);
	archive_entry_set_symlink(e, l->file ? NULL : "/etc/passwd");
	assert_int_equal(archive_write_header(a, e), ARCHIVE_OK);
	if (l->file)
		(void)archive_write_data(a, l->file, strlen(l->file));
	archive_entry_free(e);
	archive_write_close(a);
	archive_write_free(a);
}

static void describe_layer(const char *repo, const struct layer *l, struct buf *out)
{
	CLEANUP(buf_done) struct buf packed = BUF_INIT(OUT_MAX);
	str text = str_from(l->text);

	if (!l->text) {
		pack(l, &packed);
		text = buf_str(&packed);
	}
	buf_printf(out, "{\"mediaType\":\"%s\",\"digest\":\"%s\",\"size\":%lld,\"annotations\":{%s}%s}", l->type,
		   put_blob(repo, text, l->lie), (long long)(l->wrong_size ? l->wrong_size : (int64_t)text.n),
		   l->annotations ? l->annotations : "", l->more ? l->more : "");
}

/* @members: of the manifest. Returns its digest. */
static const char *put_image(const char *repo, const char *tag, const struct layer *layers, size_t n,
			     const char *members)
{
	CLEANUP(buf_done) struct buf m = BUF_INIT(OUT_MAX);

	buf_printf(&m, "{\"schemaVersion\":2,\"mediaType\":\"" MANIFEST "\"%s,\"config\":", members ? members : "");
	describe_layer(repo, &(struct layer){ .type = "application/vnd.oci.image.config.v1+json", .text = "{}" }, &m);
	buf_add_cstr(&m, ",\"layers\":[");
	for (size_t i = 0; i < n && layers[i].type; i++) {
		buf_add_cstr(&m, i ? "," : "");
		describe_layer(repo, &layers[i], &m);
	}
	buf_add_cstr(&m, "]}");
	return put_manifest(repo, tag, m.p);
}

/* ---- registries ---- */

static pid_t start_registry(const char *name, uint16_t port, const char *http, const char *auth)
{
	const char *config = fetching_path("%s/%s.yml", world.folder, name);
	const char *const argv[] = { "docker-registry", "serve", config, NULL };
	pid_t pid;

	fetching_write(config, str_from(fetching_path(
				       "version: 0.1\nlog: {level: error}\nstorage:\n  filesystem: {rootdirectory: "
				       "%s/store}\nhttp:\n  addr: 127.0.0.1:%d\n%s%s",
				       world.folder, port, http, auth)));
	pid = fetching_start(argv, fetching_path("%s/%s.log", world.folder, name));
	return pid;
}

static int set_up(void **state)
{
	const char *tls;

	(void)state;
	world.there = fetching_has("skopeo") && fetching_has("docker-registry") && fetching_has("openssl");
	if (!world.there) {
		print_message("skopeo, docker-registry or openssl is not here: nothing is fetched\n");
		return 0;
	}
	(void)snprintf(world.folder, sizeof(world.folder), "/tmp/test-oci-XXXXXX");
	assert_non_null(mkdtemp(world.folder));
	assert_true(fetching_certificate(world.folder));
	fetching_write(fetching_path("%s/htpasswd", world.folder), STR(HTPASSWD));
	fetching_write(fetching_path("%s/store/.made", world.folder), STR(""));
	world.key = EVP_EC_gen("P-256");
	world.plain_port = fetching_free_port();
	world.plain = start_registry("plain", world.plain_port, "", "");
	world.tls_port = fetching_free_port();
	tls = fetching_path("  tls: {certificate: %s/cert.pem, key: %s/key.pem}\n", world.folder, world.folder);
	world.tls = start_registry("tls", world.tls_port, tls, "");
	world.locked_port = fetching_free_port();
	world.locked =
		start_registry("locked", world.locked_port, tls,
			       fetching_path("auth:\n  htpasswd: {realm: test, path: %s/htpasswd}\n", world.folder));
	fetching_await(world.plain_port);
	fetching_await(world.tls_port);
	fetching_await(world.locked_port);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	fetching_stop(world.plain);
	fetching_stop(world.tls);
	fetching_stop(world.locked);
	EVP_PKEY_free(world.key);
	return *world.folder && fetching_shell("rm -rf %s", world.folder) ? -1 : 0;
}

static struct fetching at_plain(const char *repo, const char *tag)
{
	struct fetching f = { 0 };

	f.source = (struct source){ .name = STR("shop"), .kind = SOURCE_OCI, .insecure = true };
	f.source.url = str_from(fetching_path("127.0.0.1:%d/%s", world.plain_port, repo));
	f.source.tag = str_from(tag);
	return f;
}

static struct fetching at_tls(const char *repo, uint16_t port)
{
	struct fetching f = { 0 };

	f.source = (struct source){ .name = STR("shop"), .kind = SOURCE_OCI };
	f.source.url = str_from(fetching_path("127.0.0.1:%d/%s", port, repo));
	return f;
}

static void run(struct fetching *f, const char *before)
{
	fetching_run(f, world.folder, before, 60, fetch_oci);
}

static void assert_fails(struct fetching *f, int code, const char *words)
{
	run(f, "");
	if (f->r != -code || !strstr(f->err.msg, words))
		fail_msg("%d: %s, wanted %d with '%s'", f->r, f->err.msg, -code, words);
}

/* ---- what is fetched ---- */

static void test_kinds(void **state)
{
	static const struct {
		struct layer layers[4];
		const char *path, *wanted;
	} images[] = {
		{ { { .type = LAYER, .path = "ref/metadata.yaml", .file = "a" },
		    { .type = LAYER, .path = "./ref/t.yaml", .file = "b" },
		    { .type = LAYER, .path = "other", .file = "c" } },
		  "ref",
		  "metadata.yaml=a t.yaml=b +0" },
		{ { { .type = LAYER, .path = "a", .file = "1" },
		    { .type = LAYER, .path = ".wh.a", .file = "" },
		    { .type = LAYER, .path = "b", .file = NULL } },
		  "",
		  "it has no files" },
		{ { { .type = "application/vnd.docker.image.rootfs.diff.tar.gzip", .path = "a", .file = "1" } },
		  "",
		  "a=1 +0" },
		{ { { .type = "application/vnd.cncf.flux.content.v1.tar+gzip", .path = ".wh.a", .file = "1" } },
		  "",
		  ".wh.a=1 +0" },
		{ { { .type = "application/yaml",
		      .text = "x: 1",
		      .annotations = "\"org.opencontainers.image.title\":\"d/metadata.yaml\"" },
		    { .type = "application/vnd.oci.image.layer.v1.tar",
		      .text = "y: 1",
		      .annotations = "\"org.opencontainers.image.title\":\"d/t.yaml\"" },
		    { .type = "application/vnd.in-toto+json", .text = "{}" } },
		  "d",
		  "metadata.yaml=x: 1 t.yaml=y: 1 +0" },
		{ { { .type = LAYER,
		      .path = "d/a",
		      .file = "1",
		      .annotations =
			      "\"org.opencontainers.image.title\":\"d\",\"io.deis.oras.content.unpack\":\"true\"" } },
		  "",
		  "d/a=1 +0" },
		{ { { .type = "text/plain",
		      .text = "x",
		      .annotations = "\"org.opencontainers.image.title\":\"../x\"" } },
		  "",
		  "has a part that is empty" },
		{ { { .type = LAYER, .path = "../evil", .file = "1" } }, "", "leads out of the folder" },
		{ { { .type = LAYER, .text = "no archive" } }, "", "archive: Unrecognized archive format" },
		{ { { .type = LAYER, .path = "a", .file = "1" } }, "missing", "it has no files below 'missing'" },
		{ { { .type = LAYER, .path = "a", .file = "1", .more = ",\"urls\":[\"http://127.0.0.1/x\"]" } },
		  "",
		  "addresses elsewhere" },
		{ { { .type = LAYER, .path = "a", .file = "1", .wrong_size = (int64_t)2 << 30 } },
		  "",
		  "the image has more than 1024 MiB" },
		{ { { .type = LAYER, .path = "a", .file = "1", .wrong_size = -5 } }, "", "no size of the blob" },
		{ { { .type = LAYER, .path = "a", .file = "1", .wrong_size = 3 } }, "", "" },
		{ { { .type = LAYER, .path = "lie", .file = "1", .lie = "something else" } }, "", "skopeo: " },
	};

	(void)state;
	if (!world.there)
		skip();
	for (size_t i = 0; i < ARRAY_LEN(images); i++) {
		CLEANUP(fetching_done) struct fetching f = at_plain("kinds", "now");

		put_image("kinds", "now", images[i].layers, 4, NULL);
		f.source.path = str_from(images[i].path);
		run(&f, "");
		if (f.r == 0)
			assert_string_equal(fetching_shown(&f), images[i].wanted);
		else if (!strstr(f.err.msg, images[i].wanted))
			fail_msg("%zu: %s, wanted %s", i, f.err.msg, images[i].wanted);
	}
}

static void test_revisions(void **state)
{
	static const struct layer a = { .type = LAYER, .path = "a", .file = "1" },
				  b = { .type = LAYER, .path = "a", .file = "2" };
	char first[DIGEST_SIZE], second[DIGEST_SIZE];
	CLEANUP(fetching_done) struct fetching f = { 0 };

	(void)state;
	if (!world.there)
		skip();
	fetching_done(&f);
	f = at_plain("shop", "v1.2.3");
	(void)snprintf(first, sizeof(first), "%s",
		       put_image("shop", "v1.2.3", &a, 1,
				 ",\"annotations\":{\"org.opencontainers.image.version\":\"1.2.3+x\"}"));
	run(&f, "");
	assert_string_equal(fetching_shown(&f), "a=1 +0");
	assert_true(str_eq(f.got.revision.revision, str_from(first)));
	assert_true(str_eq(f.got.revision.title, STR("1.2.3+x")));
	assert_false(f.got.unchanged || f.got.revision.rewritten || f.got.revision.signer.n);
	run(&f, first);
	assert_int_equal(f.r, 0);
	assert_true(f.got.unchanged);
	(void)snprintf(second, sizeof(second), "%s", put_image("shop", "v1.2.3", &b, 1, NULL));
	run(&f, first);
	assert_string_equal(fetching_shown(&f), "a=2 +0");
	assert_true(f.got.revision.rewritten && !f.got.unchanged);
	assert_true(str_eq(f.got.revision.title, STR("v1.2.3")));
	f.source.tag = STR("");
	f.source.digest = str_from(first);
	run(&f, second);
	assert_string_equal(fetching_shown(&f), "a=1 +0");
	assert_false(f.got.revision.rewritten);
	put_image("shop", "latest", &b, 1, NULL);
	f.source.digest = STR("");
	run(&f, first);
	assert_string_equal(fetching_shown(&f), "a=2 +0");
	assert_false(f.got.revision.rewritten); /* latest moves by design */
}

static void put_index(const char *repo, const char *tag, const char *entries)
{
	(void)put_manifest(
		repo, tag,
		fetching_path("{\"schemaVersion\":2,\"mediaType\":\"" INDEX "\",\"manifests\":[%s]}", entries));
}

static const char *entry_of(const char *digest, const char *os, const char *architecture)
{
	return fetching_path("{\"mediaType\":\"" MANIFEST "\",\"digest\":\"%s\",\"size\":1,\"platform\":{\"os\":\"%s\","
			     "\"architecture\":\"%s\"}}",
			     digest, os, architecture);
}

static void test_indexes(void **state)
{
	static const struct layer a = { .type = LAYER, .path = "a", .file = "1" },
				  b = { .type = LAYER, .path = "a", .file = "2" };
	const char *one, *two, *gone = "sha256:0123456789012345678901234567890123456789012345678901234567890123";
	CLEANUP(fetching_done) struct fetching f = { 0 };

	(void)state;
	if (!world.there)
		skip();
	fetching_done(&f);
	f = at_plain("index", "1");
	one = put_image("index", NULL, &a, 1, NULL);
	two = put_image("index", NULL, &b, 1, NULL);
	put_index("index", "1",
		  fetching_path("%s,%s", entry_of(one, "linux", "s390x"), entry_of(two, "linux", KC_ARCHITECTURE)));
	run(&f, "");
	assert_string_equal(fetching_shown(&f), "a=2 +0");
	put_index("index", "1",
		  fetching_path("%s,%s", entry_of(one, "linux", "s390x"), entry_of(two, "unknown", "unknown")));
	run(&f, "");
	assert_string_equal(fetching_shown(&f), "a=1 +0");
	put_index("index", "1",
		  fetching_path("%s,%s", entry_of(one, "linux", "s390x"), entry_of(two, "linux", "mips")));
	assert_fails(&f, ENOENT, "the index has no image for linux/");
	put_index("index", "1", entry_of(gone, "linux", KC_ARCHITECTURE));
	assert_fails(&f, ENOENT, "skopeo: ");
	put_index("index", "1", "");
	assert_fails(&f, ENOENT, "the index has no image for linux/");
	put_index("index", "2", entry_of(one, "linux", KC_ARCHITECTURE));
}

static void test_failures(void **state)
{
	static const struct layer a = { .type = LAYER, .path = "a", .file = "1" };
	CLEANUP(fetching_done) struct fetching f = { 0 };

	(void)state;
	if (!world.there)
		skip();
	put_image("shop", "there", &a, 1, NULL);
	fetching_done(&f);
	f = at_plain("shop", "missing");
	assert_fails(&f, ENOENT, "manifest unknown");
	fetching_done(&f);
	f = at_plain("nothing/here", "1");
	assert_fails(&f, ENOENT, "unknown");
	fetching_done(&f);
	f = at_plain("shop", "there");
	f.source.insecure = false;
	assert_fails(&f, EIO, "server gave HTTP response");
	fetching_done(&f);
	f = at_plain("shop", "there");
	f.source.url = STR("127.0.0.1:1/shop");
	assert_fails(&f, EIO, "connection refused");
	f.source.url = STR("registry.invalid/shop");
	f.source.proxy = STR("http://user:hunter2-hunter2@127.0.0.1:1");
	assert_fails(&f, EIO, "proxyconnect");
	assert_null(strstr(f.err.msg, "hunter2"));
	f.source.proxy = STR("");
	f.source.url = STR("--help");
	assert_fails(&f, EINVAL, "not of the form");
	fetching_done(&f);
	f = at_plain("shop", "x y");
	assert_fails(&f, EINVAL, "such a tag");
	fetching_done(&f);
	f = at_plain("shop", "there");
	fetching_run(&f, world.folder, "", 0, fetch_oci);
	assert_int_equal(f.r, -ETIMEDOUT);
}

static void test_tls_and_credentials(void **state)
{
	static const struct layer a = { .type = LAYER, .path = "a", .file = "1" };
	static const char good[] = "dGVzdGVyOnNlY3JldC1vZi1hLXRlc3Q=", bad[] = "dGVzdGVyOndyb25nLW9mLWEtdGVzdA==";
	CLEANUP(fetching_done) struct fetching f = { 0 };
	const char *auth = NULL;

	(void)state;
	if (!world.there)
		skip();
	put_image("shop", "latest", &a, 1, NULL);
	fetching_done(&f);
	f = at_tls("shop", world.tls_port);
	assert_fails(&f, EIO, "certificate");
	f.source.ca_file = str_from(fetching_path("%s/cert.pem", world.folder));
	run(&f, "");
	assert_string_equal(fetching_shown(&f), "a=1 +0");
	fetching_done(&f);
	f = at_tls("shop", world.locked_port);
	f.source.ca_file = str_from(fetching_path("%s/cert.pem", world.folder));
	assert_fails(&f, EACCES, "authentication required");
	auth = strdup(fetching_path("%s/auth.json", world.folder));
	f.source.credentials = str_from(auth);
	assert_fails(&f, EPERM, "auth.json");
	fetching_write(auth, STR("{}"));
	assert_fails(&f, EPERM, "is not an auth.json");
	fetching_write(auth, str_from(fetching_path("{\"auths\":{\"127.0.0.1:%d\":{\"auth\":\"%s\"}}}",
						    world.locked_port, good)));
	run(&f, "");
	assert_string_equal(fetching_shown(&f), "a=1 +0");
	fetching_write(auth, str_from(fetching_path("{\"auths\":{\"127.0.0.1:%d\":{\"auth\":\"%s\"}}}",
						    world.locked_port, bad)));
	run(&f, "");
	assert_int_equal(f.r, -EACCES);
	assert_null(strstr(f.err.msg, "wrong-of-a-test"));
	f.source.insecure = true;
	assert_fails(&f, EINVAL, "credentials are not sent");
	free((void *)(uintptr_t)auth);
}

/* ---- signatures ---- */

static void sign(str payload, struct buf *out)
{
	EVP_MD_CTX *c = EVP_MD_CTX_new();
	unsigned char bytes[256];
	size_t n = sizeof(bytes);

	assert_int_equal(EVP_DigestSignInit(c, NULL, EVP_sha256(), NULL, world.key), 1);
	assert_int_equal(EVP_DigestSign(c, bytes, &n, (const unsigned char *)payload.p, payload.n), 1);
	EVP_MD_CTX_free(c);
	go_base64_encode(out, (str){ (const char *)bytes, n });
}

static void put_signature(const char *repo, const char *of, const char *says)
{
	CLEANUP(buf_done) struct buf signature = BUF_INIT(4096);
	char payload[1024], annotations[1024], tag[128];
	struct layer l = { .type = "application/vnd.dev.cosign.simplesigning.v1+json" };

	(void)snprintf(payload, sizeof(payload),
		       "{\"critical\":{\"identity\":{\"docker-reference\":\"x\"},\"image\":{\"docker-manifest-digest\":"
		       "\"%s\"},"
		       "\"type\":\"cosign container image signature\"},\"optional\":null}",
		       says);
	sign(str_from(payload), &signature);
	(void)snprintf(annotations, sizeof(annotations), "\"dev.cosignproject.cosign/signature\":\"%s\"", signature.p);
	(void)snprintf(tag, sizeof(tag), "sha256-%s.sig", of + 7);
	l.text = payload;
	l.annotations = annotations;
	(void)put_image(repo, tag, &l, 1, NULL);
}

static void write_key(EVP_PKEY *key, const char *path)
{
	FILE *f = fopen(path, "w");

	assert_int_equal(PEM_write_PUBKEY(f, key), 1);
	fclose(f);
}

static void test_cosign(void **state)
{
	static const struct layer a = { .type = LAYER, .path = "a", .file = "signed" },
				  b = { .type = LAYER, .path = "a", .file = "not" };
	CLEANUP(fetching_done) struct fetching f = { 0 };
	char first[DIGEST_SIZE], second[DIGEST_SIZE], path[256];

	(void)state;
	if (!world.there)
		skip();
	(void)snprintf(path, sizeof(path), "%s/cosign.pub", world.folder);
	write_key(world.key, path);
	(void)snprintf(first, sizeof(first), "%s", put_image("signed", "latest", &a, 1, NULL));
	fetching_done(&f);
	f = at_plain("signed", "latest");
	f.source.cosign_key = str_from(path);
	assert_fails(&f, EKEYREJECTED, "it is not signed");
	put_signature("signed", first, first);
	run(&f, "");
	assert_string_equal(fetching_shown(&f), "a=signed +0");
	assert_true(str_has_prefix(f.got.revision.signer, STR("cosign key sha256:")));
	run(&f, first);
	assert_true(f.r == 0 && f.got.unchanged);
	(void)snprintf(second, sizeof(second), "%s", put_image("signed", "latest", &b, 1, NULL));
	put_signature("signed", second, first); /* of another image */
	assert_fails(&f, EKEYREJECTED, "is of another image");
	put_signature("signed", first, second);
	f.source.digest = str_from(first);
	run(&f, first); /* what was good is not any more */
	assert_int_equal(f.r, -EKEYREJECTED);
	EVP_PKEY_free(world.key);
	world.key = EVP_EC_gen("P-256");
	put_signature("signed", first, first);
	assert_fails(&f, EKEYREJECTED, "was not made with this key");
	fetching_write(path, STR("no key"));
	assert_fails(&f, EPERM, "no public key in PEM");
}

static void test_policy(void **state)
{
	static const struct layer a = { .type = LAYER, .path = "a", .file = "1" };
	CLEANUP(fetching_done) struct fetching f = { 0 };
	char path[256], digest[DIGEST_SIZE];

	(void)state;
	if (!world.there)
		skip();
	(void)snprintf(path, sizeof(path), "%s/policy.json", world.folder);
	(void)snprintf(digest, sizeof(digest), "%s", put_image("shop", "latest", &a, 1, NULL));
	fetching_done(&f);
	f = at_plain("shop", "latest");
	f.source.policy = str_from(path);
	fetching_write(path, STR("{\"default\":[{\"type\":\"reject\"}]}"));
	assert_fails(&f, EKEYREJECTED, "rejected by policy");
	run(&f, digest);
	assert_int_equal(f.r, -EKEYREJECTED); /* also where it is the same */
	fetching_write(path, STR("{\"default\":[{\"type\":\"insecureAcceptAnything\"}]}"));
	run(&f, "");
	assert_string_equal(fetching_shown(&f), "a=1 +0");
	fetching_write(path, STR("{\"default\":[]}"));
	assert_fails(&f, EPERM, "policy");
}

static void test_tags(void **state)
{
	static const struct {
		const char *tag;
		bool stays;
	} tags[] = { { "v1.2.3", true }, { "1.2.3", true }, { "1.2.3-rc.1", true }, { "v4.16.0.1", true },
		     { "1.2", false },   { "v1", false },   { "latest", false },    { "", false },
		     { "1.2.x", false }, { "1..2", false }, { "1.2.", false },      { "v", false },
		     { "1.2.3x", false } };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(tags); i++)
		assert_int_equal(oci_tag_stays(str_from(tags[i].tag)), tags[i].stays);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kinds),
		cmocka_unit_test(test_revisions),
		cmocka_unit_test(test_indexes),
		cmocka_unit_test(test_failures),
		cmocka_unit_test(test_tls_and_credentials),
		cmocka_unit_test(test_cosign),
		cmocka_unit_test(test_policy),
		cmocka_unit_test(test_tags),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}

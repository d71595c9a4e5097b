/* Manifests, good and hostile. */
#include "daemon/fetch/oci_manifest.h"

#include "base/buf.h"
#include "kubeclient/kc_transfer.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define A "sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define B "sha256:bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
#define TYPE(t) "\"mediaType\":\"application/vnd." t "\""
#define CONFIG "\"config\":{\"digest\":\"" A "\",\"size\":2}"
#define IMAGE(layers) "{\"schemaVersion\":2," CONFIG ",\"layers\":[" layers "]}"
#define BLOB(type, more) "{" TYPE(type) ",\"digest\":\"" B "\",\"size\":10" more "}"
#define TITLE(t) ",\"annotations\":{\"org.opencontainers.image.title\":\"" t "\"}"
#define ENTRY(digest, os, arch)                                                                                        \
	"{\"digest\":\"" digest "\",\"size\":1,\"platform\":{\"os\":\"" os "\",\"architecture\":\"" arch "\"}}"
#define INDEX(entries) "{\"schemaVersion\":2,\"manifests\":[" entries "]}"

static const struct {
	const char *text;
	int r;
	const char *wanted; /* the error; of an index the digest; of an image the kinds of its layers */
} rows[] = {
	{ IMAGE(""), 0, "" },
	{ IMAGE(BLOB("oci.image.layer.v1.tar+gzip", "")), 0, "L" },
	{ IMAGE(BLOB("oci.image.layer.v1.tar", "") "," BLOB("oci.image.layer.v1.tar+zstd", "")), 0, "LL" },
	{ IMAGE(BLOB("docker.image.rootfs.diff.tar.gzip", "")), 0, "L" },
	{ IMAGE(BLOB("cncf.flux.content.v1.tar+gzip", "")), 0, "T" },
	{ IMAGE(BLOB("x.yaml", TITLE("a/b"))), 0, "F" },
	{ IMAGE(BLOB("oci.image.layer.v1.tar", TITLE("a"))), 0, "F" },
	{ IMAGE(BLOB("oci.image.layer.v1.tar", TITLE("a.tgz"))), 0, "T" },
	{ IMAGE(BLOB("x.yaml", "")), 0, "-" },
	{ IMAGE(BLOB("in-toto+json", "")), 0, "-" },
	{ INDEX(ENTRY(A, "linux", "x") "," ENTRY(B, "linux", KC_ARCHITECTURE)), 0, B },
	{ INDEX(ENTRY(A, "linux", "x") "," ENTRY(B, "unknown", "unknown")), 0, A },
	{ INDEX("{\"digest\":\"" A "\",\"size\":1}"), 0, A },
	{ INDEX(ENTRY(A, "linux", "x") "," ENTRY(B, "linux", "y")), -ENOENT,
	  "the index has no image for linux/" KC_ARCHITECTURE },
	{ INDEX(ENTRY("sha512:x", "linux", KC_ARCHITECTURE)), -EINVAL,
	  "the manifest has an image with the digest 'sha512:x'" },
	/* hostile ones */
	{ "", -EBADMSG, NULL },
	{ "[", -EBADMSG, NULL },
	{ "[]", -EINVAL, "the manifest is not of schema version 2" },
	{ "{\"schemaVersion\":1,\"fsLayers\":[]}", -EINVAL, "the manifest is not of schema version 2" },
	{ "{\"schemaVersion\":2}", -EINVAL, "the manifest is neither an index nor an image" },
	{ "{\"schemaVersion\":2,\"layers\":[],\"manifests\":[]," CONFIG "}", -EINVAL,
	  "the manifest is neither an index nor an image" },
	{ "{\"schemaVersion\":2," TYPE("oci.image.index.v1+json") "," CONFIG ",\"layers\":[]}", -EINVAL,
	  "the manifest has what does not go with its type 'application/vnd.oci.image.index.v1+json'" },
	{ "{\"schemaVersion\":2," TYPE("oci.image.manifest.v1+json") ",\"manifests\":[]}", -EINVAL,
	  "the manifest has what does not go with its type 'application/vnd.oci.image.manifest.v1+json'" },
	{ "{\"schemaVersion\":2,\"layers\":[]}", -EINVAL, "the manifest has a blob with the digest ''" },
	{ IMAGE("{\"digest\":\"sha256:../../../../etc/passwd\",\"size\":1}"), -EINVAL,
	  "the manifest has a blob with the digest 'sha256:../../../../etc/passwd'" },
	{ IMAGE("{\"digest\":\"" B "\"}"), -EINVAL, NULL },
	{ IMAGE("{\"digest\":\"" B "\",\"size\":-1}"), -EINVAL, NULL },
	{ IMAGE("{\"digest\":\"" B "\",\"size\":1e3}"), -EINVAL, NULL },
	{ IMAGE("{\"digest\":\"" B "\",\"size\":9223372036854775807}"), -E2BIG, "the image has more than 1024 MiB" },
	{ IMAGE("{\"digest\":\"" B "\",\"size\":1073741823},{\"digest\":\"" B "\",\"size\":1}"), -E2BIG,
	  "the image has more than 1024 MiB" },
	{ IMAGE(BLOB("oci.image.layer.v1.tar", ",\"urls\":[]")), -EINVAL, NULL },
	{ IMAGE(BLOB("oci.image.layer.v1.tar+encrypted", "")), -EINVAL,
	  "the manifest has a blob of the type 'application/vnd.oci.image.layer.v1.tar+encrypted'" },
	{ IMAGE("null"), -EINVAL, "the manifest has a blob with the digest ''" },
};

static void test_rows(void **state)
{
	static const char kinds[] = { [OCI_OTHER] = '-', [OCI_LAYER] = 'L', [OCI_TAR] = 'T', [OCI_FILE] = 'F' };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		CLEANUP(arena_done) struct arena a = ARENA_INIT(1 << 24);
		struct oci_manifest m = { 0 };
		struct err err = { 0 };
		char got[16] = "";
		int r = oci_manifest_read(str_from(rows[i].text), &a, &m, &err);

		for (size_t k = 0; k < m.n_layers; k++)
			got[k] = kinds[m.blobs[k].kind];
		if (r != rows[i].r)
			fail_msg("%s: %d, %s", rows[i].text, r, err.msg);
		if (r == 0 && m.chosen.n)
			assert_true(str_eq(m.chosen, str_from(rows[i].wanted)));
		else if (rows[i].wanted)
			assert_string_equal(r < 0 ? err.msg : got, rows[i].wanted);
	}
}

static void test_too_many_layers(void **state)
{
	CLEANUP(arena_done) struct arena a = ARENA_INIT(1 << 24);
	CLEANUP(buf_done) struct buf text = BUF_INIT(1 << 24);
	struct oci_manifest m;
	struct err err;

	(void)state;
	buf_add_cstr(&text, "{\"schemaVersion\":2," CONFIG ",\"layers\":[1");
	for (size_t i = 0; i < OCI_LAYERS_MAX; i++)
		buf_add_cstr(&text, ",1");
	buf_add_cstr(&text, "]}");
	assert_int_equal(oci_manifest_read(buf_str(&text), &a, &m, &err), -E2BIG);
	buf_fill(&text, ' ', OCI_MANIFEST_MAX);
	assert_int_equal(oci_manifest_read(buf_str(&text), &a, &m, &err), -E2BIG);
}

static void test_annotations(void **state)
{
	static const char text[] =
		"{\"schemaVersion\":2," CONFIG
		",\"annotations\":{\"org.opencontainers.image.revision\":\"main@sha1:1\"},"
		"\"layers\":[{" TYPE(
			"dev.cosign.simplesigning.v1+json") ",\"digest\":\"" B
							    "\",\"size\":7,\"annotations\":{\"dev.cosignproject.cosign/"
							    "signature\":\"QUJD\"}}]}";
	CLEANUP(arena_done) struct arena a = ARENA_INIT(1 << 24);
	struct oci_manifest m;
	struct err err;

	(void)state;
	assert_int_equal(oci_manifest_read(STR(text), &a, &m, &err), 0);
	assert_true(str_eq(m.version, STR("main@sha1:1")));
	assert_int_equal(m.n_layers, 1);
	assert_true(str_eq(m.blobs[0].signature, STR("QUJD")));
	assert_true(str_eq(m.blobs[1].digest, STR(A)));
	assert_int_equal(m.bytes, 9);
	assert_int_equal(m.largest, 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_too_many_layers),
		cmocka_unit_test(test_annotations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* What may be in an object that claims to be a revision of a Helm release. The first byte says what the rest is: "r":
 * what is packed, gzipped or not; "s": the text of a Secret's data.release; else the object, as YAML.
 *
 * What is opened is whose its object says. What is packed in another way is read as the same, or fails as it does. No
 * message says anything of what is inside: "canary" is what a seed has for a secret. */
#include "release/helm_release.h"
#include "value/yaml.h"

#include "go/base64.h"

#include <zlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define SIZE_LARGEST ((size_t)1 << 20)

static const struct limits limits = { .file_bytes = 1u << 16,
				      .object_bytes = 1u << 20,
				      .depth = 200,
				      .document_nodes = 1u << 13,
				      .arena_bytes = 64u << 20 };

static void check(bool ok)
{
	if (!ok)
		abort();
}

/* ---- objects ---- */

static val map_of(struct arena *a, const char *const *names, const val *values, size_t n)
{
	struct member members[8];

	for (size_t i = 0; i < n; i++)
		members[i] = (struct member){ key_make(NULL, a, str_from(names[i])), values[i] };
	return val_map(a, members, n);
}

/* Revision 3 of shop/web, with @packed as its data.release. */
static val object_of(struct arena *a, const char *kind, str packed)
{
	static const char *const label_names[] = { "owner", "name", "version", "status" };
	static const char *const metadata_names[] = { "name", "namespace", "labels" };
	static const char *const names[] = { "apiVersion", "kind", "type", "metadata", "data" }, *release = "release";
	const val label_values[] = { val_string(STR("helm")), val_string(STR("web")), val_string(STR("3")),
				     val_string(STR("deployed")) };
	val labels = map_of(a, label_names, label_values, 4), text = val_string(packed);
	const val metadata_values[] = { val_string(STR("sh.helm.release.v1.web.v3")), val_string(STR("shop")), labels };
	const val values[] = { val_string(STR("v1")), val_string(str_from(kind)), val_string(STR("helm.sh/release.v1")),
			       map_of(a, metadata_names, metadata_values, 3), map_of(a, &release, &text, 1) };

	return map_of(a, names, values, 5);
}

/* ---- what is read of them ---- */

/* Everything that is known of @object, as text. */
static void read_object(val object, struct buf *reported)
{
	struct helm_release r = { 0 };
	struct helm_revision outside;
	struct err err;

	if (!helm_revision_of(object, &outside)) {
		check(helm_release_open(object, &limits, NULL, &r, &err) < 0 && !r.arena.blocks);
		return;
	}
	if (helm_release_open(object, &limits, NULL, &r, &err) < 0) {
		check(*err.msg && !strstr(err.msg, "canary") && !r.arena.blocks);
		buf_printf(reported, "%d %s", err.code, err.msg);
		return;
	}
	check(str_eq(r.namespace, outside.namespace) && str_eq(r.name, outside.release) &&
	      r.revision == outside.revision);
	buf_printf(reported, "%s '%.*s' '%.*s' '%.*s' '%.*s' ", helm_status_name(r.status), STR_ARG(r.chart),
		   STR_ARG(r.chart_version), STR_ARG(r.app_version), STR_ARG(r.deployed_at));
	buf_add_str(reported, r.manifest);
	helm_release_done(&r);
}

/* What is known of a revision with @packed inside of a ConfigMap. */
static void read_packed(str packed, struct buf *reported)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(2 * SIZE_LARGEST);
	CLEANUP(arena_done) struct arena a = ARENA_INIT(0);

	go_base64_encode(&text, packed);
	check(!text.error);
	read_object(object_of(&a, "ConfigMap", buf_str(&text)), reported);
}

static void gzip(str text, struct buf *out)
{
	z_stream z = { .next_in = (unsigned char *)(uintptr_t)text.p, .avail_in = (unsigned)text.n };
	char *to = buf_reserve(out, text.n + 1024);

	check(to && deflateInit2(&z, 1, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY) == Z_OK);
	z.next_out = (unsigned char *)to;
	z.avail_out = (unsigned)text.n + 1024;
	check(deflate(&z, Z_FINISH) == Z_STREAM_END);
	buf_commit(out, text.n + 1024 - z.avail_out);
	(void)deflateEnd(&z);
}

/* Both ways to pack it, and both drivers. */
static void read_all(str inside)
{
	CLEANUP(buf_done) struct buf packed = BUF_INIT(2 * SIZE_LARGEST), text = BUF_INIT(2 * SIZE_LARGEST);
	CLEANUP(buf_done) struct buf once = BUF_INIT(4 * SIZE_LARGEST), twice = BUF_INIT(4 * SIZE_LARGEST);
	CLEANUP(buf_done) struct buf secret = BUF_INIT(4 * SIZE_LARGEST);
	CLEANUP(arena_done) struct arena a = ARENA_INIT(0);

	read_packed(inside, &once);
	go_base64_encode(&text, inside);
	go_base64_encode(&packed, buf_str(&text));
	read_object(object_of(&a, "Secret", buf_str(&packed)), &secret);
	check(packed.n > limits.object_bytes || str_eq(buf_str(&once), buf_str(&secret)));
	if (str_has_prefix(inside, STR("\x1f\x8b\x08")))
		return;
	buf_clear(&packed);
	gzip(inside, &packed);
	read_packed(buf_str(&packed), &twice);
	check(str_eq(buf_str(&once), buf_str(&twice)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP(buf_done) struct buf reported = BUF_INIT(64 * SIZE_LARGEST);
	CLEANUP(arena_done) struct arena a = ARENA_INIT(0);
	CLEANUP(doc_unrefp) struct doc *doc = NULL;
	struct yaml_options o = { .limits = &limits };
	str text = { (const char *)data, size };
	struct err err;

	if (size > SIZE_LARGEST / 4)
		return 0;
	if (str_has_prefix(text, STR("r")))
		read_all(str_sub(text, 1, size));
	else if (str_has_prefix(text, STR("s")))
		read_object(object_of(&a, "Secret", str_sub(text, 1, size)), &reported);
	else if (yaml_decode(text, &o, &doc, &err) == 0)
		read_object(doc->root, &reported);
	return 0;
}

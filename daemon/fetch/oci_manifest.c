/* Reads manifests of registries. The used parts are limited here, before anything that they name is fetched. */
#include "daemon/fetch/oci_manifest.h"

#include "daemon/fetch/digest.h"
#include "kubeclient/kc_transfer.h"
#include "mask/foreign.h"
#include "value/json.h"

#include <errno.h>

#define IMAGE_ANNOTATION "org.opencontainers.image."
#define PAYLOAD_TYPE "application/vnd.dev.cosign.simplesigning.v1+json"
#define SHOWN_MAX 80

static str text_of(val v)
{
	return foreign_data(foreign_of(v));
}

static int refuse(const char *what, val v, struct err *err)
{
	char shown[SHOWN_MAX];

	foreign_print(foreign_of(v), shown, sizeof(shown));
	return err_set(err, EINVAL, "the manifest has %s '%s'", what, shown);
}

/* ---- indexes ---- */

/* Whether the entry is an image. Builders add attestations as if they were images for an unknown machine. */
static bool is_image(val entry)
{
	return !str_eq(text_of(val_dig(entry, "platform", "os", NULL)), STR("unknown"));
}

static bool is_for_us(val entry)
{
	val platform = VAL_GET(entry, "platform");

	return str_eq(text_of(VAL_GET(platform, "os")), STR("linux")) &&
	       str_eq(text_of(VAL_GET(platform, "architecture")), STR(KC_ARCHITECTURE));
}

/* Choose the image; VAL_ABSENT: there is none. Because only files are taken from it, a single image will do for any
 * machine. */
static val choose(val entries)
{
	val only = { 0 };
	size_t n = 0;

	for (uint32_t i = 0; i < val_count(entries); i++) {
		val entry = val_at(entries, i);

		if (is_for_us(entry))
			return entry;
		if (!is_image(entry))
			continue;
		only = entry;
		n++;
	}
	return n == 1 ? only : (val){ 0 };
}

static int read_index(val index, struct oci_manifest *ret, struct err *err)
{
	val entry = choose(VAL_GET(index, "manifests")), digest = VAL_GET(entry, "digest");

	if (!val_exists(entry))
		return err_set(err, ENOENT, "the index has no image for linux/" KC_ARCHITECTURE);
	if (!digest_is_good(text_of(digest)))
		return refuse("an image with the digest", digest, err);
	ret->chosen = text_of(digest);
	return 0;
}

/* ---- images ---- */

static bool ends_with_any(str s, const char *const *ends, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (str_has_suffix(s, str_from(ends[i])))
			return true;
	}
	return false;
}

/* Whether the title is the name of a file: ORAS gives files without a type the type of image layers. */
static bool is_named_file(str title)
{
	static const char *const ends[] = { ".tar", ".tar.gz", ".tgz", ".tar.zst", ".tar.xz" };

	return title.n && !ends_with_any(title, ends, ARRAY_LEN(ends));
}

static enum oci_kind kind_of(str type, str title, bool unpacked)
{
	static const char *const ends[] = { ".tar", ".tar+gzip", ".tar+zstd", ".tar.gzip", ".tar.zstd" };
	bool image = str_has_prefix(type, STR("application/vnd.oci.image.layer.v1.")) ||
		     str_has_prefix(type, STR("application/vnd.docker.image.rootfs.diff."));

	if (!ends_with_any(type, ends, ARRAY_LEN(ends)))
		return title.n ? OCI_FILE : OCI_OTHER;
	if (is_named_file(title) && !unpacked)
		return OCI_FILE;
	return image && !title.n ? OCI_LAYER : OCI_TAR;
}

static int read_blob(val v, struct oci_blob *ret, struct err *err)
{
	val annotations = VAL_GET(v, "annotations"), digest = VAL_GET(v, "digest"), type = VAL_GET(v, "mediaType");
	int64_t size = val_int_or(VAL_GET(v, "size"), -1);

	if (!digest_is_good(text_of(digest)))
		return refuse("a blob with the digest", digest, err);
	if (size < 0)
		return refuse("no size of the blob", digest, err);
	/* A blob that is not in the registry would be fetched from an address that the manifest chooses. */
	if (val_exists(VAL_GET(v, "urls")))
		return refuse("addresses elsewhere of the blob", digest, err);
	if (str_find(text_of(type), STR("encrypted")) >= 0)
		return refuse("a blob of the type", type, err);
	*ret = (struct oci_blob){
		.digest = text_of(digest),
		.size = (uint64_t)size,
		.title = text_of(VAL_GET(annotations, "org.opencontainers.image.title")),
	};
	ret->kind = kind_of(text_of(type), ret->title,
			    str_eq(text_of(VAL_GET(annotations, "io.deis.oras.content.unpack")), STR("true")));
	if (str_eq(text_of(type), STR(PAYLOAD_TYPE)))
		ret->signature = text_of(VAL_GET(annotations, "dev.cosignproject.cosign/signature"));
	return 0;
}

static int add_blob(struct oci_manifest *m, val v, struct oci_blob *ret, struct err *err)
{
	int r = read_blob(v, ret, err);

	if (r < 0)
		return r;
	if (ret->size > OCI_BYTES_MAX - m->bytes)
		return err_set(err, E2BIG, "the image has more than %u MiB", (unsigned)(OCI_BYTES_MAX >> 20));
	m->bytes += ret->size;
	m->largest = ret->size > m->largest ? ret->size : m->largest;
	return 0;
}

static int read_image(val image, struct arena *a, struct oci_manifest *ret, struct err *err)
{
	val layers = VAL_GET(image, "layers");
	struct oci_blob *blobs;
	int r = 0;

	if (val_count(layers) > OCI_LAYERS_MAX)
		return err_set(err, E2BIG, "the image has more than %d layers", OCI_LAYERS_MAX);
	blobs = arena_array(a, val_count(layers) + 1, sizeof(*blobs));
	if (!blobs)
		return arena_error(a, err);
	for (uint32_t i = 0; i < val_count(layers) && r == 0; i++)
		r = add_blob(ret, val_at(layers, i), &blobs[i], err);
	if (r == 0)
		r = add_blob(ret, VAL_GET(image, "config"), &blobs[val_count(layers)], err);
	ret->blobs = blobs;
	ret->n_layers = val_count(layers);
	return r;
}

/* ---- both ---- */

static str find_version(val annotations)
{
	str version = text_of(VAL_GET(annotations, IMAGE_ANNOTATION "version"));

	return version.n ? version : text_of(VAL_GET(annotations, IMAGE_ANNOTATION "revision"));
}

/* Check the form. A text must not be an index for driftd and an image for other programs, because then something
 * else would have been signed. */
static int check_form(val m, struct err *err)
{
	bool index = val_is_list(VAL_GET(m, "manifests")), image = val_is_list(VAL_GET(m, "layers"));
	val type = VAL_GET(m, "mediaType");
	str t = text_of(type);
	bool says_index = str_has_suffix(t, STR(".index.v1+json")) || str_has_suffix(t, STR(".list.v2+json"));

	if (val_int_or(VAL_GET(m, "schemaVersion"), 0) != 2)
		return err_set(err, EINVAL, "the manifest is not of schema version 2");
	if (index == image || val_exists(VAL_GET(m, "fsLayers")))
		return err_set(err, EINVAL, "the manifest is neither an index nor an image");
	if (t.n && says_index != index)
		return refuse("what does not go with its type", type, err);
	return 0;
}

int oci_manifest_read(str text, struct arena *a, struct oci_manifest *ret, struct err *err)
{
	struct oci_manifest m = { 0 };
	struct err why;
	val v;
	int r;

	if (text.n > OCI_MANIFEST_MAX)
		return err_set(err, E2BIG, "the manifest has more than %zu MiB", OCI_MANIFEST_MAX >> 20);
	r = json_decode_value(text, JSON_DEFAULTS, a, &v, NULL, &why);
	if (r < 0)
		return err_set(err, -r, "the manifest: %s", why.msg);
	r = check_form(v, err);
	if (r < 0)
		return r;
	m.version = find_version(VAL_GET(v, "annotations"));
	r = val_is_list(VAL_GET(v, "manifests")) ? read_index(v, &m, err) : read_image(v, a, &m, err);
	if (r == 0)
		*ret = m;
	return r;
}

/* Images and artifacts of a registry: skopeo fetches them by digest, and all that it brought is checked against the
 * digest.
 *
 *   tag or digest --> manifest or index --> signatures --> manifest of the image --> sizes --> all of it --> tree
 *                     (the revision)        of that        for this machine          judged    by digest
 *
 * What is signed is what the tag names: an index vouches for its images by their digests. */
#include "base/file.h"
#include "daemon/fetch/archive.h"
#include "daemon/fetch/cosign.h"
#include "daemon/fetch/digest.h"
#include "daemon/fetch/engines.h"
#include "daemon/fetch/local_file.h"
#include "daemon/fetch/oci_manifest.h"
#include "daemon/fetch/oci_tag.h"
#include "daemon/fetch/offline.h"
#include "daemon/fetch/skopeo.h"
#include "mask/foreign.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define TEXTS_MAX ((size_t)64 << 20) /* bytes of decoded manifests */
#define SIGNATURES_MAX 32
#define IMAGE "image"
#define SIGNATURE "signature"

struct oci {
	const struct fetch_job *job;
	struct fetched *ret;
	struct arena arena; /* memory for the duration of the fetch */
	struct skopeo skopeo;
	char digest[DIGEST_SIZE]; /* the digest of what the tag names: an index, or the image */
	struct oci_manifest top;
	str image;                    /* the digest of the image */
	struct oci_manifest manifest; /* the manifest of the image */
};

static void done(struct oci *o)
{
	arena_done(&o->arena);
}

/* ---- manifests ---- */

/* Make "HOST/NAME@DIGEST" or "HOST/NAME:TAG". */
static int name_image(struct oci *o, char mark, str which, str *ret, struct err *err)
{
	*ret = arena_printf(&o->arena, "%.*s%c%.*s", STR_ARG(o->job->source->url), mark, STR_ARG(which));
	return ret->p ? 0 : arena_error(&o->arena, err);
}

/* Read a manifest. @digest: the required digest; empty: any. @found: its real digest. */
static int read_manifest(struct oci *o, str image, str digest, char found[DIGEST_SIZE], struct oci_manifest *ret,
			 struct err *err)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(OCI_MANIFEST_MAX);
	int r = skopeo_manifest(&o->skopeo, image, &text, err);

	if (r == 0)
		r = digest_of(buf_str(&text), found, err);
	if (r < 0)
		return r;
	if (digest.n && !str_eq(digest, str_from(found)))
		return err_set(err, EBADMSG, "the registry answers with another manifest than %.*s", STR_ARG(digest));
	return oci_manifest_read(buf_str(&text), &o->arena, ret, err);
}

static str tag_of(const struct source *s)
{
	return s->tag.n ? s->tag : s->digest.n ? STR("") : STR("latest");
}

static int find_top(struct oci *o, struct err *err)
{
	const struct source *s = o->job->source;
	str image = { 0 };
	int r = oci_check_names(s, err);

	if (r == 0)
		r = s->digest.n ? name_image(o, '@', s->digest, &image, err)
				: name_image(o, ':', tag_of(s), &image, err);
	return r < 0 ? r : read_manifest(o, image, s->digest, o->digest, &o->top, err);
}

static int find_image(struct oci *o, struct err *err)
{
	char found[DIGEST_SIZE];
	str image;
	int r;

	o->image = str_from(o->digest);
	o->manifest = o->top;
	if (!o->top.chosen.n)
		return 0;
	o->image = o->top.chosen;
	r = name_image(o, '@', o->image, &image, err);
	if (r == 0)
		r = read_manifest(o, image, o->image, found, &o->manifest, err);
	if (r == 0 && o->manifest.chosen.n)
		return err_set(err, EINVAL, "the index names another index");
	return r;
}

/* ---- blobs ---- */

struct mapped {
	str text;
};

static void unmap(struct mapped *m)
{
	if (m->text.n)
		(void)munmap((void *)(uintptr_t)m->text.p, m->text.n);
}

static int map_file(const char *path, uint64_t size, struct mapped *ret, struct err *err)
{
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	void *p = NULL;
	struct stat st = { 0 };
	int r = fd < 0 || fstat(fd, &st) < 0 ? errno : 0;

	if (r == 0 && (!S_ISREG(st.st_mode) || (uint64_t)st.st_size != size))
		r = EBADMSG;
	if (r == 0 && size > 0) {
		p = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
		r = p == MAP_FAILED ? errno : 0;
	}
	if (fd >= 0)
		close(fd);
	if (r)
		return err_set(err, r == ENOENT ? EBADMSG : r, "the blob is not as its manifest says");
	ret->text = (str){ p, size };
	return 0;
}

/* Map a blob that skopeo wrote to @folder, so that it is in memory only while it is read, and check it against the
 * manifest. */
static int map_blob(struct oci *o, const char *folder, const struct oci_blob *b, struct mapped *ret, struct err *err)
{
	str path = arena_printf(&o->arena, "%s/%s/%.*s", o->job->scratch, folder, STR_ARG(digest_hex(b->digest)));
	char found[DIGEST_SIZE];
	int r;

	if (!path.p)
		return arena_error(&o->arena, err);
	r = map_file(path.p, b->size, ret, err);
	if (r == 0)
		r = digest_of(ret->text, found, err);
	if (r == 0 && !str_eq(str_from(found), b->digest))
		return err_set(err, EBADMSG, "the registry sent another blob than %.*s", STR_ARG(b->digest));
	return r;
}

/* ---- signatures ---- */

static int read_key(struct oci *o, struct cosign_key **ret, struct err *err)
{
	str path = o->job->source->cosign_key, pem;
	struct err why;
	int r = local_file_read(path, COSIGN_KEY_MAX, &o->arena, &pem, err);

	if (r < 0)
		return r;
	r = cosign_key_read(pem, ret, &why);
	if (r == -ENOMEM)
		return err_nomem(err);
	return r < 0 ? err_set(err, EPERM, "the key '%.*s': %s", STR_ARG(path), why.msg) : 0;
}

/* Find the signatures of the image. Cosign stores them as the layers of another image, whose tag is made of the
 * digest. */
static int find_signatures(struct oci *o, struct oci_manifest *ret, struct err *err)
{
	str tag = arena_printf(&o->arena, "sha256-%.*s.sig", STR_ARG(digest_hex(str_from(o->digest)))), image;
	char digest[DIGEST_SIZE];
	struct err why;
	int r;

	if (!tag.p)
		return arena_error(&o->arena, err);
	r = name_image(o, ':', tag, &image, err);
	if (r < 0)
		return r;
	r = read_manifest(o, image, STR(""), digest, ret, &why);
	if (r == -ENOENT)
		return err_set(err, EKEYREJECTED,
			       "it is not signed: there is no tag '%.*s' (which cosign 3 writes with "
			       "--new-bundle-format=false)",
			       STR_ARG(tag));
	if (r < 0)
		return err_set(err, -r, "its signatures: %s", why.msg);
	if (ret->chosen.n || ret->n_layers > SIGNATURES_MAX || ret->largest > COSIGN_PAYLOAD_MAX)
		return err_set(err, EKEYREJECTED, "its signatures are too many, too large, or none");
	r = name_image(o, '@', str_from(digest), &image, err);
	return r < 0 ? r : skopeo_copy(&o->skopeo, image, SIGNATURE, ret->largest, false, err);
}

struct signatures {
	struct oci *o;
	const struct cosign_key *key;
	const struct oci_manifest *m;
};

/* Check whether any signature is good. The error is that of the last one. */
static int check_any(void *ctx, struct err *err)
{
	const struct signatures *s = ctx;
	const struct oci_manifest *m = s->m;
	struct oci *o = s->o;
	struct err why;
	int r = err_set(&why, EKEYREJECTED, "it has no signature of cosign");

	for (size_t i = 0; i < m->n_layers && r == -EKEYREJECTED; i++) {
		CLEANUP(unmap) struct mapped payload = { 0 };
		const struct oci_blob *b = &m->blobs[i];

		if (!b->signature.n)
			continue;
		r = map_blob(o, SIGNATURE, b, &payload, &why);
		if (r == 0)
			r = cosign_check(s->key, payload.text, b->signature, str_from(o->digest), &why);
	}
	if (r < 0)
		*err = why;
	return r;
}

static int check_signature(struct oci *o, struct err *err)
{
	CLEANUP(cosign_key_freep) struct cosign_key *key = NULL;
	struct oci_manifest m = { 0 };
	int r;

	if (!o->job->source->cosign_key.n)
		return 0;
	r = read_key(o, &key, err);
	if (r == 0)
		r = find_signatures(o, &m, err);
	if (r == 0)
		r = offline_check(check_any, &(struct signatures){ o, key, &m }, err);
	if (r < 0)
		return r;
	o->ret->revision.signer = arena_printf(o->ret->arena, "cosign key %.*s", STR_ARG(cosign_key_name(key)));
	return o->ret->revision.signer.p ? 0 : arena_error(o->ret->arena, err);
}

/* ---- files ---- */

static int add_named(struct oci *o, const struct oci_blob *b, str text, struct err *err)
{
	str path;

	if (!archive_path_below(b->title, o->job->source->path, &path))
		return 0;
	return tree_add(o->ret->tree, path, text, err);
}

static int take_layer(struct oci *o, const struct oci_blob *b, struct err *err)
{
	CLEANUP(unmap) struct mapped m = { 0 };
	int r;

	if (b->kind == OCI_OTHER)
		return 0;
	if (b->kind == OCI_FILE && b->size > TREE_FILE_MAX)
		return err_set(err, E2BIG, "a file of it has more than %zu MiB", TREE_FILE_MAX >> 20);
	r = map_blob(o, IMAGE, b, &m, err);
	if (r < 0)
		return r;
	if (b->kind == OCI_FILE)
		return add_named(o, b, m.text, err);
	return archive_unpack(m.text, o->job->source->path, b->kind == OCI_LAYER, o->ret->tree, err);
}

static int take_layers(struct oci *o, struct err *err)
{
	int r = 0;

	for (size_t i = 0; i < o->manifest.n_layers && r == 0; i++)
		r = take_layer(o, &o->manifest.blobs[i], err);
	return r;
}

/* Check that the manifest that skopeo has copied, and judged by the policy, is the one from which the blobs are
 * taken. */
static int check_copied(struct oci *o, struct err *err)
{
	CLEANUP(freep) char *path = NULL, *text = NULL;
	char found[DIGEST_SIZE];
	size_t n;
	int r;

	if (asprintf(&path, "%s/" IMAGE "/manifest.json", o->job->scratch) < 0) {
		path = NULL;
		return err_nomem(err);
	}
	r = file_read(path, OCI_MANIFEST_MAX, &text, &n, err);
	if (r == 0)
		r = digest_of((str){ text, n }, found, err);
	if (r == 0 && !str_eq(str_from(found), o->image))
		return err_set(err, EBADMSG, "skopeo copied another image than %.*s", STR_ARG(o->image));
	return r;
}

static int take_image(struct oci *o, struct err *err)
{
	str image, path = o->job->source->path;
	size_t n = 0;
	int r = name_image(o, '@', o->image, &image, err);

	if (r == 0)
		r = skopeo_copy(&o->skopeo, image, IMAGE, o->manifest.largest, true, err);
	if (r == 0)
		r = check_copied(o, err);
	if (r == 0)
		r = take_layers(o, err);
	if (r < 0)
		return r;
	(void)tree_files(o->ret->tree, &n);
	if (n == 0)
		return err_set(err, ENOENT, path.n ? "it has no files below '%.*s'" : "it has no files%.*s",
			       STR_ARG(path));
	return 0;
}

/* ---- the revision ---- */

static int describe(struct oci *o, struct err *err)
{
	struct source_revision *v = &o->ret->revision;
	str version = o->top.version.n ? o->top.version : o->manifest.version, tag = tag_of(o->job->source);
	char title[SOURCE_TEXT_MAX];
	str before = o->job->before;

	foreign_print(foreign_bytes(version.n ? version : tag), title, sizeof(title));
	v->revision = arena_str(o->ret->arena, str_from(o->digest));
	v->title = arena_str(o->ret->arena, str_from(title));
	if (!v->revision.p || !v->title.p)
		return arena_error(o->ret->arena, err);
	if (!v->signer.n && o->skopeo.policy)
		v->signer = STR("the policy");
	v->rewritten = before.n && !str_eq(before, v->revision) && oci_tag_stays(tag);
	return 0;
}

/* Whether the fetched image is still current. With a policy it has to be fetched to find out whether the policy
 * accepts it. */
static bool is_unchanged(const struct oci *o)
{
	return !o->skopeo.policy && !o->job->anew && str_eq(o->job->before, str_from(o->digest));
}

static int fetch(struct oci *o, struct err *err)
{
	int r = skopeo_begin(&o->skopeo, o->job, &o->arena, err);

	if (r == 0)
		r = find_top(o, err);
	if (r == 0)
		r = check_signature(o, err);
	if (r < 0)
		return r;
	o->ret->unchanged = is_unchanged(o);
	if (!o->ret->unchanged)
		r = find_image(o, err);
	if (r == 0 && !o->ret->unchanged)
		r = take_image(o, err);
	return r < 0 ? r : describe(o, err);
}

int fetch_oci(const struct fetch_job *job, struct fetched *ret, struct err *err)
{
	CLEANUP(done) struct oci o = { .job = job, .ret = ret, .arena = ARENA_INIT(TEXTS_MAX) };
	int r = fetch(&o, err);

	return r < 0 ? err_wrap(err, "%.*s", STR_ARG(job->source->url)) : 0;
}

/* Fetches what is published at a URL: an archive, a file, or a metadata.yaml with its templates. */
#include "daemon/fetch/archive.h"
#include "daemon/fetch/digest.h"
#include "daemon/fetch/engines.h"
#include "daemon/fetch/https_reference.h"
#include "daemon/fetch/https_request.h"
#include "daemon/fetch/local_file.h"
#include "daemon/fetch/minisign.h"
#include "daemon/fetch/offline.h"
#include "mask/credentials.h"

#include <errno.h>

#define ARCHIVE_MAX ((size_t)128 << 20) /* bytes of an archive as it is sent */
#define TEXTS_MAX ((size_t)16 << 20)
#define URL_MAX ((size_t)16 << 10)

/* A URL without its fragment, as views into it. */
struct address {
	str folder; /* up to and including the last slash of its path */
	str name;   /* the text behind @folder */
	str query;  /* with the question mark */
	bool archive;
};

struct https {
	const struct fetch_job *job;
	struct fetched *ret;
	struct arena arena;
	struct https_requests requests;
	struct address at;
	char digest[DIGEST_SIZE];
};

static void done(struct https *h)
{
	https_end(&h->requests);
	arena_done(&h->arena);
}

/* ---- the URL ---- */

static bool names_archive(str name)
{
	static const char *const ends[] = { ".tar", ".tar.gz", ".tgz", ".tar.zst", ".tar.xz" };

	for (size_t i = 0; i < ARRAY_LEN(ends); i++) {
		if (str_has_suffix(name, str_from(ends[i])))
			return true;
	}
	return false;
}

static size_t find_or_end(str s, char c)
{
	ptrdiff_t at = str_find_byte(s, c);

	return at < 0 ? s.n : (size_t)at;
}

static int split_url(str url, struct address *ret, struct err *err)
{
	str whole = str_sub(url, 0, find_or_end(url, '#'));
	size_t path_end = find_or_end(whole, '?');
	str path = str_sub(whole, 0, path_end);
	size_t host = (size_t)(str_find(path, STR("://")) + 3), cut = (size_t)(str_rfind(path, STR("/")) + 1);

	if (cut <= host || cut == path.n)
		return err_set(err, EINVAL, "the url does not end with the name of a file");
	ret->folder = str_sub(path, 0, cut);
	ret->name = str_sub(path, cut, path.n);
	ret->query = str_sub(whole, path_end, whole.n);
	ret->archive = names_archive(ret->name);
	return 0;
}

/* Request the file itself or, with @more behind its name, another one beside it. */
static int get(struct https *h, const char *more, struct buf *body, struct err *err)
{
	str url = arena_printf(&h->arena, "%.*s%.*s%s%.*s", STR_ARG(h->at.folder), STR_ARG(h->at.name), more,
			       STR_ARG(h->at.query));

	int r = url.p ? https_get(&h->requests, url.p, body, err) : arena_error(&h->arena, err);

	return r < 0 && *more ? err_wrap(err, "%.*s%s", STR_ARG(h->at.name), more) : r;
}

/* ---- verification ---- */

static int check_hash(struct https *h, struct err *err)
{
	str wanted = h->job->source->sha256, found = digest_hex(str_from(h->digest));

	if (!wanted.n)
		return 0;
	h->ret->revision.signer = STR("its SHA-256");
	if (str_eq_nocase(wanted, found))
		return 0;
	return err_set(err, EKEYREJECTED, "its SHA-256 is %.*s, and not the one of the source", STR_ARG(found));
}

static int read_key(struct https *h, struct minisign_key *ret, struct err *err)
{
	str path = h->job->source->minisign_key, text;
	struct err why;
	int r = local_file_read(path, MINISIGN_FILE_MAX, &h->arena, &text, err);

	if (r < 0)
		return r;
	if (minisign_key_read(text, ret, &why) < 0)
		return err_set(err, EPERM, "the key '%.*s': %s", STR_ARG(path), why.msg);
	return 0;
}

static int get_signature(struct https *h, struct buf *ret, struct err *err)
{
	struct err why;
	int r = get(h, ".minisig", ret, &why);

	if (r == -ENOENT)
		r = get(h, ".sig", ret, &why);
	if (r == -ENOENT)
		return err_set(err, EKEYREJECTED, "it is not signed: there is no %.*s.minisig and no %.*s.sig",
			       STR_ARG(h->at.name), STR_ARG(h->at.name));
	return r < 0 ? err_set(err, r == -E2BIG ? EKEYREJECTED : -r, "%s", why.msg) : 0;
}

struct signed_text {
	struct minisign_key key;
	str signature, text;
};

static int check_text(void *ctx, struct err *err)
{
	const struct signed_text *s = ctx;

	return minisign_check(&s->key, s->signature, s->text, err);
}

static int check_signature(struct https *h, str text, struct err *err)
{
	CLEANUP(buf_done) struct buf signature = BUF_INIT(MINISIGN_FILE_MAX);
	struct signed_text s = { .text = text };
	int r;

	if (!h->job->source->minisign_key.n)
		return 0;
	r = read_key(h, &s.key, err);
	if (r == 0)
		r = get_signature(h, &signature, err);
	s.signature = buf_str(&signature);
	if (r == 0)
		r = offline_check(check_text, &s, err);
	if (r < 0)
		return r;
	h->ret->revision.signer = arena_printf(h->ret->arena, "minisign key %s", s.key.name);
	return h->ret->revision.signer.p ? 0 : arena_error(h->ret->arena, err);
}

/* ---- what is there ---- */

static int take_archive(struct https *h, str text, struct err *err)
{
	str path = h->job->source->path;
	size_t n = 0;
	int r = archive_unpack(text, path, false, h->ret->tree, err);

	if (r < 0)
		return r;
	(void)tree_files(h->ret->tree, &n);
	if (n == 0)
		return err_set(err, ENOENT, path.n ? "it has no files below '%.*s'" : "it has no files%.*s",
			       STR_ARG(path));
	return 0;
}

static int fetch_one(struct https *h, struct err *err)
{
	CLEANUP(buf_done) struct buf body = BUF_INIT(h->at.archive ? ARCHIVE_MAX : TREE_FILE_MAX);
	int r = get(h, "", &body, err);

	if (r == 0)
		r = digest_of(buf_str(&body), h->digest, err);
	if (r == 0)
		r = check_hash(h, err);
	if (r == 0)
		r = check_signature(h, buf_str(&body), err);
	if (r < 0)
		return r;
	h->ret->unchanged = !h->job->anew && str_eq(h->job->before, str_from(h->digest));
	if (h->ret->unchanged)
		return 0;
	return h->at.archive ? take_archive(h, buf_str(&body), err)
			     : tree_add(h->ret->tree, h->at.name, buf_str(&body), err);
}

static int fetch_reference(struct https *h, struct err *err)
{
	int r;

	if (h->job->source->sha256.n || h->job->source->minisign_key.n)
		return err_set(err, EINVAL,
			       "what is verified has to be an archive: a hash or a signature of metadata.yaml says "
			       "nothing of its templates");
	r = https_reference(&h->requests, h->at.folder, h->at.name, h->ret->tree, err);
	if (r == 0)
		r = digest_of_tree(h->ret->tree, h->digest, err);
	if (r == 0)
		h->ret->unchanged = !h->job->anew && str_eq(h->job->before, str_from(h->digest));
	return r;
}

static int fetch(struct https *h, struct err *err)
{
	const struct source *s = h->job->source;
	int r = https_begin(&h->requests, h->job, &h->arena, err);

	if (r == 0)
		r = split_url(s->url, &h->at, err);
	if (r < 0)
		return r;
	if (!h->at.archive && s->path.n)
		return err_set(err, EINVAL, "a path is one in an archive, and the url names none");
	r = h->at.archive || s->wants == SOURCE_WANTS_FILES ? fetch_one(h, err) : fetch_reference(h, err);
	if (r < 0)
		return r;
	h->ret->revision.revision = arena_str(h->ret->arena, str_from(h->digest));
	return h->ret->revision.revision.p ? 0 : arena_error(h->ret->arena, err);
}

int fetch_https(const struct fetch_job *job, struct fetched *ret, struct err *err)
{
	CLEANUP(done) struct https h = { .job = job, .ret = ret, .arena = ARENA_INIT(TEXTS_MAX) };
	CLEANUP(buf_done) struct buf shown = BUF_INIT(URL_MAX);
	int r = fetch(&h, err);

	if (r == 0)
		return 0;
	/* The query is not shown, because it may contain a credential. */
	credentials_show_url(str_sub(job->source->url, 0, find_or_end(job->source->url, '?')), &shown);
	return err_wrap(err, "%s", buf_str(&shown).p);
}

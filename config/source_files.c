/* Reads all files of a revision, and computes its id. */
#include "config/source_files.h"

#include "base/file.h"
#include "base/hash.h"
#include "base/hex.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <openssl/evp.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- the id ---- */

static bool add(EVP_MD_CTX *md, str s)
{
	unsigned char length[8];

	for (size_t i = 0; i < sizeof(length); i++)
		length[i] = (unsigned char)((uint64_t)s.n >> (8 * i));
	return EVP_DigestUpdate(md, length, sizeof(length)) == 1 && EVP_DigestUpdate(md, s.p, s.n) == 1;
}

bool source_files_id(str about, const struct source_file *files, size_t n, char ret[SOURCE_ID_SIZE])
{
	unsigned char digest[32];
	EVP_MD_CTX *md = EVP_MD_CTX_new();
	bool ok = md && EVP_DigestInit_ex(md, EVP_sha256(), NULL) == 1 && add(md, about);

	for (size_t i = 0; i < n; i++)
		ok = ok && add(md, files[i].path) && add(md, files[i].text);
	ok = ok && EVP_DigestFinal_ex(md, digest, NULL) == 1;
	EVP_MD_CTX_free(md);
	if (ok)
		hex_write(digest, sizeof(digest), ret);
	return ok;
}

/* ---- reading ---- */

struct reading {
	struct source_files *to;
	int root;
	size_t bytes;
};

static int read_one(struct reading *r, const char *path, struct err *err)
{
	CLEANUP(freep) char *text = NULL;
	struct source_file f = { 0 };
	size_t n;
	int status = file_read_beneath(r->root, path, SOURCE_FILE_MAX, &text, &n, err);

	if (status < 0)
		return status;
	r->bytes += n;
	if (r->bytes > SOURCE_BYTES_MAX || r->to->list.n >= SOURCE_FILES_MAX)
		return err_set(err, E2BIG, "the revision has too many files, or too much in them");
	f.path = arena_str(&r->to->arena, str_from(path));
	f.text = arena_str(&r->to->arena, (str){ text, n });
	return f.path.p && f.text.p && vec_push(&r->to->list, f) ? 0 : err_nomem(err);
}

static int read_folder(struct reading *r, const char *path, unsigned depth, struct err *err);

static int read_entry(struct reading *r, const char *folder, const struct dirent *d, unsigned depth, struct err *err)
{
	CLEANUP(buf_done) struct buf path = BUF_INIT(4096);

	buf_printf(&path, "%s%s%s", folder, *folder ? "/" : "", d->d_name);
	if (buf_error(&path, "a path of the revision", err) < 0)
		return -err->code;
	if (d->d_type == DT_REG)
		return read_one(r, path.p, err);
	if (d->d_type == DT_DIR && depth < SOURCE_DEPTH_MAX)
		return read_folder(r, path.p, depth + 1, err);
	return err_set(err, EINVAL, "'%s' is neither a file nor a folder, or too deep", path.p);
}

/* Open a folder without following a link. */
static DIR *open_folder(const struct reading *r, const char *path)
{
	int fd = openat(r->root, *path ? path : ".", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *ret = fd >= 0 ? fdopendir(fd) : NULL;

	if (fd >= 0 && !ret)
		close(fd);
	return ret;
}

static int read_folder(struct reading *r, const char *path, unsigned depth, struct err *err)
{
	DIR *folder = open_folder(r, path);
	const struct dirent *d;
	int status = 0;

	if (!folder)
		return err_set(err, errno, "open folder '%s' of the revision: %s", path, strerror(errno));
	while (status == 0 && (d = readdir(folder))) {
		if (strcmp(d->d_name, ".") != 0 && strcmp(d->d_name, "..") != 0)
			status = read_entry(r, path, d, depth, err);
	}
	closedir(folder);
	return status;
}

static int by_path(const void *a, const void *b)
{
	const struct source_file *x = a, *y = b;

	return str_cmp(x->path, y->path);
}

static int check_id(const char *store, str id, const struct source_files *f, struct err *err)
{
	CLEANUP(buf_done) struct buf path = BUF_INIT(4096);
	CLEANUP(freep) char *about = NULL;
	char is[SOURCE_ID_SIZE];
	size_t n;
	int r;

	source_store_revision(store, id, &path);
	buf_add_cstr(&path, "/revision.json");
	r = source_store_read(store, &path, SOURCE_FILE_MAX, &about, &n, err);
	if (r < 0)
		return r;
	if (!source_files_id((str){ about, n }, f->list.p, f->list.n, is))
		return err_nomem(err);
	if (!str_eq(id, str_from(is)))
		return err_set(err, EBADMSG,
			       "revision %.12s is not what was fetched: its files were changed, or some are "
			       "missing",
			       id.p);
	return 0;
}

int source_files_read(const char *store, str id, struct source_files *ret, struct err *err)
{
	struct reading reading = { .to = ret };
	int r;

	*ret = (struct source_files){ 0 };
	arena_init(&ret->arena, 0, 2 * SOURCE_BYTES_MAX);
	reading.root = source_store_open(store, id, err);
	if (reading.root < 0)
		return reading.root;
	r = read_folder(&reading, "", 0, err);
	close(reading.root);
	if (r < 0)
		return r;
	if (ret->list.n)
		qsort(ret->list.p, ret->list.n, sizeof(*ret->list.p), by_path);
	return check_id(store, id, ret, err);
}

void source_files_done(struct source_files *f)
{
	vec_done(&f->list);
	arena_done(&f->arena);
}

const struct source_file *source_files_find(const struct source_files *f, str path)
{
	const struct source_file key = { .path = path };

	return f->list.n ? bsearch(&key, f->list.p, f->list.n, sizeof(key), by_path) : NULL;
}

/* ---- for reference_load ---- */

static int folder_read(void *ctx, str path, size_t max, char **ret, size_t *len, struct err *err)
{
	struct source_folder *f = ctx;
	CLEANUP(buf_done) struct buf full = BUF_INIT(8192);
	const struct source_file *file;

	buf_printf(&full, "%.*s%.*s", STR_ARG(f->folder), STR_ARG(path));
	if (buf_error(&full, "a path of the reference", err) < 0)
		return -err->code;
	if (!path.n || ref_path_leads_out(path))
		return err_set(err, EINVAL, "'%.*s' is not a path inside the reference", STR_ARG(path));
	file = source_files_find(f->files, buf_str(&full));
	if (!file)
		return err_set(err, ENOENT, "open '%s': no such file in the revision", full.p);
	if (file->text.n > max)
		return err_set(err, E2BIG, "'%s' has more than %zu bytes", full.p, max);
	*ret = str_dup(file->text);
	if (!*ret)
		return err_nomem(err);
	*len = file->text.n;
	f->content = hash_mix(f->content, hash_str(path, hash_seed()));
	f->content = hash_mix(f->content, hash_bytes(file->text.p, file->text.n, hash_seed()));
	return 0;
}

struct ref_source source_folder_source(struct source_folder *f)
{
	return (struct ref_source){ .read = folder_read, .ctx = f };
}

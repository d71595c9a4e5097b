/* Reads and writes lines with their hash. */
#include "daemon/transfer/transfer_file.h"

#include "base/file.h"
#include "base/hex.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libgen.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define CHUNK ((size_t)256 << 10)

/* ---- hashes ---- */

static EVP_MD_CTX *hash_new(void)
{
	EVP_MD_CTX *h = EVP_MD_CTX_new();

	if (h && EVP_DigestInit_ex(h, EVP_sha256(), NULL) == 1)
		return h;
	EVP_MD_CTX_free(h);
	return NULL;
}

static bool hash_line(EVP_MD_CTX *h, str line)
{
	return EVP_DigestUpdate(h, line.p, line.n) == 1 && EVP_DigestUpdate(h, "\n", 1) == 1;
}

/* The hash of what was written or read so far. More may be added to @h afterwards. */
static int hash_text(const EVP_MD_CTX *h, char ret[TRANSFER_HASH_SIZE], struct err *err)
{
	EVP_MD_CTX *copy = EVP_MD_CTX_new();
	unsigned char digest[EVP_MAX_MD_SIZE];
	unsigned n = 0;
	bool ok = copy && EVP_MD_CTX_copy_ex(copy, h) == 1 && EVP_DigestFinal_ex(copy, digest, &n) == 1;

	EVP_MD_CTX_free(copy);
	if (!ok)
		return err_nomem(err);
	hex_write(digest, TRANSFER_HASH_SIZE / 2, ret);
	return 0;
}

/* ---- out ---- */

struct transfer_out {
	char *path;  /* NULL: standard output */
	char *split; /* a copy of the path, which dirname(3) has modified */
	const char *folder;
	char *fresh; /* the temporary name; NULL: the path is no regular file, and is written to directly */
	bool nameless;
	int fd;
	EVP_MD_CTX *hash;
	int64_t lines;
	struct buf text;
};

static int out_failed(const struct transfer_out *o, int code, struct err *err)
{
	return err_set(err, code, "write '%s': %s", o->path ? o->path : "standard output", strerror(code));
}

/* Open a file without a name, so that nothing is left of it if the process is killed. -1: the file system has no
 * such files, or nothing could give one a name later. */
static int open_nameless(const char *folder)
{
	return access("/proc/self/fd", X_OK) < 0 ? -1 : open(folder, O_WRONLY | O_TMPFILE | O_CLOEXEC, 0600);
}

static int open_fresh(struct transfer_out *o, struct err *err)
{
	if (asprintf(&o->fresh, "%s.XXXXXX", o->path) < 0) {
		o->fresh = NULL;
		return err_nomem(err);
	}
	o->fd = open_nameless(o->folder);
	o->nameless = o->fd >= 0;
	if (!o->nameless)
		o->fd = mkostemp(o->fresh, O_CLOEXEC); /* with mode 0600 */
	if (o->fd >= 0)
		return 0;
	(void)out_failed(o, errno, err);
	free(TAKE(o->fresh));
	return -err->code;
}

/* Open the output. Only a regular file is replaced: a device or a pipe must stay what it is. */
static int open_path(struct transfer_out *o, const char *path, struct err *err)
{
	struct stat st;

	o->path = str_dup(str_from(path));
	o->split = str_dup(str_from(path));
	if (!o->path || !o->split)
		return err_nomem(err);
	o->folder = dirname(o->split);
	if (stat(path, &st) < 0 || S_ISREG(st.st_mode) || S_ISDIR(st.st_mode))
		return open_fresh(o, err);
	o->fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
	return o->fd >= 0 ? 0 : out_failed(o, errno, err);
}

int transfer_out_new(const char *path, struct transfer_out **ret, struct err *err)
{
	CLEANUP(transfer_out_freep) struct transfer_out *o = calloc(1, sizeof(*o));
	int r = 0;

	if (!o)
		return err_nomem(err);
	o->fd = STDOUT_FILENO;
	o->text = BUF_INIT(TRANSFER_LINE_MAX + CHUNK);
	o->hash = hash_new();
	if (!o->hash)
		return err_nomem(err);
	if (path && strcmp(path, "-") != 0)
		r = open_path(o, path, err);
	if (r == 0)
		*ret = TAKE(o);
	return r;
}

static int flush(struct transfer_out *o, struct err *err)
{
	int r = buf_error(&o->text, "a line", err);

	if (r < 0)
		return r;
	r = file_write_all(o->fd, buf_str(&o->text));
	buf_clear(&o->text);
	return r < 0 ? out_failed(o, -r, err) : 0;
}

int transfer_out_line(struct transfer_out *o, const struct buf *line, struct err *err)
{
	int r = buf_error(line, "a line", err);

	if (r == 0 && line->n > TRANSFER_LINE_MAX)
		r = err_set(err, E2BIG, "a line is larger than %zu bytes", TRANSFER_LINE_MAX);
	if (r < 0)
		return r;
	if (!hash_line(o->hash, buf_str(line)))
		return err_nomem(err);
	o->lines++;
	buf_add_str(&o->text, buf_str(line));
	buf_add_byte(&o->text, '\n');
	return o->text.n < CHUNK && !o->text.error ? 0 : flush(o, err);
}

/* Give the file its temporary name, because a link cannot replace another file. */
static int give_name(struct transfer_out *o)
{
	char from[sizeof("/proc/self/fd/") + 16];
	int fd;

	if (!o->nameless)
		return 0;
	fd = mkostemp(o->fresh, O_CLOEXEC);
	if (fd < 0)
		return -errno;
	(void)close(fd);
	(void)snprintf(from, sizeof(from), "/proc/self/fd/%d", o->fd);
	o->nameless = false;
	return unlink(o->fresh) < 0 || linkat(AT_FDCWD, from, AT_FDCWD, o->fresh, AT_SYMLINK_FOLLOW) < 0 ? -errno : 0;
}

/* Sync the complete file, and rename it to its path. */
static int publish(struct transfer_out *o, struct err *err)
{
	int folder, r = fsync(o->fd) < 0 ? -errno : give_name(o);

	if (r == 0 && rename(o->fresh, o->path) < 0)
		r = -errno;
	if (r < 0)
		return out_failed(o, -r, err);
	free(TAKE(o->fresh));
	folder = open(o->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (folder >= 0) {
		(void)fsync(folder);
		(void)close(folder);
	}
	return 0;
}

int transfer_out_end(struct transfer_out *o, struct err *err)
{
	char hash[TRANSFER_HASH_SIZE];
	int r = hash_text(o->hash, hash, err);

	if (r < 0)
		return r;
	buf_printf(&o->text, "{\"end\":{\"lines\":%" PRId64 ",\"sha256\":\"%s\"}}\n", o->lines, hash);
	r = flush(o, err);
	return r < 0 || !o->fresh ? r : publish(o, err);
}

void transfer_out_free(struct transfer_out *o)
{
	if (!o)
		return;
	if (o->fresh && !o->nameless)
		(void)unlink(o->fresh);
	if (o->path && o->fd >= 0)
		(void)close(o->fd);
	EVP_MD_CTX_free(o->hash);
	buf_done(&o->text);
	free(o->fresh);
	free(o->split);
	free(o->path);
	free(o);
}

/* ---- in ---- */

struct transfer_in {
	int fd;
	EVP_MD_CTX *hash;
	int64_t lines; /* lines that are hashed */
	bool has_line; /* a line was read that is not hashed yet */
	struct buf text;
	size_t at, next; /* offsets in @text: the line that was read, and the text behind it */
	bool ended;
};

int transfer_in_new(const char *path, struct transfer_in **ret, struct err *err)
{
	CLEANUP(transfer_in_freep) struct transfer_in *i = calloc(1, sizeof(*i));

	if (!i)
		return err_nomem(err);
	i->text = BUF_INIT(TRANSFER_LINE_MAX + 2 * CHUNK);
	i->hash = hash_new();
	i->fd = strcmp(path, "-") == 0 ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	if (i->fd < 0)
		return err_set(err, errno, "%s", strerror(errno));
	if (!i->hash)
		return err_nomem(err);
	*ret = TAKE(i);
	return 0;
}

void transfer_in_free(struct transfer_in *i)
{
	if (!i)
		return;
	if (i->fd > STDIN_FILENO)
		(void)close(i->fd);
	EVP_MD_CTX_free(i->hash);
	buf_done(&i->text);
	free(i);
}

/* Read more text. The rest is moved to the front before, so that the buffer is never larger than a line and what was
 * read with it. */
static int read_more(struct transfer_in *i, struct err *err)
{
	size_t rest = i->text.n - i->at;
	ssize_t n;
	char *to;

	if (rest > TRANSFER_LINE_MAX)
		return err_set(err, E2BIG, "larger than %zu bytes", TRANSFER_LINE_MAX);
	if (i->at) {
		memmove(i->text.p, i->text.p + i->at, rest);
		buf_truncate(&i->text, rest);
		i->at = 0;
	}
	to = buf_reserve(&i->text, CHUNK);
	if (!to)
		return err_nomem(err);
	do
		n = read(i->fd, to, CHUNK);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return err_set(err, errno, "read: %s", strerror(errno));
	buf_commit(&i->text, (size_t)n);
	i->ended = n == 0;
	return 0;
}

int transfer_in_line(struct transfer_in *i, str *ret, struct err *err)
{
	size_t looked = 0; /* bytes of the line that contain no end */
	ptrdiff_t end;
	int r;

	if (i->has_line) {
		if (!hash_line(i->hash, str_sub(buf_str(&i->text), i->at, i->next - 1)))
			return err_nomem(err);
		i->lines++;
		i->at = i->next;
		i->has_line = false;
	}
	while ((end = str_find_byte(str_sub(buf_str(&i->text), i->at + looked, i->text.n), '\n')) < 0) {
		looked = i->text.n - i->at;
		r = i->ended ? 0 : read_more(i, err);
		if (r < 0)
			return r;
		if (i->ended && looked)
			return err_set(err, EBADMSG, "the file breaks off");
		if (i->ended)
			return 0;
	}
	i->next = i->at + looked + (size_t)end + 1;
	i->has_line = true;
	*ret = str_sub(buf_str(&i->text), i->at, i->next - 1);
	return ret->n <= TRANSFER_LINE_MAX ? 1 : err_set(err, E2BIG, "larger than %zu bytes", TRANSFER_LINE_MAX);
}

int64_t transfer_in_lines(const struct transfer_in *i)
{
	return i->lines;
}

int transfer_in_hash(const struct transfer_in *i, char ret[TRANSFER_HASH_SIZE], struct err *err)
{
	return hash_text(i->hash, ret, err);
}

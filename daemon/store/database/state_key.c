/* Reads the key of the hashes, or makes one. */
#include "daemon/store/database/state_key.h"

#include "base/ascii.h"
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <stdio.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_NAME STATE_KEY_NAME
#define OLD_NAME STATE_OLD_KEYS_NAME

_Static_assert(FINDINGS_KEY_SIZE <= 256, "getrandom(2) never cuts so much short");

void state_key_random(unsigned char ret[FINDINGS_KEY_SIZE])
{
	/* This waits only until the kernel has entropy after a boot. */
	while (getrandom(ret, FINDINGS_KEY_SIZE, 0) != FINDINGS_KEY_SIZE)
		continue;
}

static int fail(const char *what, const char *name, struct err *err)
{
	return err_set(err, errno, "%s %s in state_dir: %s", what, name, strerror(errno));
}

/* Read at most @max bytes into @ret. *n: how many the file has; -1: there is no such file. */
static int read_bytes(int dir, const char *name, void *ret, size_t max, ssize_t *n, struct err *err)
{
	int fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW), r = 0;

	*n = -1;
	if (fd < 0)
		return errno == ENOENT ? 0 : fail("read", name, err);
	*n = read(fd, ret, max);
	if (*n < 0)
		r = fail("read", name, err);
	(void)close(fd);
	return r;
}

/* Read the key. 1: there is one; 0: there is none. */
static int read_key(int dir, unsigned char ret[FINDINGS_KEY_SIZE], struct err *err)
{
	unsigned char bytes[FINDINGS_KEY_SIZE + 1];
	ssize_t n;
	int r = read_bytes(dir, FILE_NAME, bytes, sizeof(bytes), &n, err);

	if (r < 0 || n != FINDINGS_KEY_SIZE)
		return r;
	memcpy(ret, bytes, FINDINGS_KEY_SIZE);
	return 1;
}

/* Give the file to the owner of the folder, so that driftd can read what root writes there. */
static int give_to_owner(int dir, int fd)
{
	struct stat st;

	return fstat(dir, &st) < 0 || (geteuid() == 0 && fchown(fd, st.st_uid, st.st_gid) < 0) ? -errno : 0;
}

static int write_fresh(int dir, int fd, str bytes)
{
	int r = give_to_owner(dir, fd);

	if (r == 0)
		r = file_write_all(fd, bytes);
	return r == 0 && fsync(fd) < 0 ? -errno : r;
}

/* Write a file under another name until it is complete. A killed process may have left one that belongs to another
 * account. */
static int write_bytes(int dir, const char *name, str bytes, struct err *err)
{
	char fresh[sizeof(FILE_NAME ".new") + 8];
	int fd, r;

	(void)snprintf(fresh, sizeof(fresh), "%s.new", name);
	(void)unlinkat(dir, fresh, 0);
	fd = openat(dir, fresh, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return fail("write", name, err);
	r = write_fresh(dir, fd, bytes);
	(void)close(fd);
	if (r == 0 && renameat(dir, fresh, dir, name) < 0)
		r = -errno;
	if (r < 0) {
		errno = -r;
		return fail("write", name, err);
	}
	(void)fsync(dir);
	return 0;
}

static int write_key(int dir, const unsigned char key[FINDINGS_KEY_SIZE], struct err *err)
{
	return write_bytes(dir, FILE_NAME, (str){ (const char *)key, FINDINGS_KEY_SIZE }, err);
}

static int open_folder(const char *dir, struct err *err)
{
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return fd < 0 ? fail("read", FILE_NAME, err) : fd;
}

int state_key_load(const char *dir, unsigned char ret[FINDINGS_KEY_SIZE], struct err *err)
{
	unsigned char key[FINDINGS_KEY_SIZE];
	int fd = open_folder(dir, err), r;

	if (fd < 0)
		return fd;
	r = read_key(fd, key, err);
	if (r == 0) {
		state_key_random(key);
		r = write_key(fd, key, err);
	}
	(void)close(fd);
	if (r < 0)
		return r;
	memcpy(ret, key, sizeof(key));
	return 0;
}

uint32_t state_key_mark(const unsigned char key[FINDINGS_KEY_SIZE])
{
	static const char what[] = "driftd: the mark of a key";
	unsigned char digest[32];
	uint32_t mark;

	if (!HMAC(EVP_sha256(), key, FINDINGS_KEY_SIZE, (const unsigned char *)what, sizeof(what) - 1, digest, NULL))
		return 1;
	memcpy(&mark, digest, sizeof(mark));
	return mark ? mark : 1;
}

/* ---- keys from elsewhere ---- */

static bool has(const struct state_keys *keys, const unsigned char key[FINDINGS_KEY_SIZE])
{
	for (size_t i = 0; i < keys->n; i++) {
		if (memcmp(keys->of[i], key, FINDINGS_KEY_SIZE) == 0)
			return true;
	}
	return false;
}

/* Read all keys. Returns how many of @ret are from hash.key: none or one. */
static int read_all(int dir, struct state_keys *ret, struct err *err)
{
	unsigned char old[STATE_KEYS_MAX * FINDINGS_KEY_SIZE];
	int own = read_key(dir, ret->of[0], err), r;
	ssize_t n;

	if (own < 0)
		return own;
	ret->n = (size_t)own;
	r = read_bytes(dir, OLD_NAME, old, sizeof(old), &n, err);
	if (r < 0)
		return r;
	if (n > 0 && n % FINDINGS_KEY_SIZE)
		return err_set(err, EBADMSG, "read " OLD_NAME " in state_dir: it is not a list of keys");
	for (ssize_t at = 0; at < n && ret->n < STATE_KEYS_MAX; at += FINDINGS_KEY_SIZE)
		memcpy(ret->of[ret->n++], old + at, FINDINGS_KEY_SIZE);
	return own;
}

int state_keys_read(const char *dir, struct state_keys *ret, struct err *err)
{
	int fd = open_folder(dir, err), r;

	if (fd < 0)
		return fd;
	r = read_all(fd, ret, err);
	(void)close(fd);
	return r < 0 ? r : 0;
}

static int add_all(int dir, const struct state_keys *keys, struct err *err)
{
	struct state_keys all;
	int own = read_all(dir, &all, err), r = 0;
	size_t known = all.n;

	if (own < 0)
		return own;
	for (size_t i = 0; i < keys->n; i++) {
		if (has(&all, keys->of[i]))
			continue;
		if (all.n == STATE_KEYS_MAX)
			return err_set(err, E2BIG, "more than %d keys of states", STATE_KEYS_MAX);
		memcpy(all.of[all.n++], keys->of[i], FINDINGS_KEY_SIZE);
	}
	if (!own && all.n)
		r = write_key(dir, all.of[0], err);
	if (r == 0 && all.n > known && all.n > 1)
		r = write_bytes(dir, OLD_NAME, (str){ (const char *)all.of[1], (all.n - 1) * FINDINGS_KEY_SIZE }, err);
	return r;
}

int state_keys_add(const char *dir, const struct state_keys *keys, struct err *err)
{
	int fd = open_folder(dir, err), r;

	if (fd < 0)
		return fd;
	r = add_all(fd, keys, err);
	(void)close(fd);
	return r;
}

/* ---- another key ---- */

/* Make the own key of @all the first of its old keys. When there are too many, the last old key is forgotten. */
static int keep_former(int dir, struct state_keys *all, const unsigned char key[FINDINGS_KEY_SIZE], struct err *err)
{
	size_t n = 0;

	for (size_t i = 0; i < all->n; i++) {
		if (memcmp(all->of[i], key, FINDINGS_KEY_SIZE) != 0)
			memmove(all->of[n++], all->of[i], FINDINGS_KEY_SIZE);
	}
	return write_bytes(dir, OLD_NAME, (str){ (const char *)all->of, n * FINDINGS_KEY_SIZE }, err);
}

int state_key_keep(int dir_fd, const unsigned char key[FINDINGS_KEY_SIZE], struct err *err)
{
	struct state_keys all;
	int r = read_key(dir_fd, all.of[0], err);

	if (r > 0 && memcmp(all.of[0], key, FINDINGS_KEY_SIZE) == 0)
		return 0;
	if (r > 0)
		r = read_all(dir_fd, &all, err);
	if (r > 0)
		r = keep_former(dir_fd, &all, key, err);
	if (r == 0)
		r = write_key(dir_fd, key, err);
	return r < 0 ? r : 1;
}

static bool is_private(int dir)
{
	struct stat st;

	return fstatat(dir, FILE_NAME, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode) &&
	       st.st_uid == geteuid() && !(st.st_mode & (S_IRWXG | S_IRWXO));
}

bool state_key_of_first(str dir, struct shard shard, unsigned char ret[FINDINGS_KEY_SIZE])
{
	char ordinal[16], path[PATH_MAX];
	struct err err;
	int fd, n;
	bool found;

	(void)snprintf(ordinal, sizeof(ordinal), "%" PRIu32, shard.ordinal);
	while (dir.n && dir.p[dir.n - 1] == '/')
		dir.n--;
	if (shard.total <= 1 || !shard.ordinal || !str_has_suffix(dir, str_from(ordinal)))
		return false;
	dir.n -= strlen(ordinal);
	if (!dir.n || ascii_is_digit(dir.p[dir.n - 1]))
		return false;
	n = snprintf(path, sizeof(path), "%.*s0", STR_ARG(dir));
	if (n < 0 || (size_t)n >= sizeof(path))
		return false;
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return false;
	found = is_private(fd) && read_key(fd, ret, &err) > 0;
	(void)close(fd);
	return found;
}

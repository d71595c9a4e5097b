/* Reading the key of the hashes, or making one. */
#include "daemon/store/state_key.h"

#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/random.h>
#include <unistd.h>

#define FILE_NAME "hash.key"
#define NEW_NAME FILE_NAME ".new"

_Static_assert(FINDINGS_KEY_SIZE <= 256, "getrandom(2) never cuts so much short");

void state_key_random(unsigned char ret[FINDINGS_KEY_SIZE])
{
	/* Blocks only before the first entropy after boot. */
	while (getrandom(ret, FINDINGS_KEY_SIZE, 0) != FINDINGS_KEY_SIZE)
		continue;
}

static int fail(const char *what, struct err *err)
{
	return err_set(err, errno, "%s " FILE_NAME " in state_dir: %s", what, strerror(errno));
}

/* 1: there is a key; 0: there is none. */
static int read_key(int dir, unsigned char ret[FINDINGS_KEY_SIZE], struct err *err)
{
	unsigned char bytes[FINDINGS_KEY_SIZE + 1];
	int fd = openat(dir, FILE_NAME, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	ssize_t n;

	if (fd < 0)
		return errno == ENOENT ? 0 : fail("read", err);
	n = read(fd, bytes, sizeof(bytes));
	if (n < 0) {
		int r = fail("read", err);

		(void)close(fd);
		return r;
	}
	(void)close(fd);
	if (n != FINDINGS_KEY_SIZE)
		return 0;
	memcpy(ret, bytes, FINDINGS_KEY_SIZE);
	return 1;
}

/* Under another name until it is whole. */
static int write_key(int dir, const unsigned char key[FINDINGS_KEY_SIZE], struct err *err)
{
	int fd = openat(dir, NEW_NAME, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600), r;

	if (fd < 0)
		return fail("write", err);
	r = file_write_all(fd, (str){ (const char *)key, FINDINGS_KEY_SIZE });
	if (r < 0)
		errno = -r;
	if (r < 0 || fsync(fd) < 0) {
		r = fail("write", err);
		(void)close(fd);
		return r;
	}
	(void)close(fd);
	if (renameat(dir, NEW_NAME, dir, FILE_NAME) < 0)
		return fail("write", err);
	(void)fsync(dir);
	return 0;
}

int state_key_load(const char *dir, unsigned char ret[FINDINGS_KEY_SIZE], struct err *err)
{
	unsigned char key[FINDINGS_KEY_SIZE];
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC), r;

	if (fd < 0)
		return fail("read", err);
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

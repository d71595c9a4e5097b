/* Reads whole files up to a ceiling. */
#include "base/file.h"

#include "base/beneath.h"
#include "base/hash.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static void closep(int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

int file_read(const char *path, size_t max, char **ret, size_t *len, struct err *err)
{
	return file_read_at(AT_FDCWD, path, max, ret, len, err);
}

static int read_all(int fd, const char *path, size_t max, char **ret, size_t *len, struct err *err)
{
	CLEANUP(buf_done) struct buf content = BUF_INIT(max);

	for (;;) {
		char chunk[65536];
		ssize_t n = read(fd, chunk, sizeof(chunk));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_set(err, errno, "read '%s': %s", path, strerror(errno));
		if (n == 0)
			break;
		buf_add(&content, chunk, (size_t)n);
		if (buf_error(&content, path, err) < 0)
			return -err->code;
	}
	*len = content.n;
	*ret = buf_steal(&content);
	return *ret ? 0 : err_nomem(err);
}

int file_read_at(int dir_fd, const char *path, size_t max, char **ret, size_t *len, struct err *err)
{
	CLEANUP(closep) int fd = openat(dir_fd, path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return err_set(err, errno, "open '%s': %s", path, strerror(errno));
	return read_all(fd, path, max, ret, len, err);
}

static int read_regular(int fd, const char *path, size_t max, char **ret, size_t *len, struct err *err)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return err_set(err, errno, "open '%s': %s", path, strerror(errno));
	if (!S_ISREG(st.st_mode))
		return err_set(err, S_ISDIR(st.st_mode) ? EISDIR : EINVAL, "open '%s': not a regular file", path);
	return read_all(fd, path, max, ret, len, err);
}

int file_read_regular(const char *path, size_t max, char **ret, size_t *len, struct err *err)
{
	CLEANUP(closep) int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);

	if (fd < 0)
		return err_set(err, errno, "open '%s': %s", path, strerror(errno));
	return read_regular(fd, path, max, ret, len, err);
}

int file_read_beneath(int dir_fd, const char *path, size_t max, char **ret, size_t *len, struct err *err)
{
	CLEANUP(closep) int fd = open_beneath(dir_fd, path);

	if (fd < 0)
		return err_set(err, -fd, "open '%s': %s", path,
			       fd == -EXDEV ? "it leads out of the folder" : strerror(-fd));
	return read_regular(fd, path, max, ret, len, err);
}

int file_make_folders(const char *path, struct err *err)
{
	CLEANUP(freep) char *part = str_dup(str_from(path));

	if (!part)
		return err_nomem(err);
	for (char *p = part, *end; p; p = end) {
		end = strchr(p + 1, '/');
		if (end)
			*end = '\0';
		if (mkdir(part, 0755) < 0 && errno != EEXIST)
			return err_set(err, errno, "failed to create directory %s: %s", part, strerror(errno));
		if (end)
			*end = '/';
	}
	return 0;
}

int file_write_all(int fd, str text)
{
	while (text.n) {
		ssize_t n = write(fd, text.p, text.n);

		if (n < 0 && errno != EINTR)
			return -errno;
		text = str_sub(text, n < 0 ? 0 : (size_t)n, text.n);
	}
	return 0;
}

uint64_t file_state(const char *path)
{
	struct stat st;
	uint64_t facts[7];

	if (stat(path, &st) < 0)
		return 0;
	facts[0] = (uint64_t)st.st_dev;
	facts[1] = (uint64_t)st.st_ino;
	facts[2] = (uint64_t)st.st_size;
	facts[3] = (uint64_t)st.st_mtim.tv_sec;
	facts[4] = (uint64_t)st.st_mtim.tv_nsec;
	facts[5] = (uint64_t)st.st_ctim.tv_sec;
	facts[6] = (uint64_t)st.st_ctim.tv_nsec;
	return hash_bytes(facts, sizeof(facts), 1);
}

/* Whole files. */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
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

int file_read_at(int dir_fd, const char *path, size_t max, char **ret, size_t *len, struct err *err)
{
	CLEANUP(closep) int fd = openat(dir_fd, path, O_RDONLY | O_CLOEXEC);
	CLEANUP(buf_done) struct buf content = BUF_INIT(max);

	if (fd < 0)
		return err_set(err, errno, "open '%s': %s", path, strerror(errno));
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

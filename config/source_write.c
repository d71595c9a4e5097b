/* Replaces files as a whole: the new content is written to a second file in the same folder, which is then renamed. */
#include "config/source_write.h"

#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

int source_sync_folder(const char *path, struct err *err)
{
	const char *slash = strrchr(path, '/');
	CLEANUP(freep) char *folder = slash ? str_dup((str){ path, (size_t)(slash - path) + 1 }) : str_dup(STR("."));
	int fd, r = 0;

	if (!folder)
		return err_nomem(err);
	fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return err_set(err, errno, "open folder '%s': %s", folder, strerror(errno));
	if (fsync(fd) < 0)
		r = err_set(err, errno, "write folder '%s': %s", folder, strerror(errno));
	close(fd);
	return r;
}

/* Write a new file. An older one may be left from an earlier process or made by somebody: opening a pipe could
 * block. */
static int fill(const char *path, mode_t mode, str text, struct err *err)
{
	int fd, r;

	if (unlink(path) < 0 && errno == EISDIR)
		(void)rmdir(path);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return err_set(err, errno, "open '%s': %s", path, strerror(errno));
	r = file_write_all(fd, text);
	if (r == 0 && (fchmod(fd, mode) < 0 || fsync(fd) < 0))
		r = -errno;
	if (close(fd) < 0 && r == 0)
		r = -errno;
	return r < 0 ? err_set(err, -r, "write '%s': %s", path, strerror(-r)) : 0;
}

int source_write(const char *path, mode_t mode, str text, struct err *err)
{
	CLEANUP(buf_done) struct buf beside = BUF_INIT(PATH_MAX);
	int r;

	buf_printf(&beside, "%s.new", path);
	r = buf_error(&beside, "a path", err);
	if (r < 0)
		return r;
	r = fill(beside.p, mode, text, err);
	if (r == 0 && rename(beside.p, path) < 0)
		r = err_set(err, errno, "rename '%s': %s", beside.p, strerror(errno));
	if (r < 0) {
		(void)unlink(beside.p);
		return r;
	}
	return source_sync_folder(path, err);
}

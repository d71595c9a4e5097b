/* Makes the paths below the store, and reads its links. */
#include "config/source_store.h"

#include "base/file.h"
#include "base/hex.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#define LINK_BEFORE_ID "../../revisions/"

bool source_id_is_good(str id)
{
	return id.n == SOURCE_ID_SIZE - 1 && hex_is(id);
}

void source_store_revision(const char *store, str id, struct buf *out)
{
	buf_printf(out, "%s/revisions/%.*s", store, STR_ARG(id));
}

void source_store_current(const char *store, str name, struct buf *out)
{
	buf_printf(out, "%s/sources/%.*s/current", store, STR_ARG(name));
}

void source_store_status(const char *store, str name, struct buf *out)
{
	buf_printf(out, "%s/sources/%.*s/status.json", store, STR_ARG(name));
}

void source_store_link(str id, struct buf *out)
{
	buf_printf(out, LINK_BEFORE_ID "%.*s", STR_ARG(id));
}

/* Take the id from the text of a link; false: it is not a link of the store. */
static bool read_link(str link, char ret[SOURCE_ID_SIZE])
{
	str before = STR(LINK_BEFORE_ID), id = str_sub(link, before.n, link.n);

	if (!str_has_prefix(link, before) || !source_id_is_good(id))
		return false;
	memcpy(ret, id.p, id.n);
	ret[id.n] = '\0';
	return true;
}

int source_store_find(const char *store, str name, char ret[SOURCE_ID_SIZE], struct err *err)
{
	CLEANUP(buf_done) struct buf path = BUF_INIT(PATH_MAX);
	char link[PATH_MAX];
	ssize_t n;

	source_store_current(store, name, &path);
	if (buf_error(&path, "the path of the store", err) < 0)
		return -err->code;
	n = readlink(path.p, link, sizeof(link));
	if (n < 0 && errno == ENOENT)
		return err_set(err, ENOENT, "nothing was fetched yet");
	if (n < 0)
		return err_set(err, errno, "read link '%s': %s", path.p, strerror(errno));
	if (!read_link((str){ link, (size_t)n }, ret))
		return err_set(err, EBADMSG, "'%s' does not lead to a revision", path.p);
	return 0;
}

int source_store_open(const char *store, str id, struct err *err)
{
	CLEANUP(buf_done) struct buf path = BUF_INIT(PATH_MAX);
	int fd;

	source_store_revision(store, id, &path);
	buf_add_cstr(&path, "/files");
	if (buf_error(&path, "the path of the store", err) < 0)
		return -err->code;
	fd = open(path.p, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 && errno == ENOENT)
		return err_set(err, ENOENT, "revision %.*s is not in the store", STR_ARG(str_sub(id, 0, 12)));
	if (fd < 0)
		return err_set(err, errno, "open folder '%s': %s", path.p, strerror(errno));
	return fd;
}

int source_store_read(const char *store, const struct buf *path, size_t max, char **ret, size_t *len, struct err *err)
{
	int fd, r = buf_error(path, "the path of the store", err);

	if (r < 0)
		return r;
	fd = open(store, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return err_set(err, errno, "open folder '%s': %s", store, strerror(errno));
	r = file_read_beneath(fd, path->p + strlen(store) + 1, max, ret, len, err);
	close(fd);
	return r;
}

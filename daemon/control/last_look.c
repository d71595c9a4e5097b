/* Stores one number in one file. */
#include "daemon/control/last_look.h"

#include "base/number.h"
#include "config/source_write.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_NAME "last-look"

/* Find the folder. An empty variable, or a path that is not absolute, is ignored (XDG Base Directory Specification). */
static int folder(char ret[PATH_MAX], struct err *err)
{
	const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
	int n = -1;

	if (state && *state == '/')
		n = snprintf(ret, PATH_MAX, "%s/driftd", state);
	else if (home && *home == '/')
		n = snprintf(ret, PATH_MAX, "%s/.local/state/driftd", home);
	if (n < 0 || n >= PATH_MAX - (int)sizeof("/" FILE_NAME ".new"))
		return err_set(err, ENOENT,
			       "neither XDG_STATE_HOME nor HOME is set: nowhere to store when you last looked");
	return 0;
}

/* Append the file name to a path for which folder() has left room. */
static void add_file_name(char path[PATH_MAX])
{
	size_t n = strlen(path);

	(void)snprintf(path + n, PATH_MAX - n, "/%s", FILE_NAME);
}

int last_look_read(int64_t *ret_usec, struct err *err)
{
	char path[PATH_MAX], text[32] = "";
	int r = folder(path, err), fd;
	ssize_t n;

	if (r < 0)
		return r;
	add_file_name(path);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 && errno == ENOENT) {
		*ret_usec = 0;
		return 0;
	}
	if (fd < 0)
		return err_set(err, errno, "'%s': %s", path, strerror(errno));
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	while (n > 0 && text[n - 1] == '\n')
		text[--n] = '\0';
	if (n <= 0 || !int64_parse(str_from(text), ret_usec) || *ret_usec < 0)
		return err_set(err, EBADMSG, "'%s' does not contain a time: remove it", path);
	return 0;
}

static int make_folders(char *path, struct err *err)
{
	for (char *p = path + 1;; p++) {
		char end = *p;

		if (end != '/' && end)
			continue;
		*p = '\0';
		if (mkdir(path, 0700) < 0 && errno != EEXIST)
			return err_set(err, errno, "'%s': %s", path, strerror(errno));
		*p = end;
		if (!end)
			return 0;
	}
}

int last_look_write(int64_t usec, struct err *err)
{
	char path[PATH_MAX], text[32];
	int r = folder(path, err);

	if (r == 0)
		r = make_folders(path, err);
	if (r < 0)
		return r;
	(void)snprintf(text, sizeof(text), "%" PRId64 "\n", usec);
	add_file_name(path);
	return source_write(path, 0600, str_from(text), err);
}

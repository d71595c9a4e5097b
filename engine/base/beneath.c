/* Walks a path element by element, with every folder on the way held open: ".." is the folder from which the walk
 * came, not what the file system has there by then. */
#include "base/beneath.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEPTH_MAX 64
#define LINKS_MAX 40

struct walk {
	char rest[PATH_MAX];        /* the rest of the path */
	int folders[DEPTH_MAX + 1]; /* the first belongs to the caller */
	size_t depth;
	unsigned links;
};

enum { DONE, GO_ON }; /* the results of a step that did not fail */

static int leave_folder(struct walk *w)
{
	if (w->depth == 0)
		return -EXDEV;
	close(w->folders[w->depth--]);
	return GO_ON;
}

static int enter_folder(struct walk *w, int fd)
{
	if (w->depth == DEPTH_MAX) {
		close(fd);
		return -ENAMETOOLONG;
	}
	w->folders[++w->depth] = fd;
	return GO_ON;
}

/* Put the target of a link before the rest of the path. */
static int follow(struct walk *w, int link)
{
	char path[PATH_MAX];
	ssize_t n = readlinkat(link, "", path, sizeof(path));
	size_t rest = strlen(w->rest);

	if (n < 0)
		return -errno;
	if (++w->links > LINKS_MAX)
		return -ELOOP;
	if ((size_t)n + 1 + rest >= sizeof(w->rest))
		return -ENAMETOOLONG;
	memmove(w->rest + n + 1, w->rest, rest + 1);
	memcpy(w->rest, path, (size_t)n);
	w->rest[n] = rest ? '/' : '\0';
	return GO_ON;
}

static int take_name(struct walk *w, char name[NAME_MAX + 1])
{
	size_t n = strcspn(w->rest, "/"), next = n + strspn(w->rest + n, "/");

	if (n > NAME_MAX)
		return -ENAMETOOLONG;
	memcpy(name, w->rest, n);
	name[n] = '\0';
	memmove(w->rest, w->rest + next, strlen(w->rest + next) + 1);
	return 0;
}

/* Open an element. A link that has replaced the file meanwhile is not followed. */
static int open_here(const struct walk *w, const char *name, int *ret)
{
	int fd = openat(w->folders[w->depth], name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW);

	if (fd < 0)
		return -errno;
	*ret = fd;
	return DONE;
}

static int walk_name(struct walk *w, const char *name, int *ret)
{
	int fd = openat(w->folders[w->depth], name, O_PATH | O_NOFOLLOW | O_CLOEXEC), r;
	struct stat st;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) < 0)
		r = -errno;
	else if (S_ISDIR(st.st_mode))
		return enter_folder(w, fd);
	else if (S_ISLNK(st.st_mode))
		r = follow(w, fd);
	else
		r = *w->rest ? -ENOTDIR : open_here(w, name, ret);
	close(fd);
	return r;
}

static int step(struct walk *w, int *ret)
{
	char name[NAME_MAX + 1];
	int r;

	if (*w->rest == '\0')
		return open_here(w, ".", ret);
	if (*w->rest == '/')
		return -EXDEV;
	r = take_name(w, name);
	if (r < 0)
		return r;
	if (strcmp(name, ".") == 0)
		return GO_ON;
	return strcmp(name, "..") == 0 ? leave_folder(w) : walk_name(w, name, ret);
}

int open_beneath(int dir_fd, const char *path)
{
	struct walk w = { .folders = { dir_fd } };
	size_t n = strlen(path);
	int fd = -1, r;

	if (n == 0 || n >= sizeof(w.rest))
		return n ? -ENAMETOOLONG : -ENOENT;
	memcpy(w.rest, path, n + 1);
	do
		r = step(&w, &fd);
	while (r == GO_ON);
	while (w.depth)
		leave_folder(&w);
	return r < 0 ? r : fd;
}

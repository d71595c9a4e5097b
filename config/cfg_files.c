/* Lists the files that make up a configuration. */
#include "config/cfg.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>

static int is_yaml(const struct dirent *e)
{
	return fnmatch("*.yaml", e->d_name, FNM_PERIOD) == 0;
}

/* List the names of the *.yaml in @dir in lexical order; none when there is no such folder. */
static int list_folder(const char *dir, struct dirent ***ret, size_t *n, struct err *err)
{
	int found = scandir(dir, ret, is_yaml, alphasort);

	if (found < 0 && errno != ENOENT)
		return errno == ENOMEM ? err_nomem(err) : err_set(err, errno, "list '%s': %s", dir, strerror(errno));
	*n = found < 0 ? 0 : (size_t)found;
	return 0;
}

/* Copy @path and the @n files of @dir into @a. */
static int copy_names(const char *path, const char *dir, struct dirent *const *entries, size_t n, struct arena *a,
		      const char *const **ret, struct err *err)
{
	const char **files = arena_array(a, n + 1, sizeof(*files));

	if (!files)
		return err_nomem(err);
	files[0] = path;
	for (size_t i = 0; i < n; i++) {
		files[i + 1] = arena_printf(a, "%s/%s", dir, entries[i]->d_name).p;
		if (!files[i + 1])
			return err_nomem(err);
	}
	*ret = files;
	return 0;
}

int cfg_files(const char *path, struct arena *a, const char *const **ret, size_t *n, struct err *err)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *dir;
	struct dirent **entries = NULL;
	size_t found = 0;
	int r = 0;

	dir = arena_printf(a, "%.*sconf.d", (int)(name - path), path).p;
	if (!dir)
		return err_nomem(err);
	if (strcmp(name, "driftd.yaml") == 0)
		r = list_folder(dir, &entries, &found, err);
	if (r == 0)
		r = copy_names(path, dir, entries, found, a, ret, err);
	if (r == 0)
		*n = found + 1;
	for (size_t i = 0; i < found; i++)
		free(entries[i]);
	free(entries);
	return r;
}

/* Walking a folder of manifests. */
#include "daemon/compare/manifest_files.h"

#include "base/file.h"
#include "base/pattern.h"
#include "config/paths.h"
#include "daemon/compare/input.h"
#include "go/path_error.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

struct collection {
	const struct manifest_files *from;
	size_t root; /* bytes of a path before what is relative to the folder */
	struct string_list paths;
};

static bool matches(const struct string_list *patterns, str path)
{
	for (size_t i = 0; i < patterns->v.n; i++) {
		if (pattern_matches(str_from(patterns->v.p[i]), path))
			return true;
	}
	return false;
}

/* Files of version control, and what Kubernetes mounts a ConfigMap with. */
static bool is_hidden(str path)
{
	str part;

	while (str_next_part(&path, '/', &part)) {
		if (str_has_prefix(part, STR(".")))
			return true;
	}
	return false;
}

static int collect(void *ctx, const char *path, struct err *err)
{
	struct collection *c = ctx;
	str relative = str_sub(str_from(path), c->root, strlen(path));

	while (str_has_prefix(relative, STR("/")))
		relative = str_sub(relative, 1, relative.n);
	if (is_hidden(relative) || (c->from->include->v.n && !matches(c->from->include, relative)) ||
	    matches(c->from->exclude, relative))
		return 0;
	return string_list_add(&c->paths, str_from(path)) ? 0 : err_nomem(err);
}

static int by_bytes(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static int read_file(const char *path, struct manifest_set *to, struct err *err)
{
	CLEANUP(freep) char *text = NULL;
	size_t n = 0;
	int r = file_read(path, to->limits->file_bytes, &text, &n, err);

	if (r < 0 && r != -ENOMEM && r != -E2BIG)
		return go_path_error(err, -r, r == -EISDIR ? "read" : "open", path);
	return r < 0 ? r : manifest_set_add(to, str_from(path), (str){ text, n }, err);
}

/* paths_walk takes "./" and slashes at the end away. */
static size_t root_length(const char *path)
{
	str root = str_from(path);

	while (str_has_prefix(root, STR("./")) && root.n > 2)
		root = str_sub(root, 2, root.n);
	while (root.n > 1 && root.p[root.n - 1] == '/')
		root.n--;
	return root.n;
}

static int read_folder(const struct manifest_files *f, struct manifest_set *to, struct err *err)
{
	struct collection c = { .from = f, .root = root_length(f->path) };
	int r = paths_walk(f->path, true, collect, &c, err);

	if (c.paths.v.n)
		qsort(c.paths.v.p, c.paths.v.n, sizeof(*c.paths.v.p), by_bytes);
	for (size_t i = 0; i < c.paths.v.n && r == 0; i++)
		r = read_file(c.paths.v.p[i], to, err);
	if (r == 0 && !c.paths.v.n)
		r = err_set(
			err, ENOENT, "no file of manifests in '%s': they are called *.yaml, *.yml or *.json%s", f->path,
			f->include->v.n || f->exclude->v.n ? ", and --include and --exclude may leave them out" : "");
	string_list_done(&c.paths);
	return r;
}

static int read_stdin(struct manifest_set *to, struct err *err)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(to->limits->file_bytes);
	int r = compare_stdin_read(&text, err);

	return r < 0 ? r : manifest_set_add(to, STR("STDIN"), buf_str(&text), err);
}

int manifest_files_read(const struct manifest_files *f, struct manifest_set *to, struct err *err)
{
	struct stat st;

	if (strcmp(f->path, "-") == 0)
		return read_stdin(to, err);
	return stat(f->path, &st) == 0 && S_ISDIR(st.st_mode) ? read_folder(f, to, err) : read_file(f->path, to, err);
}

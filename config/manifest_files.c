/* Walks a folder of manifests. */
#include "config/manifest_files.h"

#include "base/file.h"
#include "base/hash.h"
#include "base/pattern.h"
#include "config/paths.h"
#include "go/path_error.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

#define FOLDERS_DEPTH_MAX 200

struct collection {
	const struct manifest_files *from;
	size_t root; /* length of the folder's part of a path */
	struct string_list paths;
};

/* Whether the file is hidden: a file of version control, or one by which Kubernetes mounts a ConfigMap. */
static bool is_hidden(str path)
{
	str part;

	while (str_next_part(&path, '/', &part)) {
		if (str_has_prefix(part, STR(".")))
			return true;
	}
	return false;
}

/* Whether the file is read; @relative is its path below the folder. */
static bool is_chosen(const struct manifest_files *f, str relative)
{
	return !is_hidden(relative) && (!f->include.n || pattern_any_matches(f->include.p, f->include.n, relative)) &&
	       !pattern_any_matches(f->exclude.p, f->exclude.n, relative);
}

static int collect(void *ctx, const char *path, struct err *err)
{
	struct collection *c = ctx;
	str relative = str_sub(str_from(path), c->root, strlen(path));

	while (str_has_prefix(relative, STR("/")))
		relative = str_sub(relative, 1, relative.n);
	if (!is_chosen(c->from, relative))
		return 0;
	return string_list_add(&c->paths, str_from(path)) ? 0 : err_nomem(err);
}

static int by_bytes(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The folder's path without "./" and slashes at the end, which paths_walk removes. */
static str root_of(const char *path)
{
	str root = str_from(path);

	while (str_has_prefix(root, STR("./")) && root.n > 2)
		root = str_sub(root, 2, root.n);
	while (root.n > 1 && root.p[root.n - 1] == '/')
		root.n--;
	return root;
}

static bool is_folder(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* List the files in order. */
static int list_files(const struct manifest_files *f, struct string_list *ret, struct err *err)
{
	CLEANUP(buf_done) struct buf below = BUF_INIT(1 << 16);
	struct collection c = { .from = f, .root = root_of(f->path).n };
	int r;

	if (!is_folder(f->path))
		return string_list_add(ret, str_from(f->path)) ? 0 : err_nomem(err);
	buf_printf(&below, "%s/", f->path); /* with a slash, since a link may lead to the folder */
	buf_add_byte(&below, '\0');
	r = buf_error(&below, "the path of manifests", err);
	if (r == 0)
		r = paths_walk(below.p, true, collect, &c, err);
	if (c.paths.v.n)
		qsort(c.paths.v.p, c.paths.v.n, sizeof(*c.paths.v.p), by_bytes);
	*ret = c.paths;
	return r;
}

static int add_file(str path, str text, struct manifest_set *to, uint64_t *content, struct err *err)
{
	*content = hash_mix(*content, hash_str(path, hash_seed()));
	*content = hash_mix(*content, hash_bytes(text.p, text.n, hash_seed()));
	return manifest_set_add(to, path, text, err);
}

static int read_file(const char *path, struct manifest_set *to, uint64_t *content, struct err *err)
{
	CLEANUP(freep) char *text = NULL;
	size_t n = 0;
	int r = file_read(path, to->limits->file_bytes, &text, &n, err);

	if (r < 0 && r != -ENOMEM && r != -E2BIG)
		return go_path_error(err, -r, r == -EISDIR ? "read" : "open", path);
	return r < 0 ? r : add_file(str_from(path), (str){ text, n }, to, content, err);
}

static int no_files(const struct manifest_files *f, struct err *err)
{
	return err_set(err, ENOENT, "no file of manifests in '%s': they are called *.yaml, *.yml or *.json%s", f->path,
		       f->include.n || f->exclude.n ? ", and include and exclude may leave them out" : "");
}

int manifest_files_read(const struct manifest_files *f, struct manifest_set *to, struct manifest_files_read *ret,
			struct err *err)
{
	struct string_list files = { 0 };
	struct manifest_files_read got = { .folder = STR("") };
	str root = root_of(f->path);
	int r = list_files(f, &files, err);

	if (r == 0 && is_folder(f->path)) {
		got.folder = arena_printf(&to->arena, "%.*s%s", STR_ARG(root), str_eq(root, STR("/")) ? "" : "/");
		if (!got.folder.p)
			r = err_nomem(err);
	}
	for (size_t i = 0; i < files.v.n && r == 0; i++)
		r = read_file(files.v.p[i], to, &got.content, err);
	if (r == 0 && !files.v.n)
		r = no_files(f, err);
	string_list_done(&files);
	if (r == 0)
		*ret = got;
	return r;
}

/* ---- files in memory ---- */

int manifest_files_take(const struct manifest_files *f, const struct source_file *from, size_t n,
			struct manifest_set *to, struct manifest_files_read *ret, struct err *err)
{
	struct manifest_files_read got = { .folder = STR("") };
	str folder = arena_printf(&to->arena, "%s%s", f->path, *f->path ? "/" : "");
	size_t taken = 0;
	int r = folder.p ? 0 : err_nomem(err);

	for (size_t i = 0; i < n && r == 0; i++) {
		str path = from[i].path, below = str_sub(path, folder.n, path.n);
		bool alone = str_eq(path, str_from(f->path));

		if (!alone && (!str_has_prefix(path, folder) || !path_is_document(path.p) || !is_chosen(f, below)))
			continue;
		if (!alone)
			got.folder = folder;
		r = add_file(path, from[i].text, to, &got.content, err);
		taken++;
	}
	if (r == 0 && !taken)
		r = no_files(f, err);
	if (r == 0)
		*ret = got;
	return r;
}

/* ---- what changes ---- */

static int add_folders(const char *path, unsigned depth, struct string_list *ret, struct err *err)
{
	CLEANUP(buf_done) struct buf below = BUF_INIT(1 << 16);
	DIR *folder = depth < FOLDERS_DEPTH_MAX ? opendir(path) : NULL;
	const struct dirent *d;
	int r = 0;

	if (!folder)
		return 0;
	buf_printf(&below, "%s%s", path, str_has_suffix(str_from(path), STR("/")) ? "" : "/");
	if (!string_list_add(ret, buf_str(&below)))
		r = err_nomem(err);
	while (r == 0 && (d = readdir(folder))) {
		if (d->d_name[0] == '.' || (d->d_type != DT_DIR && d->d_type != DT_UNKNOWN))
			continue;
		buf_clear(&below);
		buf_printf(&below, "%s/%s", path, d->d_name);
		buf_add_byte(&below, '\0');
		if (!below.error)
			r = add_folders(below.p, depth + 1, ret, err);
	}
	closedir(folder);
	return r;
}

int manifest_files_folders(const char *path, struct string_list *ret, struct err *err)
{
	if (is_folder(path))
		return add_folders(path, 0, ret, err);
	return string_list_add(ret, str_from(path)) ? 0 : err_nomem(err);
}

uint64_t manifest_files_state(const struct manifest_files *f)
{
	struct string_list files = { 0 };
	uint64_t h = 1;
	struct err err;

	if (list_files(f, &files, &err) < 0)
		h = 0;
	for (size_t i = 0; i < files.v.n; i++)
		h = hash_mix(hash_mix(h, hash_str(str_from(files.v.p[i]), hash_seed())), file_state(files.v.p[i]));
	string_list_done(&files);
	return h;
}

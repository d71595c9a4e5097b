/* Finds the files that folders and patterns stand for. */
#include "config/paths.h"

#include "base/buf.h"
#include "go/path_error.h"
#include "reference/glob.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define WALK_DEPTH 200 /* nested folders */
#define SHOWN_MAX 3    /* names of files in a message */

/* ---- walking ---- */

struct walk {
	bool recursive;
	path_taker *file;
	void *ctx;
};

bool path_is_document(const char *name)
{
	const char *dot = strrchr(name, '.');

	return dot && (strcmp(dot, ".json") == 0 || strcmp(dot, ".yaml") == 0 || strcmp(dot, ".yml") == 0);
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static int not_dots(const struct dirent *d)
{
	return strcmp(d->d_name, ".") != 0 && strcmp(d->d_name, "..") != 0;
}

static int walk_folder(const struct walk *w, const char *path, unsigned depth, struct err *err);

/* Whether the entry is a folder. Not every file system gives the type in the entry; where it does, stat is not
 * needed. */
static bool is_folder(const struct dirent *d, const char *path)
{
	struct stat st;

	if (d->d_type != DT_UNKNOWN)
		return d->d_type == DT_DIR;
	return lstat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* The type of a file; 0: there is none. A link without a target is left for the reader to report. */
static mode_t type_of(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 ? st.st_mode & S_IFMT : 0;
}

/* Whether it is a pipe or a device, where reading could block for ever. */
static bool is_pipe_or_device(const struct dirent *d, const char *path)
{
	mode_t type = d->d_type == DT_REG ? S_IFREG : type_of(path);

	return type && type != S_IFREG && type != S_IFDIR;
}

/* Join two parts of a path; NULL without memory. */
static char *join(const char *folder, const char *name)
{
	size_t n = strlen(folder), len = strlen(name);
	char *path = malloc(n + len + 2);

	if (!path)
		return NULL;
	memcpy(path, folder, n);
	if (!n || folder[n - 1] != '/')
		path[n++] = '/';
	memcpy(path + n, name, len + 1);
	return path;
}

static int walk_entry(const struct walk *w, const char *folder, const struct dirent *d, unsigned depth, struct err *err)
{
	CLEANUP(freep) char *path = join(folder, d->d_name);

	if (!path)
		return err_nomem(err);
	if (is_folder(d, path))
		return w->recursive ? walk_folder(w, path, depth + 1, err) : 0;
	return path_is_document(d->d_name) && !is_pipe_or_device(d, path) ? w->file(w->ctx, path, err) : 0;
}

static int walk_folder(const struct walk *w, const char *path, unsigned depth, struct err *err)
{
	struct dirent **entries = NULL;
	int n, r = 0;

	if (depth > WALK_DEPTH)
		return err_set(err, E2BIG, "the path \"%s\" is nested too deep", path);
	n = scandir(path, &entries, not_dots, by_name);
	if (n < 0 && errno == EACCES && depth > 0)
		return w->file(w->ctx, path, err);
	if (n < 0)
		return err_set(err, errno, "error reading \"%s\": %s", path, strerror(errno));
	for (int i = 0; i < n; i++) {
		if (r == 0)
			r = walk_entry(w, path, entries[i], depth, err);
		free(entries[i]);
	}
	free(entries);
	return r;
}

/* Clean a path of "./" and double slashes, as Go's filepath.Clean does with the names below a folder. */
static char *clean_root(const char *path)
{
	char *out = str_dup(str_from(path));
	size_t n;

	while (out && out[0] == '.' && out[1] == '/' && out[2])
		memmove(out, out + 2, strlen(out) - 1);
	for (n = out ? strlen(out) : 0; n > 1 && out[n - 1] == '/'; n--)
		out[n - 1] = '\0';
	return out;
}

int paths_walk(const char *root, bool recursive, path_taker *file, void *ctx, struct err *err)
{
	struct walk w = { recursive, file, ctx };
	CLEANUP(freep) char *clean = clean_root(root);
	struct stat st;

	if (!clean)
		return err_nomem(err);
	if (stat(root, &st) < 0 && errno == ENOENT)
		return err_set(err, ENOENT, "the path \"%s\" does not exist", root);
	if (lstat(root, &st) < 0) {
		struct err why;

		go_path_error(&why, errno, "stat", root);
		return err_set(err, why.code, "the path \"%s\" cannot be accessed: %s", root, why.msg);
	}
	return S_ISDIR(st.st_mode) ? walk_folder(&w, clean, 0, err) : file(ctx, root, err);
}

/* ---- patterns ---- */

static int list_folder(void *ctx, str dir, int (*entry)(void *entry_ctx, str name, struct err *err), void *entry_ctx,
		       struct err *err)
{
	CLEANUP(freep) char *path = str_dup(dir);
	DIR *d = path ? opendir(path) : NULL;
	struct dirent *e;
	int r = 0;

	(void)ctx;
	if (!path)
		return err_nomem(err);
	while (d && r == 0 && (e = readdir(d))) {
		if (not_dots(e))
			r = entry(entry_ctx, str_from(e->d_name), err);
	}
	if (d)
		closedir(d);
	return r;
}

struct matches {
	path_taker *path;
	void *ctx;
	size_t n;
};

static int add_match(void *ctx, str path, struct err *err)
{
	struct matches *m = ctx;
	CLEANUP(freep) char *name = str_dup(path);

	if (!name)
		return err_nomem(err);
	m->n++;
	return m->path(m->ctx, name, err);
}

bool path_is_pattern(const char *name)
{
	struct stat st;

	return stat(name, &st) < 0 && errno == ENOENT && glob_has_meta(str_from(name));
}

int paths_expand(const char *name, path_taker *path, void *ctx, struct err *err)
{
	struct glob_source names = { .list = list_folder };
	struct matches m = { path, ctx, 0 };
	struct stat st;
	int r;

	if (stat(name, &st) == 0 || errno != ENOENT)
		return path(ctx, name, err);
	if (!glob_valid(str_from(name)))
		return err_set(err, EINVAL, "pattern \"%s\" is not valid: syntax error in pattern", name);
	r = glob_has_meta(str_from(name)) ? glob_expand(str_from(name), &names, add_match, &m, err) : 0;
	if (r == 0 && !m.n)
		return err_set(err, ENOENT, "the path \"%s\" does not exist", name);
	return r;
}

/* ---- files of rules ---- */

struct rule_paths {
	path_taker *file;
	void *ctx;
	bool hidden; /* the pattern matches hidden names explicitly */
	size_t n;
};

const char *path_last(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static bool is_special(const char *path)
{
	mode_t type = type_of(path);

	return type && type != S_IFREG;
}

static int add_rules(void *ctx, const char *path, struct err *err)
{
	struct rule_paths *f = ctx;

	if ((path_last(path)[0] == '.' && !f->hidden) || is_special(path))
		return 0;
	f->n++;
	return f->file(f->ctx, path, err);
}

static int walk_rules(void *ctx, const char *path, struct err *err)
{
	struct rule_paths *f = ctx;

	/* a folder such as ".git" that "*" matches */
	if (path_last(path)[0] == '.' && path_last(path)[1] && !f->hidden)
		return 0;
	return paths_walk(path, false, add_rules, f, err);
}

static int is_shown(const struct dirent *d)
{
	return d->d_name[0] != '.' && path_is_document(d->d_name);
}

/* Report that a pattern matches nothing, with names from its folder, in case of a typing error. */
static int nothing_matches(const char *name, struct err *err)
{
	CLEANUP(freep) char *folder = strdup(name);
	struct dirent **entries = NULL;
	CLEANUP(buf_done) struct buf text = BUF_INIT(1024);
	int n;

	if (!folder)
		return err_nomem(err);
	folder[path_last(name) - name] = '\0';
	n = scandir(*folder ? folder : ".", &entries, is_shown, by_name);
	if (n < 0 && errno == ENOENT && !glob_has_meta(str_from(folder)))
		buf_printf(&text, "; there is no folder '%s'", folder);
	for (int i = 0; i < n; i++) {
		if (i < SHOWN_MAX)
			buf_printf(&text, "%s%s", i ? ", " : "; there is ", entries[i]->d_name);
		free(entries[i]);
	}
	free(entries);
	if (n > SHOWN_MAX)
		buf_printf(&text, " and %d more", n - SHOWN_MAX);
	return err_set(err, ENOENT, "'%s' matches no file%.*s", name, STR_ARG(buf_str(&text)));
}

int paths_of_rules(const char *name, path_taker *file, void *ctx, struct err *err)
{
	struct rule_paths f = { file, ctx, path_last(name)[0] == '.', 0 };
	struct stat st;
	int r;

	if (stat(name, &st) == 0 && S_ISDIR(st.st_mode)) {
		r = paths_walk(name, false, add_rules, &f, err);
		if (r == 0 && !f.n)
			return err_set(err, ENOENT, "the folder '%s' holds no *.yaml, *.yml or *.json", name);
		return r;
	}
	if (!path_is_pattern(name))
		return file(ctx, name, err);
	r = paths_expand(name, walk_rules, &f, err);
	return f.n || (r < 0 && r != -ENOENT) ? r : nothing_matches(name, err);
}

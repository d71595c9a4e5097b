/* Which files "driftd compare" reads, and how. */
#include "base/file.h"
#include "compare_input.h"
#include "compare_reference.h"
#include "reference/glob.h"
#include "run_command.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define WALK_DEPTH 200 /* nested folders */
#define STDIN_CHUNK ((size_t)64 << 10)

/* ---- walking ---- */

struct walk {
	bool recursive;
	int (*file)(void *ctx, const char *path, struct err *err);
	void *ctx;
};

static bool has_extension(const char *name)
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

/* Not every file system says in the folder what an entry is. */
static bool is_folder(const struct dirent *d, const char *path)
{
	struct stat st;

	if (d->d_type != DT_UNKNOWN)
		return d->d_type == DT_DIR;
	return lstat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static int walk_entry(const struct walk *w, const char *folder, const struct dirent *d, unsigned depth, struct err *err)
{
	CLEANUP(freep) char *path = NULL;
	size_t n = strlen(folder);

	if (asprintf(&path, n && folder[n - 1] == '/' ? "%s%s" : "%s/%s", folder, d->d_name) < 0)
		return err_nomem(err);
	if (is_folder(d, path))
		return w->recursive ? walk_folder(w, path, depth + 1, err) : 0;
	return has_extension(d->d_name) ? w->file(w->ctx, path, err) : 0;
}

static int walk_folder(const struct walk *w, const char *path, unsigned depth, struct err *err)
{
	struct dirent **entries = NULL;
	int n, r = 0;

	if (depth > WALK_DEPTH)
		return err_set(err, E2BIG, "the path \"%s\" is nested too deep", path);
	n = scandir(path, &entries, not_dots, by_name);
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

/* A name without "./" and double slashes, as Go's filepath.Clean makes the names below a folder. */
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

int compare_walk(const char *root, bool recursive, int (*file)(void *ctx, const char *path, struct err *err), void *ctx,
		 struct err *err)
{
	struct walk w = { recursive, file, ctx };
	CLEANUP(freep) char *clean = clean_root(root);
	struct stat st;

	if (!clean)
		return err_nomem(err);
	if (stat(root, &st) < 0 && errno == ENOENT)
		return err_set(err, ENOENT, "the path \"%s\" does not exist", root);
	if (lstat(root, &st) < 0)
		return err_set(err, errno, "the path \"%s\" cannot be accessed: %s", root, strerror(errno));
	return S_ISDIR(st.st_mode) ? walk_folder(&w, clean, 0, err) : file(ctx, root, err);
}

/* ---- reading ---- */

struct reader {
	struct compare_input *in;
	size_t n_files;
};

static int read_file(void *ctx, const char *path, struct err *err)
{
	struct reader *r = ctx;
	CLEANUP(freep) char *text = NULL;
	size_t len = 0;
	struct err why;
	int rc = file_read(path, r->in->limits->file_bytes, &text, &len, &why);

	r->n_files++;
	if (rc == -ENOMEM)
		return err_nomem(err);
	if (rc < 0) {
		if (rc != -E2BIG)
			go_path_error(&why, -rc, rc == -EISDIR ? "read" : "open", path);
		problems_add(&r->in->problems, "%s", why.msg);
		return 0;
	}
	return compare_input_text(r->in, path, (str){ text, len }, err);
}

static int read_stdin(struct compare_input *in, struct err *err)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(in->limits->file_bytes);
	ssize_t n = 1;

	while (n != 0) {
		char *p = buf_reserve(&text, STDIN_CHUNK);

		if (!p)
			return buf_error(&text, "standard input", err);
		n = read(STDIN_FILENO, p, STDIN_CHUNK);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_set(err, errno, "read standard input: %s", strerror(errno));
		buf_commit(&text, (size_t)n);
	}
	return compare_input_text(in, "STDIN", buf_str(&text), err);
}

static int read_url(struct compare_input *in, const char *url, struct err *err)
{
	CLEANUP(freep) char *text = NULL;
	size_t len = 0;
	struct err why;
	int r = url_read(&in->curl, url, in->limits->file_bytes, &text, &len, &why);

	if (r == -ENOMEM)
		return err_nomem(err);
	if (r < 0) {
		problems_add(&in->problems, "%s", why.msg);
		return 0;
	}
	return compare_input_text(in, url, (str){ text, len }, err);
}

/* kubectl, or kustomize itself, knows how to put the objects together. */
static int read_kustomization(struct compare_input *in, const char *folder, struct err *err)
{
	const char *const with_kubectl[] = { "kubectl", "kustomize", folder, NULL };
	const char *const with_kustomize[] = { "kustomize", "build", folder, NULL };
	CLEANUP(buf_done) struct buf out = BUF_INIT(in->limits->file_bytes);
	int r = run_command(command_exists("kustomize") ? with_kustomize : with_kubectl, 0, &out, err);

	if (r < 0)
		return err_wrap(err, "failed to collect resources");
	if (r > 0)
		return err_set(err, EINVAL, "failed to collect resources: kustomize ended with status %d", r);
	return compare_input_text(in, folder, buf_str(&out), err);
}

/* ---- what -f names ---- */

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

static int collect(void *ctx, str path, struct err *err)
{
	return string_list_add(ctx, path) ? 0 : err_nomem(err);
}

/* A name that does not exist may be a pattern. */
static int expand(const char *name, struct string_list *paths, struct err *err)
{
	struct glob_source names = { .list = list_folder };
	struct stat st;
	int r;

	if (stat(name, &st) == 0 || errno != ENOENT)
		return collect(paths, str_from(name), err);
	if (!glob_valid(str_from(name)))
		return err_set(err, EINVAL, "pattern \"%s\" is not valid: syntax error in pattern", name);
	r = glob_has_meta(str_from(name)) ? glob_expand(str_from(name), &names, collect, paths, err) : 0;
	if (r == 0 && !paths->v.n)
		return err_set(err, ENOENT, "the path \"%s\" does not exist", name);
	return r;
}

static void list_text(const struct string_list *l, struct buf *out)
{
	buf_add_byte(out, '[');
	for (size_t i = 0; i < l->v.n; i++)
		buf_printf(out, "%s%s", i ? " " : "", l->v.p[i]);
	buf_add_byte(out, ']');
}

/* All files that one argument of -f stands for. */
static int read_name(struct compare_input *in, const char *name, bool recursive, struct err *err)
{
	CLEANUP(string_list_done) struct string_list paths = { 0 };
	CLEANUP(buf_done) struct buf text = BUF_INIT(64 << 10);
	struct reader reader = { .in = in };
	int r;

	if (strcmp(name, "-") == 0)
		return read_stdin(in, err);
	if (is_url(name))
		return read_url(in, name, err);
	r = expand(name, &paths, err);
	for (size_t i = 0; i < paths.v.n && r == 0; i++)
		r = compare_walk(paths.v.p[i], recursive, read_file, &reader, err);
	if (r < 0)
		return r == -ENOMEM ? r : err_wrap(err, "failed to collect resources");
	if (reader.n_files)
		return 0;
	list_text(&paths, &text);
	return err_set(
		err, EINVAL,
		"failed to collect resources: error reading %.*s: recognized file extensions are [.json .yaml .yml]",
		STR_ARG(buf_str(&text)));
}

int compare_input_files(struct compare_input *in, const struct compare_options *o, struct err *err)
{
	if (o->kustomize && *o->kustomize && (o->files.v.n || o->recursive))
		return err_set(err, EINVAL,
			       "failed to collect resources: [only one of -f or -k can be specified, the -k flag can't "
			       "be used with "
			       "-f or -R]");
	if (o->kustomize && *o->kustomize)
		return read_kustomization(in, o->kustomize, err);
	for (size_t i = 0; i < o->files.v.n; i++) {
		int r = read_name(in, o->files.v.p[i], o->recursive, err);

		if (r < 0)
			return r;
	}
	return 0;
}

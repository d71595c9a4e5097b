/* Which files "driftd compare" reads, and how. */
#include "base/file.h"
#include "daemon/compare/input.h"
#include "daemon/compare/reference.h"
#include "daemon/compare/run_command.h"
#include "reference/glob.h"

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
	if (lstat(root, &st) < 0) {
		struct err why;

		go_path_error(&why, errno, "stat", root);
		return err_set(err, why.code, "the path \"%s\" cannot be accessed: %s", root, why.msg);
	}
	return S_ISDIR(st.st_mode) ? walk_folder(&w, clean, 0, err) : file(ctx, root, err);
}

/* ---- reading ---- */

static int read_file(struct compare_input *in, const char *path, struct err *err)
{
	CLEANUP(freep) char *text = NULL;
	size_t len = 0;
	struct err why;
	int r = file_read(path, in->limits->file_bytes, &text, &len, &why);

	if (r == -ENOMEM)
		return err_nomem(err);
	if (r == 0)
		return compare_input_text(in, path, (str){ text, len }, err);
	if (r != -E2BIG)
		go_path_error(&why, -r, r == -EISDIR ? "read" : "open", path);
	if (r == -EISDIR) /* a link to a folder: opened like a file, and nothing in it can be read */
		compare_input_skip(in, path, why.msg);
	else
		problems_add(&in->problems, "%s", why.msg);
	return 0;
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

/* What is to be read, in this order, and what is wrong with the arguments that say so. */
struct sources {
	struct string_list names; /* paths of files, URLs, "-" for standard input */
	struct problems problems;
	bool stdin_named;
};

static void sources_done(struct sources *s)
{
	string_list_done(&s->names);
	problems_done(&s->problems);
}

static int add_file(void *ctx, const char *path, struct err *err)
{
	struct sources *s = ctx;

	return string_list_add(&s->names, str_from(path)) ? 0 : err_nomem(err);
}

/* A mistake in one argument does not hide those in others. */
static int keep_problem(struct sources *s, int r, const struct err *why)
{
	if (r == 0 || r == -ENOMEM)
		return r;
	problems_add(&s->problems, "%s", why->msg);
	return 0;
}

/* All files that one argument of -f stands for. Naming none is only a mistake while nothing else is named. */
static int add_paths(struct sources *s, const char *name, bool recursive, struct err *err)
{
	CLEANUP(string_list_done) struct string_list paths = { 0 };
	CLEANUP(buf_done) struct buf text = BUF_INIT(64 << 10);
	int r = keep_problem(s, expand(name, &paths, err), err);

	for (size_t i = 0; i < paths.v.n && r == 0; i++)
		r = keep_problem(s, compare_walk(paths.v.p[i], recursive, add_file, s, err), err);
	if (r < 0 || s->names.v.n || problems_any(&s->problems))
		return r;
	list_text(&paths, &text);
	if (text.error == -ENOMEM)
		return err_nomem(err);
	problems_add(&s->problems, "error reading %.*s: recognized file extensions are [.json .yaml .yml]",
		     STR_ARG(buf_str(&text)));
	return 0;
}

static int add_source(struct sources *s, const char *name, bool recursive, struct err *err)
{
	if (strcmp(name, "-") != 0 && !is_url(name))
		return add_paths(s, name, recursive, err);
	if (strcmp(name, "-") == 0) {
		if (s->stdin_named)
			problems_add(&s->problems, "standard input cannot be used for multiple arguments");
		s->stdin_named = true;
	}
	return add_file(s, name, err);
}

static void check_flags(struct sources *s, const struct compare_options *o)
{
	if (o->files.v.n)
		problems_add(&s->problems, "only one of -f or -k can be specified");
	if (o->recursive)
		problems_add(&s->problems, "the -k flag can't be used with -f or -R");
}

static int refuse(const struct sources *s, struct err *err)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(64 << 10);

	compare_problems_text(&s->problems, &text);
	if (text.error == -ENOMEM)
		return err_nomem(err);
	return err_set(err, EINVAL, "failed to collect resources: %.*s", STR_ARG(buf_str(&text)));
}

static int read_source(struct compare_input *in, const char *name, struct err *err)
{
	if (strcmp(name, "-") == 0)
		return read_stdin(in, err);
	return is_url(name) ? read_url(in, name, err) : read_file(in, name, err);
}

int compare_input_files(struct compare_input *in, const struct compare_options *o, struct err *err)
{
	CLEANUP(sources_done) struct sources s = { 0 };
	bool kustomize = o->kustomize && *o->kustomize;
	int r = 0;

	if (kustomize)
		check_flags(&s, o);
	for (size_t i = 0; i < o->files.v.n && r == 0 && !kustomize; i++)
		r = add_source(&s, o->files.v.p[i], o->recursive, err);
	if (r < 0)
		return r;
	if (problems_any(&s.problems))
		return refuse(&s, err);
	for (size_t i = 0; i < s.names.v.n && r == 0; i++)
		r = read_source(in, s.names.v.p[i], err);
	return kustomize ? read_kustomization(in, o->kustomize, err) : r;
}

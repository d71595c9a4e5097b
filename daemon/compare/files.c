/* Find and read the files of "driftd compare". */
#include "base/assert.h"
#include "base/file.h"
#include "config/paths.h"
#include "daemon/compare/input.h"
#include "daemon/compare/reference.h"
#include "daemon/compare/run_command.h"
#include "go/path_error.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#define STDIN_CHUNK ((size_t)64 << 10)

/* ---- reading ---- */

static int text_read(struct compare_input *in, const char *name, str text, struct err *err)
{
	int r = compare_input_text(in, name, text, err);

	return r < 0 ? r : 1;
}

/* 1: read, 0: a problem was added. */
static int read_file(struct compare_input *in, const char *path, struct err *err)
{
	CLEANUP(freep) char *text = NULL;
	size_t len = 0;
	struct err why;
	int r = file_read(path, in->limits->file_bytes, &text, &len, &why);

	if (r == -ENOMEM)
		return err_nomem(err);
	if (r == 0)
		return text_read(in, path, (str){ text, len }, err);
	if (r != -E2BIG)
		go_path_error(&why, -r, r == -EISDIR ? "read" : "open", path);
	if (r != -EISDIR) {
		problems_add(&in->problems, "%s", why.msg);
		return 0;
	}
	/* A link to a folder can be opened like a file, but nothing can be read from it. */
	compare_input_skip(in, path, why.msg);
	return 1;
}

int compare_stdin_read(struct buf *text, struct err *err)
{
	ssize_t n = 1;

	while (n != 0) {
		char *p = buf_reserve(text, STDIN_CHUNK);

		if (!p)
			return buf_error(text, "standard input", err);
		n = read(STDIN_FILENO, p, STDIN_CHUNK);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_set(err, errno, "read standard input: %s", strerror(errno));
		buf_commit(text, (size_t)n);
	}
	return 0;
}

static int read_stdin(struct compare_input *in, struct err *err)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(in->limits->file_bytes);
	int r = compare_stdin_read(&text, err);

	return r < 0 ? r : text_read(in, "STDIN", buf_str(&text), err);
}

/* 1: read, 0: a problem was added. */
static int read_url(struct compare_input *in, const char *url, struct err *err)
{
	CLEANUP(freep) char *text = NULL;
	size_t len = 0;
	struct err why;
	int r = url_read(&in->net, url, in->limits->file_bytes, &text, &len, &why);

	if (r == -ENOMEM)
		return err_nomem(err);
	if (r < 0) {
		problems_add(&in->problems, "%s", why.msg);
		return 0;
	}
	return text_read(in, url, (str){ text, len }, err);
}

/* Let kubectl, or kustomize itself, put the objects of the folder together. */
static int read_kustomization(struct compare_input *in, const char *folder, struct err *err)
{
	const char *const with_kubectl[] = { "kubectl", "kustomize", folder, NULL };
	const char *const with_kustomize[] = { "kustomize", "build", folder, NULL };
	CLEANUP(buf_done) struct buf out = BUF_INIT(in->limits->file_bytes);
	bool kustomize = command_exists("kustomize");
	int r;

	if (!kustomize && !command_exists("kubectl"))
		return err_set(err, ENOENT,
			       "failed to collect resources: -k needs kustomize or kubectl, and neither is on the "
			       "PATH; where one "
			       "is: kubectl kustomize %.200s | driftd compare -f -",
			       folder);
	r = run_command(kustomize ? with_kustomize : with_kubectl, 0, &out, err);
	if (r < 0)
		return err_wrap(err, "failed to collect resources");
	if (r > 0)
		return err_set(err, EINVAL, "failed to collect resources: kustomize ended with status %d", r);
	return text_read(in, folder, buf_str(&out), err);
}

/* ---- what -f names ---- */

static int collect(void *ctx, const char *path, struct err *err)
{
	return string_list_add(ctx, str_from(path)) ? 0 : err_nomem(err);
}

static void list_text(const struct string_list *l, struct buf *out)
{
	buf_add_byte(out, '[');
	for (size_t i = 0; i < l->v.n; i++)
		buf_printf(out, "%s%s", i ? " " : "", l->v.p[i]);
	buf_add_byte(out, ']');
}

/* The sources to read, in this order, and what is wrong with the arguments that name them. */
struct sources {
	struct compare_sources found;
	struct problems problems;
	bool stdin_named;
};

void compare_sources_done(struct compare_sources *s)
{
	string_list_done(&s->names);
}

static void sources_done(struct sources *s)
{
	compare_sources_done(&s->found);
	problems_done(&s->problems);
}

static int add_file(void *ctx, const char *path, struct err *err)
{
	struct sources *s = ctx;

	return string_list_add(&s->found.names, str_from(path)) ? 0 : err_nomem(err);
}

/* A mistake in one argument does not hide those in others. */
static int keep_problem(struct sources *s, int r, const struct err *why)
{
	if (r == 0 || r == -ENOMEM)
		return r;
	problems_add(&s->problems, "%s", why->msg);
	return 0;
}

/* Add all files that one argument of -f stands for. An argument without files is only a mistake while no other names
 * any. */
static int add_paths(struct sources *s, const char *name, bool recursive, struct err *err)
{
	CLEANUP(string_list_done) struct string_list paths = { 0 };
	CLEANUP(buf_done) struct buf text = BUF_INIT(64 << 10);
	int r = keep_problem(s, paths_expand(name, collect, &paths, err), err);

	for (size_t i = 0; i < paths.v.n && r == 0; i++)
		r = keep_problem(s, paths_walk(paths.v.p[i], recursive, add_file, s, err), err);
	if (r < 0 || s->found.names.v.n || problems_any(&s->problems))
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

int compare_sources_find(const struct compare_options *o, struct compare_input *in, struct compare_sources *ret,
			 struct err *err)
{
	CLEANUP(sources_done) struct sources s = { .found.kustomize = o->kustomize && *o->kustomize };
	int r = 0;

	if (s.found.kustomize) {
		check_flags(&s, o);
		r = add_file(&s, o->kustomize, err);
	}
	for (size_t i = 0; i < o->files.v.n && r == 0 && !s.found.kustomize; i++)
		r = add_source(&s, o->files.v.p[i], o->recursive, err);
	if (r < 0)
		return r;
	if (problems_any(&s.problems))
		return compare_input_refuse(in, "failed to collect resources: ", &s.problems, err);
	*ret = s.found;
	s.found = (struct compare_sources){ 0 };
	return 0;
}

bool compare_sources_remote(const struct compare_sources *s, size_t i)
{
	ASSERT(i < s->names.v.n);
	return !s->kustomize && is_url(s->names.v.p[i]);
}

/* 1: read, 0: a problem was added. */
static int read_source(const struct compare_sources *s, const char *name, struct compare_input *in, struct err *err)
{
	if (s->kustomize)
		return read_kustomization(in, name, err);
	if (strcmp(name, "-") == 0)
		return read_stdin(in, err);
	return is_url(name) ? read_url(in, name, err) : read_file(in, name, err);
}

int compare_sources_read(const struct compare_sources *s, size_t i, struct compare_input *in, struct err *err)
{
	const char *name = s->names.v.p[i];
	int r = read_source(s, name, in, err);

	if (r < 0)
		return r;
	in->any_read |= r > 0;
	in->lost |= r == 0 && compare_sources_remote(s, i);
	return compare_input_mark(in, str_from(name), err);
}

/* git ls-tree lists the files with their sizes, so that too much is refused before it is read. Then git cat-file
 * --batch outputs their contents. Both read the cache, in a process that can make no connection. */
#include "daemon/fetch/git_files.h"

#include "base/hex.h"
#include "base/number.h"
#include "base/vec.h"
#include "daemon/fetch/git_object.h"
#include "mask/foreign.h"

#include <errno.h>
#include <stdio.h>

#define LISTING_MAX ((size_t)32 << 20) /* limited, because a tree that contains the same tree many times has no end */
#define HEADER_MAX 128                 /* "OID blob SIZE\n", and the newline after an object */
#define SHOWN_MAX 120
#define PATH_SIZE 2048
#define LFS_POINTER_MAX 1024

struct entry {
	str oid, path;
	size_t size;
};

struct listing {
	struct buf text;
	VEC(struct entry) files;
	size_t bytes, left_out;
};

static void listing_done(struct listing *l)
{
	buf_done(&l->text);
	vec_done(&l->files);
}

/* ---- what there is ---- */

static int refuse(const struct git *g, int code, str path, const char *why, struct err *err)
{
	CLEANUP(buf_done) struct buf shown = BUF_INIT(4 * SHOWN_MAX);

	foreign_quote(foreign_bytes(path), SHOWN_MAX, &shown);
	return git_fail(g, err, code, "the file '%s' %s", buf_str(&shown).p, why);
}

static int add_file(const struct git *g, struct listing *l, struct entry e, str size, struct err *err)
{
	int64_t n;

	if (!int64_parse(str_trim(size), &n) || n < 0)
		return refuse(g, EUCLEAN, e.path, "has no size", err);
	if ((uint64_t)n > TREE_FILE_MAX)
		return refuse(g, E2BIG, e.path, "has more than 8 MiB", err);
	if (l->files.n >= TREE_FILES_MAX)
		return git_fail(g, err, E2BIG, "there are more than %d files", TREE_FILES_MAX);
	e.size = (size_t)n;
	if (e.size > TREE_BYTES_MAX - l->bytes)
		return git_fail(g, err, E2BIG, "the files have more than %zu MiB together", TREE_BYTES_MAX >> 20);
	l->bytes += e.size;
	return vec_push(&l->files, e) ? 0 : err_nomem(err);
}
_Static_assert(TREE_FILE_MAX >> 20 == 8, "a message says so");

/* Read a line "MODE TYPE OID SIZE\tPATH". */
static int read_entry(const struct git *g, struct listing *l, str line, struct err *err)
{
	str mode, type, oid, size;
	struct entry e;

	if (!str_next_part(&line, ' ', &mode) || !str_next_part(&line, ' ', &type) ||
	    !str_next_part(&line, ' ', &oid) || !str_next_part(&line, '\t', &size) || !line.p || !hex_is(oid))
		return git_fail(g, err, EUCLEAN, "git ls-tree says something that is not a file");
	e = (struct entry){ .oid = oid, .path = line };
	if (str_eq(mode, STR("120000")) || str_eq(mode, STR("160000"))) {
		l->left_out++;
		return 0;
	}
	if (!str_eq(type, STR("blob")) || !str_has_prefix(mode, STR("100")))
		return refuse(g, EBADMSG, e.path, "is of a kind that is not known", err);
	return add_file(g, l, e, size, err);
}

static int list(const struct git *g, const char *tree, struct listing *l, struct err *err)
{
	const char *const words[] = { "git", "ls-tree", "-r", "-z", "-l", tree, NULL };
	const struct git_command c = { .words = words, .reach = GIT_LOCAL };
	str rest, line;
	int r;

	l->text = BUF_INIT(LISTING_MAX);
	r = git_run(g, &c, &l->text, err);
	rest = buf_str(&l->text);
	while (r == 0 && rest.n > 0 && str_next_part(&rest, '\0', &line))
		r = read_entry(g, l, line, err);
	return r == -E2BIG && l->text.error ? git_fail(g, err, E2BIG, "it has more files and links than are taken") : r;
}

/* ---- what is in it ---- */

/* Read the next object: "OID TYPE SIZE\n", as many bytes, and a newline. */
static int next_object(const struct git *g, str *rest, str *type, str *raw, struct err *err)
{
	str header, oid;
	int64_t n;

	if (rest->n == 0 || !str_next_part(rest, '\n', &header) || !str_next_part(&header, ' ', &oid) ||
	    !str_next_part(&header, ' ', type) || !header.p || !int64_parse(header, &n) || n < 0 ||
	    (uint64_t)n >= rest->n || rest->p[n] != '\n')
		return git_fail(g, err, EUCLEAN, "the cache lacks an object");
	*raw = str_sub(*rest, 0, (size_t)n);
	*rest = str_sub(*rest, (size_t)n + 1, rest->n);
	return 0;
}

static int cat(const struct git *g, str names, struct buf *out, struct err *err)
{
	static const char *const words[] = { "git", "cat-file", "--batch", "--buffer", NULL };
	const struct git_command c = { .words = words, .reach = GIT_LOCAL, .input = names };

	return git_run(g, &c, out, err);
}

int git_read_object(const struct git *g, const char *oid, struct buf *out, str *type, str *raw, struct err *err)
{
	char line[GIT_OID_MAX + 2];
	str rest;
	int r;

	(void)snprintf(line, sizeof(line), "%s\n", oid);
	r = cat(g, str_from(line), out, err);
	rest = buf_str(out);
	return r < 0 ? r : next_object(g, &rest, type, raw, err);
}

/* Whether the text is a pointer of Git LFS, which stands for a file in another place (git-lfs: docs/spec.md). */
static bool is_lfs_pointer(str text)
{
	return text.n <= LFS_POINTER_MAX && (str_has_prefix(text, STR("version https://git-lfs.github.com/spec/")) ||
					     str_has_prefix(text, STR("version https://hawser.github.com/spec/")));
}

static int add_all(const struct git *g, const struct listing *l, str rest, struct tree *t, struct err *err)
{
	for (size_t i = 0; i < l->files.n; i++) {
		const struct entry *e = &l->files.p[i];
		str type, raw;
		int r = next_object(g, &rest, &type, &raw, err);

		if (r == 0 && (!str_eq(type, STR("blob")) || raw.n != e->size))
			r = git_fail(g, err, EUCLEAN, "the cache has another object than it says");
		if (r == 0 && is_lfs_pointer(raw))
			r = refuse(g, EINVAL, e->path, "is kept in Git LFS, which is not fetched from", err);
		if (r < 0)
			return r;
		r = tree_add(t, e->path, raw, err);
		if (r < 0)
			return r == -ENOMEM ? r : git_fail(g, err, -r, "%s", err->msg);
	}
	return 0;
}

static int read_all(const struct git *g, const struct listing *l, struct tree *t, struct err *err)
{
	CLEANUP(buf_done) struct buf names = BUF_INIT((size_t)TREE_FILES_MAX * HEADER_MAX);
	CLEANUP(buf_done) struct buf out = BUF_INIT(TREE_BYTES_MAX + (size_t)TREE_FILES_MAX * HEADER_MAX);
	int r;

	for (size_t i = 0; i < l->files.n; i++)
		buf_printf(&names, "%.*s\n", STR_ARG(l->files.p[i].oid));
	r = buf_error(&names, "names of objects", err);
	if (r == 0 && l->files.n > 0)
		r = cat(g, buf_str(&names), &out, err);
	return r < 0 ? r : add_all(g, l, buf_str(&out), t, err);
}

/* ---- where it is ---- */

/* Find the tree of the folder; *tree: its name. */
static int find(const struct git *g, const char *commit, char tree[GIT_OID_MAX + 1], struct err *err)
{
	static const char *const words[] = { "git", "cat-file", "--batch-check=%(objectname) %(objecttype)", NULL };
	CLEANUP(buf_done) struct buf name = BUF_INIT(PATH_SIZE), out = BUF_INIT(PATH_SIZE + HEADER_MAX);
	str path = g->job->source->path, oid, rest;
	struct git_command c = { .words = words, .reach = GIT_LOCAL };
	int r;

	if (path.n)
		buf_printf(&name, "%s:%.*s\n", commit, STR_ARG(path));
	else
		buf_printf(&name, "%s^{tree}\n", commit);
	c.input = buf_str(&name);
	r = git_run(g, &c, &out, err);
	if (r < 0)
		return r;
	rest = str_trim(buf_str(&out));
	if (path.n && str_has_suffix(rest, STR(" missing")))
		return git_fail(g, err, ENOENT, "there is no folder '%.*s' in %s", STR_ARG(path), commit);
	if (!str_next_part(&rest, ' ', &oid) || !hex_is(oid) || oid.n > GIT_OID_MAX)
		return git_fail(g, err, EUCLEAN, "the cache lacks an object");
	if (!str_eq(rest, STR("tree")))
		return git_fail(g, err, ENOENT, "'%.*s' is not a folder in %s", STR_ARG(path), commit);
	memcpy(tree, oid.p, oid.n);
	tree[oid.n] = '\0';
	return 0;
}

int git_read_files(const struct git *g, const char *commit, struct tree *t, struct err *err)
{
	CLEANUP(listing_done) struct listing l = { 0 };
	char tree[GIT_OID_MAX + 1];
	int r = find(g, commit, tree, err);

	if (r == 0)
		r = list(g, tree, &l, err);
	if (r == 0)
		r = read_all(g, &l, t, err);
	for (size_t i = 0; i < l.left_out && r == 0; i++)
		tree_leave_out(t);
	return r;
}

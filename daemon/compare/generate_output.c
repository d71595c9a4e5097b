/* Gathers files, and moves them to their places at once. */
#include "daemon/compare/generate_output.h"

#include "base/file.h"
#include "daemon/compare/scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define TEXT_MAX (64u << 20)

/* NULL without memory. */
static char *join(const char *folder, const char *path)
{
	char *full;

	return asprintf(&full, "%s%s%s", folder, *path ? "/" : "", path) < 0 ? NULL : full;
}

static int no_folder(const char *path, int code, struct err *err)
{
	return err_set(err, code, "failed to create directory %s: %s", path, strerror(code));
}

/* ---- where files gather ---- */

/* The length of the part of @dir that names the first folder that does not exist; 0: all exist. */
static int find_missing(const char *dir, size_t *ret, struct err *err)
{
	size_t n = strlen(dir);
	struct stat st;

	*ret = 0;
	for (size_t end = 1; end <= n; end++) {
		CLEANUP(freep) char *part = NULL;
		int why;

		if (end < n && (dir[end] != '/' || dir[end - 1] == '/'))
			continue;
		part = str_dup((str){ dir, end });
		if (!part)
			return err_nomem(err);
		why = stat(part, &st) < 0 ? errno : S_ISDIR(st.st_mode) ? 0 : ENOTDIR;
		if (why == ENOENT)
			*ret = end;
		if (why)
			return why == ENOENT ? 0 : no_folder(part, why, err);
	}
	return 0;
}

/* The folder that holds the first @n bytes of a path. NULL without memory. */
static char *folder_of(const char *path, size_t n)
{
	ptrdiff_t slash = str_rfind((str){ path, n }, STR("/"));

	return slash < 0 ? strdup(".") : str_dup((str){ path, slash ? (size_t)slash : 1 });
}

int generate_output_begin(struct generate_output *o, const char *dir, struct err *err)
{
	CLEANUP(freep) char *beside = NULL;
	size_t n = 0;
	int r;

	*o = (struct generate_output){ .dir = dir };
	r = find_missing(dir, &n, err);
	if (r < 0)
		return r;
	beside = n ? folder_of(dir, n) : strdup(dir);
	o->missing = n ? str_dup((str){ dir, n }) : NULL;
	if (!beside || (n && !o->missing))
		return err_nomem(err);
	r = scratch_folder_in(beside, ".driftd-generate", &o->stage, err);
	if (r < 0)
		return r;
	o->root = join(o->stage, "reference");
	o->into = o->root ? join(o->root, dir + (n ? n + strspn(dir + n, "/") : strlen(dir))) : NULL;
	return o->into ? file_make_folders(o->into, err) : err_nomem(err);
}

void generate_output_done(struct generate_output *o)
{
	if (o->stage)
		scratch_remove(o->stage);
	free(o->stage);
	free(o->missing);
	free(o->root);
	free(o->into);
	string_list_done(&o->written);
	*o = (struct generate_output){ 0 };
}

/* ---- files ---- */

enum generate_place generate_output_look(const struct generate_output *o, const char *path, str text)
{
	CLEANUP(freep) char *full = o->missing ? NULL : join(o->dir, path), *there = NULL;
	struct err ignored;
	struct stat st;
	size_t n = 0;

	if (o->missing || (full && lstat(full, &st) < 0 && errno == ENOENT))
		return GENERATE_FREE;
	if (full && file_read(full, TEXT_MAX, &there, &n, &ignored) == 0 && str_eq((str){ there, n }, text))
		return GENERATE_SAME;
	return GENERATE_TAKEN;
}

static int write_text(const char *full, mode_t mode, str text, struct err *err)
{
	int fd = open(full, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode), r;

	if (fd < 0)
		return err_set(err, errno, "failed to write %s: %s", full, strerror(errno));
	r = file_write_all(fd, text);
	if (close(fd) < 0 && r == 0)
		r = -errno;
	return r < 0 ? err_set(err, -r, "failed to write %s: %s", full, strerror(-r)) : 0;
}

int generate_output_write(struct generate_output *o, const char *path, mode_t mode, str text, struct err *err)
{
	CLEANUP(freep) char *full = join(o->into, path), *folder = full ? folder_of(full, strlen(full)) : NULL;
	int r = folder ? file_make_folders(folder, err) : err_nomem(err);

	if (r == 0)
		r = write_text(full, mode, text, err);
	if (r < 0)
		return r;
	return string_list_add(&o->written, str_from(path)) ? 0 : err_nomem(err);
}

/* ---- all at once ---- */

static int move(const struct generate_output *o, const char *path, struct err *err)
{
	CLEANUP(freep) char *from = join(o->into, path), *to = join(o->dir, path);
	CLEANUP(freep) char *folder = to ? folder_of(to, strlen(to)) : NULL;
	int r = from && folder ? file_make_folders(folder, err) : err_nomem(err);

	if (r < 0)
		return r;
	return rename(from, to) < 0 ? err_set(err, errno, "failed to write %s: %s", to, strerror(errno)) : 0;
}

/* Take back the first @n files that were moved. Folders that are empty then were made for them. */
static void take_back(const struct generate_output *o, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		CLEANUP(freep) char *full = join(o->dir, o->written.v.p[i]);
		CLEANUP(freep) char *folder = full ? folder_of(full, strlen(full)) : NULL;

		if (folder) {
			(void)unlink(full);
			(void)rmdir(folder);
		}
	}
}

/* Move all files. metadata.yaml was written last: it replaces the old one, and is never taken back. */
static int move_all(const struct generate_output *o, struct err *err)
{
	int r = 0;

	for (size_t i = 0; i < o->written.v.n && r == 0; i++) {
		r = move(o, o->written.v.p[i], err);
		if (r < 0)
			take_back(o, i);
	}
	return r;
}

int generate_output_commit(struct generate_output *o, struct err *err)
{
	if (!o->missing)
		return move_all(o, err);
	if (rename(o->root, o->missing) < 0)
		return err_set(err, errno, "failed to create directory %s: %s", o->missing, strerror(errno));
	return 0;
}

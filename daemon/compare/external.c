/* Differences printed by the command in KUBECTL_EXTERNAL_DIFF. */
#include "base/ascii.h"
#include "daemon/compare/run.h"
#include "daemon/compare/run_command.h"
#include "daemon/compare/scratch.h"

#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#define ARGUMENTS_MAX 64

/* kubectl passes on only arguments of letters, digits, "-" and "=": no paths, nothing for a shell. */
static bool is_accepted(str arg)
{
	for (size_t i = 0; i < arg.n; i++) {
		char c = arg.p[i];

		if (!(ascii_is_alnum(c) || c == '-' || c == '='))
			return false;
	}
	return arg.n > 0;
}

static int write_file(const char *folder, const char *name, str text, struct err *err)
{
	CLEANUP(freep) char *path = NULL;
	int fd, r;

	if (asprintf(&path, "%s/%s", folder, name) < 0)
		return err_nomem(err);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return err_set(err, errno, "error occurered during diff: open %s: %s", path, strerror(errno));
	r = file_write_all(fd, text);
	close(fd);
	if (r < 0)
		return err_set(err, -r, "error occurered during diff: write %s: %s", path, strerror(-r));
	return 0;
}

struct words {
	char *p[ARGUMENTS_MAX]; /* the last one stays NULL */
	size_t n;
};

static void words_done(struct words *w)
{
	for (size_t i = 0; i < w->n; i++)
		free(w->p[i]);
}

static bool add_word(struct words *w, str word)
{
	if (w->n + 1 >= ARGUMENTS_MAX)
		return false;
	w->p[w->n] = str_dup(word);
	return w->p[w->n++] != NULL;
}

/* Split the command into words. The folders come first, as kubectl calls its command. */
static int split(const char *command, const char *merged, const char *live, struct words *w, struct err *err)
{
	const char *const folders[] = { merged, live };
	str rest = str_from(command), part;
	bool first = true;

	while (str_next_part(&rest, ' ', &part)) {
		if (!first && !is_accepted(part))
			continue;
		if (!add_word(w, part))
			return w->n + 1 < ARGUMENTS_MAX
				       ? err_nomem(err)
				       : err_set(err, E2BIG, "KUBECTL_EXTERNAL_DIFF: more than %d arguments",
						 ARGUMENTS_MAX - 4);
		for (size_t i = 0; first && i < ARRAY_LEN(folders); i++) {
			if (!add_word(w, str_from(folders[i])))
				return err_nomem(err);
		}
		first = false;
	}
	return 0;
}

static int run(const char *command, const char *merged, const char *live, struct buf *out, struct err *err)
{
	CLEANUP(words_done) struct words w = { 0 };
	int r = split(command, merged, live, &w, err);

	if (r < 0)
		return r;
	r = run_command((const char *const *)w.p, 0, out, err);
	if (r > 1)
		return err_set(err, EIO, "diff exited with non-zero code: failed to run \"%s\": exit status %d", w.p[0],
			       r);
	if (r == -ENOENT)
		return err_set(
			err, ENOENT,
			"diff exited with non-zero code: failed to run \"%s\": executable file not found in $PATH",
			w.p[0]);
	return r < 0 ? err_wrap(err, "diff exited with non-zero code") : r;
}

static void folder_done(char **path)
{
	if (*path)
		scratch_remove(*path);
	free(*path);
}

int compare_external(const char *command, const char *name, str merged, str live, struct buf *out, struct err *err)
{
	CLEANUP(folder_done) char *left = NULL;
	CLEANUP(folder_done) char *right = NULL;
	int r = scratch_folder("MERGED", &left, err);

	if (r == 0)
		r = scratch_folder("LIVE", &right, err);
	if (r < 0)
		return r;
	scratch_hold(); /* no file is created in a folder that is being removed */
	r = write_file(left, name, merged, err);
	if (r == 0)
		r = write_file(right, name, live, err);
	scratch_release();
	return r < 0 ? r : run(command, left, right, out, err);
}

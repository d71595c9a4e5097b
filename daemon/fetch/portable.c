/* Writes a tar of a revision, and reads one. */
#include "daemon/fetch/portable.h"

#include "base/file.h"
#include "config/source_files.h"
#include "config/source_revision.h"
#include "daemon/fetch/archive.h"
#include "daemon/fetch/store.h"
#include "daemon/fetch/worker.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <stdio.h>

#define ABOUT "revision.json"
#define FILES "files/"

/* ---- writing ---- */

struct tar {
	struct archive *to;
	struct archive_entry *entry;
};

static void tar_done(struct tar *t)
{
	archive_entry_free(t->entry);
	if (t->to)
		(void)archive_write_free(t->to);
}

static int failed(const struct tar *t, const char *path, struct err *err)
{
	int code = t->to ? archive_errno(t->to) : ENOMEM;

	return err_set(err, code > 0 ? code : EIO, "write '%s': %s", path,
		       t->to && archive_error_string(t->to) ? archive_error_string(t->to) : "out of memory");
}

static int open_tar(struct tar *t, const char *path, struct err *err)
{
	t->to = archive_write_new();
	t->entry = archive_entry_new();
	if (!t->to || !t->entry || archive_write_set_format_pax_restricted(t->to) != ARCHIVE_OK ||
	    archive_write_add_filter_zstd(t->to) != ARCHIVE_OK ||
	    archive_write_open_filename(t->to, path) != ARCHIVE_OK)
		return failed(t, path, err);
	return 0;
}

static int add(struct tar *t, const char *folder, str name, str text, const char *path, struct err *err)
{
	CLEANUP(freep) char *full = NULL;

	if (asprintf(&full, "%s%.*s", folder, STR_ARG(name)) < 0) {
		full = NULL;
		return err_nomem(err);
	}
	(void)archive_entry_clear(t->entry);
	archive_entry_set_pathname(t->entry, full);
	archive_entry_set_size(t->entry, (int64_t)text.n);
	archive_entry_set_filetype(t->entry, AE_IFREG);
	archive_entry_set_perm(t->entry, 0644);
	if (archive_write_header(t->to, t->entry) != ARCHIVE_OK ||
	    archive_write_data(t->to, text.p, text.n) != (la_ssize_t)text.n)
		return failed(t, path, err);
	return 0;
}

static int read_about(const char *store, str id, char **ret, size_t *n, struct err *err)
{
	CLEANUP(buf_done) struct buf path = BUF_INIT(4096);
	int r;

	source_store_revision(store, id, &path);
	buf_add_cstr(&path, "/" ABOUT);
	r = buf_error(&path, "the path of the store", err);
	return r < 0 ? r : file_read(path.p, SOURCE_REVISION_MAX, ret, n, err);
}

static int write_all(const char *path, str about, const struct source_files *files, struct err *err)
{
	CLEANUP(tar_done) struct tar t = { 0 };
	int r = open_tar(&t, path, err);

	if (r == 0)
		r = add(&t, "", STR(ABOUT), about, path, err);
	for (size_t i = 0; i < files->list.n && r == 0; i++)
		r = add(&t, FILES, files->list.p[i].path, files->list.p[i].text, path, err);
	if (r == 0 && archive_write_close(t.to) != ARCHIVE_OK)
		r = failed(&t, path, err);
	return r;
}

int portable_export(const char *store, str name, str id, const char *path, struct err *err)
{
	CLEANUP(source_files_done) struct source_files files = { 0 };
	CLEANUP(freep) char *about = NULL;
	char last[SOURCE_ID_SIZE];
	size_t n;
	int r = id.n ? 0 : source_store_find(store, name, last, err);

	if (r == 0 && !id.n)
		id = str_from(last);
	if (r == 0)
		r = source_files_read(store, id, &files, err);
	if (r == 0)
		r = read_about(store, id, &about, &n, err);
	return r < 0 ? r : write_all(path, (str){ about, n }, &files, err);
}

/* ---- reading ---- */

/* Move the files from @from, where they are below "files/", to @to. */
static int take_files(struct tree *from, struct tree *to, str *about, struct err *err)
{
	size_t n;
	const struct tree_file *files = tree_files(from, &n);
	int r = n && !files ? err_nomem(err) : 0;

	for (size_t i = 0; i < n && r == 0; i++) {
		str path = files[i].path;

		if (str_eq(path, STR(ABOUT)))
			*about = files[i].text;
		else if (str_has_prefix(path, STR(FILES)))
			r = tree_add(to, str_sub(path, sizeof(FILES) - 1, path.n), files[i].text, err);
		else
			r = err_set(err, EINVAL, "it is not an exported revision: it has a file '%.*s'", STR_ARG(path));
	}
	if (r == 0 && !about->n)
		r = err_set(err, EINVAL, "it is not an exported revision: it has no " ABOUT);
	return r;
}

int portable_import(const char *store, str name, str file, struct err *err)
{
	CLEANUP(arena_done) struct arena a = ARENA_INIT(0);
	CLEANUP(tree_freep) struct tree *packed = NULL, *files = NULL;
	struct source_revision revision;
	char id[SOURCE_ID_SIZE];
	str about = { 0 };
	int r = tree_new(&packed, err);

	if (r == 0)
		r = tree_new(&files, err);
	if (r == 0)
		r = archive_unpack(file, STR(""), false, packed, err);
	if (r == 0)
		r = take_files(packed, files, &about, err);
	if (r == 0)
		r = source_revision_read(about, &a, &revision, err);
	if (r == 0)
		r = store_put(store, &revision, files, id, err);
	return r < 0 ? r : worker_keep_imported(store, name, id, err);
}

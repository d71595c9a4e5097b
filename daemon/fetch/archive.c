/* Archives are read by libarchive, of which only the tar formats and three compressions are enabled. Names of
 * entries are checked here. */
#include "daemon/fetch/archive.h"

#include "mask/foreign.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <locale.h>

#define ENTRIES_MAX 500000
/* Bytes of an uncompressed archive, including entries that are skipped: images contain much that is not wanted. */
#define UNPACKED_MAX ((int64_t)4 << 30)
#define SHOWN_MAX 120 /* bytes of a name in a message */
#define WHITEOUT ".wh."
#define WHITEOUT_ALL ".wh..wh..opq"

DEFINE_CLEANUP(struct archive *, archive_read_free)
DEFINE_CLEANUP(locale_t, freelocale)

struct unpacking {
	struct archive *a;
	str below;
	bool layer;
	struct tree *tree;
	struct buf text;
	size_t n_entries;
};

/* ---- the archive ---- */

static int fail(struct archive *a, struct err *err)
{
	char why[160];

	if (archive_errno(a) == ENOMEM)
		return err_nomem(err);
	foreign_print(foreign_bytes(str_from(archive_error_string(a))), why, sizeof(why));
	return err_set(err, EBADMSG, "archive: %s", *why ? why : "it is damaged");
}

static int refuse(int code, str name, const char *why, struct err *err)
{
	CLEANUP(buf_done) struct buf shown = BUF_INIT(4 * SHOWN_MAX);

	foreign_quote(foreign_bytes(name), SHOWN_MAX, &shown);
	return err_set(err, code, "archive: '%s' %s", buf_str(&shown).p, why);
}

static int begin(struct archive *a, str text, struct err *err)
{
	if (archive_read_support_format_tar(a) != ARCHIVE_OK || archive_read_support_filter_gzip(a) != ARCHIVE_OK ||
	    archive_read_support_filter_zstd(a) != ARCHIVE_OK || archive_read_support_filter_xz(a) != ARCHIVE_OK ||
	    archive_read_open_memory(a, text.p, text.n) != ARCHIVE_OK)
		return fail(a, err);
	/* Refuse an archive that is compressed more than once: it causes much work with few bytes, none of which
	 * counts as unpacked. The last filter is the one without compression. */
	return archive_filter_count(a) > 2 ? err_set(err, EBADMSG, "archive: it is packed more than once") : 0;
}

static int check_amount(const struct unpacking *u, struct err *err)
{
	return archive_filter_bytes(u->a, 0) > UNPACKED_MAX
		       ? err_set(err, E2BIG, "archive: it unpacks to more than %d GiB", (int)(UNPACKED_MAX >> 30))
		       : 0;
}

/* Whether a warning of libarchive is an error here: it ignored the rest of a malformed record, in which other
 * programs would find another path or size. The warning that a name is not in the charset of the locale is expected
 * (archive_unpack). */
static bool is_torn(struct archive *a)
{
	return str_has_prefix(str_from(archive_error_string(a)), STR("Ignoring malformed pax"));
}

/* Go to the next entry. 1: there is one. 0: the archive has ended. */
static int next_entry(struct unpacking *u, struct archive_entry **ret, struct err *err)
{
	int r = archive_read_next_header(u->a, ret);

	if (r == ARCHIVE_EOF)
		return 0;
	if (r < ARCHIVE_WARN || (r == ARCHIVE_WARN && is_torn(u->a)))
		return fail(u->a, err);
	if (++u->n_entries > ENTRIES_MAX)
		return err_set(err, E2BIG, "archive: it has more than %d entries", ENTRIES_MAX);
	r = check_amount(u, err);
	return r < 0 ? r : 1;
}

/* Read one piece of the data of an entry: 1, or 0 behind the last one. Entries are skipped in this way too, because
 * libarchive would unpack without a limit what it skips itself. */
static int next_piece(struct unpacking *u, str *ret, int64_t *at, struct err *err)
{
	const void *p = NULL;
	int r = archive_read_data_block(u->a, &p, &ret->n, at);

	ret->p = p;
	if (r == ARCHIVE_EOF)
		return 0;
	if (r < ARCHIVE_WARN)
		return fail(u->a, err);
	r = check_amount(u, err);
	return r < 0 ? r : 1;
}

static int pass_over(struct unpacking *u, struct err *err)
{
	int64_t at;
	str piece;
	int r;

	do
		r = next_piece(u, &piece, &at, err);
	while (r > 0);
	return r;
}

/* ---- names ---- */

static bool leads_out(str path)
{
	str rest = path, part;

	if (path.n > 0 && path.p[0] == '/')
		return true;
	while (str_next_part(&rest, '/', &part)) {
		if (str_eq(part, STR("..")))
			return true;
	}
	return false;
}

/* The path without "./" in front and without the slash behind a folder. */
static str tidy(str path)
{
	while (str_has_prefix(path, STR("./")))
		path = str_sub(path, 2, path.n);
	while (path.n > 0 && path.p[path.n - 1] == '/')
		path.n--;
	return str_eq(path, STR(".")) ? STR("") : path;
}

/* Whether @path is below @folder, or the folder itself; *ret is the path from there. */
static bool cut_folder(str path, str folder, str *ret)
{
	if (!str_has_prefix(path, folder) || (folder.n && path.n > folder.n && path.p[folder.n] != '/'))
		return false;
	*ret = str_sub(path, folder.n + (folder.n && path.n > folder.n), path.n);
	return true;
}

bool archive_path_below(str path, str folder, str *ret)
{
	return cut_folder(tidy(path), folder, ret) && ret->n > 0;
}

static int entry_path(struct archive_entry *e, str *ret, struct err *err)
{
	str path = str_from(archive_entry_pathname(e));

	if (!path.p)
		return err_set(err, EBADMSG, "archive: an entry has no name");
	if (leads_out(path))
		return refuse(EINVAL, path, "leads out of the folder", err);
	*ret = tidy(path);
	return 0;
}

/* ---- layers ---- */

/* Remove whatever is at @path, a path in the archive, and below it. */
static void remove_path(struct unpacking *u, str path)
{
	str inner;

	if (cut_folder(path, u->below, &inner))
		tree_remove(u->tree, inner);
	else if (cut_folder(u->below, path, &inner))
		tree_remove(u->tree, STR(""));
}

static int apply_whiteout(struct unpacking *u, str path, struct err *err)
{
	size_t cut = (size_t)(str_rfind(path, STR("/")) + 1);
	str folder = str_sub(path, 0, cut), name = str_sub(path, cut, path.n);
	CLEANUP(buf_done) struct buf gone = BUF_INIT(SIZE_MAX);

	buf_add_str(&gone, folder);
	if (!str_eq(name, STR(WHITEOUT_ALL)))
		buf_add_str(&gone, str_sub(name, sizeof(WHITEOUT) - 1, name.n));
	if (name.n > sizeof(WHITEOUT) - 1 && !gone.error)
		remove_path(u, tidy(buf_str(&gone)));
	return buf_error(&gone, "archive", err);
}

static bool is_whiteout(str path)
{
	return str_has_prefix(str_sub(path, (size_t)(str_rfind(path, STR("/")) + 1), path.n), STR(WHITEOUT));
}

/* Apply the whiteouts of a layer. They concern what lower layers have, wherever they are in their own layer, so that
 * they need a pass of their own. */
static int apply_whiteouts(struct unpacking *u, struct err *err)
{
	struct archive_entry *e;
	str path;
	int r;

	while ((r = next_entry(u, &e, err)) > 0) {
		r = entry_path(e, &path, err);
		if (r == 0 && is_whiteout(path))
			r = apply_whiteout(u, path, err);
		if (r == 0)
			r = pass_over(u, err);
		if (r < 0)
			return r;
	}
	return r;
}

/* ---- files ---- */

/* Read the content of a file. A hole in a sparse file becomes zeros. */
static int read_text(struct unpacking *u, struct archive_entry *e, str path, struct err *err)
{
	int64_t size = archive_entry_size(e), at;
	str piece;
	int r;

	buf_clear(&u->text);
	if (size < 0 || size > (int64_t)TREE_FILE_MAX)
		return refuse(E2BIG, path, "is too large", err);
	while ((r = next_piece(u, &piece, &at, err)) > 0) {
		if (at < (int64_t)u->text.n || at > size || (int64_t)piece.n > size - at)
			return refuse(EBADMSG, path, "has data where none should be", err);
		buf_fill(&u->text, '\0', (size_t)at - u->text.n);
		buf_add_str(&u->text, piece);
	}
	if (r < 0)
		return r;
	if ((int64_t)u->text.n < size)
		buf_fill(&u->text, '\0', (size_t)size - u->text.n);
	return buf_error(&u->text, "archive", err);
}

static int compare_path(const void *key, const void *file)
{
	return str_cmp(*(const str *)key, ((const struct tree_file *)file)->path);
}

/* Remove a file of the tree that has the name of a folder of @path. */
static bool clear_way(struct tree *t, str path)
{
	size_t n;
	const struct tree_file *files = tree_files(t, &n);

	for (size_t i = 1; i < path.n && n > 0; i++) {
		str folder = str_sub(path, 0, i);

		if (path.p[i] != '/' || !bsearch(&folder, files, n, sizeof(*files), compare_path))
			continue;
		tree_remove(t, folder);
		return true;
	}
	return false;
}

static int add_file(struct unpacking *u, struct archive_entry *e, str path, str inner, struct err *err)
{
	struct err why;
	int r = read_text(u, e, path, err);

	if (r < 0)
		return r;
	r = tree_add(u->tree, inner, buf_str(&u->text), &why);
	if (r == -EINVAL && clear_way(u->tree, inner))
		r = tree_add(u->tree, inner, buf_str(&u->text), &why);
	return r < 0 ? err_set(err, -r, "archive: %s", why.msg) : 0;
}

/* Handle an entry, which replaces an earlier one at its path. A hard link is left out like other links, because its
 * target may be outside of the wanted folder. */
static int take_entry(struct unpacking *u, struct archive_entry *e, str path, struct err *err)
{
	bool regular = archive_entry_filetype(e) == AE_IFREG && !archive_entry_hardlink(e), ours;
	str inner;

	if (archive_entry_filetype(e) == AE_IFDIR)
		return pass_over(u, err);
	ours = cut_folder(path, u->below, &inner);
	remove_path(u, path);
	if (ours && regular && inner.n)
		return add_file(u, e, path, inner, err);
	if (ours)
		tree_leave_out(u->tree);
	return pass_over(u, err);
}

static int take_entries(struct unpacking *u, struct err *err)
{
	struct archive_entry *e;
	str path;
	int r;

	while ((r = next_entry(u, &e, err)) > 0) {
		r = entry_path(e, &path, err);
		if (r == 0 && u->layer && is_whiteout(path))
			r = pass_over(u, err);
		else if (r == 0)
			r = take_entry(u, e, path, err);
		if (r < 0)
			return r;
	}
	return r;
}

static int run(struct unpacking *u, str text, int (*walk)(struct unpacking *u, struct err *err), struct err *err)
{
	CLEANUP(archive_read_freep) struct archive *a = archive_read_new();
	int r;

	if (!a)
		return err_nomem(err);
	u->a = a;
	u->n_entries = 0;
	r = begin(a, text, err);
	return r < 0 ? r : walk(u, err);
}

int archive_unpack(str archive, str below, bool layer, struct tree *t, struct err *err)
{
	CLEANUP(freelocalep) locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	struct unpacking u = { .below = below, .layer = layer, .tree = t, .text = BUF_INIT(TREE_FILE_MAX) };
	locale_t before;
	int r = 0;

	if (!plain)
		return err_nomem(err);
	/* libarchive converts names to the charset of the locale. It cannot convert to this one, and so it returns
	 * their bytes. */
	before = uselocale(plain);
	if (layer)
		r = run(&u, archive, apply_whiteouts, err);
	if (r == 0)
		r = run(&u, archive, take_entries, err);
	(void)uselocale(before);
	buf_done(&u.text);
	return r;
}

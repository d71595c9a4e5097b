/* Archives, good and hostile, made by libarchive's writer or by hand. */
#include "daemon/fetch/archive.h"

#include "base/utf8.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#define ENTRIES 8
#define OUT_MAX ((size_t)16 << 20)

enum filter { PLAIN, GZIP, ZSTD, XZ, GZIP_TWICE };

struct entry {
	const char *path;
	const char *text; /* of a regular file; NULL: of @type */
	unsigned type;
	const char *link; /* a hard link to it */
};

static ssize_t on_write(struct archive *a, void *ctx, const void *p, size_t n)
{
	(void)a;
	buf_add(ctx, p, n);
	return (ssize_t)n;
}

static struct archive *writer(int format, enum filter f, struct buf *out)
{
	struct archive *a = archive_write_new();

	assert_non_null(a);
	assert_int_equal(archive_write_set_format(a, format), ARCHIVE_OK);
	assert_int_equal(archive_write_set_bytes_per_block(a, 0), ARCHIVE_OK);
	if (f == GZIP || f == GZIP_TWICE)
		assert_int_equal(archive_write_add_filter_gzip(a), ARCHIVE_OK);
	if (f == GZIP_TWICE)
		assert_int_equal(archive_write_add_filter_gzip(a), ARCHIVE_OK);
	if (f == ZSTD)
		assert_int_equal(archive_write_add_filter_zstd(a), ARCHIVE_OK);
	if (f == XZ)
		assert_int_equal(archive_write_add_filter_xz(a), ARCHIVE_OK);
	assert_int_equal(archive_write_open(a, out, NULL, on_write, NULL), ARCHIVE_OK);
	return a;
}

static struct archive_entry *make_entry(const struct entry *from)
{
	struct archive_entry *e = archive_entry_new();

	archive_entry_set_pathname(e, from->path);
	archive_entry_set_perm(e, 0644);
	archive_entry_set_filetype(e, from->type ? from->type : AE_IFREG);
	archive_entry_set_size(e, from->text ? (int64_t)strlen(from->text) : 0);
	if (from->link)
		archive_entry_set_hardlink(e, from->link);
	if (from->type == AE_IFLNK)
		archive_entry_set_symlink(e, "/etc/passwd");
	return e;
}

static void make(const struct entry *entries, size_t n, int format, enum filter f, struct buf *out)
{
	struct archive *a = writer(format, f, out);

	for (size_t i = 0; i < n && entries[i].path; i++) {
		struct archive_entry *e = make_entry(&entries[i]);

		assert_true(archive_write_header(a, e) >= ARCHIVE_WARN);
		if (entries[i].text)
			assert_true(archive_write_data(a, entries[i].text, strlen(entries[i].text)) >= 0);
		archive_entry_free(e);
	}
	assert_int_equal(archive_write_close(a), ARCHIVE_OK);
	archive_write_free(a);
	assert_int_equal(out->error, 0);
}

/* The files as "path=text" with spaces between them, and "+N" for what was left out. */
static void show(struct tree *t, struct buf *out)
{
	size_t n;
	const struct tree_file *files = tree_files(t, &n);

	for (size_t i = 0; i < n; i++)
		buf_printf(out, "%.*s=%.*s ", STR_ARG(files[i].path), STR_ARG(files[i].text));
	buf_printf(out, "+%zu", tree_left_out(t));
}

static void assert_unpacks_to(str archive, const char *below, bool layer, struct tree *t, const char *wanted)
{
	CLEANUP(buf_done) struct buf shown = BUF_INIT(1 << 20);
	struct err err = { 0 };
	int r = archive_unpack(archive, str_from(below), layer, t, &err);

	if (r < 0)
		buf_add_cstr(&shown, err.msg);
	else
		show(t, &shown);
	assert_string_equal(shown.p, wanted);
}

struct row {
	struct entry entries[ENTRIES];
	const char *below, *wanted;
};

static const struct row rows[] = {
	{ { { "a", "1", 0, NULL }, { "d/b", "2", 0, NULL } }, "", "a=1 d/b=2 +0" },
	{ { { "./", NULL, AE_IFDIR, NULL }, { "./a", "1", 0, NULL }, { "././d/", NULL, AE_IFDIR, NULL } },
	  "",
	  "a=1 +0" },
	{ { { "ref/a", "1", 0, NULL }, { "reference/b", "2", 0, NULL }, { "./ref/d/c", "3", 0, NULL } },
	  "ref",
	  "a=1 d/c=3 +0" },
	{ { { "ref/x/a", "1", 0, NULL }, { "ref/b", "2", 0, NULL } }, "ref/x", "a=1 +0" },
	{ { { "a", "1", 0, NULL } }, "a", "+1" },
	{ { { "a", "1", 0, NULL }, { "l", NULL, AE_IFLNK, NULL }, { "h", NULL, 0, "a" } }, "", "a=1 +2" },
	{ { { "a", "1", 0, NULL }, { "x/l", NULL, AE_IFLNK, NULL } }, "y", "+0" },
	{ { { "f", NULL, AE_IFIFO, NULL }, { "c", NULL, AE_IFCHR, NULL }, { "b", NULL, AE_IFBLK, NULL } }, "", "+3" },
	{ { { "a", "1", 0, NULL }, { "a", "2", 0, NULL } }, "", "a=2 +0" },
	{ { { "a", "1", 0, NULL }, { "a", NULL, AE_IFLNK, NULL } }, "", "+1" },
	{ { { "a", "1", 0, NULL }, { "a/b", "2", 0, NULL } }, "", "a/b=2 +0" },
	{ { { "a/b/c", "1", 0, NULL }, { "a", "2", 0, NULL } }, "", "a=2 +0" },
	{ { { "d/a", "1", 0, NULL }, { "d/l", "2", 0, NULL }, { "d/l/x", "3", 0, NULL } }, "d", "a=1 l/x=3 +0" },
	{ { { "empty", "", 0, NULL } }, "", "empty= +0" },
	{ { { ".wh.a", "1", 0, NULL } }, "", ".wh.a=1 +0" },
	{ { { "\xc3\xa9", "1", 0, NULL } }, "", "\xc3\xa9=1 +0" },
	/* hostile ones */
	{ { { "/a", "1", 0, NULL } }, "", "archive: '/a' leads out of the folder" },
	{ { { "a/../../b", "1", 0, NULL } }, "", "archive: 'a/../../b' leads out of the folder" },
	{ { { "..", "1", 0, NULL } }, "", "archive: '..' leads out of the folder" },
	{ { { "other/..", NULL, AE_IFLNK, NULL } }, "ref", "archive: 'other/..' leads out of the folder" },
	{ { { "./../a", "1", 0, NULL } }, "", "archive: './../a' leads out of the folder" },
	{ { { "a/./b", "1", 0, NULL } }, "", "archive: the path 'a/./b' has a part that is empty, '.' or '..'" },
	{ { { "a//b", "1", 0, NULL } }, "", "archive: the path 'a//b' has a part that is empty, '.' or '..'" },
	{ { { "a\x1b[2Jb", "1", 0, NULL } }, "", "archive: the path 'a [2Jb' has a control character" },
	{ { { "a\xff", "1", 0, NULL } }, "", "archive: the path 'a ' is not UTF-8" },
	{ { { "a\\b", "1", 0, NULL } }, "", "archive: the path 'a\\b' has a backslash" },
};

static void test_rows(void **state)
{
	static const int formats[] = { ARCHIVE_FORMAT_TAR_PAX_INTERCHANGE, ARCHIVE_FORMAT_TAR_GNUTAR };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows) * ARRAY_LEN(formats); i++) {
		const struct row *row = &rows[i / ARRAY_LEN(formats)];
		CLEANUP(buf_done) struct buf out = BUF_INIT(OUT_MAX);
		CLEANUP(tree_freep) struct tree *t = NULL;
		struct err err;

		assert_int_equal(tree_new(&t, &err), 0);
		make(row->entries, ENTRIES, formats[i % ARRAY_LEN(formats)], PLAIN, &out);
		assert_unpacks_to(buf_str(&out), row->below, false, t, row->wanted);
	}
}

static void test_filters(void **state)
{
	static const struct entry entries[] = { { "a", "1", 0, NULL } };
	static const struct {
		enum filter filter;
		const char *wanted;
	} ways[] = { { PLAIN, "a=1 +0" },
		     { GZIP, "a=1 +0" },
		     { ZSTD, "a=1 +0" },
		     { XZ, "a=1 +0" },
		     { GZIP_TWICE, "archive: it is packed more than once" } };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(ways); i++) {
		CLEANUP(buf_done) struct buf out = BUF_INIT(OUT_MAX);
		CLEANUP(tree_freep) struct tree *t = NULL;
		struct err err;

		assert_int_equal(tree_new(&t, &err), 0);
		make(entries, 1, ARCHIVE_FORMAT_TAR_USTAR, ways[i].filter, &out);
		assert_unpacks_to(buf_str(&out), "", false, t, ways[i].wanted);
	}
}

/* Other archives are none, nor is what is cut off, wherever it is. */
static void test_refuses_what_is_none(void **state)
{
	static const struct entry entries[] = { { "a", "1", 0, NULL }, { "b", "2", 0, NULL } };
	static const int others[] = { ARCHIVE_FORMAT_ZIP, ARCHIVE_FORMAT_CPIO_SVR4_NOCRC, ARCHIVE_FORMAT_7ZIP };
	static const str texts[] = { STR(""), STR("a: 1\n"), STR("<html>"), STR("\x1f\x8b\x08") };
	CLEANUP(tree_freep) struct tree *t = NULL;
	struct err err;

	(void)state;
	assert_int_equal(tree_new(&t, &err), 0);
	for (size_t i = 0; i < ARRAY_LEN(others); i++) {
		CLEANUP(buf_done) struct buf out = BUF_INIT(OUT_MAX);

		make(entries, 1, others[i], PLAIN, &out);
		assert_int_equal(archive_unpack(buf_str(&out), STR(""), false, t, &err), -EBADMSG);
	}
	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		assert_int_equal(archive_unpack(texts[i], STR(""), false, t, &err), -EBADMSG);
}

static void test_cut_off(void **state)
{
	static const struct entry entries[] = { { "a", "1", 0, NULL }, { "b", "2", 0, NULL } };
	static const enum filter filters[] = { PLAIN, GZIP, ZSTD, XZ };

	(void)state;
	for (size_t f = 0; f < ARRAY_LEN(filters); f++) {
		CLEANUP(buf_done) struct buf out = BUF_INIT(OUT_MAX);

		make(entries, 2, ARCHIVE_FORMAT_TAR_USTAR, filters[f], &out);
		for (size_t n = 0; n < out.n; n++) {
			CLEANUP(tree_freep) struct tree *t = NULL;
			CLEANUP(freep) char *part = malloc(n + 1);
			struct err err;
			int r;

			assert_int_equal(tree_new(&t, &err), 0);
			memcpy(part, out.p, n);
			r = archive_unpack((str){ part, n }, STR(""), false, t, &err);
			if (filters[f] == PLAIN && n % 1024 == 0 && n > 0) /* where an entry may begin */
				assert_int_equal(r, 0);
			else if (r != -EBADMSG)
				assert_true(r == 0 && n > (filters[f] == PLAIN ? 2048 : out.n / 2));
		}
	}
}

/* Zeros take next to nothing while they are packed. */
static void make_zeros(const char *path, uint64_t size, size_t n_files, enum filter f, struct buf *out)
{
	static char zeros[1 << 20];
	struct archive *a = writer(ARCHIVE_FORMAT_TAR_PAX_INTERCHANGE, f, out);

	for (size_t i = 0; i < n_files; i++) {
		struct archive_entry *e = archive_entry_new();
		char name[64];

		(void)snprintf(name, sizeof(name), "%s%zu", path, i);
		archive_entry_set_pathname(e, name);
		archive_entry_set_filetype(e, AE_IFREG);
		archive_entry_set_size(e, (int64_t)size);
		assert_int_equal(archive_write_header(a, e), ARCHIVE_OK);
		for (uint64_t left = size; left > 0;) {
			size_t part = left < sizeof(zeros) ? (size_t)left : sizeof(zeros);

			assert_true(archive_write_data(a, zeros, part) > 0);
			left -= part;
		}
		archive_entry_free(e);
	}
	assert_int_equal(archive_write_close(a), ARCHIVE_OK);
	archive_write_free(a);
}

static void test_bombs(void **state)
{
	static const struct {
		uint64_t size;
		size_t n;
		const char *below, *wanted;
	} bombs[] = {
		{ TREE_FILE_MAX + 1, 1, "", "archive: 'a/0' is too large" },
		{ TREE_FILE_MAX, 9, "", "archive: the files have more than 64 MiB together" },
		{ 0, TREE_FILES_MAX + 1, "", "archive: there are more than 20000 files" },
		{ (uint64_t)100 << 20, 1, "b", "+0" },
		{ (uint64_t)5 << 30, 1, "b", "archive: it unpacks to more than 4 GiB" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(bombs); i++) {
		CLEANUP(buf_done) struct buf out = BUF_INIT((size_t)64 << 20);
		CLEANUP(tree_freep) struct tree *t = NULL;
		struct err err;

		assert_int_equal(tree_new(&t, &err), 0);
		make_zeros("a/", bombs[i].size, bombs[i].n, bombs[i].size >> 32 ? ZSTD : GZIP, &out);
		assert_true(out.n < (1 << 20));
		assert_unpacks_to(buf_str(&out), bombs[i].below, false, t, bombs[i].wanted);
	}
}

/* ---- headers by hand ---- */

static void finish_header(char h[512])
{
	unsigned sum = 0;

	memset(h + 148, ' ', 8);
	for (size_t i = 0; i < 512; i++)
		sum += (unsigned char)h[i];
	(void)snprintf(h + 148, 8, "%06o", sum);
}

static void add_header(struct buf *out, const char *path, char type, const char *size)
{
	char h[512] = { 0 };

	(void)snprintf(h, 100, "%s", path);
	memcpy(h + 100, "0000644", 7);
	(void)snprintf(h + 124, 13, "%s", size);
	h[156] = type;
	memcpy(h + 257, "ustar\00000", 8);
	finish_header(h);
	buf_add(out, h, sizeof(h));
}

static void add_data(struct buf *out, str text)
{
	buf_add_str(out, text);
	buf_fill(out, '\0', (512 - text.n % 512) % 512);
}

static void test_says_a_size_that_is_none(void **state)
{
	static const char *const sizes[] = { "77777777777", "00000001001", "-1", "\x80\1\1\1\1\1\1\1\1\1\1\1",
					     "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff" };
	static const char *const belows[] = { "", "elsewhere" };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(sizes) * 2; i++) {
		CLEANUP(buf_done) struct buf out = BUF_INIT(OUT_MAX);
		CLEANUP(tree_freep) struct tree *t = NULL;
		struct err err;
		int r;

		assert_int_equal(tree_new(&t, &err), 0);
		add_header(&out, "a", '0', sizes[i / 2]);
		add_data(&out, STR("1"));
		r = archive_unpack(buf_str(&out), str_from(belows[i % 2]), false, t, &err);
		if (r != -EBADMSG && r != -E2BIG)
			fail_msg("size %zu: %d", i / 2, r);
	}
}

/* What a pax header says of a path counts, and is judged like any other. */
static void test_pax_paths(void **state)
{
	static const struct {
		str record;
		const char *wanted;
	} paxes[] = {
		{ STR("16 path=good/xx\n"), "good/xx=1 +0" },
		{ STR("16 path=../evil\n"), "archive: '../evil' leads out of the folder" },
		{ STR("16 path=/eviler\n"), "archive: '/eviler' leads out of the folder" },
		{ STR("13 path=\xff\xfe.x\n"), "archive: the path '  .x' is not UTF-8" },
		{ STR("13 path=\xc3\xa9.x\n"), "\xc3\xa9.x=1 +0" },
		{ STR("18 path=good\0evil\n"), "good=1 +0" }, /* for all who take names of C */
		{ STR("99 path=good/xx\n"), "archive: Ignoring malformed pax extended attribute" },
		{ STR("21 hdrcharset=BINARY\n16 path=../evil\n"), "archive: '../evil' leads out of the folder" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(paxes); i++) {
		CLEANUP(buf_done) struct buf out = BUF_INIT(OUT_MAX);
		CLEANUP(tree_freep) struct tree *t = NULL;
		char size[32];
		struct err err;

		assert_int_equal(tree_new(&t, &err), 0);
		(void)snprintf(size, sizeof(size), "%011zo", paxes[i].record.n);
		add_header(&out, "x", 'x', size);
		add_data(&out, paxes[i].record);
		add_header(&out, "short", '0', "00000000001");
		add_data(&out, STR("1"));
		assert_unpacks_to(buf_str(&out), "", false, t, paxes[i].wanted);
	}
}

/* ---- sparse files ---- */

static void make_sparse(int64_t size, int64_t at, struct buf *out)
{
	struct archive *a = writer(ARCHIVE_FORMAT_TAR_PAX_INTERCHANGE, PLAIN, out);
	struct archive_entry *e = archive_entry_new();

	archive_entry_set_pathname(e, "s");
	archive_entry_set_filetype(e, AE_IFREG);
	archive_entry_set_size(e, size);
	archive_entry_sparse_add_entry(e, at, 1);
	assert_int_equal(archive_write_header(a, e), ARCHIVE_OK);
	for (int64_t i = 0; i < size && i < (1 << 20); i++)
		(void)archive_write_data(a, i == at ? "x" : "\0", 1);
	archive_entry_free(e);
	(void)archive_write_close(a);
	archive_write_free(a);
}

static void test_sparse(void **state)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(OUT_MAX), huge = BUF_INIT(OUT_MAX);
	CLEANUP(tree_freep) struct tree *t = NULL;
	const struct tree_file *files;
	struct err err;
	size_t n;

	(void)state;
	assert_int_equal(tree_new(&t, &err), 0);
	make_sparse(3000, 1000, &out);
	assert_int_equal(archive_unpack(buf_str(&out), STR(""), false, t, &err), 0);
	files = tree_files(t, &n);
	assert_int_equal(n, 1);
	assert_int_equal(files[0].text.n, 3000);
	for (size_t i = 0; i < 3000; i++)
		assert_int_equal(files[0].text.p[i], i == 1000 ? 'x' : 0);
	make_sparse((int64_t)1 << 40, 1000, &huge);
	assert_int_equal(archive_unpack(buf_str(&huge), STR(""), false, t, &err), -E2BIG);
}

/* ---- layers ---- */

static void test_layers(void **state)
{
	static const struct {
		struct entry lower[ENTRIES], upper[ENTRIES];
		const char *below, *wanted;
	} layers[] = {
		{ { { "d/a", "1", 0, NULL }, { "d/b", "2", 0, NULL } },
		  { { "d/.wh.a", "", 0, NULL } },
		  "",
		  "d/b=2 +0" },
		{ { { "d/a", "1", 0, NULL }, { "e/b", "2", 0, NULL } }, { { ".wh.d", "", 0, NULL } }, "", "e/b=2 +0" },
		{ { { "d/a", "1", 0, NULL }, { "e/b", "2", 0, NULL } }, { { ".wh.d", "", 0, NULL } }, "d", "+0" },
		{ { { "d/e/a", "1", 0, NULL } }, { { ".wh.d", "", 0, NULL } }, "d/e", "+0" },
		{ { { "d/a", "1", 0, NULL } },
		  { { "d/b", "2", 0, NULL }, { "d/.wh..wh..opq", "", 0, NULL } },
		  "",
		  "d/b=2 +0" },
		{ { { "d/e/a", "1", 0, NULL } },
		  { { ".wh..wh..opq", "", 0, NULL }, { "d/e/b", "2", 0, NULL } },
		  "d/e",
		  "b=2 +0" },
		{ { { "d/a", "1", 0, NULL } },
		  { { "d/a", "2", 0, NULL }, { "d/.wh.a", "", 0, NULL } },
		  "",
		  "d/a=2 +0" },
		{ { { "d/a", "1", 0, NULL } }, { { "d/a", NULL, AE_IFLNK, NULL } }, "", "+1" },
		{ { { "d/a", "1", 0, NULL } }, { { "d", NULL, AE_IFLNK, NULL } }, "d", "+1" },
		{ { { "d/e/a", "1", 0, NULL } }, { { "d", "file", 0, NULL } }, "d/e", "+0" },
		{ { { "d/a", "1", 0, NULL } }, { { "d", NULL, AE_IFDIR, NULL } }, "", "d/a=1 +0" },
		{ { { "d", "1", 0, NULL } },
		  { { "d/", NULL, AE_IFDIR, NULL }, { "d/a", "2", 0, NULL } },
		  "",
		  "d/a=2 +0" },
		{ { { "d/a", "1", 0, NULL } },
		  { { "d/.wh.", "", 0, NULL }, { ".wh...", "", 0, NULL } },
		  "",
		  "d/a=1 +0" },
		{ { { "d/a", "1", 0, NULL } },
		  { { "x/../.wh.d", "", 0, NULL } },
		  "",
		  "archive: 'x/../.wh.d' leads out of the folder" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(layers); i++) {
		CLEANUP(buf_done) struct buf lower = BUF_INIT(OUT_MAX), upper = BUF_INIT(OUT_MAX);
		CLEANUP(tree_freep) struct tree *t = NULL;
		struct err err;

		assert_int_equal(tree_new(&t, &err), 0);
		make(layers[i].lower, ENTRIES, ARCHIVE_FORMAT_TAR_USTAR, GZIP, &lower);
		make(layers[i].upper, ENTRIES, ARCHIVE_FORMAT_TAR_USTAR, GZIP, &upper);
		assert_int_equal(archive_unpack(buf_str(&lower), str_from(layers[i].below), true, t, &err), 0);
		assert_unpacks_to(buf_str(&upper), layers[i].below, true, t, layers[i].wanted);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_filters),
		cmocka_unit_test(test_refuses_what_is_none),
		cmocka_unit_test(test_cut_off),
		cmocka_unit_test(test_bombs),
		cmocka_unit_test(test_says_a_size_that_is_none),
		cmocka_unit_test(test_pax_paths),
		cmocka_unit_test(test_sparse),
		cmocka_unit_test(test_layers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* An exported state as somebody may have made it: it is refused with a reason and leaves nothing behind, or what was
 * taken can be exported and imported again, and is the same then.
 *
 * The input is the lines of the file without the last one, which counts and hashes them. A first line "!N M" is taken
 * off: only what the shard N of M owns is imported.
 *
 * Each input is tried in a database in memory that stays and awaits files: what came in is taken back. What folders
 * make of it is looked at too, which takes a hundred times as long: while new inputs are looked for, of one in
 * FUZZ_SAMPLE of those that are refused, and of all others. Those are three in a thousand: so of one in REST_SAMPLE the
 * lines that are refused are left out, and what remains is tried. */
#include "base/file.h"
#include "base/hash.h"
#include "base/number.h"
#include "daemon/store/database/database_internal.h"
#include "daemon/store/database/database_move.h"
#include "daemon/store/database/state_key.h"
#include "daemon/transfer/import.h"
#include "daemon/transfer/transfer_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define REST_SAMPLE (FUZZ_SAMPLE < 64 ? FUZZ_SAMPLE : 64)

static char top[64];
static struct database *memory; /* in which a move has begun, and never ends */
static sqlite3_stmt *mark, *take_back, *unmark;
static char *empty; /* a database without rows */
static size_t empty_n;
static const char *const names[] = { "driftd.db", "driftd.db-wal", "driftd.db-shm", "hash.key", "hash.old" };

static void check(bool ok)
{
	if (!ok)
		abort();
}

static const char *path_of(const char *folder, const char *name)
{
	static char paths[4][160];
	static size_t next;
	char *path = paths[next++ % ARRAY_LEN(paths)];

	(void)snprintf(path, sizeof(paths[0]), "%s/%s%s%s", top, folder, *name ? "/" : "", name);
	return path;
}

static void empty_folders(void)
{
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		(void)unlink(path_of("a", names[i]));
		(void)unlink(path_of("b", names[i]));
	}
}

static void write_empty(const char *folder)
{
	int fd = open(path_of(folder, names[0]), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	check(fd >= 0 && file_write_all(fd, (str){ empty, empty_n }) == 0 && close(fd) == 0);
}

static void remove_all(void)
{
	sqlite3_stmt *const all[] = { mark, take_back, unmark };

	empty_folders();
	(void)unlink(path_of("in", ""));
	(void)unlink(path_of("out", ""));
	(void)unlink(path_of("again", ""));
	(void)rmdir(path_of("a", ""));
	(void)rmdir(path_of("b", ""));
	(void)rmdir(top);
	for (size_t i = 0; i < ARRAY_LEN(all); i++)
		(void)sqlite3_finalize(all[i]);
	database_close(TAKE(memory));
	free(empty);
}

static sqlite3_stmt *prepare(const char *text)
{
	sqlite3_stmt *s = NULL;

	check(sqlite3_prepare_v2(memory->db, text, -1, &s, NULL) == SQLITE_OK);
	return s;
}

static void run(sqlite3_stmt *s)
{
	check(sqlite3_step(s) == SQLITE_DONE && sqlite3_reset(s) == SQLITE_OK);
}

static void set_up(void)
{
	struct database *d;
	struct err reported, err;

	(void)snprintf(top, sizeof(top), "%s/fuzz-transfer-XXXXXX",
		       access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
	check(mkdtemp(top) && mkdir(path_of("a", ""), 0700) == 0 && mkdir(path_of("b", ""), 0700) == 0);
	check(atexit(remove_all) == 0);
	check(database_open(path_of("a", ""), &d, &reported, &err) == 0);
	database_close(d);
	check(file_read(path_of("a", names[0]), 1 << 24, &empty, &empty_n, &err) == 0);
	check(database_open("", &memory, &reported, &err) == 0);
	check(database_move_begin(memory, &err) == 0);
	mark = prepare("SAVEPOINT input");
	take_back = prepare("ROLLBACK TO input");
	unmark = prepare("RELEASE input");
}

static struct shard take_shard(str *text)
{
	struct shard s = { 0 };
	int64_t ordinal, total;
	str line, first;

	if (!text->n || text->p[0] != '!' || !str_next_part(text, '\n', &line))
		return s;
	line = str_sub(line, 1, line.n);
	if (str_next_part(&line, ' ', &first) && int64_parse(first, &ordinal) && line.p && int64_parse(line, &total) &&
	    ordinal >= 0 && ordinal < total && total <= SHARDS_MAX)
		s = (struct shard){ (uint32_t)ordinal, (uint32_t)total };
	return s;
}

static void write_file(str text)
{
	CLEANUP(transfer_out_freep) struct transfer_out *o = NULL;
	struct err err;
	str line;

	check(transfer_out_new(path_of("in", ""), &o, &err) == 0);
	while (text.n && str_next_part(&text, '\n', &line)) {
		CLEANUP(buf_done) struct buf copy = BUF_INIT(TRANSFER_LINE_MAX);

		buf_add_str(&copy, line);
		check(transfer_out_line(o, &copy, &err) == 0);
	}
	check(transfer_out_end(o, &err) == 0);
}

static int take(const char *folder, const char *file, struct shard shard, struct err *err)
{
	const char *const files[] = { path_of(file, "") };
	struct state_counts counts;

	return state_import_files(path_of(folder, ""), files, 1, &(struct state_terms){ .shard = shard, .force = true },
				  &counts, err);
}

static void write_state(const char *folder, const char *file)
{
	struct state_counts counts;
	struct err err = { 0 };

	check(state_export(path_of(folder, ""), path_of(file, ""), "fuzz", &counts, &err) == 0);
	check(counts.left_out == 0);
}

/* But for the first line, which says when, and the last. */
static str content(char *text, size_t n)
{
	str s = { text, n }, head;
	ptrdiff_t end;

	check(str_next_part(&s, '\n', &head));
	end = str_rfind(s, STR("{\"end\":"));
	check(end >= 0);
	return str_sub(s, 0, (size_t)end);
}

static void check_same(const char *a, const char *b)
{
	CLEANUP(freep) char *one = NULL, *two = NULL;
	size_t n, m;
	struct err err;

	check(file_read(path_of(a, ""), 1 << 28, &one, &n, &err) == 0);
	check(file_read(path_of(b, ""), 1 << 28, &two, &m, &err) == 0);
	check(str_eq(content(one, n), content(two, m)));
}

/* What comes of the file, where nothing stays of it. */
static int try(struct shard shard, struct err *err)
{
	CLEANUP(transfer_in_freep) struct transfer_in *in = NULL;
	struct state_counts counts = { 0 };
	struct state_keys keys = { .n = 0 };
	int r;

	check(transfer_in_new(path_of("in", ""), &in, err) == 0);
	memory->move.file = 0;
	run(mark);
	r = state_import_lines(in, memory, shard, 0, &keys, &counts, err);
	check(!sqlite3_get_autocommit(memory->db));
	run(take_back);
	run(unmark);
	return r;
}

static void check_refused(struct shard shard)
{
	struct err err = { 0 };

	check(take("a", "in", shard, &err) < 0 && err.code && strstr(err.msg, "line "));
	check(access(path_of("a", "hash.key"), F_OK) < 0);
}

static void check_taken(struct shard shard)
{
	struct err err = { 0 };

	check(take("a", "in", shard, &err) == 0);
	write_state("a", "out");
	check(take("b", "out", (struct shard){ 0 }, &err) == 0);
	write_state("b", "again");
	check_same("out", "again");
	check(take("a", "in", shard, &err) == 0);
	write_state("a", "again");
	check_same("out", "again");
}

/* Without the line that *err names. False: it is none of them. */
static bool drop_line(struct buf *text, const struct err *err)
{
	const char *number = strstr(err->msg, "line ");
	str rest = buf_str(text), line;
	long n = number ? strtol(number + strlen("line "), NULL, 10) : 0;

	for (long i = 1; rest.n && str_next_part(&rest, '\n', &line); i++) {
		if (i < n)
			continue;
		memmove(text->p + (line.p - text->p), rest.p ? rest.p : "", rest.n);
		text->n = (size_t)(line.p - text->p) + rest.n;
		return true;
	}
	return false;
}

/* What remains without the lines that are refused. */
static int try_rest(str text, struct shard shard, struct err *err)
{
	CLEANUP(buf_done) struct buf rest = BUF_INIT(64 << 20);
	int r = err->code ? -err->code : 0;

	buf_add_str(&rest, text);
	while (r < 0 && drop_line(&rest, err)) {
		write_file(buf_str(&rest));
		r = try(shard, err);
	}
	return r;
}

static void begin_folders(void)
{
	empty_folders();
	write_empty("a");
	write_empty("b");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	str text = { (const char *)data, size };
	uint64_t hash = hash_bytes(data, size, 0);
	struct err err = { 0 };
	struct shard shard;
	int r;

	if (!*top)
		set_up();
	shard = take_shard(&text);
	write_file(text);
	r = try(shard, &err);
	check(r == 0 || (err.code == -r && strstr(err.msg, "line ")));
	if (r < 0 && hash % FUZZ_SAMPLE == 0) {
		begin_folders();
		check_refused(shard);
	}
	if (r < 0 && hash % REST_SAMPLE == 0)
		r = try_rest(text, shard, &err);
	if (r == 0) {
		begin_folders();
		check_taken(shard);
	}
	return 0;
}

/* Moving a state: what is drawn goes through files and comes back the same, also in shares and put together again; two
 * findings of one place; damaged files leave nothing behind. */
#include "daemon/transfer/import.h"

#include "base/file.h"
#include "daemon/findings/clock.h"
#include "daemon/findings/finding_json.h"
#include "daemon/findings/finding_owner.h"
#include "daemon/findings/finding_record.h"
#include "daemon/store/database/state_key.h"
#include "daemon/transfer/transfer_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define DRAWS 12
#define LARGE 45000 /* versions: 1.2 MB */
#define SHARDS_DRAWN_MAX 4

static struct {
	unsigned at, done; /* the call that fails; 0: none */
} fail;

/* NOLINTBEGIN(bugprone-reserved-identifier): the linker's names */
int __real_sqlite3_step(sqlite3_stmt *s);
int __wrap_sqlite3_step(sqlite3_stmt *s);

int __wrap_sqlite3_step(sqlite3_stmt *s)
{
	return ++fail.done == fail.at ? SQLITE_IOERR : __real_sqlite3_step(s);
}
/* NOLINTEND(bugprone-reserved-identifier) */

struct fixture {
	char top[64];
	uint64_t random;
	bool large; /* the next list of what was inspected is longer than one line of an export */
	int folders;
};

static int setup(void **state)
{
	struct fixture *x = calloc(1, sizeof(*x));

	*state = x;
	if (!x)
		return -1;
	/* in memory, where it can be: the tests wait for the disk a hundred times */
	(void)snprintf(x->top, sizeof(x->top), "/dev/shm/driftd-transfer-XXXXXX");
	if (mkdtemp(x->top))
		return 0;
	(void)snprintf(x->top, sizeof(x->top), "/tmp/driftd-transfer-XXXXXX");
	return mkdtemp(x->top) ? 0 : -1;
}

static void empty(const char *path)
{
	DIR *d = opendir(path);
	struct dirent *e;

	while (d && (e = readdir(d))) {
		if (unlinkat(dirfd(d), e->d_name, 0) < 0 && e->d_name[0] != '.') {
			char below[512];

			(void)snprintf(below, sizeof(below), "%s/%s", path, e->d_name);
			empty(below);
			(void)rmdir(below);
		}
	}
	closedir(d);
}

static int teardown(void **state)
{
	struct fixture *x = *state;

	empty(x->top);
	(void)rmdir(x->top);
	free(x);
	return 0;
}

static uint64_t draw(struct fixture *x, uint64_t below)
{
	x->random = x->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (x->random >> 33) % below;
}

static const char *new_folder(struct fixture *x, char path[128])
{
	(void)snprintf(path, 128, "%s/%d", x->top, x->folders++);
	assert_int_equal(mkdir(path, 0700), 0);
	return path;
}

static const char *new_file(struct fixture *x, char path[128])
{
	(void)snprintf(path, 128, "%s/file-%d", x->top, x->folders++);
	return path;
}

static struct database *open_folder(const char *dir)
{
	struct database *d = NULL;
	struct err reported, err;

	assert_int_equal(database_open(dir, &d, &reported, &err), 0);
	assert_int_equal(reported.code, 0);
	return d;
}

/* ---- what is drawn ---- */

static const char *const texts[] = { "", "a", "prod \"x\"", "b\tc", "\xc3\xa9\xe2\x82\xac", "x\x1fy", "line\nline" };

static str any_text(struct fixture *x)
{
	return str_from(texts[draw(x, ARRAY_LEN(texts))]);
}

static str uid_of(uint64_t n, char buf[64])
{
	return (str){ buf, (size_t)snprintf(buf, 64, "uid-%llx", (unsigned long long)(n * 0x9E3779B97F4A7C15u)) };
}

static struct finding any_finding(struct fixture *x, int n, char buf[3][64])
{
	struct finding f = {
		.kind = (enum finding_kind)draw(x, FINDING_KINDS),
		.severity = (enum severity)(SEVERITY_CRITICAL + draw(x, SEVERITY_INFO - SEVERITY_CRITICAL + 1)),
		.first_seen_usec = (int64_t)draw(x, 1u << 30) * 1000,
		.announced = draw(x, 4) > 0,
		.flaps = draw(x, 3) ? 0 : draw(x, 9),
		.subject = { .cluster = any_text(x), .reference = any_text(x), .component = any_text(x) },
		.paths = any_text(x),
		.manager = any_text(x),
	};

	f.dormant = f.flaps && draw(x, 2);
	f.subject.part = (str){ buf[0], (size_t)snprintf(buf[0], 64, "part-%d", n) };
	f.subject.acceptance = f.subject.name = f.subject.part;
	if (f.kind != FINDING_COMPONENT && f.kind != FINDING_GAP && draw(x, 5)) {
		f.subject.uid = uid_of(draw(x, 1000), buf[1]);
		f.subject.kind = STR("Pod");
	}
	random_id(f.id);
	random_id(f.state_hash);
	return f;
}

static void add_record(struct fixture *x, struct database *d, const struct finding *f, bool reported)
{
	CLEANUP(buf_done) struct buf bytes = BUF_INIT(1 << 20), key = BUF_INIT(1 << 20);
	static const enum message messages[FINDING_KINDS] = {
		[FINDING_DRIFT] = MESSAGE_DRIFT_BEGIN,           [FINDING_COMPONENT] = MESSAGE_COMPONENT_END,
		[FINDING_ERROR] = MESSAGE_ERROR_CHANGE,          [FINDING_GAP] = MESSAGE_GAP_BEGIN,
		[FINDING_VALIDATION] = MESSAGE_VALIDATION_BEGIN, [FINDING_ACCEPTED] = MESSAGE_ACCEPTED_EXPIRED,
		[FINDING_INSPECTION] = MESSAGE_INSPECTION_END,
	};
	struct outbox_new row = { .deferred = draw(x, 2), .hold_usec = (int64_t)draw(x, 1000) };
	struct record r;
	struct err err;
	int64_t seq;

	record_init(&r, messages[f->kind], 4);
	r.text = STR("what was said\nof it");
	record_add(&r, "DRIFTD_DRIFT_ID", str_from(f->id));
	record_add(&r, "DRIFTD_EVENT", draw(x, 2) ? STR("begin") : STR("change"));
	record_add_subject(&r, &f->subject);
	record_add(&r, "DRIFTD_OLD", STR("\xff\xfe"));
	record_add(&r, "DRIFTD_MANAGER", draw(x, 2) ? STR("kubectl") : STR(""));
	record_add(&r, "DRIFTD_DURATION_USEC", draw(x, 2) ? STR("12") : STR(""));
	record_encode(&r, &bytes);
	finding_key(f->kind, &f->subject, &key);
	row.about = buf_str(&key);
	row.record = buf_str(&bytes);
	row.due_usec = row.deferred ? (int64_t)draw(x, 1u << 30) : 0;
	if (reported)
		assert_int_equal(database_put_last_record(d, f->id, row.record, &err), 0);
	if (draw(x, 2))
		assert_int_equal(database_add_history(d, &r, (int64_t)draw(x, 1u << 30), &err), 0);
	if (draw(x, 2)) {
		assert_int_equal(database_add_to_outbox(d, &row, &seq, &err), 0);
		if (!row.deferred && draw(x, 2))
			assert_int_equal(database_mark_sent(d, seq, (int64_t)draw(x, 1000), &err), 0);
	}
	record_done(&r);
}

static void add_finding(struct fixture *x, struct database *d, int n)
{
	CLEANUP(buf_done) struct buf json = BUF_INIT(1 << 20);
	char buf[3][64];
	struct finding f = any_finding(x, n, buf);
	struct err err;

	finding_to_json(&f, &json);
	assert_int_equal(database_put_finding(d, f.id, buf_str(&json), &err), 0);
	for (uint64_t i = draw(x, 4); i > 0; i--)
		add_record(x, d, &f, i == 1);
	if (!draw(x, 5)) /* one that is over, whose end waits */
		assert_int_equal(database_remove_finding(d, f.id, &err), 0);
}

static void add_inspected(struct fixture *x, struct database *d, str cluster)
{
	CLEANUP(buf_done) struct buf versions = BUF_INIT(1 << 24);
	char buf[64];
	struct err err;

	for (uint64_t i = x->large ? LARGE : draw(x, 300); i > 0; i--)
		buf_printf(&versions, "%.*s %d\n", STR_ARG(uid_of(i, buf)), (int)i);
	x->large = false;
	assert_int_equal(database_put_inspected(d, cluster, buf_str(&versions), &err), 0);
}

static void fill(struct fixture *x, const char *dir)
{
	CLEANUP(database_closep) struct database *d = open_folder(dir);
	unsigned char key[FINDINGS_KEY_SIZE];
	struct err err;

	assert_int_equal(state_key_load(dir, key, &err), 0);
	assert_int_equal(database_begin(d, &err), 0);
	for (int n = (int)draw(x, 60); n > 0; n--)
		add_finding(x, d, n);
	for (uint64_t i = draw(x, 4); i > 0; i--) {
		struct acceptance a = {
			.kind = STR("Pod"), .path = STR("spec"), .reason = STR("why"), .owner = STR("me")
		};
		struct kept_rule rule = { STR("u-0"), STR("{\"a\":1}"), STR("2026"), { NULL, 0 } };
		CLEANUP(buf_done) struct buf json = BUF_INIT(1 << 20);
		char id[ACCEPTANCE_ID_SIZE], uuid[16];

		(void)snprintf(uuid, sizeof(uuid), "u-%d", (int)i);
		a.name = str_from(uuid);
		assert_true(acceptance_id(&a, id));
		acceptance_to_json(&a, &json);
		assert_int_equal(database_put_acceptance(d, id, buf_str(&json), &err), 0);
		rule.uuid = str_from(uuid);
		rule.updated_at = draw(x, 2) ? STR("2027") : rule.updated_at;
		assert_int_equal(database_put_rule(d, &rule, &err), 0);
		assert_int_equal(database_put_seen(d, any_text(x), (int64_t)draw(x, 1u << 30), &err), 0);
		assert_int_equal(database_put_unwatched(d, any_text(x),
							&(struct time_span){ (int64_t)draw(x, 1u << 20), 9 }, &err),
				 0);
		add_inspected(x, d, any_text(x));
	}
	assert_int_equal(database_end(d, 0, &err), 0);
}

/* ---- what is there ---- */

/* All rows but numbers of places, which may be others; lists of what was inspected line by line. */
static const char all_rows[] =
	"SELECT 'f', f.id, f.body, hex(t.record), NULL FROM finding f LEFT JOIN told t ON t.seq = f.seq"
	" UNION ALL SELECT 'o', hex(record), about || '|' || deferred, due_usec || '|' || hold_usec, s.usec"
	" FROM outbox o LEFT JOIN sent s ON s.seq = o.seq"
	" UNION ALL SELECT 'h', usec || finding || record, event || severity || cluster, kind || namespace || name,"
	" message || coalesce(type, '') || coalesce(manager, '') || coalesce(reason, '') || coalesce(lasted_usec, '') "
	"||"
	" coalesce(resource, '') || coalesce(reference, '') || coalesce(cause, '') FROM history"
	" UNION ALL SELECT 'u', cluster, from_usec, to_usec, NULL FROM unwatched"
	" UNION ALL SELECT 's', cluster, usec, NULL, NULL FROM seen"
	" UNION ALL SELECT 'a', id, body, NULL, NULL FROM acceptance"
	" UNION ALL SELECT 'r', uuid, body, created_at, updated_at FROM inspection_rule"
	" UNION ALL SELECT 'i', cluster, l.value, NULL, NULL FROM inspected, json_each('[\"' ||"
	" replace(rtrim(CAST(versions AS TEXT), char(10)), char(10), '\",\"') || '\"]') l WHERE length(versions)"
	" ORDER BY 1, 2, 3, 4, 5";

/* Outbox rows of one place, in order. */
static const char order_of_places[] = "SELECT about, hex(record) FROM outbox ORDER BY about, seq";

static void add_rows(const char *dir, const char *query, struct buf *out)
{
	char path[160];
	sqlite3_stmt *s;
	sqlite3 *db;

	(void)snprintf(path, sizeof(path), "%s/driftd.db", dir);
	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_prepare_v2(db, query, -1, &s, NULL), SQLITE_OK);
	while (sqlite3_step(s) == SQLITE_ROW) {
		for (int i = 0; i < sqlite3_column_count(s); i++) {
			const char *text = (const char *)sqlite3_column_text(s, i);

			buf_printf(out, "%s\x01", text ? text : "NULL");
		}
		buf_add_byte(out, '\n');
	}
	(void)sqlite3_finalize(s);
	(void)sqlite3_close(db);
}

static void assert_alike(const char *a, const char *b, const char *query)
{
	CLEANUP(buf_done) struct buf one = BUF_INIT(1 << 26), two = BUF_INIT(1 << 26);

	add_rows(a, query, &one);
	add_rows(b, query, &two);
	assert_int_equal(one.error, 0);
	assert_int_equal(two.error, 0);
	assert_string_equal(one.n ? one.p : "", two.n ? two.p : "");
}

static void assert_same(const char *a, const char *b)
{
	assert_alike(a, b, all_rows);
	assert_alike(a, b, order_of_places);
}

static void export(const char *dir, const char *file)
{
	struct state_counts n;
	struct err err = { 0 };
	struct stat st;

	if (state_export(dir, file, "0", &n, &err) < 0)
		fail_msg("export: %s", err.msg);
	assert_int_equal(n.left_out, 0);
	assert_int_equal(stat(file, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
}

static void import(const char *dir, const char *const *files, size_t n, struct shard shard)
{
	struct state_counts counts;
	struct err err = { 0 };

	if (state_import_files(dir, files, n, &(struct state_terms){ .shard = shard, .force = true }, &counts, &err) <
	    0)
		fail_msg("import: %s", err.msg);
}

static void assert_same_key(const char *a, const char *b)
{
	unsigned char one[FINDINGS_KEY_SIZE], two[FINDINGS_KEY_SIZE];
	struct err err;

	assert_int_equal(state_key_load(a, one, &err), 0);
	assert_int_equal(state_key_load(b, two, &err), 0);
	assert_memory_equal(one, two, sizeof(one));
}

/* ---- tests ---- */

static void test_there_and_twice(void **state)
{
	struct fixture *x = *state;

	for (unsigned i = 0; i < DRAWS; i++) {
		char from[128], to[128], file[128];
		const char *files[] = { file };

		x->random = i;
		x->large = i == 0;
		fill(x, new_folder(x, from));
		export(from, new_file(x, file));
		import(new_folder(x, to), files, 1, (struct shard){ 0 });
		assert_same(from, to);
		assert_same_key(from, to);
		import(to, files, 1, (struct shard){ 0 });
		assert_same(from, to);
		import(from, files, 1, (struct shard){ 0 });
		assert_same(from, to);
	}
}

/* In M shares, which have nothing in common but what is every shard's; and those in N, and those in one. */
static void test_shares_are_the_whole(void **state)
{
	struct fixture *x = *state;

	for (unsigned i = 0; i < DRAWS; i++) {
		char from[128], one[128], dirs[SHARDS_DRAWN_MAX][128], files[SHARDS_DRAWN_MAX][128], file[128];
		const char *first[] = { file }, *all[SHARDS_DRAWN_MAX];
		uint32_t total = 1 + (uint32_t)draw(x, SHARDS_DRAWN_MAX);

		x->random = 1000 + i;
		x->large = i == 0;
		fill(x, new_folder(x, from));
		export(from, new_file(x, file));
		for (uint32_t s = 0; s < total; s++) {
			import(new_folder(x, dirs[s]), first, 1, (struct shard){ s, total });
			export(dirs[s], new_file(x, files[s]));
			all[s] = files[s];
		}
		import(new_folder(x, one), all, total, (struct shard){ 0 });
		assert_same(from, one);
		assert_same_key(from, one);
	}
}

static int64_t count(const char *dir, const char *query)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(1 << 20);

	add_rows(dir, query, &out);
	return strtoll(out.p ? out.p : "-1", NULL, 10);
}

static const char waiting_lines[] =
	"SELECT count(*) FROM outbox o JOIN history h ON h.record = CAST(substr(o.record, 1, 32) AS TEXT)";

static int count_owned(void *ctx, const struct moved_finding *m, struct err *err)
{
	(void)err;
	assert_true(finding_is_own(*(struct shard *)ctx, m->finding->kind, &m->finding->subject));
	return 0;
}

static void test_a_share_is_what_the_shard_owns(void **state)
{
	struct fixture *x = *state;
	int64_t n = 0, n_all = 0;

	for (uint32_t i = 0; i < DRAWS; i++) {
		struct shard shard = { i % 3, 3 };
		char from[128], to[128], file[128];
		const char *files[] = { file };
		struct database *d;
		size_t malformed;
		struct err err;

		x->random = 2000 + i / 3;
		fill(x, new_folder(x, from));
		export(from, new_file(x, file));
		import(new_folder(x, to), files, 1, shard);
		d = open_folder(to);
		assert_int_equal(database_each_moved_finding(d, count_owned, &shard, &malformed, &err), 0);
		database_close(d);
		n += count(to, waiting_lines);
		n_all += shard.ordinal == 0 ? count(from, waiting_lines) : 0;
	}
	assert_true(n > 0);
	assert_int_equal(n, n_all); /* a line goes where its record waits */
}

static void put_gap_of(const char *dir, const char *id, bool waits, char state, str shard)
{
	CLEANUP(database_closep) struct database *d = open_folder(dir);
	CLEANUP(buf_done) struct buf json = BUF_INIT(1 << 20), key = BUF_INIT(1000), bytes = BUF_INIT(1 << 20);
	struct finding f = { .kind = FINDING_GAP, .severity = SEVERITY_ERROR, .announced = true, .first_seen_usec = 1 };
	struct outbox_new row = { .deferred = true, .due_usec = 500, .hold_usec = 50 };
	struct record r;
	struct err err;
	int64_t seq;

	f.subject.cluster = STR("prod");
	f.subject.shard = shard;
	memcpy(f.id, id, sizeof(f.id));
	memset(f.state_hash, state, FINDING_ID_SIZE - 1);
	finding_to_json(&f, &json);
	finding_key(f.kind, &f.subject, &key);
	assert_int_equal(database_put_finding(d, id, buf_str(&json), &err), 0);
	record_init(&r, MESSAGE_GAP_BEGIN, 3);
	record_add(&r, "DRIFTD_DRIFT_ID", str_from(id));
	record_add_subject(&r, &f.subject);
	record_encode(&r, &bytes);
	record_done(&r);
	row.about = buf_str(&key);
	row.record = buf_str(&bytes);
	if (waits)
		assert_int_equal(database_add_to_outbox(d, &row, &seq, &err), 0);
}

static void put_gap(const char *dir, const char *id, bool waits, char state)
{
	put_gap_of(dir, id, waits, state, STR(""));
}

/* Two shards could not reach the same cluster, and each told it under an id of its own: one of them is told on, and the
 * other is told as over, once, behind what waits of it. */
static void test_two_of_one_place(void **state)
{
	struct fixture *x = *state;
	char a[128], b[128], to[128], files[2][128];
	const char *all[] = { files[0], files[1] };

	put_gap(new_folder(x, a), "11111111111111111111111111111111", false, 'a');
	put_gap(new_folder(x, b), "22222222222222222222222222222222", true, 'a');
	export(a, new_file(x, files[0]));
	export(b, new_file(x, files[1]));
	new_folder(x, to);
	for (int i = 0; i < 2; i++) {
		import(to, all, 2, (struct shard){ 0 });
		assert_int_equal(count(to, "SELECT count(*) FROM finding"), 1);
		assert_int_equal(count(to, "SELECT count(*) FROM finding WHERE id LIKE '111%'"), 1);
		assert_int_equal(count(to, "SELECT count(*) FROM outbox"), 2);
		assert_int_equal(count(to, "SELECT count(*) FROM outbox WHERE seq = (SELECT max(seq) FROM outbox)"
					   " AND deferred AND due_usec = 500 AND hold_usec = 50"
					   " AND instr(record, CAST('gap ends: ' AS BLOB)) > 0"
					   " AND hex(substr(record, 1, 32)) LIKE '32323232%'"),
				 1);
		assert_int_equal(count(to, "SELECT count(*) FROM history WHERE event = 'end' AND finding LIKE '222%'"),
				 1);
	}
}

static void assert_gap(const char *dir, const char *id, const char *shard, int waiting)
{
	char query[256];

	assert_int_equal(count(dir, "SELECT count(*) FROM finding"), 1);
	(void)snprintf(query, sizeof(query), "SELECT count(*) FROM finding WHERE id = '%s' AND %s", id,
		       shard[0] ? "instr(body, '\"shard\"')" : "NOT instr(body, '\"shard\"')");
	assert_int_equal(count(dir, query), 1);
	(void)snprintf(query, sizeof(query), "SELECT count(*) FROM finding WHERE instr(body, '%s')", shard);
	assert_int_equal(count(dir, query), 1);
	(void)snprintf(query, sizeof(query), "SELECT count(*) FROM outbox WHERE about LIKE '%%%s%s'",
		       shard[0] ? "\x1f" : "", shard);
	assert_int_equal(count(dir, query), waiting);
	assert_int_equal(count(dir, "SELECT count(DISTINCT about) FROM outbox"), waiting ? 1 : 0);
}

/* What two shards had for themselves is told on under the number that its process has now, with what waits of it. */
static void test_of_a_process(void **state)
{
	static const char one[] = "11111111111111111111111111111111", two[] = "22222222222222222222222222222222";
	struct fixture *x = *state;
	char a[128], b[128], to[128], files[3][128];
	const char *both[] = { files[0], files[1] }, *again[] = { files[2] };

	put_gap_of(new_folder(x, a), one, false, 'a', STR("0/2"));
	put_gap_of(new_folder(x, b), two, true, 'a', STR("1/2"));
	export(a, new_file(x, files[0]));
	export(b, new_file(x, files[1]));
	import(new_folder(x, to), both, 2, (struct shard){ 0 });
	assert_gap(to, one, "", 2); /* the begin of the other, and that it is told on as this one */
	import(new_folder(x, to), both, 2, (struct shard){ 0, 3 });
	assert_gap(to, one, "0/3", 0);
	import(new_folder(x, to), both, 2, (struct shard){ 2, 3 });
	assert_int_equal(count(to, "SELECT count(*) FROM finding"), 0);
	import(new_folder(x, to), both, 2, (struct shard){ 1, 3 });
	assert_gap(to, two, "1/3", 1);
	export(to, new_file(x, files[2]));
	import(new_folder(x, to), again, 1, (struct shard){ 0 });
	assert_gap(to, two, "", 1);
	export(to, new_file(x, files[2]));
	import(new_folder(x, to), again, 1, (struct shard){ 0, 2 }); /* also what still waits under an older number */
	assert_gap(to, two, "0/2", 1);
	for (int i = 0; i < 2; i++) {
		import(b, both, 2, (struct shard){ 1, 3 }); /* the folder is the same */
		assert_gap(b, two, "1/3", 1);
	}
}

/* What has ended where it was told does not come back with an old file. */
static void test_an_old_file(void **state)
{
	struct fixture *x = *state;
	char a[128], file[128];
	const char *all[] = { file };
	struct database *d;
	struct record r;
	struct err err;

	put_gap(new_folder(x, a), "11111111111111111111111111111111", false, 'a');
	export(a, new_file(x, file));
	d = open_folder(a);
	record_init(&r, MESSAGE_GAP_END, 6);
	record_add(&r, "DRIFTD_EVENT", STR("end"));
	record_add(&r, "DRIFTD_DRIFT_ID", STR("11111111111111111111111111111111"));
	assert_int_equal(database_add_history(d, &r, 5, &err), 0);
	assert_int_equal(database_remove_finding(d, "11111111111111111111111111111111", &err), 0);
	record_done(&r);
	database_close(d);
	import(a, all, 1, (struct shard){ 0 });
	assert_int_equal(count(a, "SELECT count(*) FROM finding"), 0);
}

/* A finding whose begin waits; then, in the same folder, that is told and over, and another one of its place is open.
 */
static void put_two_times(struct fixture *x, char files[2][128])
{
	CLEANUP(buf_done) struct buf bytes = BUF_INIT(1 << 20);
	const char *id = "11111111111111111111111111111111";
	struct outbox_new row = { .about = STR("place"), .deferred = true };
	struct record begin, end;
	struct database *d;
	char a[128];
	struct err err;
	int64_t seq;

	put_gap(new_folder(x, a), id, false, 'a');
	record_init(&begin, MESSAGE_GAP_BEGIN, 3);
	record_add(&begin, "DRIFTD_EVENT", STR("begin"));
	record_add(&begin, "DRIFTD_DRIFT_ID", str_from(id));
	record_encode(&begin, &bytes);
	row.record = buf_str(&bytes);
	d = open_folder(a);
	assert_int_equal(database_add_history(d, &begin, 4, &err), 0);
	assert_int_equal(database_add_to_outbox(d, &row, &seq, &err), 0);
	database_close(d);
	export(a, new_file(x, files[0]));
	record_init(&end, MESSAGE_GAP_END, 6);
	record_add(&end, "DRIFTD_EVENT", STR("end"));
	record_add(&end, "DRIFTD_DRIFT_ID", str_from(id));
	d = open_folder(a);
	assert_int_equal(database_add_history(d, &end, 5, &err), 0);
	assert_int_equal(database_remove_from_outbox(d, seq, &err), 0);
	assert_int_equal(database_remove_finding(d, id, &err), 0);
	database_close(d);
	record_done(&begin);
	record_done(&end);
	put_gap(a, "22222222222222222222222222222222", false, 'a');
	export(a, new_file(x, files[1]));
}

static void assert_later_time(const char *dir)
{
	assert_int_equal(count(dir, "SELECT count(*) FROM finding"), 1);
	assert_int_equal(count(dir, "SELECT count(*) FROM finding WHERE id LIKE '222%'"), 1);
	assert_int_equal(count(dir, "SELECT count(*) FROM outbox"), 0);
	assert_int_equal(count(dir, "SELECT count(*) FROM history"), 2);
}

/* Files of two times, in any order, at once and one by one: it is as in the later of them. */
static void test_two_times(void **state)
{
	struct fixture *x = *state;
	char to[128], files[2][128];

	put_two_times(x, files);
	for (int first = 0; first < 2; first++) {
		const char *order[] = { files[first], files[1 - first], files[0] };

		import(new_folder(x, to), order, 2, (struct shard){ 0, 3 });
		assert_later_time(to);
		new_folder(x, to);
		for (size_t i = 0; i < ARRAY_LEN(order); i++)
			import(to, order + i, 1, (struct shard){ 0 });
		assert_later_time(to);
		import(new_folder(x, to), order, 2, (struct shard){ 1, 3 });
		assert_int_equal(count(to, "SELECT count(*) FROM finding"), 0);
		assert_int_equal(count(to, "SELECT count(*) FROM outbox"), 0);
	}
}

/* Of a finding that two files have as open, the later one is known. */
static void test_later_state(void **state)
{
	struct fixture *x = *state;
	const char *id = "11111111111111111111111111111111";
	char a[128], to[128], files[2][128];
	struct database *d;
	struct err err;

	put_gap(new_folder(x, a), id, false, 'a');
	export(a, new_file(x, files[0]));
	d = open_folder(a);
	assert_int_equal(database_remove_finding(d, id, &err), 0);
	database_close(d);
	put_gap(a, id, false, 'b');
	export(a, new_file(x, files[1]));
	for (int first = 0; first < 2; first++) {
		const char *order[] = { files[first], files[1 - first] };

		import(new_folder(x, to), order, 2, (struct shard){ 0 });
		assert_int_equal(count(to, "SELECT count(*) FROM finding WHERE instr(body, 'bbbbbbbb') > 0"), 1);
	}
}

static void test_keys_of_several(void **state)
{
	struct fixture *x = *state;
	char a[128], b[128], to[128], files[2][128];
	const char *all[] = { files[0], files[1] };
	struct state_keys keys;
	unsigned char key[FINDINGS_KEY_SIZE];
	struct err err;

	fill(x, new_folder(x, a));
	fill(x, new_folder(x, b));
	export(a, new_file(x, files[0]));
	export(b, new_file(x, files[1]));
	import(new_folder(x, to), all, 2, (struct shard){ 0 });
	import(to, all, 2, (struct shard){ 0 });
	assert_int_equal(state_keys_read(to, &keys, &err), 0);
	assert_int_equal(keys.n, 2);
	assert_same_key(a, to);
	assert_int_equal(state_key_load(b, key, &err), 0);
	assert_memory_equal(key, keys.of[1], sizeof(key));
}

/* Wherever a file breaks off, and whichever of its bytes is another one: nothing is imported, and the line is named. */
static void test_damaged_files(void **state)
{
	struct fixture *x = *state;
	char from[128], to[128], file[128], bad[128], path[160];
	CLEANUP(freep) char *text = NULL;
	const char *files[] = { bad };
	struct err err = { 0 };
	size_t n;

	x->random = 3;
	put_gap(new_folder(x, from), "11111111111111111111111111111111", true, 'a');
	export(from, new_file(x, file));
	assert_int_equal(file_read(file, 1 << 24, &text, &n, &err), 0);
	new_folder(x, to);
	new_file(x, bad);
	for (size_t i = 0; i < 2 * n; i += 1 + draw(x, 9)) {
		size_t at = i % n;
		char was = text[at];
		struct state_counts counts;
		int fd = open(bad, O_WRONLY | O_CREAT | O_TRUNC, 0600);

		if (i >= n)
			text[at] = (char)(was ^ 1);
		assert_int_equal(file_write_all(fd, (str){ text, i < n ? at : n }), 0);
		close(fd);
		text[at] = was;
		if (i >= n && at + 1 == n)
			continue; /* the end of the last line */
		assert_true(state_import_files(to, files, 1, &(struct state_terms){ 0 }, &counts, &err) < 0);
		assert_non_null(strstr(err.msg, "line "));
		assert_non_null(strstr(err.msg, bad));
		assert_int_equal(count(to, "SELECT (SELECT count(*) FROM finding) + (SELECT count(*) FROM outbox)"), 0);
	}
	(void)snprintf(path, sizeof(path), "%s/hash.key", to);
	assert_int_equal(access(path, F_OK), -1);
}

static void test_what_cannot_be(void **state)
{
	struct fixture *x = *state;
	char dir[128], file[128], path[160];
	struct state_counts counts;
	struct database *d;
	struct err err;
	int fd;

	new_folder(x, dir);
	assert_int_equal(state_export(dir, new_file(x, file), "0", &counts, &err), -ENOENT);
	assert_int_equal(access(file, F_OK), -1);
	d = open_folder(dir);
	assert_int_equal(state_export(dir, file, "0", &counts, &err), -EBUSY);
	assert_int_equal(
		state_import_files(dir, (const char *[]){ "/dev/null" }, 1, &(struct state_terms){ 0 }, &counts, &err),
		-EBUSY);
	database_close(d);
	assert_int_equal(
		state_import_files(dir, (const char *[]){ "/dev/null" }, 1, &(struct state_terms){ 0 }, &counts, &err),
		-EBADMSG);
	assert_int_equal(state_export(dir, "/nowhere/file", "0", &counts, &err), -ENOENT);
	(void)snprintf(path, sizeof(path), "%s/driftd.db", dir);
	fd = open(path, O_WRONLY | O_TRUNC);
	assert_int_equal(file_write_all(fd, STR("this is no database, whatever it is, and it stays as it is")), 0);
	close(fd);
	assert_int_equal(state_export(dir, file, "0", &counts, &err), -EBADMSG);
	assert_int_equal(access(path, F_OK), 0);
}

/* An export of before is not for a folder in which a driftd went on. */
static void test_an_older_export(void **state)
{
	struct fixture *x = *state;
	char dir[128], file[128];
	const char *files[] = { file };
	struct state_terms terms = { 0 };
	struct state_counts counts;
	struct database *d;
	struct err err = { 0 };

	new_folder(x, dir);
	database_close(open_folder(dir));
	assert_int_equal(state_export(dir, new_file(x, file), "0", &counts, &err), 0);
	assert_int_equal(state_import_files(dir, files, 1, &terms, &counts, &err), 0);

	d = open_folder(dir);
	assert_int_equal(database_begin(d, &err), 0);
	assert_int_equal(database_end(d, database_put_seen(d, STR("a"), clock_usec() + 1000000, &err), &err), 0);
	database_close(d);
	assert_int_equal(state_import_files(dir, files, 1, &terms, &counts, &err), -ESTALE);
	assert_non_null(strstr(err.msg, "before what the folder knows"));
	terms.force = true;
	assert_int_equal(state_import_files(dir, files, 1, &terms, &counts, &err), 0);
}

/* A file of these lines, with the end that they need. */
static void write_file(const char *path, const char *const *lines, size_t n)
{
	CLEANUP(transfer_out_freep) struct transfer_out *o = NULL;
	struct err err;

	assert_int_equal(transfer_out_new(path, &o, &err), 0);
	for (size_t i = 0; i < n; i++) {
		CLEANUP(buf_done) struct buf line = BUF_INIT(1 << 16);

		buf_add_cstr(&line, lines[i]);
		assert_int_equal(transfer_out_line(o, &line, &err), 0);
	}
	assert_int_equal(transfer_out_end(o, &err), 0);
}

#define HEAD "{\"driftdState\":1,\"exportedUsec\":1,\"hashKeys\":[]}"
#define HISTORY(usec, record, more)                                                                                    \
	"{\"history\":{\"usec\":" usec ",\"owner\":\"\",\"finding\":\"f\",\"record\":\"" record                        \
	"\",\"event\":\"e\",\"severity\":\"s\",\"cluster\":\"c\",\"kind\":\"k\",\"namespace\":\"n\",\"name\":"         \
	"\"m\"" more "}}"
#define OUTBOX(about, deferred, due, hold, more)                                                                       \
	"{\"record\":{\"about\":" about ",\"deferred\":" deferred ",\"dueUsec\":" due ",\"holdUsec\":" hold more "}}"
#define GAP                                                                                                            \
	"{\"finding\":3,\"severity\":4,\"id\":\"11111111111111111111111111111111\",\"state\":"                         \
	"\"22222222222222222222222222222222\",\"firstSeenUsec\":1,\"announced\":true,\"cluster\":\"c\"}"

/* Lines that nothing has damaged, and that no export has: nothing of the file is imported. */
static void test_malformed_lines(void **state)
{
	static const struct {
		const char *lines[3], *error; /* NULL: it is imported */
	} cases[] = {
		{ { HEAD }, NULL },
		{ { "{}" }, "line 1: this is not an export of a driftd" },
		{ { "{\"driftdState\":0}" }, "line 1: this is not an export of a driftd" },
		{ { "{\"driftdState\":\"1\"}" }, "line 1: this is not an export of a driftd" },
		{ { "{\"driftdState\":2,\"driftd\":\"9.9\"}" },
		  "line 1: version 2, of driftd 9.9: this one reads up to 1" },
		{ { "{\"driftdState\":1,\"hashKeys\":[]}" }, "line 1: malformed head" },
		{ { "{\"driftdState\":1,\"exportedUsec\":-1,\"hashKeys\":[]}" }, "line 1: malformed head" },
		{ { "{\"driftdState\":1,\"exportedUsec\":9223372036854775807,\"hashKeys\":[]}" },
		  "line 1: malformed head" },
		{ { "{\"driftdState\":1,\"exportedUsec\":1}" }, "line 1: malformed list of keys" },
		{ { "{\"driftdState\":1,\"exportedUsec\":1,\"hashKeys\":[\"00\"]}" }, "line 1: malformed key" },
		{ { HEAD, "{}" }, "line 2: unknown kind of line" },
		{ { HEAD, "{\"end\":{\"lines\":2}}" }, "line 2: what is above it is not what was exported" },
		{ { HEAD, "{\"end\":{\"lines\":1,\"sha256\":\"0\"}}" },
		  "line 2: what is above it is not what was exported" },
		{ { HEAD, "{\"seen\":{\"cluster\":\"c\",\"usec\":0}}" }, NULL },
		{ { HEAD, "{\"seen\":{\"cluster\":\"c\",\"usec\":-1}}" },
		  "line 2: malformed time at which a cluster was seen" },
		{ { HEAD, "{\"seen\":{\"usec\":1}}" }, "line 2: malformed time at which a cluster was seen" },
		{ { HEAD, "{\"unwatched\":{\"cluster\":\"c\",\"fromUsec\":1,\"toUsec\":2}}" }, NULL },
		{ { HEAD, "{\"unwatched\":{\"fromUsec\":1,\"toUsec\":2}}" },
		  "malformed time in which nobody watched a cluster" },
		{ { HEAD, "{\"unwatched\":{\"cluster\":\"c\",\"toUsec\":2}}" },
		  "malformed time in which nobody watched a cluster" },
		{ { HEAD, "{\"unwatched\":{\"cluster\":\"c\",\"fromUsec\":1}}" },
		  "malformed time in which nobody watched a cluster" },
		{ { HEAD, "{\"acceptance\":\"{}\"}" }, "line 2: " },
		{ { HEAD, "{\"rule\":{\"uuid\":\"u\",\"body\":\"{}\",\"createdAt\":\"t\"}}" }, NULL },
		{ { HEAD, "{\"rule\":{\"uuid\":\"u\",\"body\":\"{}\",\"createdAt\":\"t\",\"updatedAt\":\"t\"}}" },
		  NULL },
		{ { HEAD, "{\"rule\":{\"uuid\":\"\",\"body\":\"{}\",\"createdAt\":\"t\"}}" },
		  "line 2: malformed inspection rule" },
		{ { HEAD, "{\"rule\":{\"uuid\":\"u\",\"createdAt\":\"t\"}}" }, "line 2: malformed inspection rule" },
		{ { HEAD, "{\"rule\":{\"uuid\":\"u\",\"body\":\"{}\"}}" }, "line 2: malformed inspection rule" },
		{ { HEAD, "{\"rule\":{\"uuid\":\"u\",\"body\":\"{}\",\"createdAt\":\"t\",\"updatedAt\":1}}" },
		  "malformed inspection rule" },
		{ { HEAD, "{\"rule\":{\"uuid\":\"u\",\"body\":\"}\",\"createdAt\":\"t\"}}" }, "line 2: " },
		{ { HEAD, "{\"inspected\":{\"cluster\":\"c\",\"versions\":\"u 1\\nv 2\\n\"}}" }, NULL },
		{ { HEAD, "{\"inspected\":{\"cluster\":\"c\"}}" }, "line 2: malformed list of inspected objects" },
		{ { HEAD, "{\"inspected\":{\"versions\":\"u 1\"}}" }, "line 2: malformed list of inspected objects" },
		{ { HEAD, "{\"finding\":{\"is\":" GAP "}}" }, NULL },
		{ { HEAD, "{\"finding\":{\"is\":{}}}" }, "line 2: malformed finding" },
		{ { HEAD, "{\"finding\":{\"is\":" GAP ",\"told\":1}}" }, "line 2: malformed record" },
		{ { HEAD, "{\"finding\":{\"is\":" GAP ",\"told\":\"!\"}}" }, "line 2: malformed record" },
		{ { HEAD, "{\"finding\":{\"is\":" GAP ",\"told\":\"AAAA\"}}" }, "line 2: " },
		{ { HEAD, HISTORY("1", "r", ",\"message\":\"\""), "{\"finding\":{\"is\":" GAP "}}" },
		  "line 3: a finding comes behind records that may be about it" },
		{ { HEAD, HISTORY("1", "r", ",\"message\":\"\",\"type\":\"t\",\"lastedUsec\":0") }, NULL },
		{ { HEAD, HISTORY("-1", "r", ",\"message\":\"\"") }, "line 2: malformed line of the history" },
		{ { HEAD, HISTORY("1", "", ",\"message\":\"\"") }, "line 2: malformed line of the history" },
		{ { HEAD, HISTORY("1", "r", "") }, "line 2: malformed line of the history" },
		{ { HEAD, HISTORY("1", "r", ",\"message\":\"\",\"cause\":1") },
		  "line 2: malformed line of the history" },
		{ { HEAD, HISTORY("1", "r", ",\"message\":\"\",\"lastedUsec\":-1") },
		  "line 2: malformed line of the history" },
		{ { HEAD, OUTBOX("1", "true", "1", "1", "") }, "line 2: malformed row of the outbox" },
		{ { HEAD, OUTBOX("\"a\"", "1", "1", "1", "") }, "line 2: malformed row of the outbox" },
		{ { HEAD, OUTBOX("\"a\"", "true", "-1", "1", "") }, "line 2: malformed row of the outbox" },
		{ { HEAD, OUTBOX("\"a\"", "true", "1", "-1", "") }, "line 2: malformed row of the outbox" },
		{ { HEAD, OUTBOX("\"a\"", "true", "1", "1", ",\"sentUsec\":-1") },
		  "line 2: malformed row of the outbox" },
		{ { HEAD, OUTBOX("\"a\"", "true", "1", "1", "") }, "line 2: malformed record" },
	};
	struct fixture *x = *state;
	char to[128], file[128];
	const char *files[] = { file };

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct state_counts counts;
		struct err err = { 0 };
		size_t n = 0;
		int r;

		while (n < 3 && cases[i].lines[n])
			n++;
		write_file(new_file(x, file), cases[i].lines, n);
		r = state_import_files(new_folder(x, to), files, 1, &(struct state_terms){ .force = true }, &counts,
				       &err);
		if (cases[i].error ? r != -EBADMSG && r != -EINVAL && r != -EPROTO : r != 0)
			fail_msg("case %zu: %d %s", i, r, err.msg);
		if (cases[i].error && !strstr(err.msg, cases[i].error))
			fail_msg("case %zu: %s", i, err.msg);
	}
}

/* What driftd itself could not read is not exported, but counted; the rest is. */
static void test_what_is_left_out(void **state)
{
	static const char *const rows[] = {
		"INSERT INTO acceptance(id, body) VALUES('x', 'no acceptance')",
		"INSERT INTO inspection_rule(uuid, body, created_at) VALUES('', '{}', 't')",
		"INSERT INTO inspection_rule(uuid, body, created_at) VALUES('u', 'no JSON', 't')",
		"INSERT INTO inspection_rule(uuid, body, created_at) VALUES('v', '{}', 't')",
		"INSERT INTO finding(id, body) VALUES('x', 'no finding')",
		"INSERT INTO told(seq, record) SELECT seq, x'00' FROM finding WHERE id LIKE '1%'",
		"INSERT INTO outbox(deferred, due_usec, about, record) VALUES(0, 0, 'x', x'00')",
		"INSERT INTO history(usec, finding, record, event, message) VALUES(1, 'x', '', 'begin', '')",
		"INSERT INTO history(usec, finding, record, event, message) VALUES(-5, 'x', 'r', 'begin', '')",
	};
	struct fixture *x = *state;
	char a[128], to[128], file[128], path[160];
	const char *files[] = { file };
	struct state_counts n;
	struct err err = { 0 };
	sqlite3 *db;

	put_gap(new_folder(x, a), "11111111111111111111111111111111", true, 'a');
	(void)snprintf(path, sizeof(path), "%s/driftd.db", a);
	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		assert_int_equal(sqlite3_exec(db, rows[i], NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(db);
	if (state_export(a, new_file(x, file), "0", &n, &err) < 0)
		fail_msg("%s", err.msg);
	assert_int_equal(n.left_out, 7);
	assert_int_equal(n.findings, 1);
	assert_int_equal(n.records, 1);
	assert_int_equal(n.lines, 1);
	import(new_folder(x, to), files, 1, (struct shard){ 0 });
	assert_int_equal(count(to, "SELECT count(*) FROM inspection_rule WHERE uuid = 'v'"), 1);
	assert_int_equal(count(to, "SELECT count(*) FROM history WHERE usec = 0"), 1);
	assert_int_equal(count(to, "SELECT count(*) FROM finding"), 1);
	assert_int_equal(count(to, "SELECT count(*) FROM told"), 0);
}

/* One row of each kind. */
static void put_one_of_each(const char *dir)
{
	const char *id = "11111111111111111111111111111111";
	struct acceptance a = { .kind = STR("Pod"), .name = STR("x"), .reason = STR("why"), .owner = STR("me") };
	CLEANUP(buf_done) struct buf json = BUF_INIT(1 << 16);
	char acceptance[ACCEPTANCE_ID_SIZE];
	struct database *d;
	struct record r;
	struct err err;

	put_gap(dir, id, true, 'a');
	record_init(&r, MESSAGE_GAP_BEGIN, 3);
	record_add(&r, "DRIFTD_EVENT", STR("begin"));
	record_add(&r, "DRIFTD_DRIFT_ID", str_from(id));
	assert_true(acceptance_id(&a, acceptance));
	acceptance_to_json(&a, &json);
	d = open_folder(dir);
	assert_int_equal(database_begin(d, &err), 0);
	assert_int_equal(database_add_history(d, &r, 4, &err), 0);
	assert_int_equal(database_put_acceptance(d, acceptance, buf_str(&json), &err), 0);
	assert_int_equal(database_put_rule(d, &(struct kept_rule){ STR("u"), STR("{}"), STR("t"), { NULL, 0 } }, &err),
			 0);
	assert_int_equal(database_put_seen(d, STR("c"), 5, &err), 0);
	assert_int_equal(database_put_unwatched(d, STR("c"), &(struct time_span){ 5, 9 }, &err), 0);
	assert_int_equal(database_put_inspected(d, STR("c"), STR("u 1\n"), &err), 0);
	assert_int_equal(database_end(d, 0, &err), 0);
	database_close(d);
	record_done(&r);
}

/* Wherever the database fails, an export and an import fail with it, or nothing is missing. */
static void test_failing_databases(void **state)
{
	struct fixture *x = *state;
	char from[128], to[128], again[128], whole[128], file[128];
	const char *files[] = { whole };
	unsigned fails = 0;

	put_one_of_each(new_folder(x, from));
	export(from, new_file(x, whole));
	import(new_folder(x, again), files, 1, (struct shard){ 0 });
	assert_same(from, again);
	for (unsigned n = 0; n < 2 * 500; n++) {
		struct state_counts counts;
		struct err err;
		bool imports = n % 2;
		int r;

		fail.at = 1 + n / 2;
		fail.done = 0;
		new_folder(x, to);
		if (imports)
			r = state_import_files(to, files, 1, &(struct state_terms){ 0 }, &counts, &err);
		else
			r = state_export(from, new_file(x, file), "0", &counts, &err);
		fail.at = fail.done < fail.at ? 0 : fail.at;
		if (!imports)
			assert_int_equal(access(file, F_OK) == 0, r == 0);
		if (!imports && r == 0)
			import(to, (const char *[]){ file }, 1, (struct shard){ 0 });
		if (r == 0)
			assert_same(again, to);
		fails += r < 0;
		empty(to);
		if (!fail.at && imports)
			break;
	}
	assert_true(fails > 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_there_and_twice, setup, teardown),
		cmocka_unit_test_setup_teardown(test_shares_are_the_whole, setup, teardown),
		cmocka_unit_test_setup_teardown(test_a_share_is_what_the_shard_owns, setup, teardown),
		cmocka_unit_test_setup_teardown(test_two_of_one_place, setup, teardown),
		cmocka_unit_test_setup_teardown(test_of_a_process, setup, teardown),
		cmocka_unit_test_setup_teardown(test_an_old_file, setup, teardown),
		cmocka_unit_test_setup_teardown(test_two_times, setup, teardown),
		cmocka_unit_test_setup_teardown(test_later_state, setup, teardown),
		cmocka_unit_test_setup_teardown(test_keys_of_several, setup, teardown),
		cmocka_unit_test_setup_teardown(test_damaged_files, setup, teardown),
		cmocka_unit_test_setup_teardown(test_what_cannot_be, setup, teardown),
		cmocka_unit_test_setup_teardown(test_an_older_export, setup, teardown),
		cmocka_unit_test_setup_teardown(test_malformed_lines, setup, teardown),
		cmocka_unit_test_setup_teardown(test_what_is_left_out, setup, teardown),
		cmocka_unit_test_setup_teardown(test_failing_databases, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

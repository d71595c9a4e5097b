/* What the daemon and driftd-fetch tell each other: each format read as it was written, and refused when it is not;
 * which revision is in force; revisions that are whole, and those that are not. */
#include "base/file.h"
#include "config/source_choice.h"
#include "config/source_files.h"
#include "config/source_request.h"
#include "config/source_revision.h"
#include "config/source_status.h"
#include "config/source_write.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define A64 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define B64 "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
#define C64 "cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc"

static char folder[] = "/tmp/driftd-source-XXXXXX";

static int setup(void **state)
{
	(void)state;
	return !mkdtemp(folder);
}

static int teardown(void **state)
{
	char line[64];

	(void)state;
	(void)snprintf(line, sizeof(line), "rm -rf %s", folder);
	return system(line);
}

/* ---- names ---- */

static void test_names(void **state)
{
	static const char *const good[] = { "core", "a", "A-b_c.d9",
					    "123456789012345678901234567890123456789012345678901234567890123" };
	static const char *const bad[] = {
		"",    ".",   "..",       ".a",
		"a/b", "a b", "\xc3\xa4", "1234567890123456789012345678901234567890123456789012345678901234"
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(good); i++)
		assert_true(source_name_is_good(str_from(good[i])));
	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		assert_false(source_name_is_good(str_from(bad[i])));
}

/* Any text of a source decides over what is fetched; times do not. */
static void test_definitions(void **state)
{
	struct source s = { .name = STR("core"), .kind = SOURCE_GIT, .url = STR("https://a/b"), .timeout_ns = 1 },
		      t = s;
	char x[SOURCE_HASH_SIZE], y[SOURCE_HASH_SIZE];

	(void)state;
	assert_true(source_hash(&s, x));
	t.interval_ns = t.timeout_ns = 5;
	assert_true(source_hash(&t, y));
	assert_string_equal(x, y);
	t.branch = STR("main");
	assert_true(source_hash(&t, y));
	assert_string_not_equal(x, y);
	t.branch = STR("");
	t.tag = STR("main");
	assert_true(source_hash(&t, x));
	assert_string_not_equal(x, y);
}

/* ---- the request ---- */

static void test_a_request_is_read_as_it_was_written(void **state)
{
	const str kept[] = { STR(A64), STR(B64) };
	const struct source_wish wishes[] = {
		{ .source = { .name = STR("core"),
			      .kind = SOURCE_GIT,
			      .url = STR("https://h/\"x\n"),
			      .path = STR("a"),
			      .wants = SOURCE_WANTS_TEMPLATES,
			      .timeout_ns = 7,
			      .insecure = true,
			      .sha256 = STR("s") },
		  .wish = 42,
		  .in_force = STR(A64),
		  .in_force_is = STR("c0ffee"),
		  .kept = kept,
		  .n_kept = 2 },
		{ .source = { .name = STR("b"), .kind = SOURCE_OCI, .url = STR("h/n"), .timeout_ns = 1 } },
	};
	CLEANUP(buf_done) struct buf text = BUF_INIT(1 << 16);
	CLEANUP(arena_done) struct arena a = ARENA_INIT(0);
	struct source_request got;
	struct err err;

	(void)state;
	assert_int_equal(source_request_write(&(struct source_request){ wishes, 2 }, &text, &err), 0);
	assert_int_equal(source_request_read(buf_str(&text), &a, &got, &err), 0);
	assert_int_equal(got.n, 2);
	assert_true(str_eq(got.wishes[0].source.url, wishes[0].source.url));
	assert_true(str_eq(got.wishes[0].source.sha256, STR("s")));
	assert_int_equal(got.wishes[0].source.wants, SOURCE_WANTS_TEMPLATES);
	assert_true(got.wishes[0].source.insecure);
	assert_int_equal(got.wishes[0].wish, 42);
	assert_true(str_eq(got.wishes[0].in_force, STR(A64)));
	assert_true(str_eq(got.wishes[0].in_force_is, STR("c0ffee")));
	assert_int_equal(got.wishes[0].n_kept, 2);
	assert_true(str_eq(got.wishes[0].kept[1], STR(B64)));
	assert_int_equal(got.wishes[1].source.kind, SOURCE_OCI);
	assert_int_equal(got.wishes[1].source.wants, SOURCE_WANTS_FILES);
}

static void test_bad_requests(void **state)
{
	static const char *const bad[] = {
		"",
		"[]",
		"{",
		"{\"version\":2,\"sources\":[]}",
		"{\"version\":1}",
		"{\"version\":1,\"sources\":[1]}",
		"{\"version\":1,\"sources\":[{\"name\":\"../x\",\"kind\":\"git\",\"url\":\"u\",\"timeoutNs\":1}]}",
		"{\"version\":1,\"sources\":[{\"name\":\"x\",\"kind\":\"svn\",\"url\":\"u\",\"timeoutNs\":1}]}",
		"{\"version\":1,\"sources\":[{\"name\":\"x\",\"kind\":\"git\",\"timeoutNs\":1}]}",
		"{\"version\":1,\"sources\":[{\"name\":\"x\",\"kind\":\"git\",\"url\":\"u\"}]}",
		"{\"version\":1,\"sources\":[{\"name\":\"x\",\"kind\":\"git\",\"url\":\"u\",\"timeoutNs\":1,\"kept\":["
		"\"..\"]}]}",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		CLEANUP(arena_done) struct arena a = ARENA_INIT(0);
		struct source_request got;
		struct err err;

		assert_true(source_request_read(str_from(bad[i]), &a, &got, &err) < 0);
	}
}

/* ---- the status ---- */

static void test_a_status_is_read_as_it_was_written(void **state)
{
	const struct source_status s = { .definition = STR(A64),
					 .served = 7,
					 .attempted = 100,
					 .succeeded = 90,
					 .failures = { 1, 2, 3, 4, 5, 6 },
					 .failed = true,
					 .failure = SOURCE_VERIFICATION,
					 .message = STR("no \"good\" signature") };
	CLEANUP(buf_done) struct buf text = BUF_INIT(1 << 16);
	CLEANUP(arena_done) struct arena a = ARENA_INIT(0);
	struct source_status got;
	struct err err;

	(void)state;
	assert_int_equal(source_status_write(&s, &text, &err), 0);
	assert_int_equal(source_status_read(buf_str(&text), &a, &got, &err), 0);
	assert_int_equal(got.served, 7);
	assert_int_equal(got.succeeded, 90);
	assert_int_equal(got.failures[SOURCE_LOCAL], 6);
	assert_true(got.failed);
	assert_int_equal(got.failure, SOURCE_VERIFICATION);
	assert_true(str_eq(got.message, s.message));
}

static void test_failures_by_their_codes(void **state)
{
	static const struct {
		int code;
		enum source_failure means;
	} all[] = {
		{ EKEYREJECTED, SOURCE_VERIFICATION },
		{ EACCES, SOURCE_AUTHENTICATION },
		{ ENOKEY, SOURCE_AUTHENTICATION },
		{ ENOENT, SOURCE_MISSING },
		{ E2BIG, SOURCE_REFUSED },
		{ EBADMSG, SOURCE_REFUSED },
		{ ENOSPC, SOURCE_LOCAL },
		{ EPERM, SOURCE_LOCAL },
		{ ETIMEDOUT, SOURCE_UNREACHABLE },
		{ EIO, SOURCE_UNREACHABLE },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(all); i++)
		assert_int_equal(source_failure_of(-all[i].code), all[i].means);
}

/* ---- what is known of a revision ---- */

static void test_a_revision_is_read_as_it_was_written(void **state)
{
	const struct source_commit log[] = { { STR("12ab"), STR("Ada \x1b[31m"), STR("A\nB"), 17 } };
	const struct source_revision r = { .revision = STR("12ab"),
					   .signer = STR("ada"),
					   .log = log,
					   .n_log = 1,
					   .rewritten = true,
					   .n_files = 3,
					   .n_bytes = 4,
					   .n_left_out = 5 };
	CLEANUP(buf_done) struct buf text = BUF_INIT(1 << 16);
	CLEANUP(arena_done) struct arena a = ARENA_INIT(0);
	struct source_revision got;
	struct err err;

	(void)state;
	assert_int_equal(source_revision_write(&r, &text, &err), 0);
	assert_int_equal(source_revision_read(buf_str(&text), &a, &got, &err), 0);
	assert_true(got.rewritten);
	assert_int_equal(got.n_files, 3);
	assert_int_equal(got.n_left_out, 5);
	assert_int_equal(got.n_log, 1);
	assert_true(str_eq(got.log[0].author, STR("Ada  [31m"))); /* nothing that moves a cursor */
	assert_true(str_eq(got.log[0].subject, STR("A B")));
	assert_int_equal(got.log[0].time, 17);
	assert_true(source_revision_read(STR("{}"), &a, &got, &err) < 0);
}

/* ---- which one is in force ---- */

static void test_choices_differ_in_each_member(void **state)
{
	struct source_choice c = { 0 }, other[7];

	(void)state;
	source_choice_take(&c, STR(A64));
	source_choice_take(&c, STR(B64));
	for (size_t i = 0; i < ARRAY_LEN(other); i++)
		other[i] = c;
	memcpy(other[0].in_force, C64, SOURCE_ID_SIZE);
	memcpy(other[1].refused, C64, SOURCE_ID_SIZE);
	memcpy(other[2].before[0], C64, SOURCE_ID_SIZE);
	other[3].pinned = other[4].held = other[5].lost = true;
	other[6].n_before = 0;
	for (size_t i = 0; i < ARRAY_LEN(other); i++)
		assert_false(source_choice_equal(&c, &other[i]));
	other[0] = c;
	other[0].refused[1] = 'x';   /* behind the end of the text */
	other[0].before[1][0] = 'x'; /* behind the last one */
	assert_true(source_choice_equal(&c, &other[0]));
}

static void test_what_was_in_force_before_is_kept(void **state)
{
	struct source_choice c = { 0 }, got;
	char id[SOURCE_ID_SIZE];
	struct err err;

	(void)state;
	source_choice_take(&c, STR(A64));
	assert_int_equal(c.n_before, 0);
	source_choice_take(&c, STR(B64));
	source_choice_take(&c, STR(C64));
	source_choice_take(&c, STR(A64)); /* back: it is not before itself */
	assert_string_equal(c.in_force, A64);
	assert_int_equal(c.n_before, 2);
	assert_string_equal(c.before[0], C64);
	assert_string_equal(c.before[1], B64);
	source_choice_take(&c, STR(A64));
	assert_int_equal(c.n_before, 2);
	for (int i = 0; i < 30; i++) {
		(void)snprintf(id, sizeof(id), "%064d", i);
		source_choice_take(&c, str_from(id));
	}
	assert_int_equal(c.n_before, SOURCE_BEFORE_MAX);
	c.pinned = true;
	assert_int_equal(source_choice_load(folder, STR("core"), &got, &err), -ENOENT);
	assert_int_equal(source_choice_save(folder, STR("core"), &c, &err), 0);
	assert_int_equal(source_choice_load(folder, STR("core"), &got, &err), 0);
	assert_memory_equal(got.before, c.before, sizeof(c.before));
	assert_string_equal(got.in_force, c.in_force);
	assert_true(got.pinned);
}

static void test_a_lost_choice_is_what_was_asked_for(void **state)
{
	static const char *const damaged[] = { "", "{}", "[]", "null", "{\"inForce\":7}", "{\"inForce\":\"x\"}" };
	const struct source_wish wishes[] = {
		{ .source = { .name = STR("other"), .kind = SOURCE_GIT, .url = STR("u"), .timeout_ns = 1 },
		  .in_force = STR(B64) },
		{ .source = { .name = STR("lost"), .kind = SOURCE_GIT, .url = STR("u"), .timeout_ns = 1 },
		  .in_force = STR(A64) },
		{ .source = { .name = STR("never"), .kind = SOURCE_GIT, .url = STR("u"), .timeout_ns = 1 } },
	};
	CLEANUP(buf_done) struct buf text = BUF_INIT(1 << 16), path = BUF_INIT(4096), asked = BUF_INIT(4096);
	struct source_choice c = { .held = true, .lost = true }, got;
	struct err err;

	(void)state;
	source_choice_path(folder, STR("lost"), &path);
	buf_printf(&asked, "%s/" SOURCE_REQUEST_FILE, folder);
	assert_int_equal(source_choice_load(folder, STR("lost"), &got, &err), -ENOENT);
	assert_int_equal(source_request_write(&(struct source_request){ wishes, 3 }, &text, &err), 0);
	assert_int_equal(source_write(asked.p, 0600, buf_str(&text), &err), 0);
	for (size_t i = 0; i <= ARRAY_LEN(damaged); i++) {
		if (i) /* else there is none */
			assert_int_equal(source_write(path.p, 0600, str_from(damaged[i - 1]), &err), 0);
		assert_int_equal(source_choice_load(folder, STR("lost"), &got, &err), 0);
		assert_string_equal(got.in_force, A64);
		assert_true(got.lost);
	}
	assert_int_equal(source_choice_load(folder, STR("never"), &got, &err), -ENOENT);
	assert_int_equal(unlink(asked.p), 0);
	assert_int_equal(source_choice_load(folder, STR("lost"), &got, &err), -EINVAL);
	source_choice_take(&c, STR(C64));
	assert_int_equal(source_choice_save(folder, STR("lost"), &c, &err), 0);
	assert_int_equal(source_choice_load(folder, STR("lost"), &got, &err), 0);
	assert_true(got.lost && got.held);
	c = (struct source_choice){ .refused = B64 }; /* the first one had mistakes */
	assert_int_equal(source_choice_save(folder, STR("lost"), &c, &err), 0);
	assert_int_equal(source_choice_load(folder, STR("lost"), &got, &err), 0);
	assert_string_equal(got.in_force, "");
	assert_false(got.lost);
}

static void test_nothing_beside_a_file_holds_up_who_writes_it(void **state)
{
	static const char *const obstacles[] = { "mkfifo f.new", "mkdir f.new", "ln -s /nowhere f.new", "ln -s / f.new",
						 "rm f; mkfifo f" };
	CLEANUP(freep) char *text = NULL;
	char path[256], line[1024];
	struct err err;
	size_t n;

	(void)state;
	(void)snprintf(path, sizeof(path), "%s/f", folder);
	for (size_t i = 0; i < ARRAY_LEN(obstacles); i++) {
		(void)snprintf(line, sizeof(line), "cd %s; %s", folder, obstacles[i]);
		assert_int_equal(system(line), 0);
		assert_int_equal(source_write(path, 0600, STR("text"), &err), 0);
		free(TAKE(text));
		assert_int_equal(file_read_regular(path, 16, &text, &n, &err), 0);
		assert_string_equal(text, "text");
	}
	(void)snprintf(line, sizeof(line), "mkdir -p %s.new/in", path);
	assert_int_equal(system(line), 0);
	assert_true(source_write(path, 0600, STR("other"), &err) < 0);
}

/* ---- files ---- */

static void put(const char *path, const char *text)
{
	char full[4096];
	struct err err;

	(void)snprintf(full, sizeof(full), "mkdir -p $(dirname %s/%s)", folder, path);
	assert_int_equal(system(full), 0);
	(void)snprintf(full, sizeof(full), "%s/%s", folder, path);
	assert_int_equal(source_write(full, 0600, str_from(text), &err), 0);
}

static void shell(const char *what, const char *id)
{
	char line[4096];

	(void)snprintf(line, sizeof(line), "cd %s/revisions/%s/files && %s", folder, id, what);
	assert_int_equal(system(line), 0);
}

static void put_revision(char id[SOURCE_ID_SIZE])
{
	const struct source_file files[] = { { STR("a.yaml"), STR("a: 1\n") }, { STR("sub/b.yaml"), STR("") } };
	char path[256];

	assert_true(source_files_id(STR("{}"), files, ARRAY_LEN(files), id));
	(void)snprintf(path, sizeof(path), "revisions/%s/revision.json", id);
	put(path, "{}");
	(void)snprintf(path, sizeof(path), "revisions/%s/files/a.yaml", id);
	put(path, "a: 1\n");
	(void)snprintf(path, sizeof(path), "revisions/%s/files/sub/b.yaml", id);
	put(path, "");
}

static int read_it(const char *id)
{
	CLEANUP(source_files_done) struct source_files f = { 0 };
	struct err err;
	int r = source_files_read(folder, str_from(id), &f, &err);

	if (r == 0) {
		assert_int_equal(f.list.n, 2);
		assert_true(str_eq(source_files_find(&f, STR("a.yaml"))->text, STR("a: 1\n")));
		assert_non_null(source_files_find(&f, STR("sub/b.yaml")));
		assert_null(source_files_find(&f, STR("b.yaml")));
	}
	return r;
}

static void test_a_revision_is_whole_or_nothing(void **state)
{
	static const struct {
		const char *what, *mend;
		int fails;
	} all[] = {
		{ "echo >>a.yaml", "printf 'a: 1\\n' >a.yaml", -EBADMSG },
		{ "mv a.yaml c.yaml", "mv c.yaml a.yaml", -EBADMSG },
		{ "echo more >c.yaml", "rm c.yaml", -EBADMSG },
		{ "echo x >>../revision.json", "printf '{}' >../revision.json", -EBADMSG },
		{ "ln -s /etc/hostname c.yaml", "rm c.yaml", -EINVAL },
		{ "mkfifo c.yaml", "rm c.yaml", -EINVAL },
		{ "mv sub other && ln -s other sub", "rm sub && mv other sub", -EINVAL },
	};
	char id[SOURCE_ID_SIZE];

	(void)state;
	put_revision(id);
	assert_int_equal(read_it(id), 0);
	for (size_t i = 0; i < ARRAY_LEN(all); i++) {
		shell(all[i].what, id);
		assert_int_equal(read_it(id), all[i].fails);
		shell(all[i].mend, id);
		assert_int_equal(read_it(id), 0);
	}
	assert_int_equal(read_it(A64), -ENOENT);
}

static void test_a_link_leads_to_a_revision_or_nowhere(void **state)
{
	static const struct {
		const char *link;
		int fails;
	} all[] = {
		{ "../../revisions/" A64, 0 },
		{ "../../revisions/../etc", -EBADMSG },
		{ "/etc/passwd", -EBADMSG },
		{ "../../revisions/" A64 "a", -EBADMSG },
	};
	char path[4096], id[SOURCE_ID_SIZE];
	struct err err;

	(void)state;
	assert_int_equal(source_store_find(folder, STR("nobody"), id, &err), -ENOENT);
	put("sources/core/status.json", "{}");
	for (size_t i = 0; i < ARRAY_LEN(all); i++) {
		(void)snprintf(path, sizeof(path), "%s/sources/core/current", folder);
		(void)unlink(path);
		assert_int_equal(symlink(all[i].link, path), 0);
		assert_int_equal(source_store_find(folder, STR("core"), id, &err), all[i].fails);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_definitions),
		cmocka_unit_test(test_a_request_is_read_as_it_was_written),
		cmocka_unit_test(test_bad_requests),
		cmocka_unit_test(test_a_status_is_read_as_it_was_written),
		cmocka_unit_test(test_failures_by_their_codes),
		cmocka_unit_test(test_a_revision_is_read_as_it_was_written),
		cmocka_unit_test(test_choices_differ_in_each_member),
		cmocka_unit_test(test_what_was_in_force_before_is_kept),
		cmocka_unit_test(test_a_lost_choice_is_what_was_asked_for),
		cmocka_unit_test(test_nothing_beside_a_file_holds_up_who_writes_it),
		cmocka_unit_test(test_a_revision_is_whole_or_nothing),
		cmocka_unit_test(test_a_link_leads_to_a_revision_or_nowhere),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}

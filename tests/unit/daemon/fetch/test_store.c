/* What is removed of the store, and what somebody works with meanwhile. */
#include "daemon/fetch/store.h"

#include "config/source_files.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

/* The kernel's clock says when a folder came, so it is driftd-fetch's that goes on. */
static time_t later;

time_t __real_time(time_t *t);
time_t __wrap_time(time_t *t);
time_t __wrap_time(time_t *t)
{
	return __real_time(t) + later;
}

static char store[] = "/tmp/driftd-store-XXXXXX";

static int begin(void **state)
{
	struct err err = { 0 };

	(void)state;
	(void)snprintf(store, sizeof(store), "/tmp/driftd-store-XXXXXX");
	later = 0;
	return !mkdtemp(store) || store_open(store, &err) < 0;
}

static int end(void **state)
{
	(void)state;
	store_remove(store);
	return 0;
}

static void put(const char *text, char ret[SOURCE_ID_SIZE])
{
	const struct source_revision about = { .revision = STR("r") };
	CLEANUP(tree_freep) struct tree *tree = NULL;
	struct err err = { 0 };

	assert_int_equal(tree_new(&tree, &err), 0);
	assert_int_equal(tree_add(tree, STR("file"), str_from(text), &err), 0);
	assert_int_equal(store_put(store, &about, tree, ret, &err), 0);
}

static void link_to(const char *name, const char *id)
{
	CLEANUP(freep) char *folder = NULL;
	struct err err = { 0 };

	assert_true(asprintf(&folder, "%s/sources/%s", store, name) > 0);
	(void)mkdir(folder, 0700);
	assert_int_equal(store_link(store, str_from(name), id, &err), 0);
}

static bool is_there(const char *what, const char *name)
{
	CLEANUP(freep) char *path = NULL;
	struct stat st;

	assert_true(asprintf(&path, "%s/%s/%s", store, what, name) > 0);
	return stat(path, &st) == 0;
}

static bool is_whole(const char *id)
{
	CLEANUP(source_files_done) struct source_files files = { 0 };
	struct err err = { 0 };

	return source_files_read(store, str_from(id), &files, &err) == 0;
}

/* What driftd asks for: the source "a", with what it keeps. */
static bool collect(const str *kept, size_t n_kept, const str *busy, size_t n_busy)
{
	const struct source_wish wish = { .source = { .name = STR("a") }, .kept = kept, .n_kept = n_kept };

	return store_collect(store, &(struct source_request){ &wish, 1 }, busy, n_busy);
}

static void test_what_nobody_needs_goes_when_it_is_old(void **state)
{
	char last[SOURCE_ID_SIZE], kept[SOURCE_ID_SIZE], needless[SOURCE_ID_SIZE];
	str keep;

	(void)state;
	put("1", needless);
	put("2", kept);
	put("3", last);
	link_to("a", last);
	keep = str_from(kept);
	assert_true(collect(&keep, 1, NULL, 0));
	assert_true(is_there("revisions", needless)); /* the daemon may be about to ask for it */
	later = 2 * STORE_GRACE_S;
	assert_true(collect(&keep, 1, NULL, 0));
	assert_false(is_there("revisions", needless));
	assert_true(is_whole(kept));
	assert_true(is_whole(last));
	assert_true(collect(NULL, 0, NULL, 0));
	assert_false(is_there("revisions", kept));
	assert_true(is_whole(last));
}

/* Between keeping and linking nothing leads to a revision that was there already. */
static void test_nothing_goes_while_somebody_keeps_something(void **state)
{
	char old[SOURCE_ID_SIZE], last[SOURCE_ID_SIZE], again[SOURCE_ID_SIZE];
	struct err err = { 0 };
	int held[2];

	(void)state;
	put("old", old);
	put("last", last);
	link_to("a", last);
	later = 2 * STORE_GRACE_S;
	for (size_t i = 0; i < ARRAY_LEN(held); i++) {
		held[i] = store_lock(store, &err);
		assert_true(held[i] >= 0);
	}
	put("old", again);
	assert_string_equal(again, old);
	assert_false(collect(NULL, 0, NULL, 0));
	close(held[0]);
	assert_false(collect(NULL, 0, NULL, 0));
	link_to("a", again);
	close(held[1]);
	assert_true(collect(NULL, 0, NULL, 0));
	assert_true(is_whole(old));
	assert_false(is_there("revisions", last));
}

static void test_a_source_goes_unless_somebody_works_there(void **state)
{
	const str busy[] = { STR("b") };
	char id[SOURCE_ID_SIZE];

	(void)state;
	put("1", id);
	link_to("a", id);
	link_to("b", id);
	link_to("c", id);
	assert_true(collect(NULL, 0, busy, 1));
	assert_true(is_there("sources", "a"));
	assert_true(is_there("sources", "b"));
	assert_false(is_there("sources", "c"));
	assert_true(collect(NULL, 0, NULL, 0));
	assert_false(is_there("sources", "b"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_what_nobody_needs_goes_when_it_is_old, begin, end),
		cmocka_unit_test_setup_teardown(test_nothing_goes_while_somebody_keeps_something, begin, end),
		cmocka_unit_test_setup_teardown(test_a_source_goes_unless_somebody_works_there, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Looking records up in a journal file, also in one whose index knows nothing of what it holds. */
#include "daemon/store/journal_lookup.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <systemd/sd-journal.h>
#include <unistd.h>

#include <cmocka.h>

#define MAKER "/usr/lib/systemd/systemd-journal-remote"
/* Of the header of a journal file: the data hash table, at an offset and of a size. */
#define HASH_TABLE_AT 104

static char folder[] = "/tmp/journal-lookup-XXXXXX";
static char path[64];

static void put_entry(FILE *out, unsigned i, const char *id, unsigned uid)
{
	fprintf(out, "__REALTIME_TIMESTAMP=%llu\n__MONOTONIC_TIMESTAMP=%u\n", 1700000000000000ull + i, 1000 + i);
	fprintf(out, "_BOOT_ID=0123456789abcdef0123456789abcdef\nMESSAGE=m%u\n_UID=%u\n", i, uid);
	fprintf(out, *id ? "DRIFTD_RECORD_ID=%s\n\n" : "%s\n", id);
}

static int make_journal(void **state)
{
	char command[256];
	FILE *out;

	(void)state;
	if (access(MAKER, X_OK) < 0 || !mkdtemp(folder))
		return 0;
	(void)snprintf(path, sizeof(path), "%s/a.journal", folder);
	(void)snprintf(command, sizeof(command), MAKER " -o %s - >/dev/null 2>&1", path);
	out = popen(command, "w");
	if (!out)
		return -1;
	put_entry(out, 0, "first", geteuid());
	put_entry(out, 1, "foreign", geteuid() + 1);
	put_entry(out, 2, "", geteuid());
	put_entry(out, 3, "last", geteuid());
	return pclose(out) == 0 ? 0 : -1;
}

static int remove_journal(void **state)
{
	(void)state;
	(void)unlink(path);
	(void)rmdir(folder);
	return 0;
}

/* As if journald had been killed before it noted what each entry holds. */
static void lose_index(void)
{
	uint64_t at[2] = { 0 };
	char *zeros;
	int fd = open(path, O_RDWR | O_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(pread(fd, at, sizeof(at), HASH_TABLE_AT), sizeof(at));
	assert_true(at[1] > 0 && at[1] < (8u << 20));
	zeros = calloc(1, at[1]);
	assert_non_null(zeros);
	assert_int_equal(pwrite(fd, zeros, at[1], (off_t)at[0]), (ssize_t)at[1]);
	free(zeros);
	assert_int_equal(close(fd), 0);
}

static void expect(bool by_index)
{
	const char *files[] = { path, NULL };
	CLEANUP(strmap_done) struct strmap ids = { 0 };
	sd_journal *j = NULL;

	assert_int_equal(sd_journal_open_files(&j, files, 0), 0);
	assert_int_equal(journal_has(j, "first") > 0, by_index);
	assert_int_equal(journal_has(j, "last") > 0, by_index);
	assert_int_equal(journal_has(j, "foreign"), 0);
	assert_int_equal(journal_has(j, "none"), 0);
	assert_int_equal(journal_read_tail(j, &ids), 0);
	assert_int_equal(ids.n, 2);
	assert_true(strmap_has(&ids, STR("first")) && strmap_has(&ids, STR("last")));
	journal_close(j);
}

static void finds_what_no_match_finds(void **state)
{
	(void)state;
	if (!*path)
		skip();
	expect(true);
	lose_index();
	expect(false);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(finds_what_no_match_finds) };

	return cmocka_run_group_tests(tests, make_journal, remove_journal);
}

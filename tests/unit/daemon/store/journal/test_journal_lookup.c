/* Looking records up in a journal file, also in one whose index knows nothing of what it holds, in one that goes on for
 * ever, and where a call of sd-journal fails. */
#include "daemon/store/journal/journal_lookup.h"

#include "daemon/findings/output.h"

#include <errno.h>
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

static struct {
	bool away, in_memory, no_boot;
	const char *boot;
	size_t fails_at, calls; /* the call of sd-journal that fails, from 1; 0: none does */
	bool is_endless;        /* there is always one before */
	bool has_no_room;       /* for another id */
	size_t looks;           /* at an entry */
} machine;

static char folder[] = "/tmp/journal-lookup-XXXXXX";
static char path[64];

static void put_entry(FILE *out, unsigned i, const char *id, unsigned uid)
{
	fprintf(out, "__REALTIME_TIMESTAMP=%llu\n__MONOTONIC_TIMESTAMP=%u\n", 1700000000000000ull + i, 1000 + i);
	fprintf(out, "_BOOT_ID=0123456789abcdef0123456789abcdef\nMESSAGE=m%u\n_UID=%u\n", i, uid);
	fprintf(out, *id ? "DRIFTD_RECORD_ID=%s\n\n" : "%s\n", id);
}

static void put_empty_id(FILE *out)
{
	fprintf(out,
		"__REALTIME_TIMESTAMP=1700000000000004\n__MONOTONIC_TIMESTAMP=1004\n"
		"_BOOT_ID=0123456789abcdef0123456789abcdef\nMESSAGE=m4\n_UID=%u\nDRIFTD_RECORD_ID=\n\n",
		(unsigned)geteuid());
}

#define ID(digit) "0123456789abcdef0123456789abcde" digit

/* Records of findings, or nearly. */
static const struct {
	const char *fields; /* besides the user */
	bool foreign;
	const char *reported; /* id, message, fields; NULL: nothing is made of it */
} findings[] = {
	{ "MESSAGE=one\nMESSAGE_ID=%s\nDRIFTD_RECORD_ID=" ID(
		  "1") "\nDRIFTD_EVENT=begin\nDRIFTD_UNTOLD=x\nDRIFTD_PATH=a=b\n",
	  false, ID("1") " 0 one DRIFTD_EVENT=begin DRIFTD_PATH=a=b" },
	{ "MESSAGE=two\nMESSAGE_ID=%s\nDRIFTD_RECORD_ID=" ID("2") "\n", true, NULL },
	{ "MESSAGE=three\nMESSAGE_ID=%s\nDRIFTD_RECORD_ID=short\n", false, NULL },
	{ "MESSAGE=four\nMESSAGE_ID=%s\n", false, NULL },
	{ "MESSAGE_ID=%s\nDRIFTD_RECORD_ID=" ID("5") "\n", false, ID("5") " 4 " },
	{ "MESSAGE=six\nMESSAGE_ID=00000000000000000000000000000000\nDRIFTD_RECORD_ID=" ID("6") "\n", false, NULL },
	{ "MESSAGE=seven\nMESSAGE_ID=%s\nDRIFTD_RECORD_ID=" ID("7") "\nDRIFTD_CLUSTER=c\nDRIFTD_FLAPPING_CHANGES=3\n",
	  false, ID("7") " 6 seven DRIFTD_CLUSTER=c DRIFTD_FLAPPING_CHANGES=3" },
};

#define FINDINGS_FROM 10

static void put_finding(FILE *out, unsigned i)
{
	fprintf(out, "__REALTIME_TIMESTAMP=%llu\n__MONOTONIC_TIMESTAMP=%u\n", 1700000000000000ull + FINDINGS_FROM + i,
		2000 + i);
	fprintf(out, "_BOOT_ID=0123456789abcdef0123456789abcdef\n_UID=%u\n", geteuid() + findings[i].foreign);
	fprintf(out, findings[i].fields, message_id(MESSAGE_DRIFT_BEGIN));
	fputc('\n', out);
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
	put_empty_id(out);
	for (size_t i = 0; i < ARRAY_LEN(findings); i++)
		put_finding(out, (unsigned)i);
	return pclose(out) == 0 ? 0 : -1;
}

static int remove_journal(void **state)
{
	(void)state;
	(void)unlink(path);
	(void)rmdir(folder);
	return 0;
}

/* NOLINTBEGIN(bugprone-reserved-identifier): the linker's names */
int __wrap_sd_journal_open(sd_journal **ret, int flags);
int __wrap_sd_id128_get_boot(sd_id128_t *ret);
int __real_sd_journal_add_match(sd_journal *j, const void *data, size_t n);
int __wrap_sd_journal_add_match(sd_journal *j, const void *data, size_t n);
int __real_sd_journal_seek_head(sd_journal *j);
int __wrap_sd_journal_seek_head(sd_journal *j);
int __real_sd_journal_seek_tail(sd_journal *j);
int __wrap_sd_journal_seek_tail(sd_journal *j);
int __real_sd_journal_next(sd_journal *j);
int __wrap_sd_journal_next(sd_journal *j);
int __real_sd_journal_previous(sd_journal *j);
int __wrap_sd_journal_previous(sd_journal *j);
int __real_sd_journal_get_realtime_usec(sd_journal *j, uint64_t *ret);
int __wrap_sd_journal_get_realtime_usec(sd_journal *j, uint64_t *ret);
int __real_sd_journal_get_monotonic_usec(sd_journal *j, uint64_t *ret, sd_id128_t *boot);
int __wrap_sd_journal_get_monotonic_usec(sd_journal *j, uint64_t *ret, sd_id128_t *boot);
bool __real_strmap_put(struct strmap *m, str key, void *value, void **old);
bool __wrap_strmap_put(struct strmap *m, str key, void *value, void **old);
int __wrap_output_write(struct output *o, const struct record *r);

static bool fails(void)
{
	return ++machine.calls == machine.fails_at;
}

int __wrap_sd_journal_add_match(sd_journal *j, const void *data, size_t n)
{
	return fails() ? -EBADMSG : __real_sd_journal_add_match(j, data, n);
}

int __wrap_sd_journal_seek_head(sd_journal *j)
{
	return fails() ? -EBADMSG : __real_sd_journal_seek_head(j);
}

int __wrap_sd_journal_seek_tail(sd_journal *j)
{
	return fails() ? -EBADMSG : __real_sd_journal_seek_tail(j);
}

int __wrap_sd_journal_next(sd_journal *j)
{
	return fails() ? -EBADMSG : __real_sd_journal_next(j);
}

/* Of an endless one: the entry that it stands at. */
int __wrap_sd_journal_previous(sd_journal *j)
{
	if (fails())
		return -EBADMSG;
	return machine.looks++ && machine.is_endless ? 1 : __real_sd_journal_previous(j);
}

int __wrap_sd_journal_get_realtime_usec(sd_journal *j, uint64_t *ret)
{
	return fails() ? -EBADMSG : __real_sd_journal_get_realtime_usec(j, ret);
}

int __wrap_sd_journal_get_monotonic_usec(sd_journal *j, uint64_t *ret, sd_id128_t *boot)
{
	return fails() ? -EBADMSG : __real_sd_journal_get_monotonic_usec(j, ret, boot);
}

bool __wrap_strmap_put(struct strmap *m, str key, void *value, void **old)
{
	return !machine.has_no_room && __real_strmap_put(m, key, value, old);
}

/* What the last record said. */
static struct {
	int fails;
	char id[RECORD_ID_SIZE], text[64], event[16];
	int severity;
	enum message message;
} output;

int __wrap_output_write(struct output *o, const struct record *r)
{
	(void)o;
	memcpy(output.id, r->id, sizeof(output.id));
	(void)snprintf(output.text, sizeof(output.text), "%.*s", STR_ARG(r->text));
	(void)snprintf(output.event, sizeof(output.event), "%.*s", STR_ARG(record_get(r, "DRIFTD_EVENT")));
	output.severity = r->priority;
	output.message = r->message;
	return output.fails;
}

int __wrap_sd_journal_open(sd_journal **ret, int flags)
{
	const char *files[] = { path, NULL };

	if (machine.away || (flags & SD_JOURNAL_RUNTIME_ONLY && !machine.in_memory))
		return -ENOENT;
	return sd_journal_open_files(ret, files, 0);
}

int __wrap_sd_id128_get_boot(sd_id128_t *ret)
{
	return machine.no_boot ? -ENOENT : sd_id128_from_string(machine.boot, ret);
}
/* NOLINTEND(bugprone-reserved-identifier) */

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
	assert_int_equal(ids.n, 7);
	assert_true(strmap_has(&ids, STR("first")) && strmap_has(&ids, STR("last")));
	journal_close(j);
}

/* ---- records of findings, from the last one back ---- */

static int by_name(const void *a, const void *b)
{
	const struct record_field *x = a, *y = b;

	return strcmp(x->name, y->name);
}

struct finding_history {
	char text[4][256];
	size_t n, n_max;
	int then; /* what is answered from the @n_max-th one on */
};

static int see(void *ctx, struct record *r, int64_t usec, struct err *err)
{
	struct finding_history *t = ctx;
	char *text = t->text[t->n];
	size_t size = sizeof(t->text[0]), n;

	assert_true(t->n < ARRAY_LEN(t->text));
	assert_int_equal(r->message, MESSAGE_DRIFT_BEGIN);
	qsort(r->fields, r->n_fields, sizeof(r->fields[0]), by_name); /* in no order of their own */
	n = (size_t)snprintf(text, size, "%.32s %d %.*s", r->id, (int)(usec - 1700000000000000 - FINDINGS_FROM),
			     STR_ARG(r->text));
	for (size_t i = 0; i < r->n_fields && n < size; i++)
		n += (size_t)snprintf(text + n, size - n, " %s=%.*s", r->fields[i].name, STR_ARG(r->fields[i].value));
	t->n++;
	return t->n < t->n_max ? 0 : t->then < 0 ? err_set(err, EIO, "as the test wants it") : t->then;
}

static int look(struct finding_history *t, enum journal_order order)
{
	const char *files[] = { path, NULL };
	sd_journal *j = NULL;
	struct err err;
	int r;

	assert_int_equal(sd_journal_open_files(&j, files, 0), 0);
	r = journal_each(j, order, see, t, &err);
	journal_close(j);
	return r;
}

static void sees_records_of_findings(void **state)
{
	struct finding_history all = { .n_max = 9 }, ahead = { .n_max = 9 }, one = { .n_max = 1, .then = 1 },
			       none = { .n_max = 1, .then = -1 };
	size_t n = 0;

	(void)state;
	if (!*path)
		skip();
	assert_int_equal(look(&all, JOURNAL_LATEST_FIRST), 0);
	for (size_t i = ARRAY_LEN(findings); i-- > 0;) {
		if (findings[i].reported)
			assert_string_equal(all.text[n++], findings[i].reported);
	}
	assert_int_equal(all.n, n);
	assert_int_equal(look(&ahead, JOURNAL_EARLIEST_FIRST), 0);
	assert_int_equal(ahead.n, n);
	for (size_t i = 0; i < n; i++)
		assert_string_equal(ahead.text[i], all.text[n - i - 1]);
	assert_int_equal(look(&one, JOURNAL_LATEST_FIRST), 0);
	assert_int_equal(one.n, 1);
	assert_int_equal(look(&none, JOURNAL_LATEST_FIRST), -EIO);
	assert_int_equal(none.n, 1);
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

#define THIS_BOOT "00000000000000000000000000000001"
#define BOOT_OF_FILE "0123456789abcdef0123456789abcdef"

/* As far back as it has what was written before this boot. */
static void test_reach(void **state)
{
	static const struct {
		bool away, in_memory, no_boot;
		const char *boot, *now;
		int64_t reach;
	} cases[] = {
		{ false, false, false, THIS_BOOT, "first", 1700000000000000 },
		{ false, true, false, THIS_BOOT, "first", INT64_MAX },
		{ false, true, false, THIS_BOOT, "none", 1700000000000000 },
		{ false, false, true, THIS_BOOT, "first", INT64_MAX },
		{ false, false, false, BOOT_OF_FILE, "first", INT64_MAX },
	};

	(void)state;
	if (!*path)
		skip();
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct sd_journal *j;

		machine.away = cases[i].away;
		machine.in_memory = cases[i].in_memory;
		machine.no_boot = cases[i].no_boot;
		machine.boot = cases[i].boot;
		j = journal_open();
		assert_non_null(j);
		assert_int_equal(journal_reach(j, cases[i].now), cases[i].reach);
		journal_close(j);
	}
}

static void test_opened_with(void **state)
{
	char boot[BOOT_ID_SIZE];
	struct sd_journal *j;

	(void)state;
	if (!*path)
		skip();
	memset(&machine, 0, sizeof(machine));
	machine.boot = THIS_BOOT;
	j = journal_open_with("first");
	assert_non_null(j);
	journal_close(j);
	assert_null(journal_open_with("none"));
	assert_null(journal_open_with("foreign"));
	machine.away = true;
	assert_null(journal_open_with("first"));
	assert_null(journal_open());
	machine.away = false;
	journal_boot_id(boot);
	assert_string_equal(boot, THIS_BOOT);
	machine.no_boot = true;
	journal_boot_id(boot);
	assert_string_equal(boot, "");
}

/* ---- when it fails ---- */

static sd_journal *opened(void)
{
	const char *files[] = { path, NULL };
	sd_journal *j = NULL;

	assert_int_equal(sd_journal_open_files(&j, files, 0), 0);
	return j;
}

static int ignore(void *ctx, struct record *r, int64_t usec, struct err *err)
{
	(void)r;
	(void)usec;
	(void)err;
	++*(size_t *)ctx;
	return 0;
}

static int64_t has_first(sd_journal *j, struct err *err)
{
	(void)err;
	return journal_has(j, "first");
}

static int64_t read_tail(sd_journal *j, struct err *err)
{
	CLEANUP(strmap_done) struct strmap ids = { 0 };

	(void)err;
	return journal_read_tail(j, &ids);
}

static int64_t each_back(sd_journal *j, struct err *err)
{
	size_t n = 0;

	return journal_each(j, JOURNAL_LATEST_FIRST, ignore, &n, err);
}

static int64_t each_ahead(sd_journal *j, struct err *err)
{
	size_t n = 0;

	return journal_each(j, JOURNAL_EARLIEST_FIRST, ignore, &n, err);
}

static int64_t reach(sd_journal *j, struct err *err)
{
	(void)err;
	return journal_reach(j, "first");
}

/* Each call in turn: it is said, as far as anything is. */
static void test_failures(void **state)
{
	static const struct {
		int64_t (*run)(sd_journal *j, struct err *err);
		int64_t good, bad;
		size_t calls; /* at least */
		bool says;    /* in words, too */
		bool leaves;  /* an entry whose time cannot be read is the last one */
	} cases[] = { { has_first, 1, -EBADMSG, 4, false, false },
		      { read_tail, 0, -EBADMSG, 10, false, false },
		      { each_back, 0, -EBADMSG, 10, true, true },
		      { each_ahead, 0, -EBADMSG, 10, true, true },
		      { reach, 1700000000000000, INT64_MAX, 4, false, false } };

	(void)state;
	if (!*path)
		skip();
	memset(&machine, 0, sizeof(machine));
	machine.boot = THIS_BOOT;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		sd_journal *j = opened();
		size_t n = 1, left = 0;
		struct err err;

		for (;; n++) {
			int64_t r;

			err.code = 0;
			machine.fails_at = n;
			machine.calls = 0;
			r = cases[i].run(j, &err);
			if (machine.calls < n) {
				assert_int_equal(r, cases[i].good);
				break;
			}
			left += r == cases[i].good;
			if (r != cases[i].bad && !(cases[i].leaves && r == cases[i].good))
				fail_msg("case %zu, call %zu: %lld", i, n, (long long)r);
			if (cases[i].says && r == cases[i].bad)
				assert_non_null(strstr(err.msg, "look into the journal: "));
		}
		assert_true(n > cases[i].calls);
		assert_true(cases[i].leaves == (left > 0) && left < n / 2);
		machine.fails_at = 0;
		journal_close(j);
	}
}

/* Of one that has more than can be looked at, as much as is said. */
static void test_endless(void **state)
{
	CLEANUP(strmap_done) struct strmap ids = { 0 };
	sd_journal *j;
	struct err err;
	size_t n = 0;

	(void)state;
	if (!*path)
		skip();
	j = opened();
	machine.is_endless = true;
	machine.looks = 0;
	assert_int_equal(journal_read_tail(j, &ids), 0);
	assert_int_equal(machine.looks, JOURNAL_TAIL_MAX);
	machine.looks = 0;
	assert_int_equal(journal_each(j, JOURNAL_LATEST_FIRST, ignore, &n, &err), 0);
	assert_int_equal(machine.looks, JOURNAL_EACH_MAX);
	assert_int_equal(n, JOURNAL_EACH_MAX);
	machine.is_endless = false;
	journal_close(j);
}

static void test_no_room(void **state)
{
	CLEANUP(strmap_done) struct strmap ids = { 0 };
	sd_journal *j;

	(void)state;
	if (!*path)
		skip();
	j = opened();
	machine.has_no_room = true;
	assert_int_equal(journal_read_tail(j, &ids), -ENOMEM);
	machine.has_no_room = false;
	journal_close(j);
}

static void test_barrier(void **state)
{
	char id[RECORD_ID_SIZE] = "", other[RECORD_ID_SIZE] = "";

	(void)state;
	assert_int_equal(journal_send_barrier(NULL, STR("so far"), id), 0);
	assert_string_equal(id, output.id);
	assert_int_equal(strlen(id), RECORD_ID_SIZE - 1);
	assert_string_equal(output.text, "so far");
	assert_string_equal(output.event, "notice");
	assert_int_equal(output.severity, SEVERITY_INFO);
	assert_int_equal(output.message, MESSAGE_NOTICE);
	output.fails = -EAGAIN;
	assert_int_equal(journal_send_barrier(NULL, STR("so far"), other), -EAGAIN);
	assert_string_not_equal(id, other);
	output.fails = 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sees_records_of_findings),
		cmocka_unit_test(test_reach),
		cmocka_unit_test(test_opened_with),
		cmocka_unit_test(test_failures),
		cmocka_unit_test(test_endless),
		cmocka_unit_test(test_no_room),
		cmocka_unit_test(test_barrier),
		cmocka_unit_test(finds_what_no_match_finds), /* spoils the file */
	};

	return cmocka_run_group_tests(tests, make_journal, remove_journal);
}

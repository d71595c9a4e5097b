/* Rows of a look before a start: their order, and that what servers say cannot forge others. */
#include "daemon/preflight/checks.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void fill(struct checks *c)
{
	checks_add(c, STR("prod"), CHECK_OK, STR("server"), "https://a: version %s", "v1.31.0");
	checks_add(c, STR("dev"), CHECK_FAILED, STR("server"), "refused:\nprod   server   ok \x1b[2J\"quoted\"");
	checks_add(c, STR("prod"), CHECK_WARNING, STR("token"), "it ends soon");
	checks_add(c, STR(""), CHECK_OK, STR("files"), "3 files");
	checks_sort(c);
}

typedef int printer(const struct checks *c, struct buf *out, struct err *err);

static void expect(printer *print, const char *expected)
{
	CLEANUP(checks_done) struct checks c = { 0 };
	CLEANUP(buf_done) struct buf out = BUF_INIT(1 << 16);
	struct err err;

	fill(&c);
	assert_int_equal(c.n_failed, 1);
	assert_int_equal(print(&c, &out, &err), 0);
	assert_string_equal(buf_str(&out).p, expected);
}

static void test_table(void **state)
{
	(void)state;
	expect(checks_print_table, "CLUSTER   CHECK    RESULT    DETAIL\n"
				   "-         files    ok        3 files\n"
				   "dev       server   failed    refused:\\nprod   server   ok \\x1b[2J\"quoted\"\n"
				   "prod      server   ok        https://a: version v1.31.0\n"
				   "prod      token    warning   it ends soon\n");
}

static void test_json(void **state)
{
	(void)state;
	expect(checks_print_json,
	       "{\"checks\":[\n"
	       "{\"cluster\":\"\",\"check\":\"files\",\"result\":\"ok\",\"detail\":\"3 files\"},\n"
	       "{\"cluster\":\"dev\",\"check\":\"server\",\"result\":\"failed\",\"detail\":\"refused:\\nprod   server  "
	       " ok "
	       "\\u001b[2J\\\"quoted\\\"\"},\n"
	       "{\"cluster\":\"prod\",\"check\":\"server\",\"result\":\"ok\",\"detail\":\"https://a: version "
	       "v1.31.0\"},\n"
	       "{\"cluster\":\"prod\",\"check\":\"token\",\"result\":\"warning\",\"detail\":\"it ends soon\"}\n"
	       "]}\n");
}

/* A message is cut, not refused. */
static void test_long(void **state)
{
	CLEANUP(checks_done) struct checks c = { 0 };
	char text[5000];

	(void)state;
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	checks_add(&c, STR("prod"), CHECK_FAILED, STR("server"), "%s", text);
	assert_false(c.no_memory);
	assert_in_range(c.rows.p[0].detail.n, 500, 2000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table),
		cmocka_unit_test(test_json),
		cmocka_unit_test(test_long),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

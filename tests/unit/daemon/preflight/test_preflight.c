/* As whom is checked, and what is read again as that user. Who is not root can only be who it is. */
#include "daemon/preflight/preflight.h"

#include "base/problems.h"
#include "daemon/preflight/account.h"
#include "support/edited_file.h"

#include <errno.h>
#include <pwd.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define CONFIG "/dev/null" /* which everybody can read */
#define FAILED(what) (void)(fprintf(stderr, "%s\n", what), _exit(1))

/* In a process of its own, which gives up its rights. */
static void expect_in_child(void (*child)(void))
{
	pid_t pid;
	int status;

	if (geteuid() != 0 || !account_exists("nobody"))
		skip();
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		child();
		_exit(0); /* without a look for leaks: it may not trace itself any more */
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static bool is_set(const char *name, const char *value)
{
	const char *is = getenv(name);

	return is ? value && strcmp(is, value) == 0 : !value;
}

static void become_nobody(void)
{
	const struct passwd *p = getpwnam("nobody");
	gid_t groups[8];
	struct err err;

	if (setenv("LANG", "de_DE.UTF-8", 1) < 0 || setenv("HOME", "/nowhere", 1) < 0 ||
	    setenv("KUBECONFIG", "x", 1) < 0 || account_become("nobody", &err) < 0)
		FAILED("it cannot be nobody");
	if (getuid() != p->pw_uid || geteuid() != p->pw_uid || getgid() != p->pw_gid || getegid() != p->pw_gid)
		FAILED("it is somebody else");
	if (getgroups(8, groups) != 1 || groups[0] != p->pw_gid)
		FAILED("it has other groups");
	if (!is_set("HOME", p->pw_dir) || !is_set("USER", "nobody") || !is_set("LOGNAME", "nobody") ||
	    !is_set("PATH", SERVICE_PATH) || !is_set("LANG", "de_DE.UTF-8") || !is_set("KUBECONFIG", NULL))
		FAILED("it has another environment");
	if (setuid(0) == 0 || account_become("root", &err) != -EPERM)
		FAILED("it is root again");
}

static void become_nobody_without_language(void)
{
	struct err err;

	(void)unsetenv("LANG");
	if (account_become("nobody", &err) < 0 || !is_set("LANG", NULL) || !is_set("USER", "nobody"))
		FAILED("it has a language");
}

static void test_account(void **state)
{
	struct err err;

	(void)state;
	assert_true(account_exists("root"));
	assert_false(account_exists("nobody-of-this-name"));
	assert_int_equal(account_become("nobody-of-this-name", &err), -ENOENT);
	expect_in_child(become_nobody);
	expect_in_child(become_nobody_without_language);
}

/* ---- checks ---- */

static void read_again(void *ctx, struct problems *problems)
{
	problems_add(problems, "read again as %u", (unsigned)geteuid());
	++*(unsigned *)ctx;
}

static bool has_row(const struct checks *c, enum check_result result, const char *what, const char *detail)
{
	for (size_t i = 0; i < c->rows.n; i++) {
		const struct check_row *row = &c->rows.p[i];

		if (row->result == result && str_eq(row->what, str_from(what)) &&
		    str_find(row->detail, str_from(detail)) >= 0)
			return true;
	}
	return false;
}

static void check_as_nobody(void)
{
	const struct cfg good = { 0 }, bad = { .inspection.built_in = STR("/nowhere/rules") };
	unsigned n = 0;
	struct preflight_options o = {
		.cfg = &good, .config_path = CONFIG, .account = "nobody", .read_again = read_again, .ctx = &n
	};
	struct checks rows;
	struct err err;

	if (preflight_files(&o, &rows, &err) < 0 || n != 1)
		FAILED("nothing is read again");
	if (!has_row(&rows, CHECK_OK, "account", "checked as user nobody") ||
	    !has_row(&rows, CHECK_OK, "files", "1 file") ||
	    !has_row(&rows, CHECK_FAILED, "configuration", "read again as 65534") || rows.rows.n != 3)
		FAILED("it says something else");
	checks_done(&rows);
	o.cfg = &bad; /* with a file that cannot be read there is no use in that */
	o.account = NULL;
	if (preflight_files(&o, &rows, &err) < 0 || n != 1 ||
	    !has_row(&rows, CHECK_FAILED, "inspection rules", "nobody cannot read it"))
		FAILED("it is read again");
	checks_done(&rows);
}

static void test_files(void **state)
{
	const struct cfg cfg = { 0 };
	unsigned n = 0;
	struct preflight_options o = { .cfg = &cfg, .config_path = CONFIG, .read_again = read_again, .ctx = &n };
	struct checks rows;
	struct err err;

	(void)state;
	assert_int_equal(preflight_files(&o, &rows, &err), 0);
	assert_int_equal(n, 0);
	assert_int_equal(rows.rows.n, 2);
	assert_true(has_row(&rows, CHECK_WARNING, "account", ", with this shell's environment: "));
	assert_true(has_row(&rows, CHECK_OK, "files", "1 file: all can be read"));
	checks_done(&rows);
	assert_int_equal(preflight_run(&o, &rows, &err), 0); /* there is no cluster to ask */
	assert_int_equal(rows.rows.n, 2);
	checks_done(&rows);
	o.account = "nobody-of-this-name";
	assert_int_equal(preflight_files(&o, &rows, &err), -ENOENT);
	checks_done(&rows);
	expect_in_child(check_as_nobody);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_account), cmocka_unit_test(test_files) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The key of the hashes: made once, for the owner only, and the same afterwards. */
#include "daemon/store/database/state_key.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

struct fixture {
	char dir[64], path[96];
};

static int setup(void **state)
{
	struct fixture *x = calloc(1, sizeof(*x));

	*state = x;
	if (!x)
		return -1;
	(void)snprintf(x->dir, sizeof(x->dir), "/tmp/driftd-key-XXXXXX");
	if (!mkdtemp(x->dir))
		return -1;
	(void)snprintf(x->path, sizeof(x->path), "%s/hash.key", x->dir);
	return 0;
}

static int teardown(void **state)
{
	struct fixture *x = *state;

	(void)unlink(x->path);
	(void)rmdir(x->dir);
	free(x);
	return 0;
}

static void test_made_once(void **state)
{
	struct fixture *x = *state;
	unsigned char a[FINDINGS_KEY_SIZE] = { 0 }, b[FINDINGS_KEY_SIZE] = { 1 };
	const unsigned char zero[FINDINGS_KEY_SIZE] = { 0 };
	struct stat st;
	struct err err;

	(void)umask(0);
	assert_int_equal(state_key_load(x->dir, a, &err), 0);
	assert_int_equal(stat(x->path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	assert_memory_not_equal(a, zero, sizeof(a));
	assert_int_equal(state_key_load(x->dir, b, &err), 0);
	assert_memory_equal(a, b, sizeof(a));
}

/* A loss of power may have left half a file; another folder has another key. */
static void test_what_is_no_key_is_replaced(void **state)
{
	struct fixture *x = *state;
	unsigned char a[FINDINGS_KEY_SIZE], b[FINDINGS_KEY_SIZE];
	struct stat st;
	struct err err;

	assert_int_equal(state_key_load(x->dir, a, &err), 0);
	assert_int_equal(truncate(x->path, FINDINGS_KEY_SIZE - 1), 0);
	assert_int_equal(state_key_load(x->dir, b, &err), 0);
	assert_memory_not_equal(a, b, sizeof(a));
	assert_int_equal(stat(x->path, &st), 0);
	assert_int_equal(st.st_size, FINDINGS_KEY_SIZE);
}

/* What root adds is its owner's, also after root was killed in the midst of it. */
static void test_of_another_account(void **state)
{
	const struct state_keys keys = { .of = { { 1 }, { 2 } }, .n = 2 };
	struct fixture *x = *state;
	unsigned char a[FINDINGS_KEY_SIZE];
	const uid_t account = 65534;
	char path[128];
	struct stat st;
	struct err err;
	int fd;

	if (geteuid() != 0)
		skip();
	assert_int_equal(chown(x->dir, account, account), 0);
	(void)snprintf(path, sizeof(path), "%s.new", x->path);
	fd = open(path, O_WRONLY | O_CREAT, 0600);
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(seteuid(account), 0);
	assert_int_equal(state_key_load(x->dir, a, &err), 0);
	assert_int_equal(seteuid(0), 0);
	assert_int_equal(unlink(x->path), 0);
	assert_int_equal(state_keys_add(x->dir, &keys, &err), 0);
	assert_int_equal(stat(x->path, &st), 0);
	assert_int_equal(st.st_uid, account);
	(void)snprintf(path, sizeof(path), "%s/hash.old", x->dir);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_uid, account);
	assert_int_equal(unlink(path), 0);
}

static void test_failures(void **state)
{
	struct fixture *x = *state;
	unsigned char a[FINDINGS_KEY_SIZE] = { 7 };
	struct err err;

	assert_int_equal(state_key_load("/nonexistent", a, &err), -ENOENT);
	assert_int_equal(symlink("/dev/zero", x->path), 0);
	assert_int_equal(state_key_load(x->dir, a, &err), -ELOOP);
	assert_int_equal(a[0], 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_made_once, setup, teardown),
		cmocka_unit_test_setup_teardown(test_what_is_no_key_is_replaced, setup, teardown),
		cmocka_unit_test_setup_teardown(test_of_another_account, setup, teardown),
		cmocka_unit_test_setup_teardown(test_failures, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

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

	char old[128];

	(void)snprintf(old, sizeof(old), "%s/hash.old", x->dir);
	(void)unlink(x->path);
	(void)unlink(old);
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

static size_t open_files(void)
{
	size_t n = 0;

	for (int fd = 0; fd < 64; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

static bool has(const struct state_keys *keys, unsigned char first)
{
	for (size_t i = 0; i < keys->n; i++) {
		if (keys->of[i][0] == first)
			return true;
	}
	return false;
}

/* Keys from elsewhere stand behind its own, each once. */
static void test_keys_from_elsewhere(void **state)
{
	const struct state_keys some = { .of = { { 1 }, { 2 } }, .n = 2 },
				more = { .of = { { 2 }, { 3 }, { 3 } }, .n = 3 };
	struct fixture *x = *state;
	struct state_keys keys = { .n = 0 }, many = { .n = STATE_KEYS_MAX };
	unsigned char own[FINDINGS_KEY_SIZE];
	size_t before = open_files();
	char path[128];
	struct err err;

	(void)snprintf(path, sizeof(path), "%s/hash.old", x->dir);
	assert_int_equal(state_keys_read(x->dir, &keys, &err), 0);
	assert_int_equal(keys.n, 0);
	assert_int_equal(state_keys_add(x->dir, &some, &err), 0);
	assert_int_equal(state_key_load(x->dir, own, &err), 0);
	assert_int_equal(own[0], 1); /* the first, since there was none */
	assert_int_equal(state_keys_add(x->dir, &more, &err), 0);
	assert_int_equal(state_keys_read(x->dir, &keys, &err), 0);
	assert_int_equal(keys.n, 3);
	assert_int_equal(keys.of[0][0], 1);
	assert_true(has(&keys, 2) && has(&keys, 3));
	for (size_t i = 0; i < STATE_KEYS_MAX; i++)
		many.of[i][0] = (unsigned char)(100 + i);
	assert_int_equal(state_keys_add(x->dir, &many, &err), -E2BIG);
	many.n = STATE_KEYS_MAX - 3;
	assert_int_equal(state_keys_add(x->dir, &many, &err), 0);
	assert_int_equal(state_keys_read(x->dir, &keys, &err), 0);
	assert_int_equal(keys.n, STATE_KEYS_MAX);
	assert_int_equal(truncate(path, FINDINGS_KEY_SIZE + 1), 0);
	assert_int_equal(state_keys_read(x->dir, &keys, &err), -EBADMSG);
	assert_int_equal(state_keys_add(x->dir, &some, &err), -EBADMSG);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(mkdir(path, 0700), 0);
	assert_int_equal(state_keys_read(x->dir, &keys, &err), -EISDIR);
	assert_int_equal(rmdir(path), 0);
	assert_int_equal(open_files(), before);
}

/* It is written again when it is gone, or another. */
static void test_kept(void **state)
{
	struct fixture *x = *state;
	unsigned char key[FINDINGS_KEY_SIZE], there[FINDINGS_KEY_SIZE];
	size_t before = open_files();
	struct err err;
	int dir = open(x->dir, O_RDONLY | O_DIRECTORY);

	state_key_random(key);
	assert_int_equal(state_key_keep(dir, key, &err), 1);
	assert_int_equal(state_key_keep(dir, key, &err), 0);
	assert_int_equal(state_key_load(x->dir, there, &err), 0);
	assert_memory_equal(key, there, sizeof(key));
	assert_int_equal(state_key_mark(key), state_key_mark(there));
	there[5] ^= 1;
	assert_int_not_equal(state_key_mark(key), state_key_mark(there));
	assert_int_equal(state_key_keep(dir, there, &err), 1);
	assert_int_equal(unlink(x->path), 0);
	assert_int_equal(state_key_keep(dir, key, &err), 1);
	assert_int_equal(close(dir), 0);
	assert_int_equal(open_files(), before);
	assert_true(state_key_keep(dir, key, &err) < 0);
}

/* What another key takes the place of is known afterwards, once, the last one first; the oldest is forgotten. */
static void test_former_keys_stay_known(void **state)
{
	struct fixture *x = *state;
	unsigned char key[FINDINGS_KEY_SIZE] = { 0 };
	struct state_keys keys = { .n = 0 };
	int dir = open(x->dir, O_RDONLY | O_DIRECTORY);
	struct err err;

	for (int i = 1; i <= STATE_KEYS_MAX + 5; i++) {
		key[0] = (unsigned char)i;
		assert_int_equal(state_key_keep(dir, key, &err), 1);
		assert_int_equal(state_keys_read(x->dir, &keys, &err), 0);
		assert_int_equal(keys.n, i < STATE_KEYS_MAX ? i : STATE_KEYS_MAX);
		for (size_t k = 0; k < keys.n; k++)
			assert_int_equal(keys.of[k][0], i - (int)k);
	}
	key[0] -= 3;
	assert_int_equal(state_key_keep(dir, key, &err), 1);
	assert_int_equal(state_keys_read(x->dir, &keys, &err), 0);
	assert_int_equal(keys.n, STATE_KEYS_MAX);
	assert_int_equal(keys.of[0][0], STATE_KEYS_MAX + 2);
	assert_int_equal(keys.of[1][0], STATE_KEYS_MAX + 5);
	assert_int_equal(keys.of[4][0], STATE_KEYS_MAX + 1);
	assert_int_equal(close(dir), 0);
}

/* Where a shard looks for the key of the first one, by its own folder below that of the fixture. */
static void test_of_the_first_shard(void **state)
{
	static const struct {
		const char *dir;
		struct shard shard;
		bool found;
	} cases[] = {
		{ "/shard-2", { 2, 3 }, true },  { "/shard-2//", { 2, 3 }, true }, { "/shard-10", { 10, 11 }, true },
		{ "/shard-0", { 0, 3 }, false }, { "/shard-2", { 1, 3 }, false },  { "/shard-12", { 2, 3 }, false },
		{ "/shard-2", { 2, 1 }, false }, { "/shard-2", { 0, 0 }, false },  { "/other-2", { 2, 3 }, false },
		{ "/shard-", { 2, 3 }, false },  { "/1", { 1, 3 }, false },        { "", { 1, 3 }, false },
	};
	struct fixture *x = *state;
	unsigned char key[FINDINGS_KEY_SIZE], found[FINDINGS_KEY_SIZE];
	const struct shard second = { 1, 2 };
	char first[128], path[160], dir[160];
	struct err err;

	(void)snprintf(first, sizeof(first), "%s/shard-0", x->dir);
	(void)snprintf(path, sizeof(path), "%s/hash.key", first);
	(void)snprintf(dir, sizeof(dir), "%s/shard-1", x->dir);
	assert_false(state_key_of_first(str_from(dir), second, found));
	assert_int_equal(mkdir(first, 0700), 0);
	assert_false(state_key_of_first(str_from(dir), second, found));
	assert_int_equal(state_key_load(first, key, &err), 0);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		char own[160];

		(void)snprintf(own, sizeof(own), "%s%s", *cases[i].dir ? x->dir : "", cases[i].dir);
		memset(found, 0, sizeof(found));
		if (state_key_of_first(str_from(own), cases[i].shard, found) != cases[i].found)
			fail_msg("%s, shard %u of %u", cases[i].dir, cases[i].shard.ordinal, cases[i].shard.total);
		if (cases[i].found)
			assert_memory_equal(found, key, sizeof(key));
	}
	assert_int_equal(chmod(path, 0640), 0); /* others can read it */
	assert_false(state_key_of_first(str_from(dir), second, found));
	assert_int_equal(chmod(path, 0600), 0);
	assert_int_equal(truncate(path, FINDINGS_KEY_SIZE - 1), 0);
	assert_false(state_key_of_first(str_from(dir), second, found));
	assert_int_equal(unlink(path), 0);
	assert_int_equal(symlink("/dev/zero", path), 0);
	assert_false(state_key_of_first(str_from(dir), second, found));
	assert_int_equal(unlink(path), 0);
	assert_int_equal(rmdir(first), 0);
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
		cmocka_unit_test_setup_teardown(test_keys_from_elsewhere, setup, teardown),
		cmocka_unit_test_setup_teardown(test_kept, setup, teardown),
		cmocka_unit_test_setup_teardown(test_former_keys_stay_known, setup, teardown),
		cmocka_unit_test_setup_teardown(test_of_the_first_shard, setup, teardown),
		cmocka_unit_test_setup_teardown(test_failures, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

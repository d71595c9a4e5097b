/* Which key of the hashes counts, of a host's own and what etcd has. */
#include "daemon/leader/etcd/agreed_key.h"

#include "base/hex.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <errno.h>

enum { NONE, OWN, THEIRS }; /* of keys and fingerprints */

static const struct {
	bool shares;
	int key, fingerprint;
	const char *text; /* what etcd has instead of a key; NULL: @key */
	int ret;          /* as agreed_key */
	const char *why;  /* part of the message */
} cases[] = {
	/* nobody has led yet, or etcd has lost all */
	{ true, NONE, NONE, NULL, 0, NULL },
	{ false, NONE, NONE, NULL, 0, NULL },
	/* others share their key */
	{ true, OWN, OWN, NULL, 0, NULL },
	{ true, THEIRS, THEIRS, NULL, 1, NULL },
	{ true, THEIRS, NONE, NULL, 1, NULL }, /* another shard of this cluster does */
	{ true, OWN, NONE, NULL, 0, NULL },
	/* they do not */
	{ true, NONE, OWN, NULL, 0, NULL },
	{ true, NONE, THEIRS, NULL, -EKEYREJECTED, "hosts that use /p/shards/0/2 in etcd have another key and do not" },
	/* some do, and have another one than those that do not */
	{ true, THEIRS, OWN, NULL, -EKEYREJECTED,
	  "/p/hash_key in etcd is not the key of the hosts that use /p/shards/0/2" },
	{ true, OWN, THEIRS, NULL, -EKEYREJECTED, "/p/hash_key in etcd is not the key" },
	/* an administrator has given the host its key, which is never another one */
	{ false, THEIRS, NONE, NULL, 0, NULL },
	{ false, THEIRS, OWN, NULL, 0, NULL },
	{ false, NONE, THEIRS, NULL, -EKEYREJECTED, "hash_key_file is another one" },
	{ false, THEIRS, THEIRS, NULL, -EKEYREJECTED, "hash_key_file is another one" },
	{ false, OWN, OWN, "no key", 0, NULL },
	/* what is no key */
	{ true, NONE, NONE, "", -EKEYREJECTED, "/p/hash_key in etcd is no key: remove it" },
	{ true, NONE, OWN, "", -EKEYREJECTED, "is no key" },
	{ true, NONE, OWN, "0123", -EKEYREJECTED, "is no key" },
	{ true, NONE, NONE, "0202020202020202020202020202020202020202020202020202020202020202\n", -EKEYREJECTED,
	  "is no key" },
	{ true, NONE, NONE, "020202020202020202020202020202020202020202020202020202020202020", -EKEYREJECTED,
	  "is no key" },
	{ true, NONE, NONE, "0A0202020202020202020202020202020202020202020202020202020202020g", -EKEYREJECTED,
	  "is no key" },
};

static str key_text(const unsigned char *key, int which, char space[AGREED_KEY_TEXT_SIZE])
{
	hex_write(key, FINDINGS_KEY_SIZE, space);
	return which == NONE ? (str){ NULL, 0 } : str_from(space);
}

static void test_agreement(void **state)
{
	unsigned char keys[3][FINDINGS_KEY_SIZE];

	(void)state;
	for (size_t i = 0; i < 3; i++)
		memset(keys[i], (int)i, FINDINGS_KEY_SIZE);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct agreed_key_terms t = { .prefix = STR("/p"), .own = "/p/shards/0/2", .shares = cases[i].shares };
		unsigned char ret[FINDINGS_KEY_SIZE] = { 9 };
		char text[AGREED_KEY_TEXT_SIZE], fingerprint[RECORD_ID_SIZE], secret[AGREED_KEY_TEXT_SIZE];
		struct err err = { 0 };
		int r;

		t.key = cases[i].text ? str_from(cases[i].text) : key_text(keys[cases[i].key], cases[i].key, text);
		assert_true(agreed_key_fingerprint(keys[cases[i].fingerprint], fingerprint));
		if (cases[i].fingerprint != NONE)
			t.fingerprint = str_from(fingerprint);
		r = agreed_key(keys[OWN], &t, ret, &err);
		if (r != cases[i].ret || (cases[i].why && !strstr(err.msg, cases[i].why)))
			fail_msg("case %zu: %d %s", i, r, err.msg);
		if (r == 1)
			assert_memory_equal(ret, keys[THEIRS], sizeof(ret));
		else
			assert_int_equal(ret[0], 9);
		for (size_t k = 1; k < 3; k++)
			assert_null(strstr(err.msg, key_text(keys[k], OWN, secret).p));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_agreement),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

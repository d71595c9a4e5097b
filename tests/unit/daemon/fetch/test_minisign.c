/* Keys and signatures that minisign 0.11 and signify-openbsd made, and what becomes of them. */
#include "daemon/fetch/minisign.h"

#include "base/buf.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define TEXT "a text that is signed\n"
#define KEY_1 "untrusted comment: minisign public key 4CBE0E2D3EFD0452\n"
#define KEY_2 "RWRSBP0+LQ6+TEMVjO3bXK43qmA0y2eIPlryUTXoAepX4HBLDv5So62d"
#define OTHER_KEY                                                                                                      \
	"untrusted comment: minisign public key 7F5E82D97B25C111\n"                                                    \
	"RWQRwSV72YJefwq/obheIPItM2+v1wmaG6rkkbpIkIWUMabBT6+1/xpc\n"
#define SIGNIFY_KEY "untrusted comment: signify public key\nRWQAu9pRASjbgzDQ6S5K2YEJI5soS8WDngu88dGDikNBelwpaTuMuu7f\n"
#define SAID "untrusted comment: signature from minisign secret key\n"
#define HASHED "RURSBP0+LQ6+TNc6dIG8wyHj/26n6/rxdNkxJkWiLgKhTLjaf4qEm9TE4cl+27rPp417bil102yuYeDoxEHbXMqM6xFxVhmwWQI=\n"
#define COMMENT "trusted comment: a comment\n"
#define HASHED_GLOBAL "K/ibExKTtnLZoiPAgJN0hpIUOwctdW6JuaWzjwEKk1CyaRY/f03eQ9MpVXCPkJ3Z0xgBWoqdOqzMkCMI8Dr1Aw=="
#define LEGACY "RWRSBP0+LQ6+TPZZqePmBAjnWFbC45Ax0FWGzu3HwoFdpF7eY0BIUcDAWb6mS3LKkjAe2L5Nljc9fLF2FyDI3AchxNbosawPxgA=\n"
#define LEGACY_GLOBAL "ak6pShvBCFqvhbK/zKuh120w6V9+8yWulTcfgNbe8kkKtXeLSEVK5vbkVqDbuKtEkyyALfov73tjJbiXXSOWAw=="
#define SIGNIFIED                                                                                                      \
	"untrusted comment: verify with s.pub\n"                                                                       \
	"RWQAu9pRASjbg94kBsyFJHGdQxC0gSiS+2Fc6CzYTmCVAntpYtUmqO0gupI3jDVisdm5Lna7fnsG/n/6/1FWXN6KHGeYaK/RgQ0=\n"

static struct minisign_key key_of(const char *text)
{
	struct minisign_key k;
	struct err err = { 0 };

	if (minisign_key_read(str_from(text), &k, &err) < 0)
		fail_msg("%s", err.msg);
	return k;
}

static void test_keys(void **state)
{
	static const char *const bad[] = {
		"",
		"\n",
		KEY_1,
		KEY_1 KEY_2 "\n\n",
		KEY_1 KEY_2 "\nx",
		KEY_1 KEY_2 "x",
		KEY_1 KEY_2 " ",
		KEY_1 "RWRSBP0+LQ6+TEMVjO3bXK43qmA0y2eIPlryUTXoAepX4HBLDv5So62",
		KEY_1 "RWRSBP0+LQ6+TEMVjO3bXK43qmA0y2eIPlryUTXoAepX4HBLDv5So6==",
		KEY_1 "RURSBP0+LQ6+TEMVjO3bXK43qmA0y2eIPlryUTXoAepX4HBLDv5So62d",
		"comment: x\n" KEY_2,
		"-----BEGIN PUBLIC KEY-----\n",
		SAID HASHED,
	};
	static const char *const good[] = { KEY_1 KEY_2 "\n", KEY_1 KEY_2, KEY_2, KEY_2 "\n",
					    "untrusted comment: \r\n" KEY_2 "\r\n" };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(good); i++)
		assert_string_equal(key_of(good[i]).name, "4CBE0E2D3EFD0452");
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		struct minisign_key k;
		struct err err;

		if (minisign_key_read(str_from(bad[i]), &k, &err) != -EINVAL)
			fail_msg("%zu is taken: %s", i, bad[i]);
	}
}

struct row {
	const char *key, *signature, *text, *wanted; /* NULL: it is good */
};

static const struct row rows[] = {
	{ KEY_1 KEY_2, SAID HASHED COMMENT HASHED_GLOBAL, TEXT, NULL },
	{ KEY_1 KEY_2, SAID HASHED COMMENT HASHED_GLOBAL "\n", TEXT, NULL },
	{ KEY_1 KEY_2, SAID LEGACY COMMENT LEGACY_GLOBAL "\n", TEXT, NULL },
	{ KEY_1 KEY_2, SAID LEGACY, TEXT, NULL }, /* what signify would have written */
	{ SIGNIFY_KEY, SIGNIFIED, TEXT, NULL },
	{ KEY_1 KEY_2, "untrusted comment: anything\n" HASHED COMMENT HASHED_GLOBAL, TEXT, NULL },
	/* another text, another key, another comment */
	{ KEY_1 KEY_2, SAID HASHED COMMENT HASHED_GLOBAL, TEXT " ", "the signature is not one of this text" },
	{ KEY_1 KEY_2, SAID HASHED COMMENT HASHED_GLOBAL, "", "the signature is not one of this text" },
	{ KEY_1 KEY_2, SAID LEGACY COMMENT LEGACY_GLOBAL, "", "the signature is not one of this text" },
	{ SIGNIFY_KEY, SIGNIFIED, "x" TEXT, "the signature is not one of this text" },
	{ OTHER_KEY, SAID HASHED COMMENT HASHED_GLOBAL, TEXT, "the signature is by another key" },
	{ KEY_1 KEY_2, SIGNIFIED, TEXT, "the signature is by another key" },
	{ KEY_1 KEY_2, SAID HASHED "trusted comment: another\n" HASHED_GLOBAL, TEXT,
	  "the signature is not one of its comment" },
	{ KEY_1 KEY_2, SAID HASHED COMMENT LEGACY_GLOBAL, TEXT, "the signature is not one of its comment" },
	{ KEY_1 KEY_2, SAID LEGACY COMMENT HASHED_GLOBAL, TEXT, "the signature is not one of its comment" },
	{ KEY_1 KEY_2, SAID HASHED "comment: a comment\n" HASHED_GLOBAL, TEXT,
	  "the signature has a damaged trusted comment" },
	{ KEY_1 KEY_2, SAID HASHED COMMENT "K/ibExKT", TEXT, "the signature has a damaged trusted comment" },
	{ KEY_1 KEY_2, SAID HASHED, TEXT, "the signature has no trusted comment" },
	/* damaged ones */
	{ KEY_1 KEY_2, "", TEXT, "the signature is not a signature of minisign or signify" },
	{ KEY_1 KEY_2, SAID, TEXT, "the signature is not a signature of minisign or signify" },
	{ KEY_1 KEY_2, SAID HASHED COMMENT, TEXT, "the signature is not a signature of minisign or signify" },
	{ KEY_1 KEY_2, SAID HASHED COMMENT HASHED_GLOBAL "\n\n", TEXT,
	  "the signature is not a signature of minisign or signify" },
	{ KEY_1 KEY_2, SAID HASHED COMMENT HASHED_GLOBAL "\nx", TEXT,
	  "the signature is not a signature of minisign or signify" },
	{ KEY_1 KEY_2, HASHED COMMENT HASHED_GLOBAL, TEXT, "the signature is not a signature of minisign or signify" },
	{ KEY_1 KEY_2, SAID "RURSBP0+\n" COMMENT HASHED_GLOBAL, TEXT,
	  "the signature is not a signature of minisign or signify" },
	{ SIGNIFY_KEY, SIGNIFIED "a text", TEXT, "the signature is not a signature of minisign or signify" },
	{ KEY_1 KEY_2,
	  SAID "RXRSBP0+LQ6+TNc6dIG8wyHj/26n6/"
	       "rxdNkxJkWiLgKhTLjaf4qEm9TE4cl+27rPp417bil102yuYeDoxEHbXMqM6xFxVhmwWQI=\n" COMMENT HASHED_GLOBAL,
	  TEXT, "the signature is of another algorithm" },
	/* the hash in place of the text, as if it had been signed itself */
	{ KEY_1 KEY_2,
	  SAID "RWRSBP0+LQ6+TNc6dIG8wyHj/26n6/"
	       "rxdNkxJkWiLgKhTLjaf4qEm9TE4cl+27rPp417bil102yuYeDoxEHbXMqM6xFxVhmwWQI=\n" COMMENT HASHED_GLOBAL,
	  TEXT, "the signature is not one of this text" },
};

static void test_rows(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct minisign_key key = key_of(rows[i].key);
		struct err err = { 0 };
		int r = minisign_check(&key, str_from(rows[i].signature), str_from(rows[i].text), &err);

		assert_int_equal(r, rows[i].wanted ? -EKEYREJECTED : 0);
		assert_string_equal(err.msg, rows[i].wanted ? rows[i].wanted : "");
	}
}

/* No bit of what counts may be another one: of the two signatures, their key and the comment. */
static void test_every_bit(void **state)
{
	static const char whole[] = SAID HASHED COMMENT HASHED_GLOBAL;
	struct minisign_key key = key_of(KEY_1 KEY_2);
	size_t from = sizeof(SAID) - 1;

	(void)state;
	for (size_t i = from; i < sizeof(whole) - 1; i++) {
		for (unsigned bit = 0; bit < 8; bit++) {
			char other[sizeof(whole)];
			struct err err;

			memcpy(other, whole, sizeof(whole));
			other[i] ^= (char)(1u << bit);
			/* The last digits of base64 have bits that nobody reads. */
			if (other[i + 1] == '=')
				continue;
			if (minisign_check(&key, (str){ other, sizeof(whole) - 1 }, STR(TEXT), &err) != -EKEYREJECTED)
				fail_msg("byte %zu, bit %u", i, bit);
		}
	}
}

static void test_cut_off(void **state)
{
	static const char whole[] = SAID HASHED COMMENT HASHED_GLOBAL;
	struct minisign_key key = key_of(KEY_1 KEY_2);
	CLEANUP(buf_done) struct buf large = BUF_INIT(1 << 20);
	struct err err;

	(void)state;
	for (size_t n = 0; n < sizeof(whole) - 1; n++) {
		CLEANUP(freep) char *part = malloc(n + 1);

		memcpy(part, whole, n);
		assert_int_equal(minisign_check(&key, (str){ part, n }, STR(TEXT), &err), -EKEYREJECTED);
	}
	buf_add_cstr(&large, whole);
	buf_fill(&large, '\n', MINISIGN_FILE_MAX);
	assert_int_equal(minisign_check(&key, buf_str(&large), STR(TEXT), &err), -EKEYREJECTED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_keys),
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_every_bit),
		cmocka_unit_test(test_cut_off),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Computes the bcrypt hash of a password. */
#include "template/fn/bcrypt.h"

#include "go/base64.h"

struct blowfish {
	uint32_t p[BLOWFISH_P_WORDS];
	uint32_t s[4][256];
};

static void encrypt(const struct blowfish *b, uint32_t *left, uint32_t *right)
{
	uint32_t l = *left;
	uint32_t r = *right;

	for (size_t i = 0; i < 16; i++) {
		uint32_t t;

		l ^= b->p[i];
		r ^= ((b->s[0][l >> 24] + b->s[1][l >> 16 & 255]) ^ b->s[2][l >> 8 & 255]) + b->s[3][l & 255];
		t = l;
		l = r;
		r = t;
	}
	*left = r ^ b->p[17];
	*right = l ^ b->p[16];
}

/* The next four bytes of @p, which is repeated without end. */
static uint32_t next_word(const unsigned char *p, size_t n, size_t *at)
{
	uint32_t w = 0;

	for (size_t i = 0; i < 4; i++) {
		w = w << 8 | p[*at];
		*at = *at + 1 < n ? *at + 1 : 0;
	}
	return w;
}

/* Fold the key into the state, then replace the state by its own cipher stream, with the salt folded in. @n_salt may be
 * 0. */
static void expand(struct blowfish *b, const unsigned char *key, size_t n_key, const unsigned char *salt, size_t n_salt)
{
	uint32_t l = 0;
	uint32_t r = 0;
	size_t at = 0;
	size_t salt_at = 0;

	for (size_t i = 0; i < BLOWFISH_P_WORDS; i++)
		b->p[i] ^= next_word(key, n_key, &at);
	for (size_t i = 0; i < BLOWFISH_WORDS; i += 2) {
		uint32_t *to = i < BLOWFISH_P_WORDS ? &b->p[i]
						    : &b->s[(i - BLOWFISH_P_WORDS) / 256][(i - BLOWFISH_P_WORDS) % 256];

		if (n_salt) {
			l ^= next_word(salt, n_salt, &salt_at);
			r ^= next_word(salt, n_salt, &salt_at);
		}
		encrypt(b, &l, &r);
		to[0] = l;
		to[1] = r;
	}
}

static const struct go_base64 bcrypt64 = { "./ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789", false };

void tmpl_bcrypt_hash(str password, const unsigned char salt[BCRYPT_SALT], unsigned cost, char out[BCRYPT_TEXT])
{
	/* "OrpheanBeholderScryDoubt" */
	uint32_t text[6] = { 0x4f727068, 0x65616e42, 0x65686f6c, 0x64657253, 0x63727944, 0x6f756274 };
	unsigned char key[BCRYPT_PASSWORD_MAX + 1] = { 0 };
	unsigned char hash[24];
	struct blowfish b;
	size_t n_key = password.n + 1; /* with the NUL that C implementations hash */

	if (password.n)
		memcpy(key, password.p, password.n);
	memcpy(b.p, blowfish_pi, sizeof(b.p));
	memcpy(b.s, blowfish_pi + BLOWFISH_P_WORDS, sizeof(b.s));
	expand(&b, key, n_key, salt, BCRYPT_SALT);
	for (uint64_t i = 0; i < UINT64_C(1) << cost; i++) {
		expand(&b, key, n_key, NULL, 0);
		expand(&b, salt, BCRYPT_SALT, NULL, 0);
	}
	for (size_t i = 0; i < 64; i++)
		for (size_t k = 0; k < 6; k += 2)
			encrypt(&b, &text[k], &text[k + 1]);
	for (size_t i = 0; i < sizeof(hash); i++)
		hash[i] = (unsigned char)(text[i / 4] >> (24 - 8 * (i % 4)));
	memcpy(out, "$2a$00$", 7);
	out[4] = (char)('0' + cost / 10);
	out[5] = (char)('0' + cost % 10);
	(void)go_base64_write(&bcrypt64, salt, BCRYPT_SALT, out + 7);
	(void)go_base64_write(&bcrypt64, hash, 23, out + 29);
	explicit_bzero(&b, sizeof(b));
	explicit_bzero(key, sizeof(key));
}

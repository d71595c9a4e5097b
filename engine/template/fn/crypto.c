/* Hashes, passwords, AES, keys, certificates and random text. */
#include "template/fn/crypto.h"

#include "base/hex.h"
#include "go/base64.h"
#include "template/fn/bcrypt.h"
#include "template/fn/random.h"

#include <openssl/err.h>
#include <openssl/hmac.h>

#define AES_BLOCK 16
#define BCRYPT_COST 10
#define STEPS_BCRYPT 400000
#define STEPS_SCRYPT 400000

DEFINE_CLEANUP(EVP_CIPHER_CTX *, EVP_CIPHER_CTX_free)

/* ---- hashes ---- */

static int ret_hash(struct tmpl_call *c, str s, const EVP_MD *md, tval *ret)
{
	CLEANUP(buf_done) struct buf out = tmpl_buf(c);
	unsigned char hash[EVP_MAX_MD_SIZE];
	unsigned n = 0;
	int r = tmpl_spend(c, s.n / 64);

	if (r < 0)
		return r;
	if (!EVP_Digest(s.p ? s.p : "", s.n, hash, &n, md, NULL))
		return tmpl_nomem(c);
	hex_add(&out, hash, n);
	return tmpl_ret_buf(c, &out, ret);
}

static int run_sha1(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	(void)n;
	return ret_hash(c, args[0].s, EVP_sha1(), ret);
}

static int run_sha256(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	(void)n;
	return ret_hash(c, args[0].s, EVP_sha256(), ret);
}

static int run_sha512(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	(void)n;
	return ret_hash(c, args[0].s, EVP_sha512(), ret);
}

static int run_adler32(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	CLEANUP(buf_done) struct buf out = tmpl_buf(c);
	uint32_t a = 1;
	uint32_t b = 0;
	int r = tmpl_spend(c, args[0].s.n / 64);

	(void)n;
	if (r < 0)
		return r;
	for (size_t i = 0; i < args[0].s.n; i++) {
		a = (a + (unsigned char)args[0].s.p[i]) % 65521;
		b = (b + a) % 65521;
	}
	buf_printf(&out, "%u", b << 16 | a);
	return tmpl_ret_buf(c, &out, ret);
}

/* ---- passwords ---- */

static int add_bcrypt(struct tmpl_call *c, str password, struct buf *out)
{
	unsigned char salt[BCRYPT_SALT];
	char text[BCRYPT_TEXT];
	int r;

	if (password.n > BCRYPT_PASSWORD_MAX) {
		buf_add_cstr(out, "failed to encrypt string with bcrypt: bcrypt: password length exceeds 72 bytes");
		return 0;
	}
	r = tmpl_spend(c, STEPS_BCRYPT);
	if (r == 0)
		r = tmpl_random_bytes(c, salt, sizeof(salt));
	if (r < 0)
		return r;
	tmpl_bcrypt_hash(password, salt, BCRYPT_COST, text);
	buf_add(out, text, sizeof(text));
	return 0;
}

static int run_bcrypt(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	CLEANUP(buf_done) struct buf out = tmpl_buf(c);
	int r = add_bcrypt(c, args[0].s, &out);

	(void)n;
	return r < 0 ? r : tmpl_ret_buf(c, &out, ret);
}

static int run_htpasswd(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	CLEANUP(buf_done) struct buf out = tmpl_buf(c);
	int r = 0;

	(void)n;
	if (str_find_byte(args[0].s, ':') >= 0) {
		buf_add_cstr(&out, "invalid username: ");
		buf_add_str(&out, args[0].s);
	} else {
		buf_add_str(&out, args[0].s);
		buf_add_byte(&out, ':');
		r = add_bcrypt(c, args[1].s, &out);
	}
	return r < 0 ? r : tmpl_ret_buf(c, &out, ret);
}

/* The Master Password algorithm (masterpassword.app): it has templates for each kind of password, in which each
 * letter is a class of characters. */
struct password_kind {
	const char *name;
	const char *templates[22];
};
static const struct password_kind password_kinds[] = {
	{ "maximum", { "anoxxxxxxxxxxxxxxxxx", "axxxxxxxxxxxxxxxxxno" } },
	{ "long",
	  { "CvcvnoCvcvCvcv", "CvcvCvcvnoCvcv", "CvcvCvcvCvcvno", "CvccnoCvcvCvcv", "CvccCvcvnoCvcv", "CvccCvcvCvcvno",
	    "CvcvnoCvccCvcv", "CvcvCvccnoCvcv", "CvcvCvccCvcvno", "CvcvnoCvcvCvcc", "CvcvCvcvnoCvcc", "CvcvCvcvCvccno",
	    "CvccnoCvccCvcv", "CvccCvccnoCvcv", "CvccCvccCvcvno", "CvcvnoCvccCvcc", "CvcvCvccnoCvcc", "CvcvCvccCvccno",
	    "CvccnoCvcvCvcc", "CvccCvcvnoCvcc", "CvccCvcvCvccno" } },
	{ "medium", { "CvcnoCvc", "CvcCvcno" } },
	{ "short", { "Cvcn" } },
	{ "basic", { "aaanaaan", "aannaaan", "aaannaaa" } },
	{ "pin", { "nnnn" } },
};

static const char *character_class(char letter)
{
	switch (letter) {
	case 'V':
		return "AEIOU";
	case 'C':
		return "BCDFGHJKLMNPQRSTVWXYZ";
	case 'v':
		return "aeiou";
	case 'c':
		return "bcdfghjklmnpqrstvwxyz";
	case 'a':
		return "AEIOUaeiouBCDFGHJKLMNPQRSTVWXYZbcdfghjklmnpqrstvwxyz";
	case 'n':
		return "0123456789";
	case 'o':
		return "@&%?,=[]_:-+*$#!'^~;()/.";
	default: /* 'x' */
		return "AEIOUaeiouBCDFGHJKLMNPQRSTVWXYZbcdfghjklmnpqrstvwxyz0123456789!@#$%^&*()";
	}
}

static void add_u32(struct buf *out, uint64_t v)
{
	for (int shift = 24; shift >= 0; shift -= 8)
		buf_add_byte(out, (char)(unsigned char)(v >> shift));
}

#define PASSWORD_SCOPE "com.lyndir.masterpassword"

static int password_seed(struct tmpl_call *c, const tval *args, unsigned char seed[32])
{
	CLEANUP(buf_done) struct buf salt = tmpl_buf(c);
	CLEANUP(buf_done) struct buf message = tmpl_buf(c);
	str password = args[2].s;
	unsigned char key[64];
	unsigned n = 0;
	int r = tmpl_spend(c, STEPS_SCRYPT);

	if (r < 0)
		return r;
	buf_add_cstr(&salt, PASSWORD_SCOPE);
	add_u32(&salt, args[3].s.n);
	buf_add_str(&salt, args[3].s);
	buf_add_cstr(&message, PASSWORD_SCOPE);
	add_u32(&message, args[4].s.n);
	buf_add_str(&message, args[4].s);
	add_u32(&message, args[0].u);
	if (salt.error || message.error ||
	    !EVP_PBE_scrypt(password.p ? password.p : "", password.n, (unsigned char *)salt.p, salt.n, 32768, 8, 2,
			    UINT64_C(128) << 20, key, sizeof(key)) ||
	    !HMAC(EVP_sha256(), key, sizeof(key), (unsigned char *)message.p, message.n, seed, &n)) {
		ERR_clear_error();
		return tmpl_nomem(c);
	}
	OPENSSL_cleanse(key, sizeof(key));
	return 0;
}

static int run_derive_password(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	CLEANUP(buf_done) struct buf out = tmpl_buf(c);
	const struct password_kind *kind = NULL;
	unsigned char seed[32];
	const char *template;
	size_t count = 0;
	int r;

	(void)n;
	for (size_t i = 0; i < ARRAY_LEN(password_kinds); i++)
		if (str_eq(args[1].s, str_from(password_kinds[i].name)))
			kind = &password_kinds[i];
	if (!kind) {
		buf_add_cstr(&out, "cannot find password template ");
		buf_add_str(&out, args[1].s);
		return tmpl_ret_buf(c, &out, ret);
	}
	r = password_seed(c, args, seed);
	if (r < 0)
		return r;
	while (kind->templates[count])
		count++;
	template = kind->templates[seed[0] % count];
	for (size_t i = 0; template[i]; i++) {
		const char *letters = character_class(template[i]);

		buf_add_byte(&out, letters[seed[i + 1] % strlen(letters)]);
	}
	return tmpl_ret_buf(c, &out, ret);
}

/* ---- AES: 256 bits in CBC mode, the password cut or filled with NULs as key, the IV in front ---- */

static bool aes(struct buf *to, str from, str password, const unsigned char *iv, bool encrypt)
{
	CLEANUP(EVP_CIPHER_CTX_freep) EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
	unsigned char key[32] = { 0 };
	char *out = buf_reserve(to, from.n + AES_BLOCK);
	int n = 0;

	if (password.n)
		memcpy(key, password.p, password.n < sizeof(key) ? password.n : sizeof(key));
	if (!ctx || !out || from.n > INT_MAX - AES_BLOCK ||
	    !EVP_CipherInit_ex(ctx, EVP_aes_256_cbc(), NULL, key, iv, encrypt) || !EVP_CIPHER_CTX_set_padding(ctx, 0) ||
	    !EVP_CipherUpdate(ctx, (unsigned char *)out, &n, (const unsigned char *)from.p, (int)from.n))
		return false;
	buf_commit(to, (size_t)n);
	return true;
}

static int run_encrypt(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	CLEANUP(buf_done) struct buf plain = tmpl_buf(c);
	CLEANUP(buf_done) struct buf cipher = tmpl_buf(c);
	CLEANUP(buf_done) struct buf out = tmpl_buf(c);
	unsigned char iv[AES_BLOCK];
	size_t padding = AES_BLOCK - args[1].s.n % AES_BLOCK;
	int r = tmpl_spend(c, args[1].s.n / 64);

	(void)n;
	if (r == 0 && args[1].s.n == 0)
		return tmpl_ret_buf(c, &out, ret);
	if (r == 0)
		r = tmpl_random_bytes(c, iv, sizeof(iv));
	if (r < 0)
		return r;
	buf_add_str(&plain, args[1].s);
	buf_fill(&plain, (char)padding, padding);
	buf_add(&cipher, iv, sizeof(iv));
	if (plain.error || !aes(&cipher, buf_str(&plain), args[0].s, iv, true))
		return tmpl_nomem(c);
	go_base64_encode(&out, buf_str(&cipher));
	return tmpl_ret_buf(c, &out, ret);
}

/* Fail as Go panics or fails for a text that encryptAES cannot have written; 0 when it is long enough and consists
 * of whole blocks. @capacity: that of the slice to which Go decodes the text. */
static int check_cipher(struct tmpl_call *c, str cipher, size_t capacity)
{
	if (capacity < AES_BLOCK)
		return tmpl_fail(c, "runtime error: slice bounds out of range [:16] with capacity %zu", capacity);
	if (cipher.n < AES_BLOCK)
		return tmpl_fail(c, "runtime error: slice bounds out of range [16:%zu]", cipher.n);
	if (cipher.n % AES_BLOCK)
		return tmpl_fail(c, "crypto/cipher: input not full blocks");
	if (cipher.n == AES_BLOCK)
		return tmpl_fail(c, "runtime error: index out of range [-1]");
	return 0;
}

static int run_decrypt(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	CLEANUP(buf_done) struct buf plain = tmpl_buf(c);
	str cipher;
	size_t bad;
	size_t padding;
	int r;

	(void)n;
	if (args[1].s.n == 0)
		return tmpl_ret_buf(c, &plain, ret);
	r = tmpl_base64_decode(c, args[1].s, &cipher, &bad);
	if (r > 0)
		return tmpl_fail(c, "illegal base64 data at input byte %zu", bad);
	if (r == 0)
		r = check_cipher(c, cipher, args[1].s.n / 4 * 3);
	if (r < 0)
		return r;
	if (!aes(&plain, str_sub(cipher, AES_BLOCK, cipher.n), args[0].s, (const unsigned char *)cipher.p, false))
		return tmpl_nomem(c);
	padding = (unsigned char)plain.p[plain.n - 1];
	if (padding > plain.n)
		return tmpl_fail(c, "runtime error: slice bounds out of range [:-%zu]", padding - plain.n);
	buf_truncate(&plain, plain.n - padding);
	return tmpl_ret_buf(c, &plain, ret);
}

/* ---- keys ---- */

static int run_gen_private_key(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	static const struct {
		const char *name;
		enum key_type type;
	} types[] = {
		{ "", KEY_RSA }, { "rsa", KEY_RSA }, { "dsa", KEY_DSA }, { "ecdsa", KEY_EC }, { "ed25519", KEY_ED25519 }
	};
	CLEANUP(EVP_PKEY_freep) EVP_PKEY *key = NULL;
	CLEANUP(buf_done) struct buf out = tmpl_buf(c);

	(void)n;
	for (size_t i = 0; i < ARRAY_LEN(types); i++) {
		int r;

		if (!str_eq(args[0].s, str_from(types[i].name)))
			continue;
		r = tmpl_key_generate(c, types[i].type, 4096, &key);
		if (r == 0)
			r = tmpl_key_write(c, key, &out);
		return r < 0 ? r : tmpl_ret_buf(c, &out, ret);
	}
	buf_add_cstr(&out, "Unknown type ");
	buf_add_str(&out, args[0].s);
	return tmpl_ret_buf(c, &out, ret);
}

static const struct tmpl_fn rows[] = {
	{ "adler32sum", run_adler32, { &tt_string }, false, &tt_string, "the Adler-32 checksum of a text, in decimal" },
	{ "bcrypt", run_bcrypt, { &tt_string }, false, &tt_string, "the bcrypt hash of a password" },
	{ "buildCustomCert",
	  run_build_custom_cert,
	  { &tt_string, &tt_string },
	  false,
	  &tt_certificate,
	  "a certificate and its key (.Cert, .Key) from their PEM texts in base64" },
	{ "decryptAES",
	  run_decrypt,
	  { &tt_string, &tt_string },
	  false,
	  &tt_string,
	  "password, text: what encryptAES encrypted" },
	{ "derivePassword",
	  run_derive_password,
	  { &tt_uint32, &tt_string, &tt_string, &tt_string, &tt_string },
	  false,
	  &tt_string,
	  "counter, type (long, maximum, medium, short, basic, pin), password, user, site: the site's password" },
	{ "encryptAES",
	  run_encrypt,
	  { &tt_string, &tt_string },
	  false,
	  &tt_string,
	  "password, text: encrypted with AES-256-CBC" },
	{ "genCA",
	  run_gen_ca,
	  { &tt_string, &tt_int },
	  false,
	  &tt_certificate,
	  "name, days: a new certificate authority (.Cert, .Key)" },
	{ "genCAWithKey",
	  run_gen_ca_with_key,
	  { &tt_string, &tt_int, &tt_string },
	  false,
	  &tt_certificate,
	  "as genCA, with a given private key" },
	{ "genPrivateKey",
	  run_gen_private_key,
	  { &tt_string },
	  false,
	  &tt_string,
	  "a new private key: rsa, dsa, ecdsa or ed25519" },
	{ "genSelfSignedCert",
	  run_gen_self_signed,
	  { &tt_string, &tt_list, &tt_list, &tt_int },
	  false,
	  &tt_certificate,
	  "name, addresses, DNS names, days: a new self-signed certificate (.Cert, .Key)" },
	{ "genSelfSignedCertWithKey",
	  run_gen_self_signed_with_key,
	  { &tt_string, &tt_list, &tt_list, &tt_int, &tt_string },
	  false,
	  &tt_certificate,
	  "as genSelfSignedCert, with a given private key" },
	{ "genSignedCert",
	  run_gen_signed,
	  { &tt_string, &tt_list, &tt_list, &tt_int, &tt_certificate },
	  false,
	  &tt_certificate,
	  "as genSelfSignedCert, signed by the certificate authority given last" },
	{ "genSignedCertWithKey",
	  run_gen_signed_with_key,
	  { &tt_string, &tt_list, &tt_list, &tt_int, &tt_certificate, &tt_string },
	  false,
	  &tt_certificate,
	  "as genSignedCert, with a given private key" },
	{ "htpasswd",
	  run_htpasswd,
	  { &tt_string, &tt_string },
	  false,
	  &tt_string,
	  "user, password: a line for an htpasswd file" },
	{ "randAlpha", run_rand_alpha, { &tt_int }, false, &tt_string, "so many random letters" },
	{ "randAlphaNum", run_rand_alpha_num, { &tt_int }, false, &tt_string, "so many random letters and digits" },
	{ "randAscii", run_rand_ascii, { &tt_int }, false, &tt_string, "so many random printable ASCII characters" },
	{ "randBytes", run_rand_bytes, { &tt_int }, false, &tt_string, "so many random bytes, in base64" },
	{ "randNumeric", run_rand_numeric, { &tt_int }, false, &tt_string, "so many random digits" },
	{ "sha1sum", run_sha1, { &tt_string }, false, &tt_string, "the SHA-1 of a text, in hexadecimal" },
	{ "sha256sum", run_sha256, { &tt_string }, false, &tt_string, "the SHA-256 of a text, in hexadecimal" },
	{ "sha512sum", run_sha512, { &tt_string }, false, &tt_string, "the SHA-512 of a text, in hexadecimal" },
	{ "shuffle", run_shuffle, { &tt_string }, false, &tt_string, "the characters of a text in random order" },
	{ "uuidv4", run_uuid, { NULL }, false, &tt_string, "a random UUID" },
};
TMPL_FN_FAMILY(fn_crypto, rows);

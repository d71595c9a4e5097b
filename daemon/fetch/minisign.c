/* Checks signatures of minisign and signify with libcrypto. */
#include "daemon/fetch/minisign.h"

#include "go/base64.h"

#include <errno.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <stdio.h>

#define UNTRUSTED "untrusted comment: "
#define TRUSTED "trusted comment: "
#define ALGORITHM_BYTES 2
#define HEAD_BYTES (ALGORITHM_BYTES + 8)
#define SIGNATURE_BYTES 64
#define HASH_BYTES 64

DEFINE_CLEANUP(EVP_MD_CTX *, EVP_MD_CTX_free)
DEFINE_CLEANUP(EVP_PKEY *, EVP_PKEY_free)

/* The lines of a file, in order. Further lines are only counted. */
struct lines {
	str at[4];
	size_t n;
};

/* Split a text into lines. As in minisign, a carriage return before a newline belongs to the line end. The last line
 * may lack its newline. */
static void split(str text, struct lines *ret)
{
	str line;

	*ret = (struct lines){ 0 };
	if (str_has_suffix(text, STR("\n")))
		text.n--;
	while (str_next_part(&text, '\n', &line)) {
		if (str_has_suffix(line, STR("\r")))
			line.n--;
		if (ret->n < ARRAY_LEN(ret->at))
			ret->at[ret->n] = line;
		ret->n++;
	}
}

/* Decode exactly @n bytes. */
static bool decode(str text, struct arena *a, size_t n, const unsigned char **ret)
{
	str bytes;

	if (str_find_byte(text, '\r') >= 0 || go_base64_decode(&go_base64_std, text, a, &bytes, NULL) < 0 ||
	    bytes.n != n)
		return false;
	*ret = (const unsigned char *)bytes.p;
	return true;
}

/* ---- keys ---- */

int minisign_key_read(str text, struct minisign_key *ret, struct err *err)
{
	CLEANUP(arena_done) struct arena a = ARENA_INIT(4 * MINISIGN_FILE_MAX);
	const unsigned char *bytes;
	struct lines lines;
	str key;

	if (text.n > MINISIGN_FILE_MAX)
		return err_set(err, EINVAL, "it is too large for a public key of minisign or signify");
	split(text, &lines);
	key = lines.at[lines.n == 2];
	if (lines.n > 2 || (lines.n == 2 && !str_has_prefix(lines.at[0], STR(UNTRUSTED))))
		return err_set(err, EINVAL,
			       "it is not a public key of minisign or signify: a line that begins with \"" UNTRUSTED
			       "\" and one with the key");
	if (!decode(key, &a, HEAD_BYTES + sizeof(ret->key), &bytes) || memcmp(bytes, "Ed", ALGORITHM_BYTES) != 0)
		return err_set(err, EINVAL, "its key is not a public key of minisign or signify");
	memcpy(ret->id, bytes + ALGORITHM_BYTES, sizeof(ret->id));
	memcpy(ret->key, bytes + HEAD_BYTES, sizeof(ret->key));
	for (size_t i = 0; i < sizeof(ret->id); i++) /* a number, the lowest byte first */
		(void)snprintf(ret->name + 2 * i, 3, "%02X", ret->id[sizeof(ret->id) - 1 - i]);
	return 0;
}

/* ---- signatures ---- */

static int reject(const char *why, struct err *err)
{
	return err_set(err, EKEYREJECTED, "the signature %s", why);
}

/* Check a signature. 0: it is good. */
static int check_ed25519(const struct minisign_key *key, const unsigned char *signature, str text, const char *why,
			 struct err *err)
{
	CLEANUP(EVP_PKEY_freep)
	EVP_PKEY *public = EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, NULL, key->key, sizeof(key->key));
	CLEANUP(EVP_MD_CTX_freep) EVP_MD_CTX *check = EVP_MD_CTX_new();
	bool good;

	if (!public || !check)
		return err_nomem(err);
	good = EVP_DigestVerifyInit(check, NULL, NULL, NULL, public) == 1 &&
	       EVP_DigestVerify(check, signature, SIGNATURE_BYTES, (const unsigned char *)(text.n ? text.p : ""),
				text.n) == 1;
	ERR_clear_error();
	return good ? 0 : reject(why, err);
}

/* Check the signature of the text. @head: the algorithm, the id of a key and the signature. */
static int check_text(const struct minisign_key *key, const unsigned char *head, str text, struct err *err)
{
	static const char why[] = "is not one of this text";
	unsigned char hash[EVP_MAX_MD_SIZE];
	unsigned n = 0;

	if (memcmp(head + ALGORITHM_BYTES, key->id, sizeof(key->id)) != 0)
		return reject("is by another key", err);
	if (memcmp(head, "ED", ALGORITHM_BYTES) != 0)
		return check_ed25519(key, head + HEAD_BYTES, text, why, err);
	if (EVP_Digest(text.n ? text.p : "", text.n, hash, &n, EVP_blake2b512(), NULL) != 1 || n != HASH_BYTES)
		return reject("needs BLAKE2b, which libcrypto does not compute here", err);
	return check_ed25519(key, head + HEAD_BYTES, (str){ (const char *)hash, n }, why, err);
}

/* Check the signature of the trusted comment, which covers the first signature and the comment without its prefix. */
static int check_comment(const struct minisign_key *key, const unsigned char *signature, str line, str global,
			 struct arena *a, struct err *err)
{
	str comment = str_sub(line, sizeof(TRUSTED) - 1, line.n);
	char text[SIGNATURE_BYTES + MINISIGN_FILE_MAX];
	const unsigned char *bytes;

	if (!str_has_prefix(line, STR(TRUSTED)) || !decode(global, a, SIGNATURE_BYTES, &bytes))
		return reject("has a damaged trusted comment", err);
	memcpy(text, signature, SIGNATURE_BYTES);
	if (comment.n)
		memcpy(text + SIGNATURE_BYTES, comment.p, comment.n);
	return check_ed25519(key, bytes, (str){ text, SIGNATURE_BYTES + comment.n }, "is not one of its comment", err);
}

int minisign_check(const struct minisign_key *key, str signature, str text, struct err *err)
{
	CLEANUP(arena_done) struct arena a = ARENA_INIT(8 * MINISIGN_FILE_MAX);
	const unsigned char *head;
	struct lines lines;
	bool hashed;
	int r;

	if (signature.n > MINISIGN_FILE_MAX)
		return reject("is too large", err);
	split(signature, &lines);
	if ((lines.n != 2 && lines.n != 4) || !str_has_prefix(lines.at[0], STR(UNTRUSTED)) ||
	    !decode(lines.at[1], &a, HEAD_BYTES + SIGNATURE_BYTES, &head))
		return reject("is not a signature of minisign or signify", err);
	hashed = memcmp(head, "ED", ALGORITHM_BYTES) == 0;
	if (!hashed && memcmp(head, "Ed", ALGORITHM_BYTES) != 0)
		return reject("is of another algorithm", err);
	if (hashed && lines.n != 4)
		return reject("has no trusted comment", err);
	r = check_text(key, head, text, err);
	if (r == 0 && lines.n == 4)
		r = check_comment(key, head + HEAD_BYTES, lines.at[2], lines.at[3], &a, err);
	return r;
}

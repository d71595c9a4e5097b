/* Computes SHA-256 with libcrypto of OpenSSL. */
#include "daemon/fetch/digest.h"

#include "base/hex.h"

#include <errno.h>
#include <openssl/evp.h>
#include <stdio.h>

#define BYTES 32

DEFINE_CLEANUP(EVP_MD_CTX *, EVP_MD_CTX_free)

static EVP_MD_CTX *begin(void)
{
	EVP_MD_CTX *h = EVP_MD_CTX_new();

	if (h && EVP_DigestInit_ex(h, EVP_sha256(), NULL) == 1)
		return h;
	EVP_MD_CTX_free(h);
	return NULL;
}

static int finish(EVP_MD_CTX *h, char ret[DIGEST_SIZE], struct err *err)
{
	unsigned char bytes[EVP_MAX_MD_SIZE];

	if (!h || EVP_DigestFinal_ex(h, bytes, NULL) != 1)
		return err_set(err, EIO, "libcrypto computes no SHA-256");
	memcpy(ret, DIGEST_PREFIX, sizeof(DIGEST_PREFIX) - 1);
	hex_write(bytes, BYTES, ret + sizeof(DIGEST_PREFIX) - 1);
	return 0;
}

/* Add @s to the hash. After a failure all further calls fail. */
static void add(EVP_MD_CTX **h, str s)
{
	if (!*h || EVP_DigestUpdate(*h, s.n ? s.p : "", s.n) == 1)
		return;
	EVP_MD_CTX_free(*h);
	*h = NULL;
}

int digest_of(str text, char ret[DIGEST_SIZE], struct err *err)
{
	CLEANUP(EVP_MD_CTX_freep) EVP_MD_CTX *h = begin();

	add(&h, text);
	return finish(h, ret, err);
}

int digest_of_tree(struct tree *t, char ret[DIGEST_SIZE], struct err *err)
{
	CLEANUP(EVP_MD_CTX_freep) EVP_MD_CTX *h = begin();
	size_t n;
	const struct tree_file *files = tree_files(t, &n);

	if (!files && tree_bytes(t) > 0)
		return err_nomem(err);
	for (size_t i = 0; files && i < n; i++) {
		char size[32];

		add(&h, files[i].path);
		add(&h, STR("\0"));
		(void)snprintf(size, sizeof(size), "%zu", files[i].text.n);
		add(&h, (str){ size, strlen(size) + 1 });
		add(&h, files[i].text);
	}
	return finish(h, ret, err);
}

bool digest_is_good(str s)
{
	return s.n == DIGEST_SIZE - 1 && str_has_prefix(s, STR(DIGEST_PREFIX)) && hex_is(digest_hex(s));
}

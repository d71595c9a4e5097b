/* Names the kinds of sources, and makes the hashes that identify sources. */
#include "config/source.h"

#include "base/ascii.h"
#include "base/assert.h"
#include "base/hex.h"

#include <openssl/evp.h>

static const char *const kind_names[SOURCE_KINDS] = { "", "git", "oci", "https" };

#define TEXT(member, what)                                                                                             \
	{                                                                                                              \
#member, offsetof(struct source, member), SOURCE_TEXT_##what                                           \
	}
const struct source_text source_texts[SOURCE_TEXTS] = {
	TEXT(name, PLACE),      TEXT(url, PLACE),        TEXT(branch, PLACE), TEXT(tag, PLACE),
	TEXT(commit, PLACE),    TEXT(digest, PLACE),     TEXT(path, PLACE),   TEXT(credentials, WAY),
	TEXT(known_hosts, WAY), TEXT(ca_file, WAY),      TEXT(proxy, WAY),    TEXT(allowed_signers, TRUST),
	TEXT(keyring, TRUST),   TEXT(cosign_key, TRUST), TEXT(policy, TRUST), TEXT(minisign_key, TRUST),
	TEXT(sha256, TRUST),
};

const char *source_kind_name(enum source_kind k)
{
	ASSERT(k < ARRAY_LEN(kind_names));
	return kind_names[k];
}

bool source_kind_parse(str s, enum source_kind *ret)
{
	size_t i = str_index(s, kind_names, SOURCE_KINDS);

	if (i == SOURCE_KINDS || i == SOURCE_NONE)
		return false;
	*ret = (enum source_kind)i;
	return true;
}

bool source_is_verified(const struct source *s)
{
	return s->allowed_signers.n || s->keyring.n || s->cosign_key.n || s->policy.n || s->minisign_key.n ||
	       s->sha256.n;
}

bool source_name_is_good(str name)
{
	for (size_t i = 0; i < name.n; i++) {
		char c = name.p[i];

		if (!ascii_is_alnum(c) && c != '-' && c != '_' && (c != '.' || i == 0))
			return false;
	}
	return name.n > 0 && name.n < 64;
}

/* Hash each text after its length, so that two sources never look alike. */
static bool add_all(EVP_MD_CTX *md, const struct source *s, bool trust)
{
	const uint64_t others[] = { s->kind, s->wants };
	bool ok = EVP_DigestUpdate(md, others, sizeof(others)) == 1;

	for (size_t i = 0; i < SOURCE_TEXTS; i++) {
		str text = *source_text_of(s, i);
		uint64_t n = text.n;

		if (source_texts[i].says == SOURCE_TEXT_PLACE || (trust && source_texts[i].says == SOURCE_TEXT_TRUST))
			ok = ok && EVP_DigestUpdate(md, &n, sizeof(n)) == 1 &&
			     EVP_DigestUpdate(md, text.p, text.n) == 1;
	}
	return ok;
}

static bool hash(const struct source *s, bool trust, char ret[SOURCE_HASH_SIZE])
{
	unsigned char digest[32];
	EVP_MD_CTX *md = EVP_MD_CTX_new();
	bool ok = md && EVP_DigestInit_ex(md, EVP_sha256(), NULL) == 1 && add_all(md, s, trust) &&
		  EVP_DigestFinal_ex(md, digest, NULL) == 1;

	EVP_MD_CTX_free(md);
	if (ok)
		hex_write(digest, sizeof(digest), ret);
	return ok;
}

bool source_place(const struct source *s, char ret[SOURCE_HASH_SIZE])
{
	return hash(s, false, ret);
}

bool source_hash(const struct source *s, char ret[SOURCE_HASH_SIZE])
{
	return hash(s, true, ret);
}

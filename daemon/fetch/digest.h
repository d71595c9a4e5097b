/* SHA-256 hashes of fetched data, in the forms that sources use. */
#ifndef DAEMON_FETCH_DIGEST_H
#define DAEMON_FETCH_DIGEST_H

#include "base/err.h"
#include "base/str.h"
#include "daemon/fetch/tree.h"

#define DIGEST_PREFIX "sha256:"
#define DIGEST_SIZE (sizeof(DIGEST_PREFIX) + 64) /* including the NUL */

/* Compute the digest: "sha256:" and 64 lower-case digits. Fails: EIO, the library has no SHA-256. */
CHECKED int digest_of(str text, char ret[DIGEST_SIZE], struct err *err);
/* The digest of all files of @t in their order: each as its path, a NUL, its size in decimal digits, a NUL, its text.
 * Fails: as digest_of, ENOMEM. */
CHECKED int digest_of_tree(struct tree *t, char ret[DIGEST_SIZE], struct err *err);

/* Whether @s has the form that digest_of returns. */
bool digest_is_good(str s);
/* The digits of the digest @s. */
static inline str digest_hex(str s)
{
	return str_sub(s, sizeof(DIGEST_PREFIX) - 1, s.n);
}

#endif

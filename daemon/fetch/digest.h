/* SHA-256 of what was fetched, in the forms that sources write it. */
#ifndef DAEMON_FETCH_DIGEST_H
#define DAEMON_FETCH_DIGEST_H

#include "base/err.h"
#include "base/str.h"
#include "daemon/fetch/tree.h"

#define DIGEST_PREFIX "sha256:"
#define DIGEST_SIZE (sizeof(DIGEST_PREFIX) + 64) /* with the NUL */

/* "sha256:" and 64 digits of lower case. Fails: EIO, the library has no SHA-256. */
CHECKED int digest_of(str text, char ret[DIGEST_SIZE], struct err *err);
/* The digest of all files of @t in their order: each as its path, a NUL, its size in decimal digits, a NUL, its text.
 * Fails: as digest_of, ENOMEM. */
CHECKED int digest_of_tree(struct tree *t, char ret[DIGEST_SIZE], struct err *err);

/* Whether @s has the form of digest_of. */
bool digest_is_good(str s);
/* The digits of the digest @s. */
static inline str digest_hex(str s)
{
	return str_sub(s, sizeof(DIGEST_PREFIX) - 1, s.n);
}

#endif

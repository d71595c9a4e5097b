/* Detached signatures of minisign(1) and of signify(1), which share a format: Ed25519, of a text or (minisign's
 * default) of its BLAKE2b hash.
 *
 *   untrusted comment: anything             untrusted comment: anything
 *   base64 of "Ed", id, key                 base64 of "Ed" or "ED", id, signature of the text
 *                                           trusted comment: what was said when it was signed      (minisign only)
 *                                           base64 of the signature of the one above and of that   (minisign only)
 *
 * A signature of signify is one of minisign without its last two lines; where they are, they must be good too. */
#ifndef DAEMON_FETCH_MINISIGN_H
#define DAEMON_FETCH_MINISIGN_H

#include "base/err.h"
#include "base/str.h"

#define MINISIGN_FILE_MAX ((size_t)16 << 10) /* bytes of a key, or of a signature */

struct minisign_key {
	unsigned char id[8];
	unsigned char key[32];
	char name[17]; /* the id, as minisign writes it: "E7620F1842B4E81F" */
};

/* Read @text, the file of a public key; its first line may be missing, as in the argument of "minisign -P". Fails:
 * EINVAL, with the reason. */
CHECKED int minisign_key_read(str text, struct minisign_key *ret, struct err *err);

/* Check that @signature, the text of a signature file, is one of @text by @key. Fails: EKEYREJECTED, it is not;
 * ENOMEM. */
CHECKED int minisign_check(const struct minisign_key *key, str signature, str text, struct err *err);

#endif

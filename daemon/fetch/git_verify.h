/* Whether an object of git is signed by a key that counts. */
#ifndef DAEMON_FETCH_GIT_VERIFY_H
#define DAEMON_FETCH_GIT_VERIFY_H

#include "daemon/fetch/engines.h"
#include "daemon/fetch/git_object.h"

/* Append to @signer who signed @o: the principal of allowed signers, or the fingerprint of a key of the keyring. Fails:
 * EKEYREJECTED, nobody, somebody else, or something else; EPERM, a file of keys cannot be read; ENOEXEC; ETIMEDOUT; …
 */
CHECKED int git_verify(const struct fetch_job *job, const struct git_object *o, struct buf *signer, struct err *err);

/* What gpgv said with --status-fd: the fingerprint, of the primary key, of the one that made all signatures last, in
 * *ret, which points into @status. Fails: EKEYREJECTED, one of them is not good. */
CHECKED int git_read_gpgv(str status, str *ret, struct err *err);

#endif

/* Verifies that an object of git is signed by an accepted key. */
#ifndef DAEMON_FETCH_GIT_VERIFY_H
#define DAEMON_FETCH_GIT_VERIFY_H

#include "daemon/fetch/engines.h"
#include "daemon/fetch/git_object.h"

/* Verify @o, and append its signer to @signer: the principal of allowed signers, or the fingerprint of a key of the
 * keyring. Fails: EKEYREJECTED, it is not signed, or by somebody else, or something else was; EPERM, a file of keys
 * cannot be read; ENOEXEC; ETIMEDOUT; … */
CHECKED int git_verify(const struct fetch_job *job, const struct git_object *o, struct buf *signer, struct err *err);

/* Read @status, the output of gpgv for --status-fd. *ret: the fingerprint of the primary key of the last signature,
 * in @status. Fails: EKEYREJECTED, one of the signatures is not good. */
CHECKED int git_read_gpgv(str status, str *ret, struct err *err);

#endif

/* The key under which state_dir knows the values that findings are about.
 *
 * A hash of a password is as good as the password where it can be guessed: whoever reads the database, or a copy of it,
 * must not be able to try. So the hashes are keyed, and the key is a file of its own, for driftd only. */
#ifndef DAEMON_STORE_STATE_KEY_H
#define DAEMON_STORE_STATE_KEY_H

#include "daemon/findings/findings.h"

/* A random key. Does not fail. */
void state_key_random(unsigned char ret[FINDINGS_KEY_SIZE]);

/* The key in @dir/hash.key (mode 0600), made when there is none or what is there is no key. Fails: codes of open(2),
 * write(2), rename(2). */
CHECKED int state_key_load(const char *dir, unsigned char ret[FINDINGS_KEY_SIZE], struct err *err);

#endif

/* The key under which state_dir knows the values that findings are about.
 *
 * A hash of a password is as good as the password where it can be guessed: whoever reads the database, or a copy of it,
 * must not be able to try. So the hashes are keyed, and the key is a file of its own, for driftd only: what root writes
 * is given to the account that the folder belongs to. */
#ifndef DAEMON_STORE_DATABASE_STATE_KEY_H
#define DAEMON_STORE_DATABASE_STATE_KEY_H

#include "daemon/findings/findings.h"

#define STATE_KEY_NAME "hash.key"
#define STATE_OLD_KEYS_NAME "hash.old"

/* A random key. Does not fail. */
void state_key_random(unsigned char ret[FINDINGS_KEY_SIZE]);

/* The key in @dir/hash.key (mode 0600), made when there is none or what is there is no key. Fails: codes of open(2),
 * write(2), rename(2). */
CHECKED int state_key_load(const char *dir, unsigned char ret[FINDINGS_KEY_SIZE], struct err *err);

/* A number that identifies @key without revealing it; never 0. */
uint32_t state_key_mark(const unsigned char key[FINDINGS_KEY_SIZE]);
/* The folder @dir_fd has @key. 1: it had not, and has again. Fails: as above. */
CHECKED int state_key_keep(int dir_fd, const unsigned char key[FINDINGS_KEY_SIZE], struct err *err);

#define STATE_KEYS_MAX 64

struct state_keys {
	unsigned char of[STATE_KEYS_MAX][FINDINGS_KEY_SIZE];
	size_t n;
};

/* All that states in @dir may be hashed with: the key in hash.key, if there is one, and then the old ones in hash.old
 * (mode 0600), under which findings came from elsewhere. Fails: codes of open(2), EBADMSG (hash.old is no list of
 * keys). */
CHECKED int state_keys_read(const char *dir, struct state_keys *ret, struct err *err);
/* @dir has these from now on besides its own: the first becomes its key when it has none. They last when this returns.
 * Fails: as the above, E2BIG. */
CHECKED int state_keys_add(const char *dir, const struct state_keys *keys, struct err *err);

#endif

/* The key for the hashes by which state_dir recognises values in findings.
 *
 * Where a password can be guessed, a hash of it is as good as the password: whoever reads the database, or a copy of
 * it, must not be able to try. So the hashes are keyed, and the key is in a file of its own, for driftd only: a key
 * that root writes is given to the account that owns the folder. */
#ifndef DAEMON_STORE_DATABASE_STATE_KEY_H
#define DAEMON_STORE_DATABASE_STATE_KEY_H

#include "daemon/findings/findings.h"

#define STATE_KEY_NAME "hash.key"
#define STATE_OLD_KEYS_NAME "hash.old"

/* Make a random key. Cannot fail. */
void state_key_random(unsigned char ret[FINDINGS_KEY_SIZE]);

/* Read the key in @dir/hash.key (mode 0600), which is made when the file is missing or contains no key. Fails: codes
 * of open(2), write(2), rename(2). */
CHECKED int state_key_load(const char *dir, unsigned char ret[FINDINGS_KEY_SIZE], struct err *err);

/* A number that identifies @key without revealing it; never 0. */
uint32_t state_key_mark(const unsigned char key[FINDINGS_KEY_SIZE]);
/* Ensure that the key of the folder @dir_fd is @key. 1: it had another one, which is an old one from now on (with
 * STATE_KEYS_MAX of them the oldest is forgotten), or none. Fails: as state_keys_read, and codes of write(2). */
CHECKED int state_key_keep(int dir_fd, const unsigned char key[FINDINGS_KEY_SIZE], struct err *err);
/* Read the key of the first shard of this host, when the folders of its shards differ in the ordinals at their ends:
 * that of .../shard-0 for .../shard-2. Only a file that nobody but this account can read counts. Shards use that key,
 * because a shard can write to no other folder than its own. False: there is none, or this is the first shard. */
bool state_key_of_first(str dir, struct shard shard, unsigned char ret[FINDINGS_KEY_SIZE]);

#define STATE_KEYS_MAX 64

struct state_keys {
	unsigned char of[STATE_KEYS_MAX][FINDINGS_KEY_SIZE];
	size_t n;
};

/* Read all keys that may be used for hashes in @dir: the key in hash.key, if there is one, and then the old ones in
 * hash.old (mode 0600), whose findings were imported. Fails: codes of open(2), EBADMSG (hash.old is no list of
 * keys). */
CHECKED int state_keys_read(const char *dir, struct state_keys *ret, struct err *err);
/* Add keys to those of @dir. The first one becomes its own key when it has none. They are on the disk when this
 * returns. Fails: as state_keys_read, E2BIG. */
CHECKED int state_keys_add(const char *dir, const struct state_keys *keys, struct err *err);

#endif

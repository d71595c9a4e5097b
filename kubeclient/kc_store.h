/* Which objects a watch knows: enough to find deletions by absence, and repetitions. The objects themselves are the
 * owner's. */
#ifndef KUBECLIENT_KC_STORE_H
#define KUBECLIENT_KC_STORE_H

#include "base/buf.h"
#include "base/index.h"
#include "base/uuid.h"

/* Objects of one collection: far beyond what an API server holds, and what the store of a watch may grow to. */
#define KC_STORE_MAX ((size_t)10 * 1000 * 1000)

/* Such a uid, which every server gives, is kept as the bytes of it. */
#define KC_UID_IS_UUID UINT16_MAX

struct kc_known {
	uint64_t version; /* hash of the resourceVersion: only compared for equality */
	uint32_t round;   /* the last list it was in */
	uint16_t n_key;
	uint16_t n_uid; /* or KC_UID_IS_UUID */
	char bytes[];   /* the key, the uid */
};

_Static_assert(offsetof(struct kc_known, bytes) == 16, "stored for each watched object");

struct kc_store {
	struct index known; /* struct kc_known by identity_local_key */
	uint32_t round;
	size_t max;     /* objects */
	struct buf key; /* scratch: kc_store_key */
};

void kc_store_init(struct kc_store *s);
void kc_store_done(struct kc_store *s);
/* No object is known any more. Returns what was: things from malloc, the caller's. */
struct index kc_store_take_all(struct kc_store *s);

/* The key of an object (identity_local_key) in *ret, valid until the next call. It is made once for an event and goes
 * through all that follows. Fails: ENOMEM, E2BIG (no name is so long). */
CHECKED int kc_store_key(struct kc_store *s, str namespace, str name, str *ret, struct err *err);

/* What is known under @key; NULL: nothing. */
struct kc_known *kc_store_find(const struct kc_store *s, str key);
/* Note an object as seen in the current round. Fails: ENOMEM, E2BIG (too many objects, or no uid is so long). */
CHECKED int kc_store_put(struct kc_store *s, str key, str uid, str version, struct err *err);
/* The same of one that is known. */
void kc_store_renew(const struct kc_store *s, struct kc_known *k, str version);
/* It is known no more. Returns what was, the caller's to free(); NULL: nothing. */
CHECKED struct kc_known *kc_store_take(struct kc_store *s, str key);
void kc_store_remove(struct kc_store *s, str key);

str kc_known_key(const struct kc_known *k);
/* In @space where it is a UUID, else in *k. */
str kc_known_uid(const struct kc_known *k, char space[UUID_CHARS]);
bool kc_known_is(const struct kc_known *k, str uid);
bool kc_known_same(const struct kc_known *k, str uid, str version);

/* What was not seen since the round began, in *ret: free() the array, what it points to stays the store's. */
CHECKED int kc_store_absent(const struct kc_store *s, struct kc_known ***ret, size_t *n, struct err *err);

#endif

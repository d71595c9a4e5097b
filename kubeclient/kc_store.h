/* Which objects a watch knows: enough to find deletions by absence, and repetitions. The objects themselves are the
 * owner's. */
#ifndef KUBECLIENT_KC_STORE_H
#define KUBECLIENT_KC_STORE_H

#include "base/buf.h"
#include "base/strmap.h"

/* Objects of one collection: far beyond what an API server holds, and what the store of a watch may grow to. */
#define KC_STORE_MAX ((size_t)10 * 1000 * 1000)

struct kc_known {
	uint64_t version; /* hash of the resourceVersion: only compared for equality */
	uint32_t round;   /* the last list it was in */
	char uid[];
};

struct kc_store {
	struct strmap known; /* "namespace/name" -> struct kc_known */
	uint32_t round;
	size_t max;     /* objects */
	struct buf key; /* scratch */
};

void kc_store_init(struct kc_store *s);
void kc_store_done(struct kc_store *s);

/* What is known under this name, in *ret; NULL: nothing. Fails: ENOMEM, E2BIG (no name is so long). */
CHECKED int kc_store_find(struct kc_store *s, str namespace, str name, struct kc_known **ret, struct err *err);
/* Note an object as seen in the current round. Fails: ENOMEM, E2BIG. */
CHECKED int kc_store_put(struct kc_store *s, str namespace, str name, str uid, str version, struct err *err);
/* Forget an object that was looked up with kc_store_find just before. */
void kc_store_remove(struct kc_store *s, str namespace, str name);

bool kc_known_same(const struct kc_known *k, str uid, str version);

/* Keys ("namespace/name") not seen since the round began, in *ret: free() the array, the keys stay the store's. */
CHECKED int kc_store_absent(const struct kc_store *s, bool all, const char ***ret, size_t *n, struct err *err);
void kc_store_split(const char *key, str *namespace, str *name);

#endif

/* The set of objects that exist, for the owner of a watch that keeps nothing else of them: the store that a struct
 * kc_handler asks. */
#ifndef KUBECLIENT_KC_KEY_STORE_H
#define KUBECLIENT_KC_KEY_STORE_H

#include "base/index.h"
#include "kubeclient/kc_event.h"

struct kc_key_store {
	struct index known;
};

#define KC_KEY_STORE ((struct kc_key_store){ .known = INDEX_OF(kc_key_store_key_of) })

str kc_key_store_key_of(const void *known); /* for KC_KEY_STORE */
void kc_key_store_done(struct kc_key_store *s);

/* What kc_handler.object says. False: without memory the object is as unknown as it was. */
CHECKED bool kc_key_store_take_in(struct kc_key_store *s, const struct kc_object *o);
/* As kc_handler.find and kc_handler.absent. */
bool kc_key_store_find(const struct kc_key_store *s, str key, struct kc_known *ret);
CHECKED int kc_key_store_absent(const struct kc_key_store *s, uint32_t list, struct kc_knowns *ret, struct err *err);

#endif

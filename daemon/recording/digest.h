/* Keyed digests for the values that a recording may not hold: equal values have equal ones within a recording, and
 * without the key, which no file holds, nobody can find a value by trial. */
#ifndef DAEMON_RECORDING_DIGEST_H
#define DAEMON_RECORDING_DIGEST_H

#include "mask/mask.h"

struct digester {
	unsigned char key[32];
};

/* With a random key. Fails: what getrandom(2) fails with. */
CHECKED int digester_init(struct digester *d, struct err *err);
/* A copy of @object in @a with digests for what is hidden: of the same kind, but null, which says nothing. Fails:
 * ENOMEM. */
CHECKED int digest_object(struct digester *d, const struct mask_fields *fields, val object, struct arena *a, val *ret,
			  struct err *err);
/* The same of managedFields, a list, which names fields with keys like f:name, and items by their values in keys like
 * k:{…} and v:…. */
CHECKED int digest_managed(struct digester *d, const struct mask_fields *fields, val list, struct arena *a, val *ret,
			   struct err *err);

#endif

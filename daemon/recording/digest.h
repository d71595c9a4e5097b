/* Keyed digests for the values that a recording may not contain. Equal values have equal digests within a recording,
 * and without the key, which is in no file, nobody can find a value by trying. */
#ifndef DAEMON_RECORDING_DIGEST_H
#define DAEMON_RECORDING_DIGEST_H

#include "mask/mask.h"

struct digester {
	unsigned char key[32];
};

/* Begin with a random key. Fails: what getrandom(2) fails with. */
CHECKED int digester_init(struct digester *d, struct err *err);
/* A copy of @object in @a, in which digests replace the hidden values. A digest has the type of its value; null,
 * which reveals nothing, stays. Fails: ENOMEM. */
CHECKED int digest_object(struct digester *d, const struct mask_fields *fields, val object, struct arena *a, val *ret,
			  struct err *err);
/* The same for managedFields, a list, which names fields by keys like f:name, and items by their values in keys like
 * k:{…} and v:…. */
CHECKED int digest_managed(struct digester *d, const struct mask_fields *fields, val list, struct arena *a, val *ret,
			   struct err *err);

#endif

/* Lists everything in an object, and why it is hidden or not, to show what the mask does. */
#ifndef MASK_EACH_H
#define MASK_EACH_H

#include "mask/mask.h"

/* Called for a scalar, or for a key that is a secret itself, at @path, which contains nothing that the mask hides.
 * @why is as for mask_why. @v is VAL_ABSENT for a key. */
typedef void mask_each_fn(void *ctx, str path, val v, const char *why);

/* Call @each for each value and secret key of @object, in its order; everything below 1,000 levels is reported as
 * one value. Paths live in @a. False without memory. @fields may be NULL. */
CHECKED bool mask_each(const struct mask_fields *fields, val object, struct arena *a, mask_each_fn *each, void *ctx);

#endif

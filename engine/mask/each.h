/* Everything in an object, and why it is hidden or not: to show what the mask does. */
#ifndef MASK_EACH_H
#define MASK_EACH_H

#include "mask/mask.h"

/* A scalar, or a key that is a secret itself, at @path, which hides nothing that the mask hides. @why as of mask_why.
 * @v is VAL_ABSENT for a key. */
typedef void mask_each_fn(void *ctx, str path, val v, const char *why);

/* Calls @each for each value and secret key of @object, in its order; what lies below 1,000 levels is reported as one.
 * Paths live in @a. False without memory. @fields may be NULL. */
CHECKED bool mask_each(const struct mask_fields *fields, val object, struct arena *a, mask_each_fn *each, void *ctx);

#endif

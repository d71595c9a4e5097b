/* What was read to judge one object, as far as it may not be shown: what was made of it, and errors over it, may hold
 * parts of it. */
#ifndef COMPARE_READS_H
#define COMPARE_READS_H

#include "base/vec.h"
#include "mask/mask.h"
#include "reference/ref.h"

struct looked_up {
	const val *objects;
	size_t n;
};

/* Views all that it lists. */
struct reads {
	const struct mask_fields *mask; /* its steps are spent */
	val object;
	VEC(struct looked_up) found;
	bool secret; /* a Secret was looked up */
};

/* @objects were found for @request. False without memory. */
CHECKED bool reads_add(struct reads *r, const struct tmpl_lookup *request, const val *objects, size_t n);
void reads_done(struct reads *r);

/* The object, or what was looked up, is a Secret. */
bool reads_secret(const struct reads *r);

/* Whether a message about what was read may quote what may not be shown. @t: the template that read; NULL: anything of
 * the object may have been. */
bool reads_hidden(const struct reads *r, const struct ref_template *t);

/* The mask for what @t made of it: r->mask with the hidden texts that stand in what was read, and with those that @t
 * made of them by whatever functions, in @a, which *ret views. For the latter it is executed once more, with @dot and
 * @env, as it was before (tmpl_execute). True in *too_many: there are more than can be looked for, or they could not be
 * found. Fails: ENOMEM. */
CHECKED int reads_mask(const struct reads *r, const struct ref_template *t, val dot, const struct tmpl_env *env,
		       struct arena *a, struct mask_fields *ret, bool *too_many, struct err *err);

#endif

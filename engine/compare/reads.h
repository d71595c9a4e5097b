/* What was read to judge one object, as far as it may not be shown: the output of templates and their errors may
 * contain parts of it. */
#ifndef COMPARE_READS_H
#define COMPARE_READS_H

#include "base/vec.h"
#include "mask/mask.h"
#include "reference/ref.h"

struct looked_up {
	const val *objects;
	size_t n;
};

/* A list of what was read, which only views it. */
struct reads {
	const struct mask_fields *mask; /* the mask, whose steps are spent */
	val object;
	VEC(struct looked_up) found;
	bool secret; /* a Secret was looked up */
};

/* Note that @objects were found for @request. False without memory. */
CHECKED bool reads_add(struct reads *r, const struct tmpl_lookup *request, const val *objects, size_t n);
void reads_done(struct reads *r);

/* Whether the object, or something that was looked up, is a Secret. */
bool reads_secret(const struct reads *r);

/* Whether a message about what was read may quote what may not be shown. @t is the template that read; NULL:
 * anything of the object may have been read. */
bool reads_hidden(const struct reads *r, const struct ref_template *t);

/* Make the mask for the output of @t: r->mask, with the hidden texts in what was read, and with the texts that @t
 * made of them by whatever functions. They live in @a, which *ret views. To find the latter, @t is executed once
 * more, with @dot and @env, as it was before (tmpl_execute). *too_many: there are too many to look for, or they
 * could not be found. Fails: ENOMEM. */
CHECKED int reads_mask(const struct reads *r, const struct ref_template *t, val dot, const struct tmpl_env *env,
		       struct arena *a, struct mask_fields *ret, bool *too_many, struct err *err);

#endif

/* What may never be shown: Secret data, and fields whose name says that they hold a credential. */
#ifndef COMPARE_SENSITIVE_H
#define COMPARE_SENSITIVE_H

#include "base/defs.h"
#include "value/path.h"

/* Whether values at @p of @object may not be shown: data and stringData of a Secret (and its copy in the last-applied
 * annotation), a map key such as "password", "token", "clientSecret" or "privateKey", the value of an environment
 * variable with such a name, and everything below them. @extra: further key names, compared like the built-in ones
 * (ASCII case ignored); may be NULL with n 0. */
bool path_is_sensitive(val object, struct path p, const str *extra, size_t n_extra);

/* Whether @v holds such a key or environment variable. */
bool value_is_sensitive(val v, const str *extra, size_t n_extra);

bool object_is_secret(val object);

/* Both sides of a comparison with everything sensitive replaced by "***", and by "*** (before)" and "*** (after)" where
 * it differs.
 * @differences: every value that differs is hidden, whatever its name. Results live in @a. False without memory. */
CHECKED bool sensitive_mask(val expected, val actual, bool differences, struct arena *a, val *ret_expected,
			    val *ret_actual);

#endif

/* What may never be shown: Secret data, and fields whose name says that they hold a credential. */
#ifndef COMPARE_SENSITIVE_H
#define COMPARE_SENSITIVE_H

#include "value/path.h"

/* Whether values at @p of @object may not be shown: data and stringData of a Secret (and its copy in the last-applied annotation),
 * a map key such as "password", "token", "clientSecret" or "privateKey", the value of an environment variable with such a name, and
 * everything below them. @extra: further key names, compared like the built-in ones (ASCII case ignored); may be NULL with n 0. */
bool path_is_sensitive(val object, struct path p, const str *extra, size_t n_extra);

bool object_is_secret(val object);

#endif

/* What may be said of an object that fails a CEL rule. */
#ifndef RULES_FAILURE_TEXT_H
#define RULES_FAILURE_TEXT_H

#include "cel/cel_rules.h"
#include "mask/mask.h"
#include "topology/topology.h"

/* Whether the values that the rule read, now or before, may not be shown: then neither may what an expression or an
 * error made of them. The failure is in @object. */
bool failure_hides(const struct mask_fields *mask, val object, const struct cel_failure *f);

/* The message; when @hidden, only the rule's own words. In @a, of the failure or its rule; {NULL, 0} without memory. */
str failure_message(const struct cel_failure *f, bool hidden, struct arena *a);

/* The path of a failure as text: with elements called by their keys where @type, of the object, is sure of them (NULL:
 * as it is), and that of path.h with "***" where a key of it is a secret itself. Draws on the steps of @mask, and is as
 * good as nothing when they are used up. {NULL, 0} without memory. */
str failure_path(const struct mask_fields *mask, val object, const struct topo *type, const struct cel_where *path,
		 struct arena *a);

/* As failure_path, but nothing is hidden. */
str failure_path_shown(val object, const struct topo *type, const struct cel_where *path, struct arena *a);

#endif

/* Writes what may be shown about an object that violates a CEL rule. */
#ifndef RULES_FAILURE_TEXT_H
#define RULES_FAILURE_TEXT_H

#include "cel/cel_rules.h"
#include "mask/mask.h"
#include "topology/topology.h"

/* Whether the values that the rule read, now or before, may not be shown: then the text of an expression or an error
 * may not be shown either. The failure is in @object. */
bool failure_hides(const struct mask_fields *mask, val object, const struct cel_failure *f);

/* The message of a failure; when @hidden, only the rule's own words. It lives in @a, in the failure or in its rule;
 * {NULL, 0} without memory. */
str failure_message(const struct cel_failure *f, bool hidden, struct arena *a);

/* The path of a failure as text. Elements are called by their keys where @type, the type of the object, is sure of
 * them (NULL: the path stays as it is). If a key on the path is itself a secret, the text is that of path.h with
 * "***" for the key. Uses up the steps of @mask, and says next to nothing when none are left. {NULL, 0} without memory.
 */
str failure_path(const struct mask_fields *mask, val object, const struct topo *type, const struct cel_where *path,
		 struct arena *a);

/* As failure_path, but nothing is hidden. */
str failure_path_shown(val object, const struct topo *type, const struct cel_where *path, struct arena *a);

#endif

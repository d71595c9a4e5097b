/* Places of failed rules: below them, and by what stays the same. */
#ifndef RULES_RULE_PATH_H
#define RULES_RULE_PATH_H

#include "cel/cel_where.h"
#include "topology/topology.h"

/* Go on from @where, which is @value, as the fieldPath @text of a rule says that nobody has checked: property names,
 * list indices and map keys stand there without quotes. Of several readings the one that @value has is taken; what
 * cannot be read is left away at the end, but not in the text. Lives in @a, @text and what @where is of. False without
 * memory. */
CHECKED bool rule_path_below(struct cel_where *where, str text, val value, struct arena *a);

/* The place @where of @object, by names that stay the same: elements of lists whose keys the type surely knows are
 * called by their keys, not by their numbers, in *ret and in *text; the rest of *text stays as it was. @spend is called
 * with the number of elements that were read; it returns false when no more may be. False without memory, or when it
 * said so. */
CHECKED bool rule_place(const struct cel_where *where, val object, const struct topo *type,
			bool (*spend)(void *ctx, uint64_t n), void *ctx, struct arena *a, str *text, struct path *ret);

#endif

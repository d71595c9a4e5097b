/* Places of failed rules: extends them by the rule's fieldPath, and names them so that they stay the same. */
#ifndef RULES_RULE_PATH_H
#define RULES_RULE_PATH_H

#include "cel/cel_where.h"
#include "topology/topology.h"

/* Extend @where, the place of @value, by the fieldPath @text of a rule. Nobody has checked @text: property names,
 * list indices and map keys stand in it without quotes. If it can be read in several ways, the one that exists in
 * @value is taken. An end that cannot be read is missing in the path, but not in the text. The result lives in @a,
 * in @text and where @where does. False without memory. */
CHECKED bool rule_path_below(struct cel_where *where, str text, val value, struct arena *a);

/* Name the place @where of @object so that the name stays the same. Elements of lists whose keys the type surely
 * knows are called by their keys instead of their numbers, in *ret and in *text; the rest of *text stays as it was.
 * @spend is called with the number of elements that were read, and returns false when no more may be read. False
 * without memory, or when @spend returned it. */
CHECKED bool rule_place(const struct cel_where *where, val object, const struct topo *type,
			bool (*spend)(void *ctx, uint64_t n), void *ctx, struct arena *a, str *text, struct path *ret);

#endif

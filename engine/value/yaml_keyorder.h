/* The order in which YAML output lists the keys of a map: "natural", so that a2 comes before a10. */
#ifndef VALUE_YAML_KEYORDER_H
#define VALUE_YAML_KEYORDER_H

#include "value/val.h"

/* Put pointers to the @n members of a map into @order, sorted. The result depends on the members alone. Where the
 * comparison has a cycle, it is one of the orders that the original, which starts from a random order, can give.
 * @tmp: room for @n more pointers. */
void yaml_key_order(const struct member *members, uint32_t n, const struct member **order, const struct member **tmp);

#endif

/* Which members tell the elements of a list of a Kubernetes object apart: the keys of server-side apply.
 *
 * Of custom resources the definition says so (x-kubernetes-list-map-keys); of built-in types the listMapKey markers of
 * k8s.io/api, known here by the name of the list; else elements that all have a "name" go by it. */
#ifndef RULES_MERGE_KEYS_H
#define RULES_MERGE_KEYS_H

#include "rules/event_tree.h"

/* The keys of the list @elements at @place, of an object whose openAPIV3Schema is @schema (VAL_ABSENT: unknown). How
 * many; 0: it has none. */
size_t merge_keys(val schema, const struct event_place *place, val elements, struct event_key ret[EVENT_KEYS_MAX]);

#endif

/* A generated table of the fields of Kubernetes' built-in types. Read it with topology.h. */
#ifndef TOPOLOGY_BUILTIN_TYPES_H
#define TOPOLOGY_BUILTIN_TYPES_H

#include "base/defs.h"
#include "topology/topo_words.h"

struct builtin_field {
	const char *name;
	uint8_t shape;         /* enum topo_shape */
	uint8_t value;         /* enum topo_value: of the field, or of its elements or the values of its map */
	uint8_t list;          /* enum topo_list */
	bool atomic;           /* a struct or a map with one owner */
	bool pointer;          /* Go distinguishes its zero from nothing */
	bool whole_elements;   /* each element has one owner */
	uint16_t type;         /* the type of the value, or of its elements; 0: none */
	const char *keys;      /* for TOPO_KEYED, separated by commas; NULL: none */
	const char *otherwise; /* what servers fill in, in JSON; NULL: nothing, or it depends on other fields */
};

struct builtin_kind {
	const char *group, *kind, *version;
	uint16_t type;
};

struct builtin_list {
	const char *name, *keys;
};

/* The fields, sorted by type, and within a type by name. Those of type t, from 1, are between builtin_ends[t - 1]
 * and builtin_ends[t]. */
extern const struct builtin_field builtin_fields[];
extern const uint16_t builtin_ends[];
extern const uint16_t builtin_object_meta; /* the type of metadata */
extern const uint16_t builtin_pod_template;

extern const struct builtin_kind builtin_kinds[]; /* sorted by group, kind and version */
extern const size_t n_builtin_kinds;

/* Lists with keys other than "name" alone, sorted by name. */
extern const struct builtin_list builtin_lists[];
extern const size_t n_builtin_lists;

#endif

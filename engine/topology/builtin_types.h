/* The types that Kubernetes has built in, as a generated table: field by field. Read it by topology.h. */
#ifndef TOPOLOGY_BUILTIN_TYPES_H
#define TOPOLOGY_BUILTIN_TYPES_H

#include "base/defs.h"
#include "topology/topo_words.h"

struct builtin_field {
	const char *name;
	uint8_t shape;         /* enum topo_shape */
	uint8_t value;         /* enum topo_value: its own, or that of its elements or of the values of its map */
	uint8_t list;          /* enum topo_list */
	bool atomic;           /* a struct or a map that has one owner */
	bool pointer;          /* Go distinguishes its zero from nothing */
	bool whole_elements;   /* its elements have one owner each */
	uint16_t type;         /* of what it holds, or of its elements; 0: none */
	const char *keys;      /* of TOPO_KEYED, with commas between; NULL: none */
	const char *otherwise; /* JSON: what the servers fill in; NULL: nothing, or it depends on other fields */
};

struct builtin_kind {
	const char *group, *kind, *version;
	uint16_t type;
};

struct builtin_list {
	const char *name, *keys;
};

/* By type, those of one type by name. Type t, from 1, has those between builtin_ends[t - 1] and builtin_ends[t]. */
extern const struct builtin_field builtin_fields[];
extern const uint16_t builtin_ends[];
extern const uint16_t builtin_object_meta; /* the type of metadata */
extern const uint16_t builtin_pod_template;

extern const struct builtin_kind builtin_kinds[]; /* by group, kind, version */
extern const size_t n_builtin_kinds;

/* Lists with keys other than "name" alone, by name. */
extern const struct builtin_list builtin_lists[];
extern const size_t n_builtin_lists;

#endif

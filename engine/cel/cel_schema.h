/* An OpenAPI v3 structural schema, as a CRD holds it: how CEL reads and types the values below it.
 *
 * What counts: type, format, nullable, properties, additionalProperties, items, x-kubernetes-int-or-string,
 * -embedded-resource, -preserve-unknown-fields, -list-type, -list-map-keys, -validations. Everything else is for the
 * API server. Kubernetes: apiserver/pkg/cel/common (SchemaDeclType, UnstructuredToVal), apiserver/pkg/cel/escaping */
#ifndef CEL_SCHEMA_H
#define CEL_SCHEMA_H

#include "base/arena.h"
#include "base/err.h"
#include "base/limits.h"
#include "cel/cel_type.h"
#include "value/val.h"

enum cel_schema_kind {
	CEL_SCHEMA_UNKNOWN, /* no type: the data is preserved, or the schema is invalid */
	CEL_SCHEMA_OBJECT,
	CEL_SCHEMA_ARRAY,
	CEL_SCHEMA_STRING,
	CEL_SCHEMA_NUMBER,
	CEL_SCHEMA_INTEGER,
	CEL_SCHEMA_BOOLEAN,
};

/* ORDER cel_string_format */
enum cel_string_format { CEL_PLAIN, CEL_DURATION, CEL_DATE, CEL_DATE_TIME, CEL_BYTE, CEL_STRING_FORMATS };

/* ORDER cel_list_type */
enum cel_list_type { CEL_LIST_DEFAULT, CEL_LIST_ATOMIC, CEL_LIST_SET, CEL_LIST_MAP, CEL_LIST_TYPES };

struct cel_property {
	const struct key *name;
	str escaped; /* {NULL, 0}: expressions cannot access it */
	const struct cel_schema *schema;
	bool implied; /* the definition does not describe it; only expressions see it */
};

struct cel_schema {
	uint8_t kind;
	uint8_t format;
	uint8_t list_type;
	bool nullable;
	bool int_or_string;
	bool embedded;
	bool preserve;
	bool has_rules_below; /* there are rules here or anywhere below */
	str place;            /* "selfType.spec.list.@idx" */
	str type_name;        /* the type as the schema spells it */
	uint32_t n_properties;
	uint32_t n_keys;
	/* sorted by name; NULL: the schema has no properties, not even an empty set */
	struct cel_property *properties;
	const struct cel_schema *additional; /* the schema of the values, for an object that is a map */
	const struct cel_schema *items;
	const struct key **keys;     /* x-kubernetes-list-map-keys */
	val rules;                   /* x-kubernetes-validations */
	const struct cel_type *type; /* NULL: invisible to expressions */
	uint64_t max_size;           /* the most elements, or code units of text, that fit into a request; 0: unknown */
	uint64_t min_bytes;          /* the size of its shortest JSON */
	/* how many values of each schema below it there can be; UINT64_MAX: no bound is given */
	uint64_t max_children;
	uint32_t number; /* the number of the schema in the order of building, from 0 */
	uint32_t count;  /* in the root schema: how many schemas there are */
};

/* Build the schema @v into @a. @resource: it is of a whole resource, or of one that is embedded, which always has
 * apiVersion, kind, metadata.name and metadata.generateName, whatever @v says. Borrows from @v. Fails: E2BIG
 * (depth), ENOMEM. */
CHECKED int cel_schema_build(val v, bool resource, const struct limits *lim, struct arena *a,
			     const struct cel_schema **ret, struct err *err);

/* How many values of the size of @s fit into a request. */
uint64_t cel_schema_most(const struct cel_schema *s);

const struct cel_property *cel_schema_property(const struct cel_schema *s, const struct key *name);
const struct cel_property *cel_schema_escaped(const struct cel_schema *s, str escaped);

/* Convert a property name to an identifier, and back. 1; 0 when the name cannot be an identifier or the identifier
 * is no escaped name; -ENOMEM. */
int cel_escape(str name, struct arena *a, str *ret);
int cel_unescape(str ident, struct arena *a, str *ret);

#endif

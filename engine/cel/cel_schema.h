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
	CEL_SCHEMA_UNKNOWN, /* no type: preserved data, or invalid */
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
	str escaped; /* {NULL, 0}: not accessible */
	const struct cel_schema *schema;
	bool implied; /* only expressions see it: the definition does not describe it */
};

struct cel_schema {
	uint8_t kind;
	uint8_t format;
	uint8_t list_type;
	bool nullable;
	bool int_or_string;
	bool embedded;
	bool preserve;
	bool has_rules_below; /* here or anywhere below */
	str place;            /* "selfType.spec.list.@idx" */
	str type_name;        /* as the schema spells it */
	uint32_t n_properties;
	uint32_t n_keys;
	struct cel_property *properties;     /* sorted by name; NULL: none given, not even an empty set */
	const struct cel_schema *additional; /* of an object that is a map */
	const struct cel_schema *items;
	const struct key **keys;     /* x-kubernetes-list-map-keys */
	val rules;                   /* x-kubernetes-validations */
	const struct cel_type *type; /* NULL: invisible to expressions */
	uint64_t max_size;     /* elements, or code units of text, that a request has room for; 0: counts as none */
	uint64_t min_bytes;    /* of its shortest JSON */
	uint64_t max_children; /* values of each schema below it; UINT64_MAX: no bound is given */
	uint32_t number;       /* in the order of building, from 0 */
	uint32_t count;        /* of the root: how many there are */
};

/* Build the schema @v into @a. @resource: it is a whole resource, or what is embedded as one: apiVersion, kind,
 * metadata.name and metadata.generateName are there whatever it says. Borrows from @v. Fails: E2BIG (depth), ENOMEM. */
CHECKED int cel_schema_build(val v, bool resource, const struct limits *lim, struct arena *a,
			     const struct cel_schema **ret, struct err *err);

/* How many values with the size of @s a request has room for. */
uint64_t cel_schema_most(const struct cel_schema *s);

const struct cel_property *cel_schema_property(const struct cel_schema *s, const struct key *name);
const struct cel_property *cel_schema_escaped(const struct cel_schema *s, str escaped);

/* Property name <-> identifier. 1; 0 when the name cannot be an identifier or the identifier is no escaped name;
 * -ENOMEM. */
int cel_escape(str name, struct arena *a, str *ret);
int cel_unescape(str ident, struct arena *a, str *ret);

#endif

/* Types, as the checker uses them. A type is immutable and lives in the arena of the program or schema that made it. */
#ifndef CEL_TYPE_H
#define CEL_TYPE_H

#include "base/arena.h"
#include "base/buf.h"

enum cel_type_kind {
	CT_ERROR, /* an error has been reported already */
	CT_DYN,
	CT_NULL,
	CT_BOOL,
	CT_INT,
	CT_UINT,
	CT_DOUBLE,
	CT_STRING,
	CT_BYTES,
	CT_TIMESTAMP,
	CT_DURATION,
	CT_LIST,    /* params[0] */
	CT_MAP,     /* params[0], params[1] */
	CT_TYPE,    /* params[0], which may be missing */
	CT_OPAQUE,  /* name, params: optional_type(T), net.IP, … */
	CT_WRAPPER, /* params[0]: a scalar or null */
	CT_PARAM,   /* name, id: a type variable */
	CT_OBJECT,  /* name, schema */
};

#define CEL_TYPE_SIZE_MAX 1000

struct cel_schema;

struct cel_type {
	uint8_t kind;
	uint8_t n;
	uint32_t id;   /* the id of a variable that the checker made; 0 in declarations */
	uint32_t size; /* nodes of the tree of this type; a type that would exceed CEL_TYPE_SIZE_MAX is dyn */
	str name;
	const struct cel_schema *schema;
	const struct cel_type *params[3];
};

extern const struct cel_type cel_type_error, cel_type_dyn, cel_type_null, cel_type_bool, cel_type_int, cel_type_uint,
	cel_type_double, cel_type_string, cel_type_bytes, cel_type_timestamp, cel_type_duration, cel_type_type;

/* Make types; NULL without memory. */
const struct cel_type *cel_type_list(struct arena *a, const struct cel_type *item);
const struct cel_type *cel_type_map(struct arena *a, const struct cel_type *key, const struct cel_type *value);
const struct cel_type *cel_type_optional(struct arena *a, const struct cel_type *t);
const struct cel_type *cel_type_of(struct arena *a, const struct cel_type *t);
const struct cel_type *cel_type_wrapper(struct arena *a, const struct cel_type *t);
const struct cel_type *cel_type_opaque(struct arena *a, str name, const struct cel_type *const *params, unsigned n);
/* As @t, with as many other parameters. */
const struct cel_type *cel_type_with(struct arena *a, const struct cel_type *t, const struct cel_type *const *params);
const struct cel_type *cel_type_param(struct arena *a, str name);

bool cel_type_is_optional(const struct cel_type *t);
static inline bool cel_type_is_dyn(const struct cel_type *t)
{
	return t->kind == CT_DYN || t->kind == CT_ERROR;
}

/* Whether the types are exactly the same. */
bool cel_type_equal(const struct cel_type *x, const struct cel_type *y);

/* Append a type as error messages show it, such as "map(string, int)". */
void cel_type_format(const struct cel_type *t, struct buf *out);

/* Read a type from the notation of the function table (see cel_func.h) at *at; NULL without memory. */
const struct cel_type *cel_type_read(struct arena *a, const char **at);

#endif

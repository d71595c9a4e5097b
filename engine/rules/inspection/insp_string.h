/* Format strings of rules, read once. */
#ifndef RULES_INSPECTION_STRING_H
#define RULES_INSPECTION_STRING_H

#include "base/arena.h"
#include "base/err.h"
#include "base/key.h"

/* ORDER insp_name */
enum insp_name {
	INSP_NODE, /* also called "object" */
	INSP_PORTS,
	INSP_PORT_GROUPS,
	INSP_INVENTORY,
	INSP_PLUGIN_DATA,
	INSP_ITEM,
	INSP_NAMES, /* a name that is none of these */
};

struct insp_accessor {
	const struct key *key; /* of a map */
	int64_t index;         /* of a list; -1: it is none */
	bool malformed;        /* and everything behind it */
};

struct insp_field {
	enum insp_name name;
	bool malformed; /* the name is */
	const struct insp_accessor *accessors;
	size_t n_accessors;
	char conversion;                  /* 0: none; others than s, r, a are a failure */
	const struct insp_string *format; /* NULL: none */
};

struct insp_part {
	str literal;
	const struct insp_field *field; /* instead; NULL: it is a literal */
};

/* Parts are evaluated in their order, and the first that fails decides: so what stands before a mistake counts. */
struct insp_string {
	str source; /* as written */
	const struct insp_part *parts;
	size_t n;
	bool malformed; /* behind the last part */
};

/* Read @source, which outlives the result, as all in @a does. Mistakes in it are no failures. Fails: ENOMEM, E2BIG. */
CHECKED int insp_string_read(str source, struct arena *a, struct insp_string *ret, struct err *err);

/* One field and nothing else. */
static inline bool insp_string_is_field(const struct insp_string *s)
{
	return s->n == 1 && s->parts[0].field && !s->malformed;
}
/* One field whose value keeps its type: without conversion and format. */
static inline bool insp_string_is_typed(const struct insp_string *s)
{
	return insp_string_is_field(s) && !s->parts[0].field->conversion && !s->parts[0].field->format;
}

#endif

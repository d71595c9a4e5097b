/* The format strings of inspection rules, which are read once. */
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
	const struct key *key; /* the key in a map */
	int64_t index;         /* the index in a list; -1: it is none */
	bool malformed;        /* the accessor and everything behind it is malformed */
};

struct insp_field {
	enum insp_name name;
	bool malformed; /* the name is malformed */
	const struct insp_accessor *accessors;
	size_t n_accessors;
	char conversion;                  /* 0: none; only s, r and a are valid */
	const struct insp_string *format; /* NULL: none */
};

struct insp_part {
	str literal;
	const struct insp_field *field; /* takes the place of the literal; NULL: the part is a literal */
};

/* A format string. Its parts are evaluated in order until one fails, so that the parts before a mistake count. */
struct insp_string {
	str source; /* the string as it is written */
	const struct insp_part *parts;
	size_t n;
	bool malformed; /* there is a mistake behind the last part */
};

/* Read @source, which outlives the result, as does all in @a. Mistakes in it are no failures. Fails: ENOMEM, E2BIG. */
CHECKED int insp_string_read(str source, struct arena *a, struct insp_string *ret, struct err *err);

/* Whether the string is one field and nothing else. */
static inline bool insp_string_is_field(const struct insp_string *s)
{
	return s->n == 1 && s->parts[0].field && !s->malformed;
}
/* Whether the string is one field whose value keeps its type, because it has neither conversion nor format. */
static inline bool insp_string_is_typed(const struct insp_string *s)
{
	return insp_string_is_field(s) && !s->parts[0].field->conversion && !s->parts[0].field->format;
}

#endif

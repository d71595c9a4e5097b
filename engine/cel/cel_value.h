/* Values of the Common Expression Language.
 *
 * A cv is 24 bytes, passed by value, and owns nothing. Scalars are inside; text points into the document, the program
 * or the arena of the evaluation; lists and maps are either views on the document model (CV_VIEW: nothing is copied,
 * parts are read as @schema says when they are touched) or native arrays of cv in the arena.
 *
 * An evaluation error is a value too (CV_ERROR): operators pass it on, && || and ?: can absorb it.   CEL langdef,
 * Evaluation */
#ifndef CEL_VALUE_H
#define CEL_VALUE_H

#include "base/arena.h"
#include "base/buf.h"
#include "text/semver.h"
#include "value/val.h"

/* ORDER cv_kind */
enum cv_kind {
	CV_ERROR, /* err */
	CV_NULL,
	CV_BOOL,
	CV_INT,
	CV_UINT,
	CV_DOUBLE,
	CV_STRING,
	CV_BYTES,
	CV_TIMESTAMP, /* i: seconds since 1970 UTC, n: nanoseconds */
	CV_DURATION,  /* i: nanoseconds */
	CV_LIST,
	CV_MAP,
	CV_TYPE,     /* s: name */
	CV_OPTIONAL, /* ref: the value, or NULL */
	CV_IP,       /* ip */
	CV_CIDR,     /* cidr */
	CV_URL,      /* url */
	CV_QUANTITY, /* quantity */
	CV_SEMVER,   /* semver */
	CV_FORMAT,   /* format */
	CV_OPAQUE,   /* a part of an object that no schema describes, in val; it can only be compared */
	CV_KINDS,
};

enum cv_rep {
	CV_NATIVE, /* items or map */
	CV_VIEW,   /* vals or members of a document */
	CV_BUILD,  /* a list or map to which a comprehension still adds */
	/* a quantity that is the result of an addition: a server finds no overload for an equality with it on the
	 * right */
	CV_COMPUTED,
};

struct cel_schema;
struct cel_error;
struct cv_map;
struct cv_builder;
struct go_ip;
struct cel_cidr;
struct go_url;
struct cel_semver;
struct cel_format;
struct quantity;

typedef struct cv {
	uint8_t kind;
	uint8_t rep;
	int16_t zone; /* minutes ahead of UTC with which a timestamp was written */
	uint32_t n;   /* bytes or items; for native maps see map->n */
	union {
		bool b;
		int64_t i;
		uint64_t u;
		double d;
		const char *s;
		const struct cv *items;
		struct cv_map *map;
		struct cv_builder *build;
		const val *vals;
		const struct member *members;
		const struct cv *ref;
		const struct cel_error *err;
		const struct go_ip *ip;
		const struct cel_cidr *cidr;
		const struct go_url *url;
		const struct quantity *quantity;
		const struct cel_semver *semver;
		const struct cel_format *format;
		const val *val;
	};
	/* the schema of a view, and of a value made from one; NULL: parts have the types of their kinds */
	const struct cel_schema *schema;
} cv;

_Static_assert(sizeof(cv) == 24, "a cv is passed by value and made for every step of an evaluation");

/* A version and the text that it was read from. */
struct cel_semver {
	struct semver version;
};

struct cel_error {
	str text;
	bool cost;   /* the cost limit was reached, which no operator absorbs */
	bool memory; /* the arena was used up */
	bool placed; /* @at is known */
	uint32_t at; /* byte offset in the source of the part that failed */
};

struct cv_entry {
	cv key;
	cv value;
};

/* A native map in insertion order, with an index above a few entries. */
struct cv_map {
	struct cv_entry *entries;
	uint32_t n;
	uint32_t cap;
	uint32_t *index; /* open addressing, entry number + 1; NULL while the map is small */
	uint32_t n_index;
};

struct cv_builder {
	cv *items;
	uint32_t n;
	uint32_t cap;
};

/* The state of an evaluation that functions and operators need. */
struct cel_ctx;

static inline cv cv_null(void)
{
	return (cv){ .kind = CV_NULL };
}
static inline cv cv_bool(bool b)
{
	return (cv){ .kind = CV_BOOL, .b = b };
}
static inline cv cv_int(int64_t i)
{
	return (cv){ .kind = CV_INT, .i = i };
}
static inline cv cv_uint(uint64_t u)
{
	return (cv){ .kind = CV_UINT, .u = u };
}
static inline cv cv_double(double d)
{
	return (cv){ .kind = CV_DOUBLE, .d = d };
}
static inline cv cv_string(str s)
{
	return (cv){ .kind = CV_STRING, .n = (uint32_t)s.n, .s = s.p };
}
static inline cv cv_bytes(str s)
{
	return (cv){ .kind = CV_BYTES, .n = (uint32_t)s.n, .s = s.p };
}
static inline cv cv_type(str name)
{
	return (cv){ .kind = CV_TYPE, .n = (uint32_t)name.n, .s = name.p };
}
static inline cv cv_duration(int64_t ns)
{
	return (cv){ .kind = CV_DURATION, .i = ns };
}
static inline cv cv_timestamp(int64_t s, uint32_t ns)
{
	return (cv){ .kind = CV_TIMESTAMP, .n = ns, .i = s };
}
static inline cv cv_list(const cv *items, uint32_t n)
{
	return (cv){ .kind = CV_LIST, .n = n, .items = items };
}
static inline cv cv_error(const struct cel_error *e)
{
	return (cv){ .kind = CV_ERROR, .err = e };
}
static inline cv cv_none(void)
{
	return (cv){ .kind = CV_OPTIONAL };
}
static inline bool cv_is_error(cv v)
{
	return v.kind == CV_ERROR;
}
static inline bool cv_is_true(cv v)
{
	return v.kind == CV_BOOL && v.b;
}
static inline bool cv_is_number(cv v)
{
	return v.kind >= CV_INT && v.kind <= CV_DOUBLE;
}
/* Whether lists and maps can be indexed by a value of this kind. */
static inline bool cv_is_qualifier(cv v)
{
	return v.kind == CV_STRING || v.kind == CV_BOOL || cv_is_number(v);
}
static inline str cv_str(cv v)
{
	return (str){ v.s, v.n };
}

/* The errors that need no memory. */
extern const struct cel_error cel_error_memory;
extern const struct cel_error cel_error_cost;

/* An error value with a text in @a (the memory error without memory). */
cv cv_errorf(struct arena *a, const char *fmt, ...) PRINTF(2, 3);
cv cv_no_overload(void);

/* Read a value of a document as @schema describes it; without a schema by its own kind. Errors are values ("invalid
 * data, …"). */
cv cv_from_val(struct arena *a, val v, const struct cel_schema *schema);

/* An optional with a copy of @v in @a; CV_ERROR without memory. */
cv cv_some(struct arena *a, cv v);

uint32_t cv_count(cv v);                          /* items of a list, entries of a map */
cv cv_item(struct arena *a, cv list, uint32_t i); /* i below the count */
/* Entry @i of a map. */
void cv_entry_at(struct arena *a, cv map, uint32_t i, cv *key, cv *value);
/* Find @key: 1 with *value; 0: there is none; -1 with an error value in *value (this map cannot have keys of that
 * kind). */
int cv_map_find(struct arena *a, cv map, cv key, cv *value);
/* Whether a map may have the key; a server cannot put other keys into a map. */
bool cv_may_be_key(cv v);
/* The error for a key that no map may have. */
cv cv_unhashable(struct arena *a, cv key);
/* The integer that a number equals; false when there is none. */
bool cv_whole(cv v, cv *ret);
/* Find the member of an object by name. @raw: the name in a plain map; @unescaped: the name in an object with a
 * schema, NULL when it is no escaped name; @hint: what the checker knows. */
struct cel_field_hint {
	const struct cel_schema *owner;
	const struct cel_schema *field;
};
int cv_field(struct arena *a, cv map, const struct key *raw, const struct key *unescaped, struct cel_field_hint hint,
	     cv *value);

/* A native map to be filled; NULL without memory. */
struct cv_map *cv_map_new(struct arena *a, uint32_t expected);
/* Add an entry. 1: the key was new; 0: it was there already (unchanged); -ENOMEM. */
int cv_map_put(struct arena *a, struct cv_map *m, cv key, cv value);
void cv_map_replace(struct arena *a, struct cv_map *m, cv key, cv value);
static inline cv cv_from_map(struct cv_map *m)
{
	return (cv){ .kind = CV_MAP, .map = m };
}

bool cv_builder_add(struct arena *a, struct cv_builder *b, cv v);

/* The budget for comparing deep values, whose time the cost model of the language does not count. When it is used up
 * the result is cel_error_cost. */
struct cel_work {
	struct arena *arena;
	uint64_t left;
};

/* CEL equality: numbers across kinds, lists and maps deep, other kinds never equal. CV_BOOL or CV_ERROR. */
cv cv_equal(struct cel_work *w, cv x, cv y);
/* Whether the values are equal; false also for an error. */
bool cv_same(struct cel_work *w, cv x, cv y);
/* Order of two values of one comparable kind (numbers across kinds): -1, 0, 1; 2: unordered (NaN); -2:
 * not comparable. */
int cv_compare(cv x, cv y);

/* The name of the type that type() returns: "int", "list", "google.protobuf.Timestamp", "net.IP", … */
str cv_type_name(cv v);
/* The name of the kind in the API server's own source, which some of its messages use. */
const char *cv_go_name(cv v);

/* Size as the cost model counts it: code points, bytes, items; 1 for other values. */
uint64_t cv_cost_size(cv v);

/* Whether it is the zero value of its type (optional.ofNonZeroValue). */
bool cv_is_zero(cv v);

#endif

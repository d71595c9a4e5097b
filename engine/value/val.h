/* The document model: one immutable value type.
 *
 * A val is 16 bytes, passed by value, and owns nothing: text, items and members live in the arena of its builder (a
 * doc, or the scratch arena of an evaluation), and never change once built. Sharing a subtree is copying the 16 bytes;
 * the new owner keeps the other arena alive (doc_share).
 *
 * Maps are arrays sorted by the bytes of their keys, each key once: the canonical order for free, so that equality,
 * hashing and comparison are one linear walk and output needs no sort.
 *
 * Numbers follow Kubernetes' JSON decoding: integral text in the range of int64 is VAL_INT, else VAL_DOUBLE. VAL_UINT
 * holds only integers above INT64_MAX and comes only from YAML. VAL_ABSENT is "no such value", not null; no document
 * holds it. */
#ifndef VALUE_VAL_H
#define VALUE_VAL_H

#include "base/arena.h"
#include "base/key.h"
#include "base/str.h"

/* ORDER val_kind: numbers, scalars and collections are ranges; tables are indexed by it. */
enum val_kind {
	VAL_ABSENT,
	VAL_NULL,
	VAL_BOOL,
	VAL_INT,
	VAL_UINT,
	VAL_DOUBLE,
	VAL_STRING,
	VAL_LIST,
	VAL_MAP,
};

#define VAL_KINDS (VAL_MAP + 1) /* the number of kinds; no enumerator, so that a switch can name all kinds */

struct member;

typedef struct val {
	uint8_t kind; /* enum val_kind */
	bool secret;  /* a scalar that may not be shown, if the reader of this copy wants to know (mask_mark) */
	uint32_t n;   /* bytes, items or members */
	union {
		bool b;
		int64_t i;
		uint64_t u;
		double d;
		const char *s; /* @n bytes; not NUL-terminated */
		const struct val *items;
		const struct member *members; /* sorted by key, no key twice */
	};
} val;

struct member {
	const struct key *key;
	val value;
};

_Static_assert(sizeof(val) == 16, "a val is passed by value and stored by the million");
_Static_assert(sizeof(struct member) == 24, "a member is a key pointer and a val");

static inline val val_null(void)
{
	return (val){ .kind = VAL_NULL };
}
static inline val val_bool(bool b)
{
	return (val){ .kind = VAL_BOOL, .b = b };
}
static inline val val_int(int64_t i)
{
	return (val){ .kind = VAL_INT, .i = i };
}
static inline val val_double(double d)
{
	return (val){ .kind = VAL_DOUBLE, .d = d };
}
/* An unsigned integer: VAL_INT where it fits, else VAL_UINT. */
static inline val val_uint(uint64_t u)
{
	return u <= INT64_MAX ? val_int((int64_t)u) : (val){ .kind = VAL_UINT, .u = u };
}
/* A string that views @s, which must live as long as the val. s.n is below 4 GiB. */
static inline val val_string(str s)
{
	return (val){ .kind = VAL_STRING, .n = (uint32_t)s.n, .s = s.p };
}

static inline bool val_exists(val v)
{
	return v.kind != VAL_ABSENT;
}
static inline bool val_is_null(val v)
{
	return v.kind == VAL_NULL;
}
static inline bool val_is_string(val v)
{
	return v.kind == VAL_STRING;
}
static inline bool val_is_list(val v)
{
	return v.kind == VAL_LIST;
}
static inline bool val_is_map(val v)
{
	return v.kind == VAL_MAP;
}
static inline bool val_is_true(val v)
{
	return v.kind == VAL_BOOL && v.b;
}
static inline bool val_is_number(val v)
{
	return v.kind >= VAL_INT && v.kind <= VAL_DOUBLE;
}
/* The integer @v; @other when @v is none. */
static inline int64_t val_int_or(val v, int64_t other)
{
	return v.kind == VAL_INT ? v.i : other;
}
static inline bool val_is_scalar(val v)
{
	return v.kind >= VAL_NULL && v.kind <= VAL_STRING;
}

/* Getters take any val, so that look-ups chain: a wrong kind gives the empty result. */
static inline str val_str(val v)
{
	return v.kind == VAL_STRING ? (str){ v.s, v.n } : (str){ "", 0 };
}
static inline uint32_t val_count(val v)
{
	return v.kind >= VAL_LIST ? v.n : 0;
}
static inline val val_at(val list, uint32_t i)
{
	return list.kind == VAL_LIST && i < list.n ? list.items[i] : (val){ 0 };
}
val val_get(val map, str key);                     /* VAL_ABSENT when @map has no such key */
const struct member *val_member(val map, str key); /* NULL when @map has no such key */
val val_get_key(val map, const struct key *key);   /* val_get, which is fastest with an interned key */
#define VAL_GET(map, lit) val_get((map), STR(lit))
/* Walk down maps: val_dig(v, "metadata", "labels", NULL). */
val val_dig(val v, ...) __attribute__((sentinel));

/* The kind in OpenAPI's names: "null", "boolean", "integer", "number", "string", "array", "object"; or "absent". */
const char *val_kind_name(val v);

/* Deep equality. Kinds differ: an int never equals a double (JSON's 1 and 1.0 differ). NaN equals nothing. */
bool val_equal(val a, val b);
/* A total order over all values, consistent with val_equal except for NaN; kinds order as in enum val_kind. */
int val_compare(val a, val b);
/* A hash that is the same for equal values within a process, but not for 0.0 and -0.0, whose texts differ. */
uint64_t val_hash(val v);
#define VAL_EACH_ITEM ((str){ NULL, 0 }) /* in a way: all items of a list; a name is never NULL */
/* Hash the values at the end of a way through maps and lists; where the way ends early, hash how far it leads and in
 * what. */
uint64_t val_hash_way(val v, const str *names, size_t n);
/* Equality and hash in which numbers are equal by their exact values, whatever their kinds: 1 and 1.0. */
bool val_same(val a, val b);
uint64_t val_same_hash(val v);
/* Number of values in the tree, itself included. */
size_t val_nodes(val v);
/* The number of bytes of all texts and keys in the tree, and one for each value; 0: VAL_ABSENT. */
size_t val_bytes(val v);
/* Adds the number of values and of bytes to *nodes and *bytes, as val_nodes and val_bytes count. */
void val_measure(val v, size_t *nodes, size_t *bytes);

/* ---- building: the result lives in @a; VAL_ABSENT without memory ---- */

/* A list over a copy of @items[0..n). */
val val_list(struct arena *a, const val *items, size_t n);
/* A map from members in any order, which are sorted; of equal keys the last wins. Copies the array, but not the
 * values. */
val val_map(struct arena *a, const struct member *members, size_t n);
/* A map from members that are already in arena memory, in key order and without repetitions: no copy. */
static inline val val_map_sorted(const struct member *members, size_t n)
{
	return (val){ .kind = VAL_MAP, .n = (uint32_t)n, .members = members };
}
/* A copy of @map with @key set, or without @key. It shares the other members. A value that is no map counts as the
 * empty map. */
val val_map_with(struct arena *a, val map, const struct key *key, val v);
val val_map_without(struct arena *a, val map, str key);
/* A deep copy that shares nothing; keys are interned in @keys (may be NULL). */
val val_copy(struct arena *a, struct key_table *keys, val v);
/* How many bytes of an arena val_copy takes when all keys are in the table. */
size_t val_copy_bytes(val v);

#endif

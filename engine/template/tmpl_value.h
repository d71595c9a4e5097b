/* The values of a template execution.
 *
 * A tval stands for what Go's reflect.Value holds at the same point: a dynamic type, whether the value was taken out of
 * an interface{} slot (text/template's messages distinguish "interface {}" and "string"), and the value. It is 32
 * bytes, passed by value, and owns nothing: everything it points to lives in the arena of the execution or in the
 * document that is dot.
 *
 * Lists are immutable. Maps have reference semantics: `set` on a map is seen through every other tval of that map.
 * Lists and maps of documents are views, without copies; the first write to a viewed map makes a copy that takes its
 * place for the rest of the execution (struct tmem), and the document stays as
 * it was. */
#ifndef TEMPLATE_TMPL_VALUE_H
#define TEMPLATE_TMPL_VALUE_H

#include "base/buf.h"
#include "base/limits.h"
#include "value/val.h"

/* reflect.Kind; the names come from tkind_name. */
/* ORDER tkind: the integers and the unsigned integers are ranges. */
enum tkind {
	TK_INVALID,
	TK_BOOL,
	TK_INT, /* the integers: v.i */
	TK_INT32,
	TK_INT64,
	TK_UINT, /* the unsigned ones: v.u */
	TK_UINT8,
	TK_UINT32,
	TK_UINT64,
	TK_FLOAT64,
	TK_COMPLEX128,
	TK_STRING,
	TK_SLICE,
	TK_MAP,
	TK_STRUCT,
	TK_PTR,
	TK_INTERFACE,
};

struct tmem;
struct tmpl_fn;
struct tfield;
typedef struct tval tval;

/* A Go type. A function family adds its own (time.Time, *semver.Version, …) as constants; types are compared by
 * address. */
struct ttype {
	const char *name; /* reflect.Type.String(): "map[string]interface {}" */
	enum tkind kind;
	const struct ttype *elem;    /* the element type of slices and maps; of a pointer, the struct it points to */
	const struct tfield *fields; /* structs and pointers to structs: all fields, in Go's order */
	size_t n_fields;
	const struct tmpl_fn *methods; /* the exported methods; args[0] is the receiver, which params[] do not name */
	size_t n_methods;
	bool is_error;                                            /* @text is Error(), else String() */
	void (*text)(struct tmem *m, tval v, struct buf *out);    /* NULL: the type has neither */
	void (*go_text)(struct tmem *m, tval v, struct buf *out); /* GoString(), for %#v; NULL: the type has none */
	/* The value for encoding/json (MarshalJSON, MarshalText), in m->arena; VAL_ABSENT without memory. NULL: the
	 * exported fields of a struct. */
	val (*json)(struct tmem *m, tval v);
	bool (*equal)(tval a, tval b); /* reflect.DeepEqual of two values of this type; NULL: compare by kind */
};

struct tfield {
	const char *name;
	bool exported;
	tval (*get)(struct tmem *m, tval v);
};

struct tmap;

/* ORDER tsecret: each is more than those before it. What is in a secret list or map is secret. */
enum tsecret {
	TS_NONE,
	TS_HOLDS,  /* a text that contains secret texts as they are, which are known (tmpl_secret.h) */
	TS_SECRET, /* a secret, or a value made of one */
};

struct tval {
	const struct ttype *type; /* dynamic type; NULL: nil (the zero Value, or with iface a nil interface{}) */
	bool iface;               /* the value comes out of an interface{}: its static type is "interface {}" */
	bool view;                /* a slice or map of a document, which is in @slot */
	uint8_t secret;           /* enum tsecret */
	union {
		bool b;
		int64_t i; /* also time.Duration, time.Month, … */
		uint64_t u;
		double d;
		double c[2]; /* real, imaginary */
		str s;       /* string; []uint8 too (s.p NULL: nil) */
		struct {
			const tval *
				/* NULL: nil slice; not NULL when empty. Items of []interface{} have iface set */
				items;
			size_t n;
		} list;
		struct tmap *map; /* NULL: nil map */
		const val *slot;  /* view: its place in the document is its identity */
		const void *p;    /* structs and pointers of a family; NULL: nil pointer */
	};
};

_Static_assert(sizeof(tval) == 32, "a tval is passed by value and made for every step of an execution");

extern const struct ttype tt_any;   /* interface {}: only as a parameter, result or element type */
extern const struct ttype tt_value; /* reflect.Value: only as a parameter; the function sees the value with its iface */
extern const struct ttype tt_bool, tt_int, tt_int32, tt_int64, tt_uint, tt_uint8, tt_uint32, tt_uint64, tt_float64;
extern const struct ttype tt_complex128, tt_string;
extern const struct ttype tt_bytes;   /* []uint8 */
extern const struct ttype tt_list;    /* []interface {} */
extern const struct ttype tt_lists;   /* [][]interface {} */
extern const struct ttype tt_strings; /* []string */
extern const struct ttype tt_ints;    /* []int */
extern const struct ttype tt_maps;    /* []map[string]interface {} */
extern const struct ttype tt_map;     /* map[string]interface {} */
extern const struct ttype tt_strmap;  /* map[string]string */
extern const struct ttype tt_boolmap; /* map[string]bool */
extern const struct ttype tt_error;   /* *errors.errorString: s */

/* A hash table from pointers to pointers. */
struct ptable {
	struct ptable_row {
		const void *key; /* NULL: the row is free */
		const void *value;
	} * rows;
	size_t n;
	size_t cap; /* 0 or a power of two */
};

/* The memory of one execution: its arena, and the maps of documents that were written to. */
struct tmem {
	struct arena arena;
	const struct limits *limits;
	struct ptable written; /* slot -> the struct tmap that took its place */
	struct ptable objects; /* members of a whole object -> its slot */
	uint64_t walked;       /* values printed, compared or encoded: at most limits->template_steps */
	bool exhausted;        /* the steps are used up: the execution ends */
};

/* Whether an allocation failed because of the ceiling of the arena and not for lack of memory. Requests double, so
 * that the last one that fits leaves at least a quarter of the arena in use. */
static inline bool tmem_full(const struct tmem *m)
{
	return m->limits->arena_bytes && m->arena.used > m->limits->arena_bytes / 4;
}

/* Count one value of a recursive walk. A list can hold another list twice, that list a third one twice, and so on:
 * 40 levels are 2^40 values. False when the walk has to end; @m may be NULL: no ceiling. */
static inline bool tmem_walk(struct tmem *m)
{
	if (!m || m->walked++ < m->limits->template_steps)
		return true;
	m->exhausted = true;
	return false;
}

void tmem_init(struct tmem *m, const struct limits *limits);
void tmem_done(struct tmem *m);

/* The depth at which every recursive walk over values stops: maps can contain themselves. */
#define TVAL_DEPTH 1000

/* ---- making values ---- */

static inline tval tval_nil(void)
{
	return (tval){ 0 };
}
static inline tval tval_bool(bool b)
{
	return (tval){ .type = &tt_bool, .b = b };
}
static inline tval tval_int(int64_t i)
{
	return (tval){ .type = &tt_int, .i = i };
}
static inline tval tval_int64(int64_t i)
{
	return (tval){ .type = &tt_int64, .i = i };
}
static inline tval tval_uint64(uint64_t u)
{
	return (tval){ .type = &tt_uint64, .u = u };
}
static inline tval tval_float(double d)
{
	return (tval){ .type = &tt_float64, .d = d };
}
static inline tval tval_string(str s)
{
	return (tval){ .type = &tt_string, .s = s };
} /* the bytes of @s are not copied */
static inline tval tval_error(str s)
{
	return (tval){ .type = &tt_error, .s = s };
}

/* A slice of @type over items[0..n), which must live in the arena (no copy) and, when the elements are interface{},
 * must come from tval_boxed. @n may be 0: the slice is empty, not nil. tval_slice(&tt_list, …) is []interface{}. */
tval tval_slice(const struct ttype *type, const tval *items, size_t n);
static inline tval tval_nil_of(const struct ttype *type)
{
	return (tval){ .type = type };
} /* a nil slice, map or pointer */
/* The value as an item of a []interface{} or map[string]interface{}. */
static inline tval tval_boxed(tval v)
{
	v.iface = true;
	return v;
}
/* Pass on the secrecy of a container: what is in a secret is secret. */
static inline tval tval_inherit(tval v, tval container)
{
	if (container.secret > v.secret)
		v.secret = container.secret;
	return v;
}
/* The value without its interface{}. */
static inline tval tval_plain(tval v)
{
	v.iface = false;
	return v;
}

/* A new empty map of @type; .type NULL without memory. */
tval tmap_new(struct tmem *m, const struct ttype *type);

/* A document value as Go's decoders represent it: null is nil. @slot must outlive the execution; the result is boxed
 * when @boxed. */
tval tval_of(const val *slot, bool boxed);

/* ---- looking at values ---- */

static inline enum tkind tval_kind(tval v)
{
	return v.type ? v.type->kind : TK_INVALID;
}
static inline bool tval_is_nil(tval v)
{
	return !v.type;
} /* untyped nil */
static inline bool tval_is(tval v, const struct ttype *t)
{
	return v.type == t;
}
static inline bool tval_is_string(tval v)
{
	return v.type == &tt_string;
}
/* Whether @v is a nil slice, map or pointer, or untyped nil. */
bool tval_is_nil_like(tval v);
bool tkind_is_int(enum tkind k);
bool tkind_is_uint(enum tkind k);
const char *tkind_name(enum tkind k); /* reflect.Kind.String(): "ptr", "slice", "invalid" */
/* reflect.TypeOf(v).String(), "<nil>" for nil. */
const char *tval_type_name(tval v);
/* text/template's truth; for these kinds also Sprig's "not empty". */
bool tval_truth(struct tmem *m, tval v);

/* The length of a string (in bytes), slice or map; 0 for others. */
size_t tval_len(struct tmem *m, tval v);
/* Item @i < tval_len of a slice, boxed when the elements are interface{}. Bytes give uint8 items. */
tval tval_at(tval list, size_t i);

/* Access to maps. Only tmap_set keeps @key: copy it into the arena if it does not live there. */
bool tmap_get(struct tmem *m, tval map, str key, tval *ret); /* false: absent; *ret boxed for interface{} elements */
CHECKED int tmap_set(struct tmem *m, tval v, str key, tval value); /* map not nil; -ENOMEM */
CHECKED int tmap_unset(struct tmem *m, tval map, str key);         /* -ENOMEM (a map of a document is copied first) */

struct tentry {
	str key;
	tval value;
};
/* All entries sorted by key, a snapshot in the arena; NULL with *n 0 when empty, NULL with *n SIZE_MAX
 * without memory. */
const struct tentry *tmap_entries(struct tmem *m, tval v, size_t *n);

/* reflect.DeepEqual; false for values deeper than TVAL_DEPTH. */
bool tval_deep_equal(struct tmem *m, tval a, tval b);

/* The value as encoding/json sees it, in m->arena: for the JSON and YAML encoders. False: too deep (*why says so) or no
 * memory
 * (*why NULL). */
CHECKED bool tval_to_val(struct tmem *m, tval v, val *ret, const char **why);

/* A whole object (dot, or the result of a look-up). An object is always the same map, however often and from
 * whichever copy of its val it is made. .type NULL without memory. */
tval tval_object(struct tmem *m, val object);
/* []map[string]interface{} over whole objects. */
tval tval_objects(struct tmem *m, const val *items, size_t n);

#endif

/* The functions of the language: one table of overloads, in files by library.
 *
 * Types are written one letter each: b bool, i int, u uint, d double, s string, y bytes, t timestamp, D duration, n
 * null, * dyn, A B type variables, Lx list, Mxy map, Tx type, Ox optional, I ip, C cidr, U url, Q quantity, V semver, F
 * format, a g r p c the types of an authorizer. "sAB:i" takes three arguments and gives an int. The first argument of a
 * member function is its receiver. */
#ifndef CEL_FUNC_H
#define CEL_FUNC_H

#include "base/limits.h"
#include "cel/cel_type.h"
#include "cel/cel_value.h"

/* How the runtime cost of a call is counted. Sizes are those of cv_cost_size.
 *   cel-go interpreter/runtimecost.go, ext/lists.go, ext/sets.go; Kubernetes apiserver/pkg/cel/library/cost.go */
enum cel_cost {
	COST_ONE,
	COST_NONE,
	/* by overload: only where the checker found the one that it is, else 1 */
	COST_FIRST,    /* a tenth of the first argument */
	COST_SECOND,   /* a tenth of the second */
	COST_SMALLER,  /* a tenth of the smaller one of two */
	COST_BOTH,     /* a tenth of both */
	COST_MATCH,    /* text times pattern */
	COST_CONTAINS, /* a tenth times a tenth */
	COST_IN_LIST,  /* items */
	COST_LIST_OUT, /* making a new list of the result's size */
	COST_FLATTEN,
	COST_SORT, /* comparing all items with each other */
	COST_SETS, /* the product of the sizes */
	COST_SETS_TWICE,
	/* by name: Kubernetes' estimator */
	COST_BY_NAME,
	COST_TRAVERSE = COST_BY_NAME, /* every part of the first argument */
	COST_K_FIRST,                 /* a tenth of the first argument */
	COST_K_FIRST_TWICE,
	COST_K_RESULT, /* a tenth of twice the result */
	COST_K_MATCH,
	COST_K_CONTAINS_IP,
	COST_K_CONTAINS_CIDR,
	COST_K_VALIDATE,
	COST_K_ASK, /* asking an authorizer: COST_OF_ASKING */
};

#define COST_OF_ASKING 350000

struct cel_ctx;
struct go_zones;
struct re2;

/* Runs an overload. @args are of the kinds that it names (items of lists and maps are unchecked), and never errors.
 * The result may be an error value. */
typedef cv (*cel_fn)(struct cel_ctx *c, const cv *args, uint32_t n);

struct cel_overload {
	const char *name;
	const char *id;
	const char *types;
	cel_fn fn; /* NULL: the evaluator handles it itself, or it was only declared */
	bool member;
	uint8_t cost;       /* enum cel_cost */
	bool standard_only; /* not enabled in Kubernetes */
	/* the checker never chooses it, but a call whose types are found at run time may reach it */
	bool undeclared;
	const char *help;
	/* the types of a function that the caller has declared, instead of @types */
	const struct cel_signature *declared;
};

struct cel_signature {
	const struct cel_type *params[8];
	uint32_t n;
	const struct cel_type *result;
};

#define CEL_GLOBAL(name_, id_, types_, fn_, cost_, help_)                                                              \
	{                                                                                                              \
		.name = (name_), .id = (id_), .types = (types_), .fn = (fn_), .cost = (cost_), .help = (help_)         \
	}
#define CEL_MEMBER(name_, id_, types_, fn_, cost_, help_)                                                              \
	{                                                                                                              \
		.name = (name_), .id = (id_), .types = (types_), .fn = (fn_), .cost = (cost_), .member = true,         \
		.help = (help_)                                                                                        \
	}
#define CEL_EXTRA(name_, id_, types_, fn_, cost_, help_)                                                               \
	{                                                                                                              \
		.name = (name_), .id = (id_), .types = (types_), .fn = (fn_), .cost = (cost_), .standard_only = true,  \
		.help = (help_)                                                                                        \
	}
#define CEL_EXTRA_MEMBER(name_, id_, types_, fn_, cost_, help_)                                                        \
	{                                                                                                              \
		.name = (name_), .id = (id_), .types = (types_), .fn = (fn_), .cost = (cost_), .member = true,         \
		.standard_only = true, .help = (help_)                                                                 \
	}

/* ---- the libraries ---- */

struct cel_library {
	const struct cel_overload *overloads;
	size_t n;
};

extern const struct cel_library cel_lib_operators, cel_lib_convert, cel_lib_time, cel_lib_strings, cel_lib_format,
	cel_lib_lists, cel_lib_sets, cel_lib_optional, cel_lib_math, cel_lib_regex, cel_lib_net, cel_lib_url,
	cel_lib_quantity, cel_lib_semver, cel_lib_named, cel_lib_encode, cel_lib_authorizer;

extern const struct cel_library *const cel_libraries[];
extern const size_t cel_n_libraries;

/* ---- what functions use ---- */

struct cel_ctx {
	struct arena *arena;
	const struct limits *limits;
	const struct go_zones *zones; /* may be NULL: UTC and offsets only */
	bool kubernetes;              /* follow Kubernetes where the dialects differ */
	uint64_t cost;
	uint64_t cost_limit;
	/* the cost from which nodes are evaluated by cel_eval_watched: to give errors places, or to end at the limit */
	uint64_t watch_from;
	bool places; /* give errors their places */
	cv *slots;   /* variables, then locals */
	struct cel_work work;
	const struct re2 *pattern; /* the pattern of the call, when it was compiled beforehand */
};

cv cel_nomem(struct cel_ctx *c);
/* Move the text of a buffer into the arena as a string; releases the buffer. */
cv cel_string_take(struct cel_ctx *c, struct buf *b);
cv cel_string_copy(struct cel_ctx *c, str s);
#define cel_fail(c, ...) cv_errorf((c)->arena, __VA_ARGS__)

/* Begin a native list of @n items. */
cv *cel_list_new(struct cel_ctx *c, uint32_t n);

/* Charge for work that depends on the data and is not in the cost of the call. */
bool cel_charge(struct cel_ctx *c, uint64_t cost);

/* Arithmetic and conversions to text that several libraries share. */
cv cel_to_string(struct cel_ctx *c, cv v);
void cel_quote(str s, struct buf *out);

/* Whether any of the @n items is the same as @v. */
static inline bool cel_holds(struct cel_ctx *c, const cv *items, uint32_t n, cv v)
{
	for (uint32_t i = 0; i < n; i++) {
		if (cv_same(&c->work, v, items[i]))
			return true;
	}
	return false;
}

#endif

/* The function library: one row for each function, one array of rows for each family (fn_<family>.c), one table
 * (fn_table.c).
 *
 * A row states the function's Go signature. The executor checks the number of arguments, evaluates and converts them
 * exactly as Go's reflection does for that signature, and calls run() with args[0..n) of these types: an argument for
 * tt_string has type tt_string, one for tt_any may be anything or nil, one for tt_map or tt_list may be a nil map or
 * slice (`keys nil`).
 */
#ifndef TEMPLATE_FN_FN_H
#define TEMPLATE_FN_FN_H

#include "base/err.h"
#include "template/tmpl.h"
#include "template/tmpl_value.h"

#define TMPL_FN_PARAMS 6

struct re2;

/* What a function may use while it runs. */
struct tmpl_call {
	struct tmem *mem; /* results live in mem->arena */
	const struct tmpl_env *env;
	const struct limits *limits;
	const struct tmpl_fn *fn;
	uint64_t *steps;           /* spent so far; tmpl_spend counts */
	const struct re2 *pattern; /* args[0] compiled, or NULL */
	str error;                 /* complete text of the function's error, in the arena */
	bool no_match;             /* the error is doNotMatch's: tmpl_execute returns TMPL_NO_MATCH */
	struct err *err;           /* resource failures: -ENOMEM, -E2BIG */
};

/* 0 with *ret set, or negative after one of the tmpl_fail… calls. Never touches *ret on failure. A Go function that
 * panics is a function that fails with the panic's text ("runtime error: index out of range [3] with length 2"). */
typedef int tmpl_fn_run(struct tmpl_call *c, const tval *args, size_t n, tval *ret);

struct tmpl_fn {
	const char *name;
	tmpl_fn_run *run;
	const struct ttype *params[TMPL_FN_PARAMS]; /* up to the first NULL */
	bool variadic;                              /* the last of params may occur any number of times, also none */
	const struct ttype *result;                 /* tt_any: interface {}; of kind TK_INVALID: not for templates */
	const char *help;                           /* one line: what it does */
};

/* The results of a method that text/template refuses to call; the name is the format of its error. */
#define TMPL_THREE_RESULTS                                                                                             \
	{                                                                                                              \
		.name = "function %s has 3 return values; should be 1 or 2", .kind = TK_INVALID                        \
	}
#define TMPL_SECOND_RESULT(type)                                                                                       \
	{                                                                                                              \
		.name = "invalid function signature for %s: second return value should be error; is " type,            \
		.kind = TK_INVALID                                                                                     \
	}

struct tmpl_fn_family {
	const struct tmpl_fn *rows;
	size_t n;
};
/* Each family file defines one; fn_table.c lists them. */
extern const struct tmpl_fn_family fn_builtins, fn_strings, fn_lists, fn_dicts, fn_defaults, fn_encoding, fn_conv,
	fn_data, fn_flow, fn_kube, fn_regex, fn_math, fn_reflect, fn_semver, fn_date, fn_paths, fn_crypto;
#define TMPL_FN_FAMILY(name, array) const struct tmpl_fn_family name = { (array), ARRAY_LEN(array) }

/* NULL when there is none. */
const struct tmpl_fn *tmpl_fn_find(str name);
/* All rows sorted by name: i from 0; NULL behind the last. */
const struct tmpl_fn *tmpl_fn_at(size_t n);
/* "trunc int string -> string" as Go would print the signature: "func(int, string) string". */
void tmpl_fn_signature(const struct tmpl_fn *fn, struct buf *out);

/* Whether the first argument is a regular expression: a constant one is compiled with the template. */
bool tmpl_fn_takes_pattern(const struct tmpl_fn *fn);

/* Functions that the executor treats on its own, as text/template does: and, or stop at the argument that decides; call
 * gets the text of its first argument before the arguments. */
tmpl_fn_run tmpl_builtin_and, tmpl_builtin_or, tmpl_builtin_call;

/* ---- for functions ---- */

/* The function's own error (or panic): its text. Returns -EINVAL. */
CHECKED int tmpl_fail(struct tmpl_call *c, const char *fmt, ...) PRINTF(2, 3);
CHECKED int tmpl_fail_str(struct tmpl_call *c, str text); /* copied; any bytes */
/* No memory, or the arena's ceiling reached: ends the execution. */
CHECKED int tmpl_nomem(struct tmpl_call *c);
/* Count @n units of work (items made, bytes scanned / 64 …) against limits.template_steps; -E2BIG when they are used
 * up. Loops whose length an argument chooses call it before they allocate. */
CHECKED int tmpl_spend(struct tmpl_call *c, uint64_t n);

/* A builder for a result: errors stick, tmpl_ret_buf reports them. Use with CLEANUP(buf_done). */
struct buf tmpl_buf(struct tmpl_call *c);
CHECKED int tmpl_ret_buf(struct tmpl_call *c, struct buf *b, tval *ret); /* as a string, copied into the arena */
CHECKED int tmpl_buf_str(struct tmpl_call *c, struct buf *b, str *ret);  /* the same as a str */
CHECKED int tmpl_ret_str(struct tmpl_call *c, str s, tval *ret);         /* copies @s into the arena */
/* @n items for a slice, not zeroed; NULL without memory (then return tmpl_nomem). */
tval *tmpl_items(struct tmpl_call *c, size_t n);

/* ---- shared conversions (Sprig's strval, cast.To…), fn_util.c ---- */

/* fmt.Sprint(v) appended, as {{ v }} prints it ("<nil>" for nil). */
void tmpl_sprint(struct tmem *m, tval v, struct buf *out);
/* Sprig's strval: string as is, []byte, error, Stringer, else %v. */
CHECKED int tmpl_strval(struct tmpl_call *c, tval v, str *ret);
/* fmt.Sprintf(format, args…) appended. */
void tmpl_sprintf(struct tmem *m, str format, const tval *args, size_t n, struct buf *out);

#endif

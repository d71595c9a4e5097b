/* The call of a template function: what it may use while it runs, how it fails, and how it makes results. */
#ifndef TEMPLATE_TMPL_CALL_H
#define TEMPLATE_TMPL_CALL_H

#include "base/err.h"
#include "template/tmpl.h"
#include "template/tmpl_functions.h"

struct re2;

/* The state that a function may use while it runs. */
struct tmpl_call {
	struct tmem *mem; /* results live in mem->arena */
	const struct tmpl_env *env;
	const struct limits *limits;
	const struct tmpl_fn *fn;
	uint64_t *steps;           /* spent so far; tmpl_spend counts */
	const struct re2 *pattern; /* args[0] compiled, or NULL */
	str error;                 /* complete text of the function's error, in the arena */
	bool no_match;             /* the error is doNotMatch's: tmpl_execute returns TMPL_NO_MATCH */
	struct err *err;           /* failures for lack of memory or because of a limit: -ENOMEM, -E2BIG */
};

/* Fail with the function's own error (or panic) text. Returns -EINVAL. */
CHECKED int tmpl_fail(struct tmpl_call *c, const char *fmt, ...) PRINTF(2, 3);
CHECKED int tmpl_fail_str(struct tmpl_call *c, str text); /* @text is copied and may hold any bytes */
/* End the execution, because there is no memory or the arena's ceiling is reached. */
CHECKED int tmpl_nomem(struct tmpl_call *c);
/* Count @n units of work (items made, bytes scanned / 64 …) against limits.template_steps; -E2BIG when they are used
 * up. Loops whose length an argument chooses call it before they allocate. */
CHECKED int tmpl_spend(struct tmpl_call *c, uint64_t n);

/* A builder for a result: errors stick, tmpl_ret_buf reports them. Use with CLEANUP(buf_done). */
struct buf tmpl_buf(struct tmpl_call *c);
/* Return the text as a string, copied into the arena. */
CHECKED int tmpl_ret_buf(struct tmpl_call *c, struct buf *b, tval *ret);
/* Return the text as a str, copied into the arena. */
CHECKED int tmpl_buf_str(struct tmpl_call *c, struct buf *b, str *ret);
CHECKED int tmpl_ret_str(struct tmpl_call *c, str s, tval *ret); /* copies @s into the arena */
/* Room for @n items of a slice, not zeroed; NULL without memory (then return tmpl_nomem). */
tval *tmpl_items(struct tmpl_call *c, size_t n);

/* Sprig's strval: a string as it is; []byte, error and Stringer as their text; else %v. */
CHECKED int tmpl_strval(struct tmpl_call *c, tval v, str *ret);

#ifdef __clang_analyzer__
/* For the analyzer, as in base/err.h: it does not see that these functions never return 0. */
#define tmpl_fail(...) err_is_negative(tmpl_fail(__VA_ARGS__))
#define tmpl_fail_str(...) err_is_negative(tmpl_fail_str(__VA_ARGS__))
#define tmpl_nomem(...) err_is_negative(tmpl_nomem(__VA_ARGS__))
#endif

#endif

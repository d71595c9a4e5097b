/* The table of functions: what the language knows of a function, and finding one by name.
 *
 * A row states the function's Go signature. The executor checks the number of arguments, evaluates and converts them
 * exactly as Go's reflection does for that signature, and calls run() with args[0..n) of these types: an argument for
 * tt_string has type tt_string, one for tt_any may be anything or nil, one for tt_map or tt_list may be a nil map or
 * slice (`keys nil`). */
#ifndef TEMPLATE_TMPL_FUNCTIONS_H
#define TEMPLATE_TMPL_FUNCTIONS_H

#include "template/tmpl_value.h"

#define TMPL_FN_PARAMS 6

struct tmpl_call;

/* Runs a function. Returns 0 with *ret set, or the negative result of one of the tmpl_fail… calls (tmpl_call.h);
 * *ret is untouched on failure. A Go function that panics is a function that fails with the panic's text ("runtime
 * error: index out of range [3] with length 2"). */
typedef int tmpl_fn_run(struct tmpl_call *c, const tval *args, size_t n, tval *ret);

struct tmpl_fn {
	const char *name;
	tmpl_fn_run *run;
	const struct ttype *params[TMPL_FN_PARAMS]; /* up to the first NULL */
	/* the last of params may occur any number of times, or not at all */
	bool variadic;
	/* tt_any: interface {}; a type of kind TK_INVALID: templates cannot call it */
	const struct ttype *result;
	const char *help; /* what the function does, in one line */
};

/* The result types of methods that text/template refuses to call; the name is the format of its error. */
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
#define TMPL_FN_FAMILY(name, array) const struct tmpl_fn_family name = { (array), ARRAY_LEN(array) }

/* The functions that a template may call, besides the language's own (and, or, call: tmpl_exec_call.c). */
struct tmpl_functions {
	const struct tmpl_fn_family *const *families;
	size_t n;
	/* Whether args[0] of a function is a regular expression: a constant one is compiled with the template. NULL:
	 * no function takes one. */
	bool (*takes_pattern)(const struct tmpl_fn *fn);
};
extern const struct tmpl_fn_family tmpl_language_functions;

/* Find a function by name; NULL when there is none. @f may be NULL: only the language's own functions. */
const struct tmpl_fn *tmpl_fn_find(const struct tmpl_functions *f, str name);
/* All rows sorted by name: the @n-th from 0; NULL behind the last. */
const struct tmpl_fn *tmpl_fn_at(const struct tmpl_functions *f, size_t n);

#endif

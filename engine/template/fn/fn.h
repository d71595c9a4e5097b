/* The function library: one array of rows for each family (<family>.c), one table of all (table.c). */
#ifndef TEMPLATE_FN_FN_H
#define TEMPLATE_FN_FN_H

#include "template/tmpl_call.h"
#include "template/tmpl_functions.h"
#include "template/tmpl_print.h"

/* The families: each is defined by its own file, and table.c lists them. */
extern const struct tmpl_fn_family fn_builtins, fn_strings, fn_lists, fn_dicts, fn_defaults, fn_encoding, fn_conv,
	fn_data, fn_flow, fn_kube, fn_regex, fn_math, fn_reflect, fn_semver, fn_date, fn_paths, fn_crypto;
/* Whether @fn, a row of regex.c, takes a regular expression. */
bool fn_takes_pattern(const struct tmpl_fn *fn);

#endif

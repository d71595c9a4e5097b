/* Functions that work on the words of a text; their rows are in fn_strings.c. */
#ifndef TEMPLATE_FN_WORDS_H
#define TEMPLATE_FN_WORDS_H

#include "template/fn/fn.h"

tmpl_fn_run run_abbrev, run_abbrev_both, run_initials, run_untitle, run_nospace, run_swapcase, run_wrap, run_wrap_with,
	run_plural, run_cat, run_camelcase, run_snakecase, run_kebabcase;

#endif

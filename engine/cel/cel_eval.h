/* What the evaluator and the cost model share. */
#ifndef CEL_EVAL_H
#define CEL_EVAL_H

#include "cel/cel.h"
#include "cel/cel_program.h"
#include "cel/cel_wkt.h"

uint64_t cel_equality_cost(cv x, cv y);
/* @only: the checker knew that it is this overload. Arguments may be errors. */
uint64_t cel_call_cost(struct cel_ctx *c, const struct cel_overload *o, bool only, const cv *args, uint32_t n,
		       cv result);
/* Length of the expression behind a named format (cel_lib_named.c). */
uint64_t cel_format_pattern_size(const struct cel_format *f);

#endif

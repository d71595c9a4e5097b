/* The declarations that the parts of the evaluator share. */
#ifndef CEL_EVAL_H
#define CEL_EVAL_H

#include "cel/cel.h"
#include "cel/cel_program.h"
#include "cel/cel_wkt.h"

#define CEL_LIST_COST 10 /* the cost of making a list */

static inline bool cel_out_of_cost(const struct cel_ctx *c)
{
	return c->cost > c->cost_limit;
}

/* Whether @v is an error that && || and ?: may not absorb. */
static inline bool cel_is_fatal(cv v)
{
	return cv_is_error(v) && v.err && (v.err->cost || v.err->memory);
}

/* ---- nodes: cel_eval.c ---- */

/* Evaluate a node, check the cost, and give errors their places. */
cv cel_eval_watched(struct cel_ctx *c, const struct cel_node *n);

static inline cv cel_eval_node(struct cel_ctx *c, const struct cel_node *n)
{
	if (__builtin_expect(c->cost >= c->watch_from, 0))
		return cel_eval_watched(c, n);
	return n->run(c, n);
}

/* The function that evaluates any node of @op. */
cel_eval_fn cel_general(enum cel_op op);
cv cel_eval_attribute(struct cel_ctx *c, const struct cel_node *n);
/* Call a function with evaluated arguments, any of which may be an error. */
cv cel_apply(struct cel_ctx *c, const struct cel_node *n, const cv *args, uint32_t n_args);
/* Put an entry into a map that is being made. The result is an error, or whether the key was new. */
cv cel_put_entry(struct cel_ctx *c, struct cv_map *m, cv key, cv value);

/* ---- cel_fold.c ---- */

cv cel_eval_fold(struct cel_ctx *c, const struct cel_node *n);
cv cel_eval_append(struct cel_ctx *c, const struct cel_node *n); /* OP_APPEND */
cv cel_eval_insert(struct cel_ctx *c, const struct cel_node *n); /* OP_INSERT */

/* ---- cel_form.c ---- */

/* The function that evaluates the planned node @n, unless it is watched. For common shapes it is one that skips the
 * questions which the shape has answered; for every input it gives the value and the cost of cel_general(). */
cel_eval_fn cel_form(const struct cel_node *n);

/* As cv_from_val, with a fast path for most fields. */
static inline cv cel_read(struct arena *a, const val *v, const struct cel_schema *s)
{
	if (s && !s->int_or_string) {
		if (s->kind == CEL_SCHEMA_INTEGER && v->kind == VAL_INT)
			return cv_int(v->i);
		if (s->kind == CEL_SCHEMA_STRING && v->kind == VAL_STRING && s->format == CEL_PLAIN)
			return (cv){ .kind = CV_STRING, .n = v->n, .s = v->s };
		if (s->kind == CEL_SCHEMA_OBJECT && v->kind == VAL_MAP)
			return (cv){ .kind = CV_MAP, .rep = CV_VIEW, .n = v->n, .members = v->members, .schema = s };
		if (s->kind == CEL_SCHEMA_BOOLEAN && v->kind == VAL_BOOL)
			return cv_bool(v->b);
	}
	return cv_from_val(a, *v, s);
}

/* ---- costs: cel_cost.c ---- */

uint64_t cel_equality_cost(cv x, cv y);
/* The cost of a call of @o. @only: the checker knew that it is this overload. Arguments may be errors. */
uint64_t cel_call_cost(struct cel_ctx *c, const struct cel_overload *o, bool only, const cv *args, uint32_t n,
		       cv result);
/* The length of the expression behind a named format (cel_lib_named.c). */
uint64_t cel_format_pattern_size(const struct cel_format *f);

#endif

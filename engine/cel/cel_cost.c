/* Computes the runtime cost of calls, as Kubernetes counts it. */
#include "cel/cel_eval.h"

static uint64_t tenth(uint64_t size)
{
	return (size + 9) / 10;
}

/* The cost of visiting every part of a value: a tenth of the bytes of text (rounded down), 1 for other scalars. */
static uint64_t traversal(struct cel_ctx *c, cv v)
{
	uint64_t cost = 0;
	cv key, value;

	if (v.kind == CV_STRING || v.kind == CV_BYTES)
		return v.n / 10;
	if (v.kind != CV_LIST && v.kind != CV_MAP)
		return 1;
	for (uint32_t i = 0; i < cv_count(v) && cost <= c->cost_limit; i++) {
		if (v.kind == CV_LIST) {
			cost += traversal(c, cv_item(c->arena, v, i));
		} else {
			cv_entry_at(c->arena, v, i, &key, &value);
			cost += traversal(c, key) + traversal(c, value);
		}
	}
	return cost;
}

/* The cost of a match, which assumes that a pattern has one step per four characters. */
static uint64_t match_cost(uint64_t text, uint64_t pattern)
{
	return tenth(text + 1) * ((pattern + 3) / 4);
}

#define LIST_CALL 11 /* making a list, and the call */

static uint64_t flatten_cost(const cv *args, uint32_t n)
{
	uint64_t size = cv_cost_size(args[0]), cost = 1;
	int64_t depth = n == 2 && args[1].kind == CV_INT ? args[1].i : 1;

	for (int64_t i = 0; i < depth && i < 64; i++) {
		if (__builtin_mul_overflow(cost, size, &cost))
			return UINT64_MAX / 4;
	}
	return cost + LIST_CALL;
}

/* The cost of comparing all items: twice the square of their number; for text a little more. */
static uint64_t self_compare_cost(struct cel_ctx *c, cv list)
{
	double size = (double)cv_cost_size(list), factor = 2;

	if (size > 0) {
		cv first = cv_item(c->arena, list, 0);

		if (first.kind == CV_STRING || first.kind == CV_BYTES)
			factor += 0.1;
	}
	return (uint64_t)(size * size * factor) + LIST_CALL;
}

static uint64_t contains_cost(const cv *args, bool cidr)
{
	uint64_t cost = tenth(2 * cv_cost_size(args[0]));

	if (args[1].kind == CV_STRING)
		cost += tenth(cv_cost_size(args[1]));
	return cost + cidr;
}

static uint64_t smaller_size_cost(const cv *args)
{
	uint64_t x = cv_cost_size(args[0]), y = cv_cost_size(args[1]);

	return tenth(x < y ? x : y);
}

/* A tenth of the size of the smaller one. A text of one to ten bytes has one to ten code points, so that neither it
 * nor the other text needs to be counted. */
static uint64_t smaller_cost(const cv *args)
{
	if (args[0].kind == CV_STRING && args[1].kind == CV_STRING) {
		uint32_t n = args[0].n < args[1].n ? args[0].n : args[1].n;

		if (n <= 10)
			return n > 0;
	}
	return smaller_size_cost(args);
}

uint64_t cel_equality_cost(cv x, cv y)
{
	cv args[2] = { x, y };

	if (x.kind <= CV_DOUBLE && y.kind <= CV_DOUBLE)
		return 1;
	if (x.kind >= CV_IP && x.kind <= CV_FORMAT)
		return 1;
	return smaller_cost(args);
}

uint64_t cel_call_cost(struct cel_ctx *c, const struct cel_overload *o, bool only, const cv *args, uint32_t n,
		       cv result)
{
	enum cel_cost how = o->cost;

	if (!only && how > COST_NONE && how < COST_BY_NAME)
		return 1;
	switch (how) {
	case COST_NONE:
		return 0;
	case COST_FIRST:
	case COST_K_FIRST:
		return tenth(cv_cost_size(args[0]));
	case COST_SECOND:
		return tenth(cv_cost_size(args[1]));
	case COST_SMALLER:
		return smaller_cost(args);
	case COST_BOTH:
		return tenth(cv_cost_size(args[0]) + cv_cost_size(args[1]));
	case COST_MATCH:
	case COST_K_MATCH:
		return match_cost(cv_cost_size(args[0]), cv_cost_size(args[1]));
	case COST_CONTAINS:
		return tenth(cv_cost_size(args[0])) * tenth(cv_cost_size(args[1]));
	case COST_IN_LIST:
		return cv_cost_size(args[1]);
	case COST_LIST_OUT:
		return cv_cost_size(result) + LIST_CALL;
	case COST_FLATTEN:
		return flatten_cost(args, n);
	case COST_SORT:
		return args[0].kind == CV_LIST ? self_compare_cost(c, args[0]) : 1;
	case COST_SETS:
		return 1 + cv_cost_size(args[0]) * cv_cost_size(args[1]);
	case COST_SETS_TWICE:
		return 1 + 2 * cv_cost_size(args[0]) * cv_cost_size(args[1]);
	case COST_TRAVERSE:
		return traversal(c, args[0]);
	case COST_K_FIRST_TWICE:
		return tenth(2 * cv_cost_size(args[0]));
	case COST_K_RESULT:
		return tenth(2 * cv_cost_size(result));
	case COST_K_CONTAINS_IP:
	case COST_K_CONTAINS_CIDR:
		return contains_cost(args, how == COST_K_CONTAINS_CIDR);
	case COST_K_VALIDATE:
		return args[0].kind == CV_FORMAT
			       ? match_cost(cv_cost_size(args[1]), cel_format_pattern_size(args[0].format))
			       : 1;
	case COST_K_ASK:
		return COST_OF_ASKING;
	default:
		return 1;
	}
}

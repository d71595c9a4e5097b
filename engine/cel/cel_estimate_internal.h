/* The sizes, and the facts about nodes, that the two files of the estimate share. */
#ifndef CEL_ESTIMATE_INTERNAL_H
#define CEL_ESTIMATE_INTERNAL_H

#include "cel/cel_estimate.h"
#include "cel/cel_func.h"

#include <math.h>

#define UNBOUNDED UINT64_MAX
#define LIST_COST 10 /* the cost of making a list */

struct estimator;

/* The bounds of a size. */
struct span {
	uint64_t min, max;
};

/* The cost of a call, and the size of its result. */
struct guess {
	uint64_t cost;
	bool sized;
	struct span size;
};

/* @x times a factor, rounded up. */
static inline uint64_t scaled(uint64_t x, double factor)
{
	double product = ceil((double)x * factor);

	return product >= 0x1p64 ? UINT64_MAX : (uint64_t)product;
}

static inline struct span fixed(uint64_t n)
{
	return (struct span){ n, n };
}

static inline struct span sum(struct span x, struct span y)
{
	return (struct span){ cel_cost_add(x.min, y.min), cel_cost_add(x.max, y.max) };
}

static inline struct span product(struct span x, struct span y)
{
	return (struct span){ cel_cost_times(x.min, y.min), cel_cost_times(x.max, y.max) };
}

static inline struct span both(struct span x, struct span y)
{
	return (struct span){ x.min < y.min ? x.min : y.min, x.max > y.max ? x.max : y.max };
}

static inline struct guess costs(uint64_t c)
{
	return (struct guess){ .cost = c };
}

static inline struct guess makes(uint64_t c, struct span size)
{
	return (struct guess){ .cost = c, .sized = true, .size = size };
}

static inline bool is_called(const struct cel_overload *o, const char *name)
{
	return strcmp(o->name, name) == 0;
}

/* The size of the value of a node. False when nothing is known about it. */
bool cel_size_of(struct estimator *e, struct cel_ast *n, struct span *ret);
/* As cel_size_of, but unbounded when nothing is known. */
struct span cel_size_or_any(struct estimator *e, struct cel_ast *n);
/* The size of the items of a list; unbounded when the expression itself made the list. */
struct span cel_item_size(struct estimator *e, struct cel_ast *list);
/* Note that the list or map @n contains what @x or @y contains. */
void cel_hold_either(struct estimator *e, struct cel_ast *n, struct cel_ast *x, struct cel_ast *y);

/* The guess for overload @o, one of those that the call @n may reach, without its arguments. */
struct guess cel_call_guess(struct estimator *e, const struct cel_overload *o, struct cel_ast *n);

#endif

/* Estimates the most that an expression may cost, before anything runs: an API server refuses a definition for it.
 * Sizes of values come from the limits in their schemas; where there are none, the worst is assumed. cel-go
 * checker/cost.go, ext/lists.go, ext/sets.go; Kubernetes apiserver/pkg/cel/library/cost.go */
#ifndef CEL_ESTIMATE_H
#define CEL_ESTIMATE_H

#include "cel/cel_ast.h"

/* the limit for one expression, times the number of values that it is evaluated for */
#define CEL_ESTIMATE_LIMIT 10000000
#define CEL_ESTIMATE_TOTAL_LIMIT 100000000 /* the limit for all rules of a definition together */

/* Estimate the checked tree @root, whose variables are typed by the schema @self (as the server has it, all of them,
 * of which oldSelf is one). Notes in @a what it learns about the nodes of the tree. *ret: cost units; UINT64_MAX:
 * there is no bound. Fails: ENOMEM, without a text. */
CHECKED int cel_estimate(struct cel_ast *root, const struct cel_schema *self, struct arena *a, uint64_t *ret);

/* The sum and the product of two costs; UINT64_MAX when they overflow. */
uint64_t cel_cost_add(uint64_t x, uint64_t y);
uint64_t cel_cost_times(uint64_t x, uint64_t y);

#endif

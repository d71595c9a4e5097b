/* Randomness for functions: from the environment of the execution, else from the system. */
#ifndef TEMPLATE_FN_RANDOM_H
#define TEMPLATE_FN_RANDOM_H

#include "template/fn/fn.h"

CHECKED int tmpl_random_bytes(struct tmpl_call *c, void *p, size_t n);
/* A uniformly distributed number in [0, limit); @limit is above 0. */
CHECKED int tmpl_random_below(struct tmpl_call *c, uint64_t limit, uint64_t *ret);
/* A source of many small numbers, which draws bytes in blocks. Zero it at first. */
struct random_pool {
	size_t used;
	size_t filled;
	unsigned char bytes[256];
};
CHECKED int tmpl_random_pool_below(struct tmpl_call *c, struct random_pool *pool, uint32_t limit, uint32_t *ret);

/* The run functions of fn_crypto's rows for random text. */
tmpl_fn_run run_rand_alpha, run_rand_alpha_num, run_rand_ascii, run_rand_numeric, run_rand_bytes, run_shuffle, run_uuid;

#endif

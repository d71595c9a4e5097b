/* The memory and the budget of an evaluation of inspection rules. */
#ifndef RULES_INSPECTION_WORK_H
#define RULES_INSPECTION_WORK_H

#include "base/buf.h"
#include "base/limits.h"
#include "text/py_regex.h"
#include "value/val.h"

#include <errno.h>

#define INSP_BYTES_A_STEP 8

struct insp_work {
	struct arena *arena; /* holds the results */
	const struct limits *limits;
	uint64_t steps;  /* how many are left; a step is some 10 ns */
	struct buf text; /* scratch; its limit is that of every text that is made */
	struct py_regex_scratch regex;
};

/* Take @n steps. Fails: E2BIG when fewer are left. */
static inline int insp_spend(struct insp_work *w, uint64_t n, struct err *err)
{
	if (w->steps < n) {
		w->steps = 0;
		return err_set(err, E2BIG, "the evaluation takes too many steps");
	}
	w->steps -= n;
	return 0;
}

#endif

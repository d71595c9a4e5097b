/* What an evaluation of inspection rules works with and may use. */
#ifndef RULES_INSPECTION_WORK_H
#define RULES_INSPECTION_WORK_H

#include "base/buf.h"
#include "base/limits.h"
#include "text/py_regex.h"
#include "value/val.h"

#include <errno.h>

#define INSP_BYTES_A_STEP 8

struct insp_work {
	struct arena *arena; /* of results */
	const struct limits *limits;
	uint64_t steps;  /* left, of some 10 ns each */
	struct buf text; /* scratch; its ceiling is that of every text that is made */
	struct py_regex_scratch regex;
};

/* Take @n steps. -E2BIG: so many are not left. */
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

/* What the checker's files share. */
#ifndef CEL_CHECK_INTERNAL_H
#define CEL_CHECK_INTERNAL_H

#include "base/vec.h"
#include "cel/cel_check.h"

struct cel_trail {
	uint32_t id;
	const struct cel_type *old;
};

/* Type variables and what they stand for; changes can be taken back to a mark. */
struct cel_mapping {
	struct arena *arena;
	bool no_memory;
	VEC(const struct cel_type *) bound; /* by id */
	VEC(struct cel_trail) trail;
};

const struct cel_type *cel_fresh_variable(struct cel_mapping *m);
/* @t with its variables replaced; free ones become dyn when @to_dyn. */
const struct cel_type *cel_substitute(struct cel_mapping *m, const struct cel_type *t, bool to_dyn);
/* Is a value of type @from good for @to? Binds variables; unchanged when not. */
bool cel_assignable(struct cel_mapping *m, const struct cel_type *from, const struct cel_type *to);
bool cel_assignable_all(struct cel_mapping *m, const struct cel_type *const *from, const struct cel_type *const *to,
			uint32_t n);
/* The less specific of two types. */
const struct cel_type *cel_most_general(const struct cel_type *x, const struct cel_type *y);
void cel_mapping_done(struct cel_mapping *m);

#endif

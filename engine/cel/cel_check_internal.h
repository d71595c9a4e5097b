/* The declarations that the files of the checker share. */
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
	VEC(const struct cel_type *) bound; /* indexed by the id of the variable */
	VEC(struct cel_trail) trail;
};

const struct cel_type *cel_fresh_variable(struct cel_mapping *m);
/* @t with its type variables replaced; free ones become dyn when @to_dyn. */
const struct cel_type *cel_substitute(struct cel_mapping *m, const struct cel_type *t, bool to_dyn);
/* Whether a value of type @from can be used for @to. Binds type variables; when it cannot, the mapping is unchanged. */
bool cel_assignable(struct cel_mapping *m, const struct cel_type *from, const struct cel_type *to);
bool cel_assignable_all(struct cel_mapping *m, const struct cel_type *const *from, const struct cel_type *const *to,
			uint32_t n);
/* The less specific of two types. */
const struct cel_type *cel_most_general(const struct cel_type *x, const struct cel_type *y);
void cel_mapping_done(struct cel_mapping *m);

#endif

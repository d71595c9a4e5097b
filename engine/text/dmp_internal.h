/* The state that the search and the clean-ups of diff-match-patch share. */
#ifndef TEXT_DMP_INTERNAL_H
#define TEXT_DMP_INTERNAL_H

#include "base/vec.h"
#include "text/dmp.h"

struct runes {
	const uint32_t *p;
	size_t n;
};

struct dmp_list {
	VEC(struct dmp_diff) v;
};

struct dmp {
	struct arena *arena;
	uint64_t steps_left;
	bool failed; /* there was no memory: sticky */
};

size_t dmp_common_prefix(struct runes a, struct runes b);
size_t dmp_common_suffix(struct runes a, struct runes b);
struct runes dmp_sub(struct runes r, size_t from, size_t to);
/* The code points of @a followed by those of @b, without a copy when they already are adjacent. */
struct runes dmp_join(struct dmp *d, struct runes a, struct runes b);

void dmp_push(struct dmp *d, struct dmp_list *l, enum dmp_op op, struct runes text);
/* Replace @remove entries at @at by the @n entries of @with. */
void dmp_splice(struct dmp *d, struct dmp_list *l, size_t at, size_t remove, const struct dmp_diff *with, size_t n);

/* DiffCleanupMerge of the library. */
void dmp_cleanup_merge(struct dmp *d, struct dmp_list *l);

#endif

/* Memory that is released all at once.
 *
 * An arena hands out pieces of growing blocks and never takes one back. It has a ceiling: an allocation that would
 * exceed it fails as if there were no memory. Not thread-safe. */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include "base/defs.h"
#include "base/err.h"
#include "base/str.h"

#define ARENA_ALIGN 8

struct arena_block;

struct arena {
	char *at; /* next free byte, aligned */
	char *end;
	struct arena_block *blocks; /* newest first */
	size_t used;                /* total bytes of all blocks */
	size_t max;                 /* the ceiling in bytes; 0: none */
	size_t first;               /* size of the first block */
	bool full;                  /* an allocation has failed because of the ceiling */
	/* the system had no memory; @full and @failed are for callers that check once, at the end */
	bool failed;
};

/* An arena for one scope:  CLEANUP(arena_done) struct arena a = ARENA_INIT(limits->arena_bytes); */
#define ARENA_INIT(max_bytes) ((struct arena){ .max = (max_bytes) })

/* No allocation happens before the first arena_alloc. @first: expected total size in bytes, 0 for a small default. */
void arena_init(struct arena *a, size_t first, size_t max);
void arena_done(struct arena *a);
void arena_reset(struct arena *a); /* forgets all pieces, keeps the largest block for reuse */

void *arena_grow(struct arena *a, size_t n); /* slow path of arena_alloc */

/* @n bytes aligned to ARENA_ALIGN, not zeroed; NULL when there is no memory or the ceiling is reached. @n may be 0. */
static inline void *arena_alloc(struct arena *a, size_t n)
{
	size_t rounded = (n + (ARENA_ALIGN - 1)) & ~(size_t)(ARENA_ALIGN - 1);
	char *p = a->at;

	if (rounded < n || rounded > (size_t)(a->end - p) || !p)
		return arena_grow(a, n);
	a->at = p + rounded;
	return p;
}

/* Room for @count elements of @size bytes; NULL also when the product overflows. */
void *arena_array(struct arena *a, size_t count, size_t size);
void *arena_zalloc(struct arena *a, size_t n);

/* Report why an allocation failed: -E2BIG because of the ceiling, else -ENOMEM. */
CHECKED int arena_error(const struct arena *a, struct err *err);

/* A copy with a NUL behind it (not counted); {NULL, 0} without memory. */
str arena_str(struct arena *a, str s);
str arena_printf(struct arena *a, const char *fmt, ...) PRINTF(2, 3);

#ifdef __clang_analyzer__
/* For the analyzer, as in base/err.h: it does not see that this function never returns 0. */
#define arena_error(...) err_is_negative(arena_error(__VA_ARGS__))
#endif

#endif

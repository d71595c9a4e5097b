/* Arenas: blocks of memory that are handed out from the front. */
#include "base/arena.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

/* Define the function itself, not the macro that the analyzer sees. */
#undef arena_error

/* with the header before it, the largest size that malloc keeps at hand for each thread */
#define FIRST_BLOCK 1008
#define LARGEST_STEP (1u << 20) /* blocks double up to here, so that the tail waste stays bounded */

struct arena_block {
	struct arena_block *next;
	size_t size; /* the size of the data */
	_Alignas(ARENA_ALIGN) char data[];
};

void arena_init(struct arena *a, size_t first, size_t max)
{
	*a = (struct arena){ .max = max, .first = first };
}

void arena_done(struct arena *a)
{
	struct arena_block *b = a->blocks;

	while (b) {
		struct arena_block *next = b->next;

		free(b);
		b = next;
	}
	arena_init(a, a->first, a->max);
}

static void use_block(struct arena *a, struct arena_block *b)
{
	a->at = b->data;
	a->end = b->data + b->size;
}

void arena_reset(struct arena *a)
{
	struct arena_block *largest = a->blocks, *next;

	if (!largest)
		return;
	for (struct arena_block *b = a->blocks; b; b = b->next) {
		if (b->size > largest->size)
			largest = b;
	}
	for (struct arena_block *b = a->blocks; b; b = next) {
		next = b->next;
		if (b != largest)
			free(b);
	}
	largest->next = NULL;
	a->full = a->failed = false;
	a->blocks = largest;
	a->used = largest->size;
	use_block(a, largest);
}

static size_t next_size(const struct arena *a, size_t need)
{
	size_t size = a->first ? a->first : FIRST_BLOCK;

	if (a->blocks) {
		size = a->blocks->size;
		size = size < LARGEST_STEP / 2 ? size * 2 : LARGEST_STEP;
	}
	return size > need ? size : need;
}

void *arena_grow(struct arena *a, size_t n)
{
	size_t rounded, size;
	struct arena_block *b;
	char *p;

	if (n > SIZE_MAX / 4)
		return NULL;
	rounded = (n + (ARENA_ALIGN - 1)) & ~(size_t)(ARENA_ALIGN - 1);
	size = next_size(a, rounded ? rounded : ARENA_ALIGN);
	if (a->max && (size > a->max || a->used > a->max - size)) {
		size = rounded;
		if (size > a->max || a->used > a->max - size) {
			a->full = true;
			return NULL;
		}
	}
	b = malloc(sizeof(*b) + size);
	if (!b) {
		a->failed = true;
		return NULL;
	}
	b->size = size;
	b->next = a->blocks;
	a->blocks = b;
	a->used += size;
	use_block(a, b);
	p = a->at;
	a->at = p + rounded;
	return p;
}

void *arena_array(struct arena *a, size_t count, size_t size)
{
	size_t n;

	if (__builtin_mul_overflow(count, size, &n))
		return NULL;
	return arena_alloc(a, n);
}

void *arena_zalloc(struct arena *a, size_t n)
{
	void *p = arena_alloc(a, n);

	return p ? memset(p, 0, n) : NULL;
}

str arena_str(struct arena *a, str s)
{
	char *p = arena_alloc(a, s.n + 1);

	if (!p)
		return (str){ NULL, 0 };
	if (s.n)
		memcpy(p, s.p, s.n);
	p[s.n] = '\0';
	return (str){ p, s.n };
}

str arena_printf(struct arena *a, const char *fmt, ...)
{
	va_list ap;
	char *p;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	p = n < 0 ? NULL : arena_alloc(a, (size_t)n + 1);
	if (!p)
		return (str){ NULL, 0 };
	va_start(ap, fmt);
	(void)vsnprintf(p, (size_t)n + 1, fmt, ap);
	va_end(ap);
	return (str){ p, (size_t)n };
}

int arena_error(const struct arena *a, struct err *err)
{
	if (a->full)
		return err_set(err, E2BIG, "needs more than %zu bytes of memory", a->max);
	return err_nomem(err);
}

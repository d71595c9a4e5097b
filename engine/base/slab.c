/* Slabs, each of which holds pieces of one size. */
#include "base/slab.h"

#include "base/assert.h"
#include "base/defs.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/queue.h>

#define STEP 16 /* the difference between two sizes */
#define SIZES (SLAB_PIECE_MAX / STEP)

#ifdef __SANITIZE_ADDRESS__
/* each piece is allocated alone: the sanitizer then reports the use of a piece that was given back */
#define EACH_ALONE 1
#else
#define EACH_ALONE 0
#endif

struct piece {
	struct piece *next;
};

/* A slab is at the beginning of its mapping, which is aligned to its size. */
struct slab {
	struct slabs *of;
	LIST_ENTRY(slab) link; /* the place in the list of slabs with room */
	struct piece *free;
	size_t size, used; /* bytes of a piece, and number of pieces */
	size_t fresh;      /* where the pieces begin that were never used */
};

#define FIRST_PIECE ((sizeof(struct slab) + 15) & ~(size_t)15)

struct slabs {
	LIST_HEAD(, slab) with_room[SIZES];
	size_t pieces;
	bool closed;
};

struct slabs *slabs_new(void)
{
	return calloc(1, sizeof(struct slabs)); /* zeroed lists are empty */
}

static void free_closed(struct slabs *s)
{
	if (s->closed && !s->pieces)
		free(s);
}

void slabs_close(struct slabs *s)
{
	if (!s)
		return;
	ASSERT(!s->closed);
	s->closed = true;
	free_closed(s);
}

static size_t size_index(size_t n)
{
	return n ? (n - 1) / STEP : 0;
}

/* Map a slab: map twice as much, and unmap all but the part that is aligned. */
static struct slab *map_slab(void)
{
	char *all = mmap(NULL, 2 * SLAB_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	size_t before;

	if (all == MAP_FAILED)
		return NULL;
	before = -(uintptr_t)all & (SLAB_BYTES - 1);
	if (before)
		(void)munmap(all, before);
	(void)munmap(all + before + SLAB_BYTES, SLAB_BYTES - before);
	return (struct slab *)(void *)(all + before);
}

static struct slab *new_slab(struct slabs *s, size_t index)
{
	struct slab *slab = map_slab();

	if (!slab)
		return NULL;
	*slab = (struct slab){ .of = s, .size = (index + 1) * STEP, .fresh = FIRST_PIECE };
	LIST_INSERT_HEAD(&s->with_room[index], slab, link);
	return slab;
}

static bool is_full(const struct slab *slab)
{
	return !slab->free && slab->fresh + slab->size > SLAB_BYTES;
}

static void *take_from(struct slab *slab)
{
	struct piece *p = slab->free;

	if (p) {
		slab->free = p->next;
	} else {
		p = (struct piece *)(void *)((char *)slab + slab->fresh);
		slab->fresh += slab->size;
	}
	slab->used++;
	if (is_full(slab))
		LIST_REMOVE(slab, link);
	return p;
}

void *slab_take(struct slabs *s, size_t n)
{
	size_t index = size_index(n);
	struct slab *slab = LIST_FIRST(&s->with_room[index]);

	ASSERT(n <= SLAB_PIECE_MAX);
	if (EACH_ALONE)
		return malloc(n);
	if (!slab)
		slab = new_slab(s, index);
	if (!slab)
		return NULL;
	s->pieces++;
	return take_from(slab);
}

void slab_give(void *piece)
{
	struct slab *slab = (struct slab *)((uintptr_t)piece & ~(uintptr_t)(SLAB_BYTES - 1));
	struct piece *p = piece;
	struct slabs *s;

	if (EACH_ALONE) {
		free(piece);
		return;
	}
	s = slab->of;
	if (is_full(slab))
		LIST_INSERT_HEAD(&s->with_room[size_index(slab->size)], slab, link);
	p->next = slab->free;
	slab->free = p;
	ASSERT(slab->used > 0 && s->pieces > 0);
	if (--slab->used == 0) {
		LIST_REMOVE(slab, link);
		(void)munmap(slab, SLAB_BYTES);
	}
	s->pieces--;
	free_closed(s);
}

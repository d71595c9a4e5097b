/* Counts the references to documents. */
#include "value/doc.h"

#include "base/assert.h"

#include <stdatomic.h>

struct doc *doc_new(size_t expected_bytes, size_t max_bytes)
{
	struct doc *d = calloc(1, sizeof(*d));

	if (!d)
		return NULL;
	atomic_init(&d->refs, 1);
	arena_init(&d->arena, expected_bytes, max_bytes);
	return d;
}

struct doc *doc_ref(struct doc *d)
{
	uint32_t before;

	if (!d)
		return NULL;
	before = atomic_fetch_add_explicit(&d->refs, 1, memory_order_relaxed);
	ASSERT(before > 0 && before < UINT32_MAX);
	return d;
}

void doc_unref(struct doc *d)
{
	uint32_t before;

	if (!d)
		return;
	before = atomic_fetch_sub_explicit(&d->refs, 1, memory_order_acq_rel);
	ASSERT(before > 0);
	if (before > 1)
		return;
	for (uint32_t i = 0; i < d->n_shared; i++)
		doc_unref(d->shared[i]);
	free(d->shared);
	arena_done(&d->arena);
	free(d);
}

int doc_share(struct doc *d, struct doc *other, struct err *err)
{
	struct doc **more = reallocarray(d->shared, (size_t)d->n_shared + 1, sizeof(*more));

	ASSERT(other != d);
	if (!more)
		return err_nomem(err);
	d->shared = more;
	d->shared[d->n_shared++] = doc_ref(other);
	return 0;
}

size_t doc_bytes(const struct doc *d)
{
	return sizeof(*d) + d->arena.used + d->n_shared * sizeof(struct doc *);
}

/* A shape is made of a text when another of the same was there before, and never forgotten: a reader needs no lock.
 * Objects decide which ways their templates take, so all of it has bounds. */
#include "reference/ref_shapes.h"

#include "base/hash.h"

#include <stdatomic.h>

#define TRIES 8 /* for each template: texts that a shape is made of */
#define TEXT_MAX ((size_t)16 << 10)
#define BYTES_MAX ((size_t)4 << 20) /* of all shapes */
#define SEEN 32

struct places {
	_Atomic uint32_t seen[SEEN]; /* hashes of texts without their slots, each in its place, that no shape was for */
	atomic_uint tried;
	_Atomic(struct yaml_shape *) at[TRIES]; /* NULL: no shape came of it, or not yet */
};

struct ref_shapes {
	_Atomic size_t bytes;
	size_t n;
	struct places of[]; /* each template */
};

struct ref_shapes *ref_shapes_new(size_t n_templates)
{
	struct ref_shapes *s = calloc(1, sizeof(*s) + n_templates * sizeof(s->of[0]));

	if (s)
		s->n = n_templates;
	return s;
}

void ref_shapes_free(struct ref_shapes *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->n; i++) {
		for (size_t k = 0; k < TRIES; k++)
			yaml_shape_free(atomic_load_explicit(&s->of[i].at[k], memory_order_relaxed));
	}
	free(s);
}

static bool decode_known(struct places *of, str text, const struct spans *slots, const struct yaml_options *o,
			 struct doc **ret)
{
	for (size_t i = 0; i < TRIES; i++) {
		const struct yaml_shape *shape = atomic_load_explicit(&of->at[i], memory_order_acquire);

		if (shape && yaml_shape_decode(shape, text, slots, o, ret))
			return true;
	}
	return false;
}

/* Hash of all but the slots. */
static uint32_t hash_bare(str text, const struct spans *slots)
{
	uint64_t hash = hash_seed();
	size_t at = 0;

	for (size_t i = 0; i < slots->n; i++) {
		hash = hash_str(str_sub(text, at, slots->at[i].from), hash);
		at = slots->at[i].to;
	}
	return (uint32_t)hash_str(str_sub(text, at, text.n), hash);
}

/* Two threads may take the place of each other's: then it takes one text more. */
static bool seen_before(struct places *of, str text, const struct spans *slots)
{
	uint32_t hash = hash_bare(text, slots);
	_Atomic uint32_t *place = &of->seen[hash % SEEN];

	if (atomic_load_explicit(place, memory_order_relaxed) == hash)
		return true;
	atomic_store_explicit(place, hash, memory_order_relaxed);
	return false;
}

static void learn(struct ref_shapes *s, struct places *of, str text, const struct spans *slots,
		  const struct yaml_options *o)
{
	struct yaml_shape *shape;
	unsigned int at;

	if (text.n > TEXT_MAX || atomic_load_explicit(&of->tried, memory_order_relaxed) >= TRIES ||
	    atomic_load_explicit(&s->bytes, memory_order_relaxed) >= BYTES_MAX || !seen_before(of, text, slots))
		return;
	at = atomic_fetch_add_explicit(&of->tried, 1, memory_order_relaxed);
	shape = at < TRIES ? yaml_shape_new(text, slots, o) : NULL;
	if (!shape)
		return;
	atomic_fetch_add_explicit(&s->bytes, yaml_shape_bytes(shape), memory_order_relaxed);
	atomic_store_explicit(&of->at[at], shape, memory_order_release);
}

int ref_shapes_decode(struct ref_shapes *s, size_t template, str text, struct spans *printed,
		      const struct yaml_options *o, struct doc **ret, struct err *err)
{
	int r;

	if (!s)
		return yaml_decode(text, o, ret, err);
	ASSERT(template <s->n);
	yaml_slots_keep(text, printed);
	if (decode_known(&s->of[template], text, printed, o, ret))
		return 0;
	r = yaml_decode(text, o, ret, err);
	if (r == 0)
		learn(s, &s->of[template], text, printed, o);
	return r;
}

/* Learns the shapes of rendered texts. A shape is made of the second text that has it and is never forgotten, so
 * that readers need no lock. Objects decide which texts their templates render, so that all of it has limits. */
#include "reference/ref_shapes.h"

#include "base/hash.h"

#include <stdatomic.h>

#define PLACES 64 /* for each template */
#define TEXT_MAX ((size_t)16 << 10)
#define BYTES_MAX ((size_t)2 << 20) /* for all shapes */

/* How many texts may be checked in vain for each text that is read by its shape: one success saves the time of that
 * many checks. */
#define GAIN 4
#define CREDIT_FIRST 256
#define CREDIT_MAX 4096

/* A place for the texts whose hash without their slots leads here. */
struct place {
	_Atomic uint32_t seen;              /* the hash of the last text without a shape, */
	_Atomic uint32_t vain;              /* the hash of the last text that no shape could be made of */
	_Atomic(struct yaml_shape *) shape; /* NULL: not known yet */
};

struct places {
	_Atomic int credit; /* below 0: the texts are too different, and are not learnt */
	struct place at[PLACES];
};

struct ref_shapes {
	_Atomic size_t bytes;
	size_t n;
	struct places of[]; /* one for each template */
};

struct ref_shapes *ref_shapes_new(size_t n_templates)
{
	struct ref_shapes *s = calloc(1, sizeof(*s) + n_templates * sizeof(s->of[0]));

	if (!s)
		return NULL;
	s->n = n_templates;
	for (size_t i = 0; i < n_templates; i++)
		atomic_init(&s->of[i].credit, CREDIT_FIRST);
	return s;
}

void ref_shapes_free(struct ref_shapes *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->n; i++) {
		for (size_t k = 0; k < PLACES; k++)
			yaml_shape_free(atomic_load_explicit(&s->of[i].at[k].shape, memory_order_relaxed));
	}
	free(s);
}

/* Change the credit. What another thread adds at the same time may get lost. */
static void add_credit(struct places *of, int n)
{
	int credit = atomic_load_explicit(&of->credit, memory_order_relaxed) + n;

	atomic_store_explicit(&of->credit, credit < CREDIT_MAX ? credit : CREDIT_MAX, memory_order_relaxed);
}

/* Hash the text without its slots. */
static uint32_t hash_bare(str text, const struct spans *slots)
{
	uint64_t hash = hash_seed();

	for (size_t i = 0; i <= slots->n; i++)
		hash = hash_str(spans_gap(slots, text, i), hash);
	return (uint32_t)hash;
}

static bool is(_Atomic uint32_t *place, uint32_t hash)
{
	return atomic_load_explicit(place, memory_order_relaxed) == hash;
}

static void set(_Atomic uint32_t *place, uint32_t hash)
{
	atomic_store_explicit(place, hash, memory_order_relaxed);
}

/* Keep a shape, unless another thread has stored one in the same place meanwhile. */
static void keep(struct ref_shapes *s, struct place *p, struct yaml_shape *shape)
{
	struct yaml_shape *none = NULL;

	if (atomic_compare_exchange_strong_explicit(&p->shape, &none, shape, memory_order_release,
						    memory_order_relaxed))
		(void)atomic_fetch_add_explicit(&s->bytes, yaml_shape_bytes(shape), memory_order_relaxed);
	else
		yaml_shape_free(shape);
}

/* Learn from a text, which is known to be YAML. */
static void learn(struct ref_shapes *s, struct place *p, uint32_t hash, str text, const struct spans *slots,
		  const struct yaml_options *o)
{
	struct yaml_shape *shape;
	struct err err;

	if (!is(&p->seen, hash)) {
		set(&p->seen, hash);
		return;
	}
	if (is(&p->vain, hash) || atomic_load_explicit(&s->bytes, memory_order_relaxed) >= BYTES_MAX)
		return;
	if (yaml_shape_new(text, slots, o, &shape, &err) == 0 && shape)
		keep(s, p, shape);
	else
		set(&p->vain, hash);
}

int ref_shapes_decode(struct ref_shapes *s, size_t index, str text, struct spans *printed, const struct yaml_options *o,
		      struct doc **ret, struct err *err)
{
	struct places *of;
	struct place *p;
	struct yaml_shape *shape;
	uint32_t hash;
	int r;

	ASSERT(!s || index < s->n);
	of = s ? &s->of[index] : NULL;
	if (!of || text.n > TEXT_MAX || atomic_load_explicit(&of->credit, memory_order_relaxed) < 0)
		return yaml_decode(text, o, ret, err);
	yaml_slots_keep(text, printed);
	hash = hash_bare(text, printed);
	p = &of->at[hash % PLACES];
	shape = atomic_load_explicit(&p->shape, memory_order_acquire);
	if (shape && yaml_shape_decode(shape, text, printed, o, ret)) {
		add_credit(of, GAIN);
		return 0;
	}
	add_credit(of, -1);
	r = yaml_decode(text, o, ret, err);
	if (r == 0 && !shape)
		learn(s, p, hash, text, printed, o);
	return r;
}

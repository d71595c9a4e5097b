/* Texts with places in them, filled in differently: what a shape makes of them is what the decoder makes. */
#ifndef SUPPORT_YAML_FILLED_H
#define SUPPORT_YAML_FILLED_H

#include "value/yaml_shape.h"

#define FILLED_PLACE '\1'

struct filled {
	struct buf text;
	struct spans slots;
};

/* @pattern with one of the @n values at each of its places, the first from @first. */
static inline void filled_make(str pattern, const str *values, size_t n, size_t first, struct filled *ret)
{
	*ret = (struct filled){ .text = BUF_INIT(1 << 20) };
	for (size_t i = 0; i < pattern.n; i++) {
		size_t from = ret->text.n;

		if (pattern.p[i] != FILLED_PLACE) {
			buf_add_byte(&ret->text, pattern.p[i]);
			continue;
		}
		buf_add_str(&ret->text, values[first++ % n]);
		(void)spans_add(&ret->slots, from, ret->text.n);
	}
	yaml_slots_keep(buf_str(&ret->text), &ret->slots);
}

/* One that a shape gives is the decoder's. *known counts those. */
static inline bool filled_is_right(const struct yaml_shape *shape, const struct filled *f, const struct yaml_options *o,
				   size_t *known)
{
	CLEANUP(doc_unrefp) struct doc *doc = NULL;
	CLEANUP(doc_unrefp) struct doc *expected = NULL;
	struct err err;

	if (!yaml_shape_decode(shape, buf_str(&f->text), &f->slots, o, &doc))
		return true;
	++*known;
	return yaml_decode(buf_str(&f->text), o, &expected, &err) == 0 && val_equal(doc->root, expected->root);
}

/* The shape of the first filling holds for all others, or says that it does not. False: it gave something else. */
static inline bool filled_agree(str pattern, const str *values, size_t n, const struct yaml_options *o, size_t *known)
{
	CLEANUP(yaml_shape_freep) struct yaml_shape *shape = NULL;
	struct filled f;
	struct err err;
	bool right;

	filled_make(pattern, values, n, 0, &f);
	right = yaml_shape_new(buf_str(&f.text), &f.slots, o, &shape, &err) == 0;
	for (size_t first = 0; shape && first < n && right; first++) {
		buf_done(&f.text);
		filled_make(pattern, values, n, first, &f);
		right = filled_is_right(shape, &f, o, known);
	}
	buf_done(&f.text);
	return right;
}

#endif

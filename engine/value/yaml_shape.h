/* Texts that are read once for many: those which differ in a few places only, as what one template renders does.
 *
 *	name: web-1         name: <slot 0>        {"name": slot 0,
 *	tier: 'a'      →    tier: '<slot 1>'  →    "tier": slot 1,   →   web-2, b: {"name": "web-2", "tier": "b",
 *	ports: [80]         ports: [80]            "ports": [80]}                   "ports": [80]}
 *
 * A shape is what such texts have in common, read. A text of it is decoded without a scanner: the value is put together
 * from the shape, which it shares, and from what stands in its slots, of the type that this has there. */
#ifndef VALUE_YAML_SHAPE_H
#define VALUE_YAML_SHAPE_H

#include "base/span.h"
#include "value/yaml.h"

struct yaml_shape;

/* Reduce the spans of @text to slots, as far as there is room: parts that may be replaced by any other slot text
 * wherever a scalar may hold them, plain or quoted. A slot consists of letters, digits and a few signs, with no sign
 * at either end. A span with other characters becomes several slots, or none. */
void yaml_slots_keep(str text, struct spans *spans);
/* Whether all of @text, which no key follows, may be one slot. */
bool yaml_slot_may_be(str text);

/* The shape of @text with @slots (yaml_slots_keep). *ret is NULL when it has none, because a slot is a key or in a
 * comment, or the text is no YAML. @o: as for decoding, without strict, rest and yaml_numbers; keys are not used.
 * Fails: ENOMEM. */
CHECKED int yaml_shape_new(str text, const struct spans *slots, const struct yaml_options *o, struct yaml_shape **ret,
			   struct err *err);
void yaml_shape_free(struct yaml_shape *s); /* documents that were made from the shape remain valid */
DEFINE_CLEANUP(struct yaml_shape *, yaml_shape_free)
size_t yaml_shape_bytes(const struct yaml_shape *s);
/* The document with the marks in its slots, with which all documents of the shape share values. Borrowed. */
struct doc *yaml_shape_doc(const struct yaml_shape *s);

/* Decode @text with these @slots as yaml_decode does with the same options, into a new document. False: the text is
 * not of this shape, or has to be decoded the usual way for another reason. Any thread may call this. */
bool yaml_shape_decode(const struct yaml_shape *s, str text, const struct spans *slots, const struct yaml_options *o,
		       struct doc **ret);

/* As yaml_shape_decode, for the text of this shape that has @slots (one for each slot, yaml_slot_may_be), but
 * without that text: a value in @a that shares with the shape. The length of the text is not checked against limits.
 * False: as yaml_shape_decode. */
bool yaml_shape_fill(const struct yaml_shape *s, const str *slots, size_t n, const struct yaml_options *o,
		     struct arena *a, val *ret);

#endif

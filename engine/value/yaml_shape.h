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

/* Leave of spans of @text only what may be slots, as many as there is room for: what can stand for any other such text
 * wherever a scalar may hold it, be that plain or quoted. It is of letters, digits and a few signs, none of them at an
 * end; a span that has others is several slots, or none. */
void yaml_slots_keep(str text, struct spans *spans);
/* Whether all of @text, which no key follows, is one such slot. */
bool yaml_slot_may_be(str text);

/* The shape of @text with @slots (yaml_slots_keep). *ret NULL: it has none, as a slot is a key, or in a comment, or the
 * text is no YAML. @o: as for decoding, without strict, rest and yaml_numbers; keys are not used. Fails: ENOMEM. */
CHECKED int yaml_shape_new(str text, const struct spans *slots, const struct yaml_options *o, struct yaml_shape **ret,
			   struct err *err);
void yaml_shape_free(struct yaml_shape *s); /* documents that were made from it stay */
DEFINE_CLEANUP(struct yaml_shape *, yaml_shape_free)
size_t yaml_shape_bytes(const struct yaml_shape *s);
/* The value with the marks in its slots; what is made by the shape shares with it. Borrowed. */
struct doc *yaml_shape_doc(const struct yaml_shape *s);

/* What yaml_decode makes of @text with these @slots and the same options, in a new document. False: it is not of this
 * shape, or to be decoded the usual way for another reason; in any thread. */
bool yaml_shape_decode(const struct yaml_shape *s, str text, const struct spans *slots, const struct yaml_options *o,
		       struct doc **ret);

/* As yaml_shape_decode, of the text of this shape that has @slots, one for each (yaml_slot_may_be), but without that
 * text: a value in @a that shares with the shape. Its length is not checked against limits. False: as
 * yaml_shape_decode. */
bool yaml_shape_fill(const struct yaml_shape *s, const str *slots, size_t n, const struct yaml_options *o,
		     struct arena *a, val *ret);

#endif

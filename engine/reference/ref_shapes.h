/* The shapes of what the templates of a reference render (value/yaml_shape.h). Most texts of a template differ in a few
 * places only, so that they can be read with the help of earlier ones.
 *
 * Shapes are learnt while the reference is used, in any thread, and change nothing but the time that it takes. */
#ifndef REFERENCE_REF_SHAPES_H
#define REFERENCE_REF_SHAPES_H

#include "value/yaml_shape.h"

struct ref_shapes;

struct ref_shapes *ref_shapes_new(size_t n_templates); /* NULL without memory */
void ref_shapes_free(struct ref_shapes *s);

/* Decode, as yaml_decode, a text that template number @index rendered. @printed are the parts of it that may differ,
 * and is reduced to those that may be slots. @s NULL: nothing is known or learnt. */
CHECKED int ref_shapes_decode(struct ref_shapes *s, size_t index, str text, struct spans *printed,
			      const struct yaml_options *o, struct doc **ret, struct err *err);

#endif

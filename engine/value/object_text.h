/* Objects of the Kubernetes API as servers write them, without the fields that nobody compares. */
#ifndef VALUE_OBJECT_TEXT_H
#define VALUE_OBJECT_TEXT_H

#include "value/json.h"

/* The apiVersion and kind of an object whose text does not have them. */
struct object_type {
	str api_version, kind; /* items of a list do not repeat those of the list */
};

/* Decode @text without metadata.managedFields, whose text is put into *managed_fields (a part of @text, which is not
 * checked; {NULL, 0} when there are none). @type is added where the object lacks it; NULL: nothing is added. Fails
 * as json_decode. */
CHECKED int object_decode(str text, const struct limits *limits, struct key_table *keys, const struct object_type *type,
			  struct doc **ret, str *managed_fields, struct err *err);

/* A pick of the identity of an object, which a larger pick may include. False without memory. */
bool object_pick(struct key_table *keys, struct arena *a, struct json_pick *ret);

/* As object_decode, but builds only what is picked (json_options.pick, which must include object_pick), in @a: for a
 * text that is decoded later anyway, or that its sender has checked. @reader reads managedFields; NULL: nobody does. */
CHECKED int object_decode_part(str text, const struct limits *limits, struct key_table *keys,
			       const struct object_type *type, const struct json_pick *pick,
			       const struct json_reader *reader, struct arena *a, val *ret, str *managed_fields,
			       struct err *err);

#endif

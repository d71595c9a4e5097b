/* Templates that only print fields of their object between texts ("name: {{ .metadata.name }}"), which most are.
 *
 * What such a template renders is known except for these fields. The text between them is read once, when the reference
 * is loaded, as the shape of all that the template will render (value/yaml_shape.h). Then rendering only means to look
 * the fields up.
 *
 *	kind: Pod                               {"kind": "Pod",
 *	metadata:                         →      "metadata": {"name": slot 0}}
 *	  name: {{ .metadata.name }}            slot 0: metadata.name
 *
 * Immutable; may be used by several threads. */
#ifndef REFERENCE_REF_PLAIN_H
#define REFERENCE_REF_PLAIN_H

#include "base/limits.h"
#include "template/tmpl.h"
#include "value/doc.h"

struct ref_plain;

/* Prepare a template for rendering without execution. *ret NULL: it is not plain, or it would not render one YAML
 * map whatever its fields contain. Fails: ENOMEM. */
CHECKED int ref_plain_new(const struct tmpl *t, const struct limits *limits, struct ref_plain **ret, struct err *err);
void ref_plain_free(struct ref_plain *p);
size_t ref_plain_bytes(const struct ref_plain *p);

struct ref_plain_value {
	val root;            /* shares with ref_plain_doc */
	size_t nodes, bytes; /* the most that val_measure can find */
	uint64_t steps;      /* about as many as ref_render counts */
};

/* Make the value that ref_render makes of @dot, in @a. False: ref_render has to do it, because a field is absent or
 * neither plain text nor a number, or @limits may be exceeded, or there is no memory. */
bool ref_plain_render(const struct ref_plain *p, val dot, const struct limits *limits, struct arena *a,
		      struct ref_plain_value *ret);

/* The document that the rendered values share with. Borrowed. */
struct doc *ref_plain_doc(const struct ref_plain *p);
/* ref_names of all values that it renders. */
val ref_plain_names(const struct ref_plain *p);
uint64_t ref_plain_names_hash(const struct ref_plain *p); /* val_hash of ref_plain_names() */

#endif

/* Takes what was last applied to an object as its manifest: "kubectl apply" keeps it in an annotation.
 *
 * A reference for this names only kinds. The manifest of each object is in the object itself, so that no object can
 * be missing. Who may edit an object may edit its annotation. Behaviour: spec/manifests.md, "Manifests that the
 * cluster holds". No I/O, no clock, no globals. */
#ifndef MANIFEST_MANIFEST_APPLIED_H
#define MANIFEST_MANIFEST_APPLIED_H

#include "manifest/manifest_reference.h"

/* Read what was last applied to @object, into a new document. *ret is NULL when nothing was, or when the annotation
 * is that of another object, because some controllers copy annotations to what they make. Fails: EBADMSG, the
 * annotation contains no object, or one in another version of the kind, in which fields may have other names; E2BIG,
 * it exceeds @limits; ENOMEM. No message quotes the annotation. */
CHECKED int manifest_applied_read(val object, const struct limits *limits, struct key_table *keys, struct doc **ret,
				  struct err *err);

struct applied_reference_options {
	const struct limits *limits;
	str name; /* for the reference and its part; copied */
	/* copied; at least one; each becomes a component with the name of the kind */
	const struct manifest_kind *kinds;
	size_t n_kinds;
	const struct ref_choice *choice; /* chooses objects; outlives the reference */
	enum manifest_additions additions;
};

/* Make a reference for these kinds. Fails: EIO, the library has no SHA-256; ENOMEM. */
CHECKED int applied_reference_make(const struct applied_reference_options *o, struct reference **ret, struct err *err);

#endif

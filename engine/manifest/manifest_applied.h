/* What was applied to an object last as its manifest: the annotation in which "kubectl apply" keeps it.
 *
 * A reference of it names kinds only; what an object of them is compared with is in the object itself, so that nothing
 * can be missing. Who may edit an object may edit its annotation. Behaviour: spec/manifests.md, "Manifests that the
 * cluster holds". No I/O, no clock, no globals. */
#ifndef MANIFEST_MANIFEST_APPLIED_H
#define MANIFEST_MANIFEST_APPLIED_H

#include "manifest/manifest_reference.h"

/* What was applied to @object last, in a new document; NULL in *ret: nothing was, or the annotation is that of another
 * object, as where a controller copies annotations to what it makes.
 * Fails: EBADMSG, the annotation is no object, or of another version of the kind, in which fields may have other names;
 * E2BIG, it is beyond @limits; ENOMEM. No message quotes it. */
CHECKED int manifest_applied_read(val object, const struct limits *limits, struct key_table *keys, struct doc **ret,
				  struct err *err);

struct applied_reference_options {
	const struct limits *limits;
	str name;                          /* of the reference and of its part; copied */
	const struct manifest_kind *kinds; /* copied; at least one; each is a component, called by its kind */
	size_t n_kinds;
	const struct ref_choice *choice; /* of objects; outlives the reference */
	enum manifest_additions additions;
};

/* Fails: EIO, the library has no SHA-256; ENOMEM. */
CHECKED int applied_reference_make(const struct applied_reference_options *o, struct reference **ret, struct err *err);

#endif

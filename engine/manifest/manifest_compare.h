/* Compares a manifest with the object that a cluster has: what an apply of the manifest would change.
 *
 * What the manifest does not name is none of its business: defaults, what controllers fill in. What it names must be
 * there, by the rules of its type (topology/topology.h): members of maps each, lists with keys element by element, sets
 * by what they hold; what is atomic as a whole, with all that is in it. Behaviour: spec/manifests.md, section 2.
 *
 * No I/O, no clock, no globals. */
#ifndef MANIFEST_MANIFEST_COMPARE_H
#define MANIFEST_MANIFEST_COMPARE_H

#include "compare/compare.h"

/* What elements of keyed lists and sets are that the manifest does not have. */
enum manifest_additions { MANIFEST_DRIFT, MANIFEST_IGNORE };
/* "drift" or "ignore"; false: it is neither. */
bool manifest_additions_parse(str s, enum manifest_additions *ret);

struct manifest_env {
	const struct limits *limits; /* evaluation_steps: for both objects together; depth */
	val schema;                  /* openAPIV3Schema of a custom resource; VAL_ABSENT: none is known */
	/* metadata.managedFields of the object, whether it still has them or not, where a verdict depends on them;
	 * VAL_ABSENT: unknown. NULL: so they are. */
	val (*managers)(void *ctx);
	void *ctx;
	enum manifest_additions additions;
	const struct mask_fields *mask; /* what may not be shown besides the usual; may be NULL */
};

/* For manifest_env.managers of an object that has its managedFields still; @object: a val. */
val manifest_managers_of(void *object);

struct manifest_difference {
	val expected;           /* the object as an apply would leave it */
	val actual;             /* the object */
	struct changes changes; /* each with its reason; those that are not listed, counted */
	bool deleting;          /* it has a deletionTimestamp */
	uint64_t steps;         /* that it took */
};

/* Hold @live against @manifest, which are the same object. The result lives in @a, and shares values with both.
 * Fails: E2BIG, it takes more steps than there are, or is nested too deep; ENOMEM. */
CHECKED int manifest_compare(val manifest, val live, const struct manifest_env *env, struct arena *a,
			     struct manifest_difference *ret, struct err *err);

/* As manifest_compare, with the result as a verdict without a template: compliant or drifted, or an error where
 * manifest_compare fails with E2BIG. It shares values with both objects, which must live as long; release it with
 * verdict_done. Fails: ENOMEM. */
CHECKED int manifest_judge(val manifest, val live, const struct manifest_env *env, struct verdict *ret,
			   struct err *err);

#endif

/* Compares a manifest with the object in a cluster: finds what an apply of the manifest would change.
 *
 * Nothing that the manifest does not name is compared, such as defaults and what controllers fill in. What it names
 * must be there, by the rules of its type (topology/topology.h): maps are compared member by member, lists with keys
 * element by element, sets by their contents, and what is atomic as a whole, with all that is in it. Behaviour:
 * spec/manifests.md, section 2.
 *
 * No I/O, no clock, no globals. */
#ifndef MANIFEST_MANIFEST_COMPARE_H
#define MANIFEST_MANIFEST_COMPARE_H

#include "compare/compare.h"

/* How elements of keyed lists and sets count that only the object has. */
enum manifest_additions { MANIFEST_DRIFT, MANIFEST_IGNORE };
/* Read "drift" or "ignore". False: it is neither. */
bool manifest_additions_parse(str s, enum manifest_additions *ret);

struct manifest_env {
	const struct limits *limits; /* the depth, and evaluation_steps for both objects together */
	val schema;                  /* openAPIV3Schema of a custom resource; VAL_ABSENT: unknown */
	/* Returns metadata.managedFields of the object, even if it was removed from the object, when a verdict
	 * depends on it; VAL_ABSENT: unknown. NULL: always unknown. */
	val (*managers)(void *ctx);
	void *ctx;
	enum manifest_additions additions;
	const struct mask_fields *mask; /* what else may not be shown; may be NULL */
};

/* A function for manifest_env.managers that reads @object, a val that still has its managedFields. */
val manifest_managers_of(void *object);

struct manifest_difference {
	val expected;           /* the object as an apply would change it */
	val actual;             /* the object */
	struct changes changes; /* each change has its reason; changes that are not listed are counted */
	bool deleting;          /* the object has a deletionTimestamp */
	uint64_t steps;         /* how many were used */
};

/* Compare @live with @manifest, which are the same object. The result lives in @a, and shares values with both.
 * Fails: E2BIG, the comparison needs too many steps, or the objects are nested too deep; ENOMEM. */
CHECKED int manifest_compare(val manifest, val live, const struct manifest_env *env, struct arena *a,
			     struct manifest_difference *ret, struct err *err);

/* As manifest_compare, with the result as a verdict without a template: compliant or drifted, or an error where
 * manifest_compare fails with E2BIG. It shares values with both objects, which must live as long; release it with
 * verdict_done. Fails: ENOMEM. */
CHECKED int manifest_judge(val manifest, val live, const struct manifest_env *env, struct verdict *ret,
			   struct err *err);

#endif

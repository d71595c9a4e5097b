/* The index that finds the templates of a reference that may be for an object. Behaviour: spec/compare.md,
 * "Correlation". */
#ifndef COMPARE_MATCHER_H
#define COMPARE_MATCHER_H

#include "reference/ref.h"

/* The index of a reference's templates by the fields that they fix. Immutable. */
struct matcher;

/* Index the templates of @ref, to which the matcher takes a reference. Fails: ENOMEM. */
CHECKED int matcher_new(struct reference *ref, struct matcher **ret, struct err *err);
void matcher_free(struct matcher *m);
DEFINE_CLEANUP(struct matcher *, matcher_free)

/* The candidates for an object, in the order of the reference; 0 when there are none. They live as long as the
 * matcher. */
size_t matcher_candidates(const struct matcher *m, const struct identity *object,
			  const struct ref_template *const **ret);

struct reference *matcher_reference(const struct matcher *m);

/* Call @found for each set of templates that fix the same fields to the same values, so that an object may be for any
 * of them. */
void matcher_collisions(const struct matcher *m,
			void (*found)(void *ctx, unsigned fields, const struct ref_template *const *templates,
				      size_t n),
			void *ctx);

/* ---- templates that are present by reference only ---- */

/* Call @found for each template whose identity an owner reference of @object names, or that is a ServiceAccount named
 * as a subject of the RoleBinding or ClusterRoleBinding @object. */
void matcher_references(const struct matcher *m, val object, void (*found)(void *ctx, const struct ref_template *t),
			void *ctx);
/* Add to *pick what matcher_references reads of an object. False without memory. */
bool matcher_references_pick(struct key_table *keys, struct arena *a, struct json_pick *pick);
/* The two kinds of references that matcher_references finds, one by one. */
void matcher_owner_references(const struct matcher *m, val object,
			      void (*found)(void *ctx, const struct ref_template *t), void *ctx);
void matcher_subjects(const struct matcher *m, val object, void (*found)(void *ctx, const struct ref_template *t),
		      void *ctx);

#endif

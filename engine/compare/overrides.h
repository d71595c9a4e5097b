/* A user's accepted deviations: patches that are applied to the rendered reference before it is compared. */
#ifndef COMPARE_OVERRIDES_H
#define COMPARE_OVERRIDES_H

#include "compare/correlate.h"

struct override {
	struct identity identity; /* the objects that it is for; an empty field means any */
	str exact_match;          /* identity_text of the only object that it is for; may be empty */
	str reason;
	str type; /* "mergepatch", "rfc6902", "go-template" */
	str patch;
	str template_path; /* the template that it is for; empty: any */
};

struct overrides;

/* Read a file of overrides. @message (may be NULL) receives the complete text of an error.
 * Fails: EINVAL with the reason; E2BIG; ENOMEM. */
CHECKED int overrides_load(str text, const struct limits *limits, struct overrides **ret, struct buf *message,
			   struct err *err);
void overrides_free(struct overrides *o);
DEFINE_CLEANUP(struct overrides *, overrides_free)

/* All overrides, in the order of the file. */
size_t overrides_count(const struct overrides *o);
const struct override *overrides_at(const struct overrides *o, size_t i);

/* The overrides for @object: the one that names it exactly, else those of the first group of fields that fits. */
size_t overrides_find(const struct overrides *o, val object, const struct override *const **ret);

/* Call @found for each set of overrides that are for the same objects, as correlator_collisions does. */
void overrides_collisions(const struct overrides *o,
			  void (*found)(void *ctx, unsigned fields, const struct override *const *list, size_t n),
			  void *ctx);

struct override_env {
	const struct limits *limits;
	struct key_table *keys;
	const struct tmpl_env *tmpl; /* for overrides that are templates; its error_text is not used */
	val live;                    /* the data for these templates */
	struct arena *arena;         /* the result lives here */
};

/* Apply @o to @rendered. @fault: the override itself is wrong, so that it fails for every object. Fails: EINVAL or
 * TMPL_NO_MATCH (a template called doNotMatch), with the complete text in @message; ENOMEM. */
CHECKED int override_apply(const struct override *o, val rendered, const struct override_env *env, val *ret,
			   bool *fault, struct buf *message, struct err *err);

#endif

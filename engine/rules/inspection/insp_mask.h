/* mask_secrets: hides values from rules, as the configuration demands, by the exact names that mask/names.h marks
 * for it. What may leave the process is decided by engine/mask instead. */
#ifndef RULES_INSPECTION_MASK_H
#define RULES_INSPECTION_MASK_H

#include "rules/inspection/insp_work.h"

/* Where a value is, as far as this matters for hiding it. */
enum insp_place {
	INSP_PLAIN,
	INSP_SECRET_DATA, /* "data" or "stringData" of a v1 Secret, whose members are hidden */
	INSP_SECRET_METADATA,
	INSP_SECRET_ANNOTATIONS,
	INSP_HIDDEN,
};

/* The place of the member @key of @map, which is at @parent. */
enum insp_place insp_place_of(enum insp_place parent, val map, str key);

/* What a rule sees of @v, which is at @place: @v itself, or a copy in w->arena with "***" in the place of hidden
 * values. Fails: E2BIG, ENOMEM. */
CHECKED int insp_masked(struct insp_work *w, enum insp_place place, val v, val *ret, struct err *err);

#endif

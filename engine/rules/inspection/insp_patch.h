/* JSON patches of stored rules: add, replace and remove of RFC 6902. See spec/inspection-rules.md, section 13. */
#ifndef RULES_INSPECTION_PATCH_H
#define RULES_INSPECTION_PATCH_H

#include "base/err.h"
#include "base/limits.h"
#include "value/val.h"

/* Apply @patch to @rule (insp_rule.source); the result lives in @a, and insp_rule_new decides whether it is a rule.
 * A top-level member that is removed returns to its default, except for "actions", which are then missing. Fails:
 * EINVAL with what is wrong with the patch; E2BIG, ENOMEM. */
CHECKED int insp_patch(val rule, val patch, const struct limits *limits, struct arena *a, val *ret, struct err *err);

#endif

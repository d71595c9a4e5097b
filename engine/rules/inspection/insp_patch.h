/* JSON patches of stored rules: add, replace and remove of RFC 6902.   spec/inspection-rules.md, section 13 */
#ifndef RULES_INSPECTION_PATCH_H
#define RULES_INSPECTION_PATCH_H

#include "base/err.h"
#include "base/limits.h"
#include "value/val.h"

/* What @patch makes of @rule (insp_rule.source), in @a; whether it is a rule is for insp_rule_new to say. What is
 * removed of its top level is back at its default, but for "actions", which are then missing. Fails: EINVAL with what
 * is wrong with the patch; E2BIG, ENOMEM. */
CHECKED int insp_patch(val rule, val patch, const struct limits *limits, struct arena *a, val *ret, struct err *err);

#endif

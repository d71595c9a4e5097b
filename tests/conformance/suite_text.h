/* Judges of the text/ corpora; see the README beside the corpora for the fields. */
#ifndef CONFORMANCE_SUITE_TEXT_H
#define CONFORMANCE_SUITE_TEXT_H

#include "suites.h"

void judge_re2(val line, struct verdict *v);
void judge_semver(val line, struct verdict *v);
void judge_quantity(val line, struct verdict *v);
void judge_slug(val line, struct verdict *v);
void judge_path_to_list(val line, struct verdict *v);
void judge_unified_diff(val line, struct verdict *v);
void judge_dmp(val line, struct verdict *v);
void judge_jsonpatch(val line, struct verdict *v);
void judge_inline(val line, struct verdict *v);
void judge_k8s_print(val line, struct verdict *v);

/* The list @name, or <name>_b64 with each member decoded; VAL_ABSENT when there is neither. (suite_text_re2.c) */
val line_list(val line, const char *name, struct verdict *v);

#endif

/* Judges of the inspection rules. */
#ifndef CONFORMANCE_SUITE_INSPECTION_H
#define CONFORMANCE_SUITE_INSPECTION_H

#include "suites.h"

void judge_inspection_condition(val line, struct verdict *v);
void judge_inspection_action(val line, struct verdict *v);
void judge_inspection_rules(val line, struct verdict *v);
void judge_inspection_validate(val line, struct verdict *v);
void judge_inspection_api(val line, struct verdict *v);

/* Whether @got has @text in it, letters compared without case. */
bool inspection_text_in(str got, str text);
/* @v as JSON, appended. */
void inspection_show(val v, struct buf *out);

#endif

/* Judges of the kubegen corpora; see the README beside them for the fields. */
#ifndef CONFORMANCE_SUITE_KUBEGEN_H
#define CONFORMANCE_SUITE_KUBEGEN_H

#include "suites.h"

void judge_kubegen_lang(val line, struct verdict *v);
void judge_kubegen_module_errors(val line, struct verdict *v);
void judge_kubegen_modules(const char *path, struct verdict *v);

#endif

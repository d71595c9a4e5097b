/* What the two shapes of CEL cases share. */
#ifndef CONFORMANCE_SUITE_CEL_H
#define CONFORMANCE_SUITE_CEL_H

#include "suites.h"

#include "cel/cel.h"
#include "value/json.h"

void judge_cel_rules(val line, struct verdict *v);

#endif

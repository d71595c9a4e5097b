/* Judges of the event rules. */
#ifndef CONFORMANCE_SUITE_EVENTRULES_H
#define CONFORMANCE_SUITE_EVENTRULES_H

#include "suites.h"

void judge_event_path(val line, struct verdict *v);
void judge_event_validate(val line, struct verdict *v);
void judge_events(val line, struct verdict *v);

#endif

/* Findings as JSON, in which they are stored. It contains identities, paths and times, never a value of an object. */
#ifndef DAEMON_FINDINGS_FINDING_JSON_H
#define DAEMON_FINDINGS_FINDING_JSON_H

#include "daemon/findings/findings.h"
#include "value/val.h"

void finding_to_json(const struct finding *x, struct buf *out);
/* Read a finding, whose texts point into @v. False: @v is no finding. */
bool finding_from_json(val v, struct finding *x);
/* Read a finding from a text. 1: its texts point into *ret; 0: the text is no finding. Fails: ENOMEM. */
CHECKED int finding_from_text(str text, struct doc **ret, struct finding *x, struct err *err);

#endif

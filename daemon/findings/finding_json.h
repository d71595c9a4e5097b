/* A finding as JSON, to be stored, and back. It holds identities, paths and times, never a value of an object. */
#ifndef DAEMON_FINDINGS_FINDING_JSON_H
#define DAEMON_FINDINGS_FINDING_JSON_H

#include "daemon/findings/findings.h"
#include "value/val.h"

void finding_to_json(const struct finding *x, struct buf *out);
/* The texts of @x point into @v. False: it is none. */
bool finding_from_json(val v, struct finding *x);
/* The same of a text: 1, and they point into *ret; 0: it is none. Fails: ENOMEM. */
CHECKED int finding_from_text(str text, struct doc **ret, struct finding *x, struct err *err);

#endif

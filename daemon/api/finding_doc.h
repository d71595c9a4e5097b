/* A finding as the control API shows it (docs/api.md): who and where, how bad, since when, by whom. No value of an
 * object is in it. */
#ifndef DAEMON_API_FINDING_DOC_H
#define DAEMON_API_FINDING_DOC_H

#include "daemon/findings/finding.h"

/* What a kind is called in requests and answers: "drift", "component", "error", "gap", "validation". */
const char *finding_type(enum finding_kind kind);
/* False: @s names none. */
bool finding_type_parse(str s, enum finding_kind *ret);

/* Append it as a JSON object. @now_ns: uv_hrtime. */
void finding_doc(const struct finding *x, uint64_t now_ns, struct buf *out);

#endif

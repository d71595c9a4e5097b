/* A finding as the control API shows it (docs/api.md): who and where, how bad, since when, by whom. Values of
 * the object are in its detailed form only. */
#ifndef DAEMON_API_FINDING_DOC_H
#define DAEMON_API_FINDING_DOC_H

#include "daemon/view/finding_detail.h"

/* Append the members that say who and where. */
void finding_doc_subject(const struct finding_subject *s, struct buf *out);
/* Append it as a JSON object. @now_ns: uv_hrtime. */
void finding_doc(const struct finding *x, uint64_t now_ns, struct buf *out);
/* The same with what was told of it. */
void finding_doc_detailed(const struct finding *x, const struct finding_detail *d, uint64_t now_ns, struct buf *out);

#endif

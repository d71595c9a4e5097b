/* A finding as the control API shows it (docs/api.md): the object, the place, the severity, since when, and who
 * wrote it. Values of the object are for trusted clients. */
#ifndef DAEMON_API_FINDING_DOC_H
#define DAEMON_API_FINDING_DOC_H

#include "daemon/view/finding_detail.h"
#include "daemon/view/findings_list.h"

/* Append the members that identify the object and its place. */
void finding_doc_subject(const struct finding_subject *s, struct buf *out);
/* Append the finding as a JSON object. @now_ns: uv_hrtime. */
void finding_doc(const struct finding *x, bool trusted, uint64_t now_ns, struct buf *out);
/* Append it with its last record. */
void finding_doc_detailed(const struct finding *x, const struct finding_detail *d, uint64_t now_ns, struct buf *out);
/* Append the group @g, whose first finding is @x. */
void findings_group_doc(const struct findings_group *g, const struct finding *x, bool trusted, struct buf *out);

#endif

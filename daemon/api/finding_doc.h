/* A finding as the control API shows it (docs/api.md): who and where, how bad, since when, by whom. Values of the
 * object are for who is trusted. */
#ifndef DAEMON_API_FINDING_DOC_H
#define DAEMON_API_FINDING_DOC_H

#include "daemon/view/finding_detail.h"
#include "daemon/view/findings_list.h"

/* Append the members that say who and where. */
void finding_doc_subject(const struct finding_subject *s, struct buf *out);
/* Append it as a JSON object. @now_ns: uv_hrtime. */
void finding_doc(const struct finding *x, bool trusted, uint64_t now_ns, struct buf *out);
/* As above, with what was reported of the finding. */
void finding_doc_detailed(const struct finding *x, const struct finding_detail *d, uint64_t now_ns, struct buf *out);
/* The group @g, of which @x is the first. */
void findings_group_doc(const struct findings_group *g, const struct finding *x, bool trusted, struct buf *out);

#endif

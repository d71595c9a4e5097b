/* Filters that name what nobody knows: that nothing passes them says nothing of how well anything is. */
#ifndef DAEMON_API_UNKNOWN_FILTERS_H
#define DAEMON_API_UNKNOWN_FILTERS_H

#include "daemon/serve/metrics.h"
#include "daemon/view/findings_list.h"

/* A line for each of them, with what there is, to @out: "no namespace 'sohp' is known; did you mean 'shop'?". To be
 * asked when no finding passes: it looks at all objects for a namespace. */
void unknown_filters(const struct metrics_view *view, const struct finding_filter *f, struct buf *out);

#endif

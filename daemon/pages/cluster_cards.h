/* The clusters: how each is watched, and what is open there. */
#ifndef DAEMON_PAGES_CLUSTER_CARDS_H
#define DAEMON_PAGES_CLUSTER_CARDS_H

#include "daemon/pages/html_out.h"
#include "daemon/serve/metrics.h"

/* All of them in sums. */
struct cluster_totals {
	size_t open[8]; /* by severity */
	size_t n_open;
	size_t blind; /* clusters that are not wholly watched */
};

void cluster_totals(const struct metrics_view *view, struct cluster_totals *ret);
void cluster_cards(struct html *h, const struct metrics_view *view, int64_t now_usec);
/* Their watches: a table for each cluster, folded; those that do not work come first. */
void cluster_watches(struct html *h, const struct metrics_view *view, int64_t now_usec);

#endif

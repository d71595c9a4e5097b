/* The clusters that run: begun as the configuration has them, closed when it or a kubeconfig changes. */
#ifndef DAEMON_APP_CLUSTERS_H
#define DAEMON_APP_CLUSTERS_H

#include "daemon/watch/cluster/cluster.h"

struct app;

struct clusters {
	struct cluster **p;
	size_t n;
	/* clusters.c only */
	size_t n_closing;
	void (*closed)(struct app *app);
	bool unwatched_end; /* findings of clusters that are configured no longer: some at a turn */
};

/* One for each of the configuration, in its order: those that still run, and new ones. */
void clusters_start(struct app *app);
/* Close those that do not go on (@goes_on NULL: none does). Returns how many are closing now; closed(app) is called
 * when the last of them is gone, unless the process stops. */
size_t clusters_close(struct app *app, bool (*goes_on)(struct app *app, struct cluster *c),
		      void (*closed)(struct app *app));
/* Findings of clusters that are configured no longer are looked for again. */
void clusters_find_unwatched(struct app *app);
/* End some of them; true while there are more. */
bool clusters_end_unwatched(struct app *app);
/* Whether the configuration @cfg names it. */
bool clusters_is_configured(void *cfg, str cluster);

#endif

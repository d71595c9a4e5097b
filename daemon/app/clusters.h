/* The running clusters: started for the configuration, closed when it or a kubeconfig changes. */
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
	bool unwatched_end; /* findings of clusters that are no longer configured are being ended, some in each turn */
};

/* Start the clusters of the configuration, in its order; those that still run stay. */
void clusters_start(struct app *app);
/* Close the clusters that do not go on (@goes_on NULL: all). Returns how many are closing now; closed(app) is called
 * when the last of them is gone, unless the process stops. */
size_t clusters_close(struct app *app, bool (*goes_on)(struct app *app, struct cluster *c),
		      void (*closed)(struct app *app));
/* Look again for findings of clusters that are no longer configured. */
void clusters_find_unwatched(struct app *app);
/* End some of the findings of clusters that are no longer configured; true while there are more. */
bool clusters_end_unwatched(struct app *app);
/* Whether the configuration @cfg names the cluster. */
bool clusters_is_configured(void *cfg, str cluster);

#endif

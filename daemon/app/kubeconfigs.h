/* Kubeconfig files that change while the daemon runs: which files they are, and what that means for their clusters. */
#ifndef DAEMON_APP_KUBECONFIGS_H
#define DAEMON_APP_KUBECONFIGS_H

#include "config/cfg.h"

struct app;

/* Watch kubeconfig files. changed(app) is called when one of them has changed. Fails: ENOMEM. */
CHECKED int kubeconfigs_open(struct app *app, void (*changed)(void *ctx), struct err *err);
/* Close the handles on the loop. */
void kubeconfigs_close(struct app *app);
/* Free what kubeconfigs_open has made. Called when the loop has ended. */
void kubeconfigs_free(struct app *app);
/* Wait for changes of the kubeconfigs of the configuration in force. */
void kubeconfigs_watch(struct app *app);
/* The kubeconfig of @c, a cluster of the configuration in force, cannot be used. Reported once, until
 * kubeconfigs_right. */
void kubeconfigs_mistake(struct app *app, const struct cfg_cluster *c, struct err *err);
/* The kubeconfig of @c can be used. */
void kubeconfigs_right(struct app *app, const struct cfg_cluster *c);
/* Report once that driftd looks for changes by time, because it cannot watch files. Called about once a second. */
void kubeconfigs_tick(struct app *app);

/* Report each kubeconfig of @cfg that every user of the machine can read. Fails: ENOMEM. */
CHECKED int kubeconfigs_exposed(const struct cfg *cfg, void (*report)(void *ctx, const char *message), void *ctx,
				struct err *err);

#endif

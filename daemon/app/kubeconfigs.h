/* Kubeconfig files that change while the daemon runs: which ones they are, and what became of their clusters. */
#ifndef DAEMON_APP_KUBECONFIGS_H
#define DAEMON_APP_KUBECONFIGS_H

#include "config/cfg.h"

struct app;

/* changed(app) is called when one is. Fails: ENOMEM. */
CHECKED int kubeconfigs_open(struct app *app, void (*changed)(void *ctx), struct err *err);
/* Its handles on the loop end. */
void kubeconfigs_close(struct app *app);
/* When the loop has ended. */
void kubeconfigs_free(struct app *app);
/* Wait for changes of those of the configuration. */
void kubeconfigs_watch(struct app *app);
/* The one of @c, a cluster of the configuration in force, cannot be used; told unless it was told before. */
void kubeconfigs_mistake(struct app *app, const struct cfg_cluster *c, struct err *err);
/* It can be used. */
void kubeconfigs_right(struct app *app, const struct cfg_cluster *c);
/* Say once that changes of files are looked for by time. Called about once a second. */
void kubeconfigs_tick(struct app *app);

/* Say of each kubeconfig of @cfg that every user of the machine can read that it is so. Fails: ENOMEM. */
CHECKED int kubeconfigs_exposed(const struct cfg *cfg, void (*tell)(void *ctx, const char *message), void *ctx,
				struct err *err);

#endif

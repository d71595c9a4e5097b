/* The configuration, replaced while the daemon runs.
 *
 *  SIGHUP or manifests, no mistake              rehearsed                the clusters that it changes are closed
 *   settled ---------------------> rehearsing ------------> replacing ----------------------------------------> settled
 *    |   ^
 *    |   '---- the clusters that it leads elsewhere are closed
 *    '-------> retargeting: a kubeconfig changed, the configuration stays
 *
 * What is asked for in another state than settled waits for that, and is done once. A dry run is no state: nothing
 * waits for it, and a reload ends it. */
#ifndef DAEMON_APP_RELOAD_H
#define DAEMON_APP_RELOAD_H

#include "config/cfg.h"
#include "daemon/serve/http.h"
#include "daemon/serve/metrics.h"

struct app;
struct reload;
struct web_config;

/* configured(app, web) is called when another configuration is in force, before the clusters are started as it has
 * them; @web is what --web.config.file says now, its from then on, or NULL. Fails: ENOMEM. */
CHECKED int reload_open(struct app *app, void (*configured)(struct app *app, struct web_config *web), struct err *err);
/* No rehearsal goes on; when the loop has ended, reload_free. */
void reload_close(struct app *app);
void reload_free(struct reload *r);
/* SIGHUP. */
void reload_begin(struct app *app);
/* Manifests changed: the same, unless other files of the configuration did too. */
void reload_follow(struct app *app);
/* What a reload would change, said later through http_later. @ctx: the app. */
void reload_dry_run(void *ctx, const struct http_request *q, struct http_response *r);
/* A kubeconfig changed: clusters that it leads elsewhere are closed and started again. @ctx: the app. */
void reload_retarget(void *ctx);
/* Borrowed until the next turn. */
struct configuration_status reload_status(const struct app *app);

#endif

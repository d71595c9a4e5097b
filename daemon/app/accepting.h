/* Accepted deviations: those of the configuration, and those that are made at run time. */
#ifndef DAEMON_APP_ACCEPTING_H
#define DAEMON_APP_ACCEPTING_H

#include "daemon/serve/http.h"

struct app;

/* Make app->acceptances, with those of the configuration. Fails: ENOMEM. */
CHECKED int accepting_open(struct app *app, struct err *err);
/* A new configuration is in force: take over its acceptances. */
void accepting_configure(struct app *app);
/* The clusters were started: end the findings of acceptances that no longer exist. */
void accepting_begin(struct app *app);
/* Close this part. Call this before the findings are freed. */
void accepting_close(struct app *app);
/* Restore one acceptance from the state database, for database_acceptances. @ctx: the app. Fails: EBADMSG, ENOMEM. */
CHECKED int accepting_restore(void *ctx, str json, struct err *err);
/* Replace the acceptances that were made at run time by those among @items, which another host has; items of other
 * kinds are ignored. Fails: ENOMEM; then only some are replaced. */
struct made_item;
CHECKED int accepting_replace(struct app *app, const struct made_item *items, size_t n, struct err *err);
/* The requests about acceptances. @ctx: the app. */
void accepting_list(void *ctx, const struct http_request *q, struct http_response *r);
void accepting_accept(void *ctx, const struct http_request *q, struct http_response *r);
void accepting_take_back(void *ctx, const struct http_request *q, struct http_response *r);
/* Apply the acceptances that have changed or expired: some of it now, the rest by accepting_go_on. Called about once a
 * second, too. */
void accepting_apply(struct app *app);
/* Apply more until @until_ns. True: there is more, and the time is up. Nothing is to be judged before all is
 * applied. */
bool accepting_go_on(struct app *app, uint64_t until_ns);

#endif

/* The configuration, replaced while the daemon runs.
 *
 *  SIGHUP, manifests, a published
 *  revision; no mistake                         rehearsed                the clusters that it changes are closed
 *   idle ------------------------> rehearsing ------------> replacing ----------------------------------------> idle
 *    |   ^  ^                          |
 *    |   |  '--------------------------' a revision that is not taken
 *    |   '---- the clusters that it leads elsewhere are closed
 *    '-------> retargeting: a kubeconfig changed, the configuration stays
 *
 * What is asked for in another state than idle waits for that, and is done once. A dry run is no state: nothing
 * waits for it, and a reload ends it. A published revision is loaded in a thread before anything is rehearsed, which is
 * part of rehearsing; what was loaded of one counts for as long as it is in force. So are the files of a large
 * configuration parsed; a file that has changed by the time when the configuration is read is parsed again. */
#ifndef DAEMON_APP_RELOAD_H
#define DAEMON_APP_RELOAD_H

#include "config/cfg.h"
#include "daemon/serve/http.h"
#include "daemon/serve/metrics.h"

struct app;
struct rehearsal_result;
struct reload;
struct web_config;

/* A revision of a published reference that is to be in force, and who decides that. */
struct reload_candidate {
	struct cfg_candidate what; /* the revision that is tried; its texts outlive the reload */
	/* Called when the candidate has mistakes. */
	void (*refused)(struct app *app, const struct problems *mistakes);
	/* Whether the candidate is taken, by what it changes: @result, and @text, which says the same in words. Both
	 * are NULL when that could not be found out. */
	bool (*rehearsed)(struct app *app, const struct rehearsal_result *result, const char *text);
	/* Called when the candidate is in force. */
	void (*taken)(struct app *app);
};

/* Open. reading(app) is called before a configuration is read; configured(app, web) when another one is in force,
 * before its clusters are started; @web, which then belongs to the callee, is what --web.config.file says now, or
 * NULL. Fails: ENOMEM. */
CHECKED int reload_open(struct app *app, void (*reading)(struct app *app),
			void (*configured)(struct app *app, struct web_config *web), struct err *err);
/* Read the configuration at the start. Exit status: 0, or 78 with @problems. */
int reload_read_first(struct app *app, struct problems *problems);
/* End a rehearsal that is under way. Call reload_free when the loop has ended. */
void reload_close(struct app *app);
void reload_free(struct reload *r);
/* SIGHUP. */
void reload_begin(struct app *app);
/* A request for a reload that is answered when the configuration is in force or refused. @ctx: the app. */
void reload_and_wait(void *ctx, const struct http_request *q, struct http_response *r);
/* Manifests have changed: reload, unless other files of the configuration have changed too. */
void reload_follow(struct app *app);
/* Load the candidate, rehearse it and put it in force. False: ask again later, because something else is under way,
 * or other files of the configuration have changed too, which waits for a reload. */
bool reload_try(struct app *app, const struct reload_candidate *c);
/* Answer what a reload would change, later (http_later). @ctx: the app. */
void reload_dry_run(void *ctx, const struct http_request *q, struct http_response *r);
/* A kubeconfig has changed: close and restart the clusters that it now leads elsewhere. @ctx: the app. */
void reload_retarget(void *ctx);
/* Borrowed until the next turn. */
struct configuration_status reload_status(const struct app *app);

#endif

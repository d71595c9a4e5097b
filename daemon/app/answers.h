/* The routes of the daemon's HTTP servers. */
#ifndef DAEMON_APP_ANSWERS_H
#define DAEMON_APP_ANSWERS_H

#include "daemon/serve/http.h"

struct app;
struct metrics_view; /* daemon/serve/metrics.h */

struct answers *answers_new(void); /* NULL without memory */
void answers_free(struct answers *a);
/* Make the tables of routes for the configuration in force; @web as in struct http_site. Fails: ENOMEM, then they
 * stay as they were. */
CHECKED int answers_configure(struct app *app, struct web_config *web, struct err *err);
/* The site that all listeners serve (http_server_new). */
const struct http_site *answers_site(const struct app *app);
/* The view that answers are made from; borrowed during the call of a route. */
const struct metrics_view *answers_view(struct app *app);
/* The path of the metrics, such as "/metrics". */
const char *answers_metrics_path(const struct app *app);

#endif

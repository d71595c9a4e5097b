/* What the daemon answers over HTTP. */
#ifndef DAEMON_APP_ANSWERS_H
#define DAEMON_APP_ANSWERS_H

#include "daemon/serve/http.h"

struct app;
struct metrics_view; /* daemon/serve/metrics.h */

struct answers *answers_new(void); /* NULL without memory */
void answers_free(struct answers *a);
/* The tables of routes, as the configuration has them; @web as http_site has it. Fails: ENOMEM, then they are as
 * before. */
CHECKED int answers_configure(struct app *app, struct web_config *web, struct err *err);
/* For http_server_new and its kind: of all listeners. */
const struct http_site *answers_site(const struct app *app);
/* What answers are made of; borrowed for the call of a route. */
const struct metrics_view *answers_view(struct app *app);
/* "/metrics" */
const char *answers_metrics_path(const struct app *app);

#endif

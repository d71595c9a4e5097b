/* The listeners of the daemon: addresses, the control socket, and sockets that systemd passes. */
#ifndef DAEMON_APP_LISTENERS_H
#define DAEMON_APP_LISTENERS_H

#include "base/err.h"

struct app;
struct web_config;

/* Make the listeners. They own @web, the web configuration or NULL. NULL without memory. */
struct listeners *listeners_new(struct web_config *web);
void listeners_free(struct listeners *l);
/* Take the sockets that systemd passed. Fails: ENOENT (none), EINVAL, ENOMEM. */
CHECKED int listeners_take_passed(struct app *app, struct err *err);
/* Set another web configuration, which the listeners own, for the next listeners_open. */
void listeners_set_web(struct app *app, struct web_config *web);
/* Listen where the options or the configuration say, and no longer elsewhere. listeners_tick tries again what cannot
 * be bound. Returns how many cannot; *first is the error of the first one. */
CHECKED size_t listeners_open(struct app *app, struct err *first);
/* Called about once a second. */
void listeners_tick(struct app *app);
void listeners_close(struct app *app);
/* The first bound address that serves the metrics, such as "127.0.0.1:19470", or the path of the control socket;
 * "(none)". */
const char *listeners_address(const struct app *app, bool control);
/* "http://" or "https://". */
const char *listeners_scheme(const struct app *app);

#endif

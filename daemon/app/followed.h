/* Folders of manifests that change while the daemon runs.
 *
 *           inotify reports a change          nothing for FOLLOWED_QUIET_NS
 *   still ------------------------------> moving ------------------------------> they are read, whole or not at all
 *     ^                                    | ^                                              |
 *     |                                    '-'                                              |
 *     '-------------------------------------------------------------------------------------'
 *
 * A file system without inotify events is looked at every FOLLOWED_LOOK_NS; quiet is what looks the same a second
 * later. */
#ifndef DAEMON_APP_FOLLOWED_H
#define DAEMON_APP_FOLLOWED_H

#include "base/err.h"

#include <stdint.h>

#define FOLLOWED_QUIET_NS (1 * UINT64_C(1000000000))
#define FOLLOWED_LOOK_NS (30 * UINT64_C(1000000000))

struct app;

/* changed(app) is called when manifests of the configuration in force have changed and nothing has changed for a
 * while. Fails: ENOMEM. */
CHECKED int followed_open(struct app *app, void (*changed)(struct app *app), struct err *err);
/* Close the handles on the loop. */
void followed_close(struct app *app);
/* Free what followed_open has made. Called when the loop has ended. */
void followed_free(struct app *app);
/* Follow the manifests of the configuration in force, as they were when it was read. */
void followed_watch(struct app *app);
/* The changed manifests could not be taken now: call changed(app) again at the next look. */
void followed_ask_again(struct app *app);
/* Called about once a second. */
void followed_tick(struct app *app);

#endif

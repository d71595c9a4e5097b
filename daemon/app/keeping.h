/* Keeping the findings, and their way out. */
#ifndef DAEMON_APP_KEEPING_H
#define DAEMON_APP_KEEPING_H

#include "config/cfg.h"

struct app;

/* Open what is kept, start the writer, and put the findings back. Fails: EBUSY, EPROTO (database_open), ENOENT (the
 * journal is asked for and absent), ENOMEM. */
CHECKED int keeping_open(struct app *app, struct err *err);
/* The configuration is another one, and with it where records go. */
void keeping_configure(struct app *app);
/* Report what was wrong with the state folder. */
void keeping_announce(const struct app *app);
/* Called about once a second. @paused: nothing is judged before some of what waits is written. */
void keeping_tick(struct app *app, bool paused);
/* A line for each step of the writer that is stuck: which, since when and why. */
void keeping_stuck_steps(const struct app *app, struct buf *out);
/* Write what there is, and end, in bounded time. False: the writer hangs; nothing that it uses may be freed. */
bool keeping_close(struct app *app);

#endif

/* The state database, the writer, and the output of records. */
#ifndef DAEMON_APP_KEEPING_H
#define DAEMON_APP_KEEPING_H

#include "config/cfg.h"

struct app;

/* Open the state database, start the writer, and restore the findings. Fails: EBUSY, EPROTO (database_open), ENOENT
 * (the journal is wanted and absent), ENOMEM. */
CHECKED int keeping_open(struct app *app, struct err *err);
/* A new configuration is in force, and with it perhaps another output. */
void keeping_configure(struct app *app);
/* Report what was wrong with the state folder. */
void keeping_announce(const struct app *app);
/* Called about once a second. @paused: the queue is full, and nothing is judged until some of it is written. */
void keeping_tick(struct app *app, bool paused);
/* Append a line for each stuck step of the writer: its name, since when and why. */
void keeping_stuck_steps(const struct app *app, struct buf *out);
/* Write everything and end, in bounded time. False: the writer hangs, and nothing that it uses may be freed. */
bool keeping_close(struct app *app);

#endif

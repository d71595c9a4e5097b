/* What was renamed in the configuration, at a reload or while driftd was away, goes over to the new name. */
#ifndef DAEMON_APP_RENAMING_H
#define DAEMON_APP_RENAMING_H

#include "config/cfg.h"

struct app;

/* The configuration in force has the place of @old; its acceptances are known, and its clusters are not started. */
void renaming_carry_out(struct app *app, const struct cfg *old);
/* The same for the configuration of an earlier life, whose names are kept beside the state database. */
void renaming_carry_out_kept(struct app *app);
/* Keep the names of now, when all that went over is stored: called once a minute or so, and at the end. Nothing happens
 * before renaming_carry_out_kept: a start that fails leaves them as they were. */
void renaming_keep(struct app *app);

#endif

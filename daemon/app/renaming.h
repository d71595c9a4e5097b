/* Carries findings and acceptances over to new names in the configuration, at a reload and after a restart. */
#ifndef DAEMON_APP_RENAMING_H
#define DAEMON_APP_RENAMING_H

#include "config/cfg.h"

struct app;

/* The configuration in force has replaced @old. Its acceptances are known, and its clusters are not started yet. */
void renaming_carry_out(struct app *app, const struct cfg *old);
/* Do the same after a restart, for the names that an earlier process has stored beside the state database. */
void renaming_carry_out_kept(struct app *app);
/* Store the present names once everything that was carried over is stored: called about once a minute, and at the
 * end. Before renaming_carry_out_kept nothing happens, so that a start that fails leaves the stored names as they
 * were. */
void renaming_keep(struct app *app);

#endif

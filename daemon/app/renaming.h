/* Carries findings and acceptances over to new names in the configuration, at a reload and after a restart. */
#ifndef DAEMON_APP_RENAMING_H
#define DAEMON_APP_RENAMING_H

#include "config/cfg.h"

struct app;

/* Begin to carry over what was renamed. The configuration in force has replaced @old. Its acceptances are known, and
 * its clusters are not started yet: @done starts them, and may be called before this returns. Until then each finding
 * has either the old or the new name, no object is judged, and no other configuration replaces this one. */
void renaming_begin(struct app *app, const struct cfg *old, void (*done)(struct app *app));
/* Carry over more until @until_ns (uv_hrtime). True: there is more. Nothing may be judged before all is carried over.
 */
bool renaming_go_on(struct app *app, uint64_t until_ns);
/* Stop at the end of the process. The next process carries over the rest. */
void renaming_close(struct app *app);
/* Carry over everything at once after a restart, for the names that an earlier process has stored beside the state
 * database. */
void renaming_carry_out_kept(struct app *app);
/* Store the present names once everything that was carried over is stored: called about once a minute, and at the
 * end. Before renaming_carry_out_kept, and while findings are being carried over, nothing happens, so that a start that
 * fails leaves the stored names as they were. */
void renaming_keep(struct app *app);

#endif

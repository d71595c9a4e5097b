/* The findings as driftd kept them before it had a database: state.json. */
#ifndef DAEMON_STORE_DATABASE_STATE_IMPORT_H
#define DAEMON_STORE_DATABASE_STATE_IMPORT_H

#include "daemon/store/database/database.h"

#define STATE_FILE_BYTES_MAX ((size_t)256 << 20)

/* Give each finding of @dir/state.json to @each; an absent file has none. Fails: EBADMSG (unreadable) and E2BIG (beyond
 * the limits, also those of @each): it is set aside as state.json.bad; the codes of open(2) and read(2), ENOMEM; what
 * @each fails with. */
CHECKED int state_import(const char *dir, finding_fn *each, void *ctx, struct err *err);
/* It is imported: keep it as state.json.imported. */
void state_import_done(const char *dir);

#endif

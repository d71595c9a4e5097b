/* A record that may have been told before. */
#ifndef DAEMON_STORE_DATABASE_OUTBOX_AGAIN_H
#define DAEMON_STORE_DATABASE_OUTBOX_AGAIN_H

#include "daemon/store/database/database.h"

/* Within a transaction: @record (record_encode) waits to be told, under its own id, so that who reads both knows that
 * they are one, and with DRIFTD_RESENT=1. One of another version of driftd, which cannot be read, is left out. Fails:
 * ENOSPC, EIO, ENOMEM. */
CHECKED int outbox_put_again(struct database *d, str record, struct err *err);

#endif

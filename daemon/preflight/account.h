/* The account that a service runs as: a check as root does not show what the account may read. */
#ifndef DAEMON_PREFLIGHT_ACCOUNT_H
#define DAEMON_PREFLIGHT_ACCOUNT_H

#include "base/err.h"

/* The account of driftd.service and of its instances, and where their configurations are. */
#define SERVICE_ACCOUNT "driftd"
#define SERVICE_FOLDER "/etc/driftd/"
/* Where systemd looks for programs that a service starts by name.   systemd.exec(5), "$PATH" */
#define SERVICE_PATH "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin"

/* Whether there is such an account. */
bool account_exists(const char *name);

/* Turn this process for good into one of @name, with the environment that systemd gives a service: HOME, USER,
 * LOGNAME and PATH; of the present environment only the language remains. For root, in a process of one thread.
 * Fails: ENOENT (no such account), EPERM. */
CHECKED int account_become(const char *name, struct err *err);

#endif

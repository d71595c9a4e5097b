/* The account that a service runs as: a check that is made as root says nothing about it. */
#ifndef DAEMON_PREFLIGHT_ACCOUNT_H
#define DAEMON_PREFLIGHT_ACCOUNT_H

#include "base/err.h"

/* The one of driftd.service, and where its configuration is, and that of its instances. */
#define SERVICE_ACCOUNT "driftd"
#define SERVICE_FOLDER "/etc/driftd/"
/* Where systemd looks for programs that a service starts by name.   systemd.exec(5), "$PATH" */
#define SERVICE_PATH "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin"

/* Whether there is such an account. */
bool account_exists(const char *name);

/* Turn this process into one of @name, for good, with the environment that systemd gives a service: HOME, USER, LOGNAME
 * and PATH; nothing else of ours but the language. For root, in a process of one thread. Fails: ENOENT (no such
 * account), EPERM. */
CHECKED int account_become(const char *name, struct err *err);

#endif

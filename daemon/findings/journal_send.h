/* Sends an entry to the journal over a connection (systemd.io/JOURNAL_NATIVE_PROTOCOL): it goes to the journal that
 * was connected to, or to none. */
#ifndef DAEMON_FINDINGS_JOURNAL_SEND_H
#define DAEMON_FINDINGS_JOURNAL_SEND_H

#include "base/err.h"

#include <sys/uio.h>

/* Send @n fields, "NAME=value" each, over the datagram socket @fd. It never waits. Fails: EAGAIN, the journal has not
 * read what it was given; EMSGSIZE, an entry of this size does not fit; ESTALE, nobody reads there any more; ENOMEM;
 * as send(2). */
CHECKED int journal_send(int fd, const struct iovec *fields, size_t n);

#endif

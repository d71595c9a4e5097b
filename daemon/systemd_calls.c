/* The functions of libsystemd that are called here; see kubeclient/lazy_library.h. */
#include "kubeclient/lazy_library.h"

#include <systemd/sd-daemon.h>
#include <systemd/sd-journal.h>

static struct lazy_library libsystemd = { .soname = "libsystemd.so.0" };

LAZY_CALL(libsystemd, int, sd_notify, (int unset, const char *state), (unset, state))
LAZY_CALL(libsystemd, int, sd_watchdog_enabled, (int unset, uint64_t *usec), (unset, usec))
LAZY_CALL(libsystemd, int, sd_journal_sendv, (const struct iovec *iov, int n), (iov, n))

/* Checks the Host header of a request. */
#ifndef DAEMON_SERVE_HOST_H
#define DAEMON_SERVE_HOST_H

#include "base/str.h"

/* Whether @host, with or without a port, is an address, localhost or one of @names, in any case. */
bool host_is_ours(str host, const str *names, size_t n);

#endif

/* Reads what a client accepts (RFC 9110, 12.5). */
#ifndef DAEMON_SERVE_ACCEPT_H
#define DAEMON_SERVE_ACCEPT_H

#include "base/str.h"

/* Whether @header, an Accept-Encoding or NULL, names @coding, or else "*", with a weight above 0. */
bool accepts_coding(const char *header, const char *coding);

#endif

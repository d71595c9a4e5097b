/* The sockets that servers listen on. */
#ifndef DAEMON_SERVE_HTTP_LISTEN_H
#define DAEMON_SERVE_HTTP_LISTEN_H

#include "base/err.h"

#include <stdbool.h>
#include <sys/types.h>

struct http_listen {
	int fd;
	bool is_unix;
	char name[128];    /* "127.0.0.1:19470" or the path */
	char *unlink_path; /* the socket file to remove at the end, or NULL */
};

/* As http_server_new and its like say. */
CHECKED int http_listen_tcp(struct http_listen *l, const char *address, struct err *err);
CHECKED int http_listen_unix(struct http_listen *l, const char *path, mode_t mode, struct err *err);
CHECKED int http_listen_passed(struct http_listen *l, int fd, struct err *err);
/* Close the listener. A Unix socket that still belongs to it is removed. The descriptor is closed unless it was
 * given away (-1). */
void http_listen_done(struct http_listen *l);

#endif

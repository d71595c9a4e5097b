/* Requests to the driftd that runs on this machine, over its control socket (docs/api.md). */
#ifndef DAEMON_CONTROL_CLIENT_H
#define DAEMON_CONTROL_CLIENT_H

#include "base/buf.h"
#include "value/doc.h"

#define CONTROL_SOCKET_DEFAULT "/run/driftd/driftd.sock"

/* The path of the socket: @given by an option, else $DRIFTD_SOCKET, else the default. */
const char *control_socket(const char *given);

/* GET @path, which has its query, and read the answer. Fails: ENOENT, ECONNREFUSED (no driftd there), EACCES; EREMOTEIO
 * (an answer that is an error, in its words), EPROTO (no answer of driftd's), ETIMEDOUT, ENOMEM. */
CHECKED int control_get(const char *socket, const char *path, struct doc **ret, struct err *err);
/* Do the same with a path that was built. Fails also with the error of the buffer. */
CHECKED int control_get_built(const char *socket, struct buf *path, struct doc **ret, struct err *err);
/* As control_get, but with POST, without a body. */
CHECKED int control_post(const char *socket, const char *path, struct doc **ret, struct err *err);
/* Do the same for a request that may take long, at most @timeout_ms. Fails also: EINVAL (a 422: what is posted has
 * mistakes), and then *refused is the answer, else NULL. */
CHECKED int control_post_patiently(const char *socket, const char *path, uint64_t timeout_ms, struct doc **refused,
				   struct doc **ret, struct err *err);
/* As control_post, but with @method and a body of JSON, which may be empty. *ret: NULL when the answer has no
 * document (204). */
CHECKED int control_send(const char *socket, const char *method, const char *path, str body, struct doc **ret,
			 struct err *err);

#endif

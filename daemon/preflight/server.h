/* One cluster, asked before a start. */
#ifndef DAEMON_PREFLIGHT_SERVER_H
#define DAEMON_PREFLIGHT_SERVER_H

#include "config/cfg.h"
#include "daemon/preflight/checks.h"

#include <uv.h>

struct server;

/* Make a check of a server; connecting begins when the loop runs. NULL without memory. server_check reports what is
 * wrong with the kubeconfig. @cfg, @keys, @limits and @out outlive it. */
struct server *server_new(uv_loop_t *loop, const struct cfg *cfg, const struct cfg_cluster *c,
			  const struct limits *limits, struct key_table *keys, struct checks *out);
/* Ask the server everything; runs the loop. Fails: ENOMEM. */
CHECKED int server_check(struct server *s, struct err *err);
/* Begin to close the check; it is closed when the loop has run. NULL is ignored. */
void server_close(struct server *s);

#endif

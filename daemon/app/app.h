/* The running daemon: configuration, clusters, HTTP, signals, on one loop. */
#ifndef DAEMON_APP_APP_H
#define DAEMON_APP_APP_H

#include "base/shard.h"
#include "config/cfg.h"

#include <signal.h>

struct app_options {
	const char *config_path;
	bool has_output; /* --output was given: it wins over the configuration */
	enum cfg_output output;
	const char *const *listen; /* --web.listen-address; wins over the configuration */
	size_t n_listen;
	const char *telemetry_path; /* --web.telemetry-path; wins over the configuration */
	bool systemd_socket;        /* --web.systemd-socket: listen on what systemd passes */
	const char *web_config;     /* --web.config.file */
	const char *control_socket; /* --control-socket; wins over the configuration; "": none */
	struct shard shard;         /* which part of each cluster this process reports: --shard, --total-shards */
};

/* The signals that the daemon handles in its loop. The caller of app_run blocks them before anything else, so that a
 * signal which comes early waits. */
void app_signals(sigset_t *ret);

/* Run until SIGTERM or SIGINT. Returns the exit status: 0 stopped, 1 failure, 78 bad configuration. */
int app_run(const struct app_options *options);

/* Report each kubeconfig of @cfg that every user of the machine can read. Fails: ENOMEM. */
CHECKED int kubeconfigs_exposed(const struct cfg *cfg, void (*report)(void *ctx, const char *message), void *ctx,
				struct err *err);

#endif

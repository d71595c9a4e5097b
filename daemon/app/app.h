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
	struct shard shard;         /* --shard, --total-shards: what of each cluster is told of here */
};

/* Those that the daemon has its loop answer. Whoever calls app_run blocks them before anything else is done: one that
 * comes early waits. */
void app_signals(sigset_t *ret);

/* Run until SIGTERM or SIGINT. Returns the exit status: 0 stopped, 1 failure, 78 bad configuration. */
int app_run(const struct app_options *options);

/* Read the configuration at @config_path with references and rules; its mistakes go to @problems. Exit status as
 * above. */
int app_read_config(const char *config_path, const struct limits *limits, struct key_table *keys, struct cfg **ret,
		    struct problems *problems);
/* The same, but its mistakes are printed. */
int app_need_config(const char *config_path, const struct limits *limits, struct key_table *keys, struct cfg **ret);
/* As app_read_config, and the kubeconfigs of its clusters are looked at, whatever else is wrong. */
int app_load_config(const char *config_path, const struct limits *limits, struct key_table *keys, struct cfg **ret,
		    struct problems *problems);

struct web_config;

/* Read the file of --web.config.file; its mistakes go to @problems. Exit status as above. */
int app_load_web(const char *path, struct web_config **ret, struct problems *problems);

/* Say of each kubeconfig of @cfg that every user of the machine can read that it is so. Fails: ENOMEM. */
CHECKED int app_exposed_kubeconfigs(const struct cfg *cfg, void (*tell)(void *ctx, const char *message), void *ctx,
				    struct err *err);

/* All of them on standard error, a line each. */
void app_print_problems(const struct problems *problems);

#endif

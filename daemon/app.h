/* The running daemon: configuration, clusters, HTTP, signals, on one loop. */
#ifndef DAEMON_APP_H
#define DAEMON_APP_H

#include "daemon/serve/http.h"
#include "daemon/watch/cluster.h"

struct app_options {
	const char *config_path;
	bool has_output; /* --output was given: it wins over the configuration */
	enum cfg_output output;
	const char *const *listen; /* --web.listen-address; wins over the configuration */
	size_t n_listen;
	const char *telemetry_path; /* --web.telemetry-path */
};

struct app {
	uv_loop_t loop;
	struct app_options options;
	struct limits limits;
	struct key_table *keys;
	struct cfg *cfg;
	struct cfg *next_cfg; /* of a reload, until the clusters that it changes are closed */
	struct sink *sink;
	struct histogram latency;
	struct findings *findings;
	struct cluster **clusters;
	size_t n_clusters;
	size_t n_closing;
	struct http_server **servers;
	size_t n_servers;
	uv_signal_t term, interrupt, hangup;
	uv_timer_t tick;
	uv_idle_t work;
	bool stopping;
	bool reloaded_ok;
	double reloaded_at; /* Unix time of the last successful load */
	double started_at;
	uint64_t saved_generation;
	uint64_t saved_ns; /* when the last save began */
	uv_work_t save;    /* in a thread: the loop does not wait for the disk */
	bool saving;
	char *save_dir; /* of the save under way */
	struct buf save_text;
	struct err save_error; /* code 0: it went well */
	uint64_t watchdog_ns;  /* half of $WATCHDOG_USEC; 0: no watchdog */
	uint64_t last_watchdog_ns;
	char status[128];
};

/* Run until SIGTERM or SIGINT. Returns the exit status: 0 stopped, 1 failure, 78 bad configuration. */
int app_run(const struct app_options *options);

/* Load the configuration of @config_path with everything it names; mistakes go to standard error, one a line. Exit
 * status as above. *ret may be NULL: only check. */
int app_load_config(const char *config_path, const struct limits *limits, struct key_table *keys, struct cfg **ret,
		    struct problems *problems);

#endif

/* What the files of the running daemon share: its state, and who changes which part of it. */
#ifndef DAEMON_APP_INTERNAL_H
#define DAEMON_APP_INTERNAL_H

#include "daemon/app.h"
#include "daemon/findings/histogram.h"
#include "daemon/serve/http.h"
#include "daemon/watch/cluster.h"
#include "kubeclient/kc_files.h"

/* A place to listen at. Without a server it could not be bound: it is tried again once a second. */
struct listener {
	char *address; /* as configured */
	struct http_server *server;
	bool told; /* of the failure */
};

/* The findings on their way to the disk, in a thread: the loop does not wait for it. */
struct state_save {
	uv_work_t work;
	bool under_way;
	uint64_t generation; /* of the findings that were saved last */
	uint64_t begun_ns;   /* when the last save began */
	char *dir;
	struct buf text;
	struct err error; /* code 0: it went well */
};

/*     start        SIGHUP, no mistake         the clusters that it changes are closed
 *   --------> running ----------> reloading ------------------------------------------> running
 *                ^                    |  ^ SIGHUP: again, when this one is through
 *                '---- mistakes ------'  '--'
 *   A kubeconfig that leads a cluster elsewhere takes the same way for that cluster alone, with the configuration as it
 *   is.
 *   SIGTERM and SIGINT lead from either to stopping: handles are closed and the loop runs dry. */
struct app {
	uv_loop_t loop;
	struct app_options options;
	struct limits limits;
	struct key_table *keys;
	struct sink *sink;
	struct histogram latency;
	struct findings *findings;
	uv_signal_t term, interrupt, hangup;
	uv_timer_t tick;
	uv_idle_t work;
	bool stopping;
	double started_at;    /* Unix time */
	uint64_t watchdog_ns; /* half of $WATCHDOG_USEC; 0: no watchdog */
	uint64_t last_watchdog_ns;
	char status[128];

	/* app_reload.c */
	struct cfg *cfg;
	struct cfg *next_cfg; /* of a reload, until the clusters that it changes are closed */
	bool reload_again;    /* asked for during a reload */
	bool reloaded_ok;
	double reloaded_at; /* Unix time of the last successful load */
	struct cluster **clusters;
	size_t n_clusters;
	size_t n_closing;
	bool retarget_again; /* a kubeconfig changed while clusters were closed */

	/* app_kubeconfig.c */
	struct kc_files kubeconfigs;
	struct err *kubeconfig_told; /* what is known to be wrong, for each cluster of the configuration */

	/* app_http.c */
	struct listener *listeners;
	size_t n_listeners;
	bool was_ready;

	/* app_state.c */
	struct state_save save;
};

/* ---- app.c ---- */

/* There is work for cluster_work. @ctx: the app. */
void app_wake(void *ctx);

/* ---- app_reload.c ---- */

enum cfg_output app_output(const struct app *app);
/* One cluster for each of the configuration, in its order: those that still run, and new ones. */
void app_start_clusters(struct app *app);
/* Close all clusters. */
void app_close_clusters(struct app *app);
/* SIGHUP. */
void app_reload(struct app *app);
/* A kubeconfig changed: clusters that it leads elsewhere are closed and started again. @ctx: the app. */
void app_retarget(void *ctx);

/* ---- app_kubeconfig.c ---- */

/* Wait for changes of the kubeconfigs of the configuration. */
void app_watch_kubeconfigs(struct app *app);
/* The one of cluster @i of the configuration cannot be used; told unless it was told before. */
void app_tell_kubeconfig(struct app *app, size_t i, struct err *err);
/* It can be used. */
void app_forget_kubeconfig(struct app *app, size_t i);

/* ---- app_http.c ---- */

/* Listen where the options or the configuration say, and no longer elsewhere. A place that cannot be bound is tried
 * again by app_listen_again. Returns how many cannot; *first is the error of the first one. */
CHECKED size_t app_listen(struct app *app, struct err *first);
/* Called about once a second. */
void app_listen_again(struct app *app);
void app_stop_listening(struct app *app);
/* "127.0.0.1:19470", the first address that was bound; "(none)". */
const char *app_address(const struct app *app);

/* ---- app_state.c ---- */

void app_load_state(struct app *app);
/* Called about once a second. What is not saved when the daemon dies is reported again: a few seconds' worth. */
void app_save_state_soon(struct app *app);
/* At the end, when nobody waits for the loop any more. */
void app_save_state(struct app *app);

#endif

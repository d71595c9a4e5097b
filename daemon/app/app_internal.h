/* What the files of the running daemon share: its state, and who changes which part of it. */
#ifndef DAEMON_APP_APP_INTERNAL_H
#define DAEMON_APP_APP_INTERNAL_H

#include "base/vec.h"
#include "config/web_config.h"
#include "daemon/app/app.h"
#include "daemon/app/turns.h"
#include "daemon/inspection/rest.h"
#include "daemon/leader/leader.h"
#include "daemon/serve/http.h"
#include "daemon/store/database.h"
#include "daemon/store/desk.h"
#include "daemon/store/writer.h"
#include "daemon/watch/process/awake.h"
#include "daemon/watch/reference/acceptances.h"
#include "daemon/watch/rehearsal.h"
#include "daemon/watch/round.h"
#include "kubeclient/kc_files.h"
#include "kubeclient/kc_pace.h"

#include <sys/queue.h>

enum listener_kind { LISTENER_TCP, LISTENER_CONTROL, LISTENER_PASSED, LISTENER_PASSED_CONTROL };

/* A place to listen at. Without a server it could not be bound: it is tried again once a second. */
struct listener {
	enum listener_kind kind;
	char *address; /* as configured; the name of one that was passed */
	int fd;        /* of one that was passed; else -1 */
	struct http_server *server;
	uint64_t web_content; /* of the web configuration that it runs with */
	bool told;            /* of the failure */
};

/* A socket from systemd. */
struct passed_socket {
	int fd;
	bool is_control;
	char name[64];
};

/* Something that the writer cannot do. */
struct store_gap {
	uint64_t since_ns; /* uv_hrtime; 0: it can */
	bool told;
};

/* When a cluster was wholly watched last. */
struct seen_cluster {
	char *name;
	int64_t usec; /* Unix time */
};

/* What was inspected of a cluster that is not watched now. */
struct left_cluster {
	char *name;
	struct buf versions; /* daemon/inspection/inspected.h */
};

/*     start        SIGHUP, no mistake      rehearsed     the clusters that it changes are closed
 *   --------> running ----------> reloading ----> reloading ----------------------------------> running
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
	struct findings *findings;
	uv_signal_t term, interrupt, hangup;
	uv_timer_t tick;
	uv_idle_t work;
	size_t next_to_work; /* of the clusters */
	struct turns turns;
	struct awake awake;
	struct kc_pace pace;
	bool stopping;
	double started_at;                        /* Unix time */
	uint64_t watchdog_ns;                     /* half of $WATCHDOG_USEC; 0: no watchdog */
	uint64_t last_watchdog_ns, last_progress; /* what cluster_progress added up to then */
	char status[256];

	/* reload.c */
	struct cfg *cfg;
	struct cfg *next_cfg; /* of a reload, until the clusters that it changes are closed */
	bool reload_again;    /* asked for during a reload */
	bool reloaded_ok;
	char *reload_mistakes; /* why the last reload was refused, a line each; NULL: it was not */
	double reloaded_at;    /* Unix time of the last successful load */
	struct cluster **clusters;
	size_t n_clusters;
	size_t n_closing;
	bool unwatched_end;          /* findings of clusters that are configured no longer: some at a turn */
	bool retarget_again;         /* a kubeconfig changed while clusters were closed */
	struct rehearsal *rehearsal; /* of next_cfg, or of a dry run; NULL: there is none */
	struct dry_run *dry_run;     /* the one that it is of */
	char *rehearsed;             /* what the reload changes, in words */

	/* accepted.c */
	struct acceptances *acceptances;

	/* inspecting.c */
	struct inspection_context inspecting;
	VEC(struct left_cluster) left;

	/* inspection.c */
	struct insp_builtins built_in; /* as they were read at the start, until the rules have them */
	struct inspection_rules *inspection_rules;
	struct inspection_rest inspection; /* over them */
	struct buf inspection_read_at;     /* when the built-in ones were */
	bool inspection_changes;           /* a change is on its way to the database */
	STAILQ_HEAD(, inspection_order) inspection_waiting;
	size_t n_inspection_waiting, inspection_waiting_bytes;

	/* kubeconfig.c */
	struct kc_files kubeconfigs;
	bool unwatched_told;         /* that the kernel watches no more folders */
	struct err *kubeconfig_told; /* what is known to be wrong, for each cluster of the configuration */

	/* http.c */
	char *telemetry_path;
	struct http_route open_routes[8]; /* the configuration says where the metrics are */
	struct http_site web, control;
	bool was_ready;
	uint64_t per_object_dropped;

	/* listen.c */
	struct web_config *web_config, *next_web_config; /* NULL without a file; the next one during a reload */
	VEC(struct passed_socket) passed;
	struct listener *listeners;
	size_t n_listeners, listeners_max;

	/* store.c */
	struct writer *writer;
	struct desk *desk;
	struct err store_told; /* what was wrong with what is kept; code 0: nothing */
	struct store_gap steps[STORE_STEPS], not_judged;
	bool key_lost;     /* of the states that were kept */
	uint64_t renewals; /* of the database, after which all was kept anew */
	bool paused;       /* no more is judged until some of it is written */
	struct in_hand *in_hand;

	/* leader.c */
	struct leader *leader;  /* NULL: there is one host only */
	struct cfg *leader_cfg; /* that it was made of */
	unsigned char leader_key[FINDINGS_KEY_SIZE];
	struct app_leader_wake *leader_wake;
	struct app_takeover *takeover;        /* under way; NULL: there is none */
	struct leader_loaded *takeover_again; /* it has failed, and is begun anew at the next tick */
	struct err takeover_error;            /* why; code 0: it has not */
	bool muted;                           /* findings are not told: another host does, or may */
	bool leader_told;
	const struct failure_words *leader_failure_told; /* NULL: none was */
	uint64_t leader_failing_ns;       /* since when something fails there (uv_hrtime); 0: nothing does */
	enum election_state leader_state; /* that was told */

	/* seen.c */
	VEC(struct seen_cluster) seen;
	uint64_t seen_kept_ns; /* uv_hrtime */
};

/* ---- app.c ---- */

/* There is work for cluster_work. @ctx: the app. */
void app_wake(void *ctx);

/* ---- reload.c ---- */

enum cfg_output app_output(const struct app *app);
/* One cluster for each of the configuration, in its order: those that still run, and new ones. */
void app_start_clusters(struct app *app);
/* End some findings of clusters that are configured no longer; true while there are more. */
bool app_end_unwatched(struct app *app);
/* Close all clusters. */
void app_close_clusters(struct app *app);
/* SIGHUP. */
void app_reload(struct app *app);
/* What a reload would change, said later through http_later. @ctx: the app. */
void app_dry_run(void *ctx, const struct http_request *q, struct http_response *r);
/* A kubeconfig changed: clusters that it leads elsewhere are closed and started again. @ctx: the app. */
void app_retarget(void *ctx);

/* ---- accepted.c ---- */

/* Those of the configuration. Fails: ENOMEM. */
CHECKED int app_open_accepted(struct app *app, struct err *err);
/* The configuration is another one. */
void app_configure_accepted(struct app *app);
/* Clusters were started: findings of acceptances that there are no more end. */
void app_begin_accepted(struct app *app);
/* One that is kept, for database_acceptances. @ctx: the app. Fails: EBADMSG, ENOMEM. */
CHECKED int app_restore_accepted(void *ctx, str json, struct err *err);
/* Requests about them. @ctx: the app. */
void app_list_accepted(void *ctx, const struct http_request *q, struct http_response *r);
void app_accept(void *ctx, const struct http_request *q, struct http_response *r);
void app_unaccept(void *ctx, const struct http_request *q, struct http_response *r);
/* What has changed of them, or has expired, is carried out. Called about once a second, too. */
void app_apply_accepted(struct app *app);

/* ---- inspecting.c ---- */

/* Effects of inspections may happen from now on. Fails: ENOMEM, EIO. */
CHECKED int app_begin_inspecting(struct app *app, struct err *err);
/* And no calls any more: those that are under way end. */
void app_stop_inspecting(struct app *app);
/* For database_take_inspected. @ctx: the app. Fails: ENOMEM. */
CHECKED int app_restore_inspected(void *ctx, str cluster, str versions, struct err *err);
/* The cluster is about to be closed. */
void app_note_inspected(struct app *app, const struct cluster *c);
/* For cluster_context. @ctx: the app. */
struct inspected *app_inspected(void *ctx, str cluster);
/* Keep what was noted for the next life; forget it. */
void app_keep_inspected(struct app *app);
void app_forget_inspected(struct app *app);
/* ---- inspection.c ---- */

/* The built-in rules; none of users yet. Fails: ENOMEM. */
CHECKED int app_open_inspection(struct app *app, struct err *err);
/* One that is kept, for database_rules. @ctx: the app. Fails: EBADMSG, ENOMEM. */
CHECKED int app_restore_rule(void *ctx, const struct kept_rule *rule, struct err *err);
/* Requests about rules, and what is refused of them. @ctx: the app. */
void app_answer_inspection(void *ctx, const struct http_request *q, struct http_response *r);
void app_refuse_inspection(struct http_response *r, unsigned status, const char *why);
/* Begin the next change that waits; true while another one can begin at once. */
bool app_change_rules(struct app *app);
/* When the loop and the writer have ended. */
void app_close_inspection(struct app *app);

/* Tell what the configuration has that cannot be meant. */
void app_tell_warnings(struct app *app);

/* ---- kubeconfig.c ---- */

/* Wait for changes of the kubeconfigs of the configuration. */
void app_watch_kubeconfigs(struct app *app);
/* The one of cluster @i of the configuration cannot be used; told unless it was told before. */
void app_tell_kubeconfig(struct app *app, size_t i, struct err *err);
/* It can be used. */
void app_forget_kubeconfig(struct app *app, size_t i);
/* Say once that changes of files are looked for by time. Called about once a second. */
void app_tell_unwatched(struct app *app);

/* ---- http.c ---- */

/* The tables of routes, as the configuration has them. Fails: ENOMEM, then they are as before. */
CHECKED int app_set_routes(struct app *app, struct err *err);

/* ---- listen.c ---- */

/* Take the sockets that systemd passed. Fails: ENOENT (none), EINVAL, ENOMEM. */
CHECKED int app_take_passed(struct app *app, struct err *err);
/* Listen where the options or the configuration say, and no longer elsewhere. A place that cannot be bound is tried
 * again by app_listen_again. Returns how many cannot; *first is the error of the first one. */
CHECKED size_t app_listen(struct app *app, struct err *first);
/* Called about once a second. */
void app_listen_again(struct app *app);
void app_stop_listening(struct app *app);
/* "127.0.0.1:19470", the first address that was bound; "(none)". */
const char *app_address(const struct app *app);
/* "http://" or "https://". */
const char *app_scheme(const struct app *app);
/* The path of the control socket; "(none)". */
const char *app_control_address(const struct app *app);

/* ---- store.c ---- */

/* Open what is kept, start the writer, and put the findings back. Fails: EBUSY, EPROTO (database_open), ENOENT (the
 * journal is asked for and absent), ENOMEM. */
CHECKED int app_open_store(struct app *app, struct err *err);
/* The loop may ask for what is kept. Fails: ENOMEM; what uv_async_init fails with. */
CHECKED int app_open_desk(struct app *app, struct err *err);
/* Tell what was wrong with what is kept. */
void app_announce_store(struct app *app);
/* Called about once a second. */
void app_tick_store(struct app *app);
/* A line for each step of the writer that is stuck: which, since when and why. */
void app_stuck_steps(const struct app *app, struct buf *out);
/* Write what there is, and end, in bounded time. False: the writer hangs; nothing that it uses may be freed. */
bool app_close_store(struct app *app);

/* ---- leader.c ---- */

/* As the configuration has it; nothing without leader_election. Fails: ENOMEM; EINVAL and the codes of open(2): the
 * hash_key_file. */
CHECKED int app_open_leader(struct app *app, struct err *err);
/* Begin to agree with other hosts. Fails: ENOMEM, EAGAIN; what uv_async_init fails with. */
CHECKED int app_start_leader(struct app *app, struct err *err);
/* Called about once a second. */
void app_tick_leader(struct app *app);
/* Compare what another driftd told with what was known here. True: there is more, and the time is up. */
bool app_go_on_adopting(struct app *app, uint64_t until_ns);
/* leader_status, with what keeps it from taking another's place. */
void app_leader_status(struct app *app, struct leader_status *ret);
/* Its handle on the loop ends. */
void app_leave_loop_leader(struct app *app);
/* When the writer has ended: the lease is given back. */
void app_close_leader(struct app *app);
/* For sink_new, with leader_election. @ctx: the app. */
void app_take_telling(void *ctx, const struct telling *t);
#define APP_UNSHARED "with leader_election other hosts would not know of it: put it into the configuration of each"
/* What is made at run time is known to this host only: true, and why not is said, where there are others. */
bool app_refuse_unshared(const struct app *app, struct http_response *r);

/* ---- seen.c ---- */

/* Unix time; 0: never. @ctx: the app. */
int64_t app_last_seen(void *ctx, str cluster);
/* For database_seen. @ctx: the app. Fails: ENOMEM. */
CHECKED int app_restore_seen(void *ctx, str cluster, int64_t usec, struct err *err);
/* Note which clusters are seen now. */
void app_note_seen(struct app *app);
/* The same; every minute it is kept. */
void app_tick_seen(struct app *app);
/* And now. */
void app_keep_seen(struct app *app);
void app_forget_seen(struct app *app);

#endif

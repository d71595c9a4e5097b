/* Replaces the running configuration after SIGHUP, a request, changed manifests or a changed kubeconfig. */
#include "daemon/app/reload.h"

#include "base/assert.h"
#include "config/web_config.h"
#include "daemon/api/api.h"
#include "daemon/app/app_internal.h"
#include "daemon/app/configuration.h"
#include "daemon/app/followed.h"
#include "daemon/app/kubeconfigs.h"
#include "daemon/app/notify.h"
#include "daemon/app/reload_waiters.h"
#include "daemon/app/renaming.h"
#include "daemon/findings/clock.h"
#include "daemon/findings/notice.h"
#include "daemon/watch/rehearsal.h"
#include "daemon/watch/source/kube_source.h"

#include <errno.h>

#define RELOAD_PATIENCE_NS (10 * UINT64_C(1000000000))
#define DRY_RUN_PATIENCE_NS (25 * UINT64_C(1000000000))
#define UNKNOWN_SHOWN 10
#define READ_ASIDE_BYTES (128 << 10) /* a configuration as large is parsed in a thread: it takes milliseconds */
#define ANSWER_MAX ((size_t)1 << 20)

/* What was asked for meanwhile, and begins when the state is idle: the largest of the requests. */
enum reload_due { DUE_NOTHING, DUE_RETARGET, DUE_FOLLOW, DUE_RELOAD };

enum reload_cause { CAUSE_ASKED, CAUSE_MANIFESTS, CAUSE_REVISION };

/* What a thread reads before a configuration is read: a revision, or else the files of the configuration. Nothing is
 * read when only the next turn is waited for. */
struct loading {
	uv_work_t work;
	struct app *app; /* NULL: nobody waits for the result any more */
	const struct limits *limits;
	struct cfg *cfg;                   /* the configuration with the reference's entry */
	const struct cfg_reference *entry; /* NULL: no revision */
	char id[SOURCE_ID_SIZE];
	struct key_table *keys;
	struct cfg_loaded *got; /* NULL: no memory */
	char *path;             /* the path of the configuration; NULL: it is read already, and is to be rehearsed */
	struct cfg_parsed *parsed;
};

/* The request that waits for a preview of a reload. */
struct dry_run {
	struct app *app;
	struct http_ticket *ticket;
	struct rehearsal *rehearsal; /* NULL: the rehearsal is finished */
	struct buf answer;
};

struct reload {
	void (*reading)(struct app *app);
	void (*configured)(struct app *app, struct web_config *web);
	struct configuration_status status; /* only set_state changes its state */
	enum reload_due due;
	struct reload_waiters reload_waiters; /* the requests that wait for a reload with CAUSE_ASKED */
	/* the next configuration, in the states that rehearse, replace or follow */
	struct cfg *next;
	struct cfg *old;  /* the previous configuration, while findings are renamed */
	struct buf notes; /* the settings of the next configuration that have no effect */
	struct web_config *next_web;
	enum reload_cause cause;
	struct reload_candidate candidate; /* for CAUSE_REVISION */
	bool waits_reported;               /* whether a notice said that manifests, or a revision, wait for a reload */
	struct rehearsal *rehearsal;       /* set in the state that rehearses */
	char *rehearsed;                   /* what the reload changes, in words; NULL: unknown */
	struct dry_run *dry_run;           /* NULL: no dry run waits */
	struct cfg_cache loaded;           /* the loaded files of the configurations in force and under rehearsal */
	struct loading *loading;           /* NULL: nothing is being loaded */
	struct key_table *keys;            /* the keys of documents that threads load */
};

static void set_state(struct app *app, enum reload_state to)
{
	static const unsigned follow[] = {
		[RELOAD_IDLE] = 1u << RELOAD_REHEARSING | 1u << RELOAD_REPLACING | 1u << RELOAD_RETARGETING,
		[RELOAD_REHEARSING] = 1u << RELOAD_REPLACING | 1u << RELOAD_IDLE,
		[RELOAD_REPLACING] = 1u << RELOAD_IDLE,
		[RELOAD_RETARGETING] = 1u << RELOAD_IDLE,
	};
	struct configuration_status *s = &app->reload->status;

	ASSERT(follow[s->state] & 1u << to);
	s->state = to;
}

int reload_open(struct app *app, void (*reading)(struct app *app),
		void (*configured)(struct app *app, struct web_config *web), struct err *err)
{
	struct reload *r = app->reload = calloc(1, sizeof(*r));

	if (r)
		r->keys = key_table_new();
	if (!r || !r->keys)
		return err_nomem(err);
	TAILQ_INIT(&r->reload_waiters);
	r->reading = reading;
	r->configured = configured;
	r->status = (struct configuration_status){ .accepted = true, .at = clock_seconds() };
	return 0;
}

void reload_close(struct app *app)
{
	struct reload *r = app->reload;

	renaming_close(app);
	rehearsal_close(TAKE(r->rehearsal));
	if (r->dry_run)
		rehearsal_close(TAKE(r->dry_run->rehearsal));
	if (!r->loading)
		return;
	r->loading->app = NULL;
	(void)uv_cancel((uv_req_t *)&r->loading->work); /* when it runs already, on_loaded comes nevertheless */
	r->loading = NULL;
}

void reload_free(struct reload *r)
{
	if (!r)
		return;
	cfg_unref(r->next);
	cfg_unref(r->old);
	buf_done(&r->notes);
	cfg_cache_done(&r->loaded);
	key_table_free(r->keys);
	web_config_unref(r->next_web);
	free(r->status.mistakes);
	free(r->rehearsed);
	free(r);
}

struct configuration_status reload_status(const struct app *app)
{
	return app->reload->status;
}

/* Read a configuration. No other function here reads one. */
static int read_configuration(struct app *app, const struct cfg_candidate *candidate, struct cfg **ret,
			      struct problems *problems)
{
	return configuration_read(app->options.config_path, &app->limits, app->keys, NULL, candidate,
				  &app->reload->loaded, ret, problems);
}

int reload_read_first(struct app *app, struct problems *problems)
{
	return read_configuration(app, NULL, &app->cfg, problems);
}

/* Whether the next configuration leaves the cluster unchanged. */
static bool stays(struct app *app, struct cluster *c)
{
	const struct cfg *next = app->reload->next;
	const struct cfg_cluster *config = cfg_find_cluster(next, cluster_name(c));

	if (!config || !cluster_is_unchanged(c, next, config))
		return false;
	cluster_reread_credentials(c);
	return true;
}

/* True when the cluster is watched as before: its kubeconfig has not changed, or cannot be used now. */
static bool stays_there(struct app *app, struct cluster *c)
{
	const struct cfg_cluster *config = cfg_find_cluster(app->cfg, cluster_name(c));
	struct err err;

	ASSERT(config);
	if (!cluster_keeps_enough(c)) {
		record_notice(app->sink, config->name, SEVERITY_INFO, NULL,
			      "inspection rules read what objects of other shards own: the cluster is watched anew");
		return false;
	}
	if (kube_source_check(config, &err) < 0) {
		kubeconfigs_mistake(app, config, &err);
		return true;
	}
	kubeconfigs_right(app, config);
	if (cluster_is_unchanged(c, app->cfg, config))
		return true;
	record_notice(app->sink, config->name, SEVERITY_INFO, NULL,
		      "the kubeconfig changed: the cluster is watched anew");
	return false;
}

/* Begin what was asked for meanwhile. */
static void go_on(struct app *app)
{
	enum reload_due due = app->reload->due;

	app->reload->due = DUE_NOTHING;
	if (due == DUE_RELOAD)
		reload_begin(app);
	else if (due == DUE_FOLLOW)
		reload_follow(app);
	else if (due == DUE_RETARGET)
		reload_retarget(app);
}

static void become_idle(struct app *app)
{
	set_state(app, RELOAD_IDLE);
	go_on(app);
}

/* Whether a reload or its like is under way, so that @due has to wait. */
static bool is_put_off(struct app *app, enum reload_due due)
{
	struct reload *r = app->reload;

	if (r->status.state == RELOAD_IDLE)
		return false;
	r->due = due > r->due ? due : r->due;
	return true;
}

static void on_retargeted(struct app *app)
{
	clusters_start(app);
	become_idle(app);
}

void reload_retarget(void *ctx)
{
	struct app *app = ctx;

	if (app->stopping || is_put_off(app, DUE_RETARGET))
		return;
	if (clusters_close(app, stays_there, on_retargeted) > 0)
		set_state(app, RELOAD_RETARGETING);
	else if (app->clusters.n < app->cfg->n_clusters) /* a cluster that could not be started gets another chance */
		clusters_start(app);
}

/* ---- reload ---- */

static void note(struct buf *out, bool differs, const char *setting, const char *option)
{
	if (differs)
		buf_printf(out, "%s is not used: %s wins", setting, option);
}

static bool same_texts(const str *a, size_t n_a, const str *b, size_t n_b)
{
	bool same = n_a == n_b;

	for (size_t i = 0; same && i < n_a; i++)
		same = str_eq(a[i], b[i]);
	return same;
}

static bool same_leader(const struct cfg_leader *a, const struct cfg_leader *b)
{
	return same_texts(a->endpoints, a->n_endpoints, b->endpoints, b->n_endpoints) && str_eq(a->prefix, b->prefix) &&
	       str_eq(a->name, b->name) && a->lease_ns == b->lease_ns && str_eq(a->hash_key_file, b->hash_key_file) &&
	       str_eq(a->ca_file, b->ca_file) && str_eq(a->cert_file, b->cert_file) &&
	       str_eq(a->key_file, b->key_file) && str_eq(a->user, b->user) &&
	       str_eq(a->password_file, b->password_file);
}

/* Note the settings of the new configuration that have no effect, because the command line sets them too. */
static void note_overruled(const struct app *app, const struct cfg *old, struct buf *out)
{
	const struct cfg *now = app->cfg;

	note(out, app->options.n_listen && !same_texts(old->listen, old->n_listen, now->listen, now->n_listen),
	     "; metrics.listen", "--web.listen-address");
	note(out, app->options.has_output && old->output != now->output, "; output", "--output");
	note(out, app->options.telemetry_path && !str_eq(old->telemetry_path, now->telemetry_path),
	     "; metrics.telemetry_path", "--web.telemetry-path");
	if (!same_leader(&old->leader, &now->leader))
		buf_add_cstr(out, "; leader_election is read at the start only: restart driftd");
}

static void report_swapped(struct app *app, str notes)
{
	const struct reload *r = app->reload;

	if (r->cause == CAUSE_REVISION) {
		r->candidate.taken(app);
		return;
	}
	record_lifecycle(app->sink, MESSAGE_RELOADED, SEVERITY_INFO, "%s: %zu cluster%s, %zu reference%s%s%s%.*s",
			 r->cause == CAUSE_MANIFESTS ? "manifests changed and are in force" : "configuration reloaded",
			 app->cfg->n_clusters, plural_s(app->cfg->n_clusters), app->cfg->n_references,
			 plural_s(app->cfg->n_references), r->rehearsed ? "; findings: " : "",
			 r->rehearsed ? r->rehearsed : "", STR_ARG(notes));
}

/* Continue when all findings have their new names. */
static void on_renamed(struct app *app)
{
	struct reload *r = app->reload;

	cfg_unref(TAKE(r->old));
	cfg_cache_keep(&r->loaded, app->cfg);
	if (r->due == DUE_RETARGET) /* a reload reads kubeconfigs too */
		r->due = DUE_NOTHING;
	clusters_start(app);
	report_swapped(app, buf_str(&r->notes));
	buf_done(&r->notes);
	free(TAKE(r->rehearsed));
	notify_ready();
	become_idle(app);
}

/* Replace the configuration. The changed clusters are gone, but their findings stay: those that are seen again under
 * the new configuration make no record. */
static void swap_config(struct app *app)
{
	struct reload *r = app->reload;

	/* Put the new configuration into force: nothing can fail any more, and the loop answers no request before that.
	 * A socket that is no longer listened on takes its requests with it. */
	reload_waiters_answer_done(&r->reload_waiters);
	r->old = app->cfg;
	app->cfg = TAKE(r->next);
	r->status.accepted = true;
	r->status.at = clock_seconds();
	r->waits_reported = false;
	free(TAKE(r->status.mistakes));
	r->configured(app, TAKE(r->next_web));
	r->notes = BUF_INIT(4096);
	note_overruled(app, r->old, &r->notes);
	renaming_begin(app, r->old, on_renamed);
}

/* Whether the clusters that need new watches can be watched; only then the old ones are closed. */
static bool can_be_watched(struct app *app, struct cfg *next, struct problems *problems)
{
	for (size_t i = 0; i < next->n_clusters; i++) {
		const struct cfg_cluster *config = &next->clusters[i];
		const struct cluster *running = cluster_find(app->clusters.p, app->clusters.n, config->name);

		if (!running || !cluster_is_unchanged(running, next, config))
			configuration_check_cluster(config, problems);
	}
	return !problems_any(problems);
}

static void refuse_config(struct app *app, const struct problems *problems)
{
	char *text = problems_text(problems);

	free(app->reload->status.mistakes);
	app->reload->status.mistakes = text;
	app->reload->status.accepted = false;
	record_lifecycle(app->sink, MESSAGE_RELOAD_FAILED, SEVERITY_ERROR,
			 "configuration refused, the old one stays in force: %s", text ? text : "out of memory");
	notify_ready();
	reload_waiters_answer_refused(&app->reload->reload_waiters, text);
}

/* Read the web configuration, which the command line names. */
static bool read_web(struct app *app, struct problems *problems)
{
	return !app->options.web_config ||
	       configuration_load_web(app->options.web_config, &app->reload->next_web, problems) == 0;
}

/* ---- what the next configuration changes ---- */

/* "12 begin, 3 change, 0 end; not known: cluster prod: deployments.apps" */
static char *rehearsed_text(const struct rehearsal_result *result)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(4096);

	buf_printf(&out, "%zu begin, %zu change, %zu end", result->n[TRANSITION_BEGIN], result->n[TRANSITION_CHANGE],
		   result->n[TRANSITION_END]);
	if (!result->complete)
		buf_add_cstr(&out, ", or more: it takes long to find out");
	for (size_t i = 0; i < result->unknown.n && i < UNKNOWN_SHOWN; i++)
		buf_printf(&out, "%s%.*s", i ? ", " : "; not known: ", STR_ARG(result->unknown.p[i]));
	if (result->unknown.n > UNKNOWN_SHOWN)
		buf_printf(&out, " and %zu more", result->unknown.n - UNKNOWN_SHOWN);
	buf_add_byte(&out, '\0');
	return buf_steal(&out);
}

/* Replace the configuration by the next one, which is valid. */
static void carry_out(struct app *app)
{
	set_state(app, RELOAD_REPLACING);
	if (clusters_close(app, stays, swap_config) == 0)
		swap_config(app);
}

static void drop_next(struct app *app)
{
	struct reload *r = app->reload;

	cfg_unref(TAKE(r->next));
	cfg_cache_keep(&r->loaded, app->cfg);
	web_config_unref(TAKE(r->next_web));
	free(TAKE(r->rehearsed));
}

/* Whether the rehearsed configuration is to be in force. @result is NULL when the rehearsal was impossible. */
static bool is_taken(struct app *app, const struct rehearsal_result *result)
{
	struct reload *r = app->reload;

	return r->cause != CAUSE_REVISION || r->candidate.rehearsed(app, result, r->rehearsed);
}

static void on_rehearsed(void *ctx, const struct rehearsal_result *result)
{
	struct app *app = ctx;

	app->reload->rehearsal = NULL;
	app->reload->rehearsed = rehearsed_text(result);
	if (is_taken(app, result)) {
		carry_out(app);
		return;
	}
	drop_next(app);
	notify_ready();
	become_idle(app);
}

static struct rehearsal_options rehearsal_options(struct app *app, struct cfg *next, uint64_t patience_ns)
{
	return (struct rehearsal_options){
		.loop = &app->loop,
		.clusters = app->clusters.p,
		.n_clusters = app->clusters.n,
		.findings = app->findings,
		.acceptances = app->acceptances,
		.inspection = app->inspects,
		.keys = app->keys,
		.limits = &app->limits,
		.now = app->cfg,
		.next = next,
		.shard = app->options.shard,
		.patience_ns = patience_ns,
		.ctx = app,
	};
}

static void rehearse(struct app *app)
{
	struct rehearsal_options o = rehearsal_options(app, app->reload->next, RELOAD_PATIENCE_NS);
	struct err err;

	o.done = on_rehearsed;
	if (rehearsal_new(&o, &app->reload->rehearsal, &err) == 0) {
		set_state(app, RELOAD_REHEARSING);
	} else if (is_taken(app, NULL)) {
		carry_out(app); /* without a summary: each change is reported when it happens */
	} else {
		drop_next(app);
		notify_ready();
	}
}

/* ---- dry runs ---- */

static void dry_run_free(struct dry_run *d)
{
	buf_done(&d->answer);
	free(d);
}

/* End the rehearsal, so that the next one may begin. */
static void end_rehearsal(struct dry_run *d)
{
	d->rehearsal = NULL;
	d->app->reload->dry_run = NULL;
}

/* Forget the dry run whose request is gone: nobody waits for the outcome any more. */
static void forget_dry_run(void *state)
{
	struct dry_run *d = state;

	if (d->rehearsal) {
		rehearsal_close(d->rehearsal);
		end_rehearsal(d);
	}
	dry_run_free(d);
}

static void on_dry_run(void *ctx, const struct rehearsal_result *result)
{
	struct dry_run *d = ctx;

	end_rehearsal(d);
	rehearsal_doc(result, &d->answer);
	http_go_on_now(d->ticket);
}

/* Abandon the dry run, since a reload has precedence. */
static void abandon_dry_run(struct dry_run *d)
{
	rehearsal_close(d->rehearsal);
	end_rehearsal(d);
	buf_add_cstr(&d->answer, "{\"apiVersion\":\"driftd/v1\",\"kind\":\"Error\",\"code\":409,"
				 "\"message\":\"a reload came in between\"}\n");
	http_go_on_now(d->ticket);
}

static void begin_dry_run(struct app *app, const struct http_request *q, struct http_response *r)
{
	CLEANUP(cfg_unrefp) struct cfg *next = NULL;
	struct problems problems = { 0 };
	struct rehearsal_options o;
	struct dry_run *d = calloc(1, sizeof(*d));
	struct err err;

	if (!d) {
		api_fail(r, 500, "out of memory");
		return;
	}
	*d = (struct dry_run){ .app = app, .answer = BUF_INIT(ANSWER_MAX) };
	if (read_configuration(app, NULL, &next, &problems) != 0 || !can_be_watched(app, next, &problems)) {
		CLEANUP(freep) char *text = problems_text(&problems);

		api_fail(r, 422, text ? text : "out of memory");
		dry_run_free(d);
	} else {
		o = rehearsal_options(app, next, DRY_RUN_PATIENCE_NS);
		o.done = on_dry_run;
		o.ctx = d;
		if (rehearsal_new(&o, &d->rehearsal, &err) < 0) {
			api_fail(r, 500, err.msg);
			dry_run_free(d);
		} else {
			app->reload->dry_run = d;
			d->ticket = http_later(q, d, forget_dry_run);
		}
	}
	cfg_cache_keep(&app->reload->loaded, app->cfg);
	problems_done(&problems);
}

void reload_dry_run(void *ctx, const struct http_request *q, struct http_response *r)
{
	struct app *app = ctx;
	struct dry_run *d = q->state;

	if (d) {
		r->content_type = "application/json";
		buf_add_str(&r->body, buf_str(&d->answer));
		dry_run_free(d);
	} else if (app->reload->status.state != RELOAD_IDLE || app->reload->dry_run) {
		api_fail(r, 409, "a reload or another dry run is under way");
	} else {
		begin_dry_run(app, q, r);
	}
}

/* ---- SIGHUP, manifests that changed, and published revisions ---- */

/* Report that the change needs a reload, because the configuration itself has changed too, which nobody has asked to
 * reload. */
static void wait_for_reload(struct app *app, enum reload_cause cause)
{
	if (!app->reload->waits_reported)
		record_lifecycle(app->sink, MESSAGE_NOTICE, SEVERITY_WARNING,
				 "%s, and so did other files of the configuration: they count as they were until it "
				 "is reloaded",
				 cause == CAUSE_REVISION ? "a published reference changed" : "manifests changed");
	app->reload->waits_reported = true;
	if (cause == CAUSE_MANIFESTS)
		followed_ask_again(app);
}

static bool any_manifests_differ(const struct app *app)
{
	const struct cfg *next = app->reload->next;
	bool differ = false;

	for (size_t i = 0; i < next->n_references; i++)
		differ |= next->references[i].content != app->cfg->references[i].content;
	return differ;
}

/* Note that the files are again those of the configuration in force. */
static void stand(struct app *app)
{
	struct reload *r = app->reload;

	if (!r->status.accepted)
		record_lifecycle(app->sink, MESSAGE_NOTICE, SEVERITY_INFO,
				 "the configuration on disk is the one in force again");
	r->status.accepted = true;
	free(TAKE(r->status.mistakes));
}

/* Whether the next configuration differs in followed files only; other cases are handled here. A revision with the
 * same files counts as a difference. */
static bool is_worth_following(struct app *app, enum reload_cause cause)
{
	if (app->reload->next->content != app->cfg->content) {
		wait_for_reload(app, cause);
		return false;
	}
	app->reload->waits_reported = false;
	if (cause == CAUSE_REVISION || any_manifests_differ(app))
		return true;
	stand(app);
	return false;
}

static int read_next(struct app *app, struct problems *problems)
{
	struct reload *r = app->reload;
	const struct cfg_candidate *candidate = r->cause == CAUSE_REVISION ? &r->candidate.what : NULL;

	r->reading(app);
	if (read_configuration(app, candidate, &r->next, problems) != 0 || !read_web(app, problems) ||
	    !can_be_watched(app, r->next, problems)) {
		drop_next(app);
		return -EINVAL;
	}
	return 0;
}

/* Refuse the candidate if the configuration can be read without it; otherwise the configuration itself is wrong. */
static void refuse_candidate(struct app *app, const struct problems *problems)
{
	CLEANUP(cfg_unrefp) struct cfg *without = NULL;
	struct problems others = { 0 };

	if (read_configuration(app, NULL, &without, &others) == 0)
		app->reload->candidate.refused(app, problems);
	else
		wait_for_reload(app, CAUSE_REVISION);
	problems_done(&others);
	notify_ready();
}

static bool load_aside(struct app *app, struct loading *x);

static void begin(struct app *app, enum reload_cause cause)
{
	struct problems problems = { 0 };
	struct reload *r = app->reload;

	r->cause = cause;
	if (cause == CAUSE_ASKED)
		reload_waiters_read(&r->reload_waiters);
	notify_reloading();
	if (read_next(app, &problems) < 0) {
		if (cause == CAUSE_REVISION)
			refuse_candidate(app, &problems);
		else
			refuse_config(app, &problems);
	} else if (cause != CAUSE_ASKED && !is_worth_following(app, cause)) {
		drop_next(app);
		notify_ready();
	} else {
		if (r->dry_run)
			abandon_dry_run(r->dry_run);
		if (!r->next->parsed || !load_aside(app, calloc(1, sizeof(struct loading))))
			rehearse(app); /* a large configuration is rehearsed in a turn of its own */
	}
	problems_done(&problems);
}

/* ---- reading in a thread ---- */

static void loading_free(struct loading *x)
{
	cfg_unref(x->cfg);
	cfg_loaded_free(x->got);
	cfg_parsed_free(x->parsed);
	free(x->path);
	free(x);
}

static void in_thread(uv_work_t *work)
{
	struct loading *x = work->data;

	if (x->entry)
		x->got = cfg_loaded_new(x->cfg->sources_dir, x->entry, str_from(x->id), x->limits, x->keys);
	else if (x->path)
		x->parsed = cfg_parsed_new(x->path, x->limits);
}

/* Continue with what the thread has read. What it could not read is read with the configuration. */
static void on_loaded(uv_work_t *work, int status)
{
	struct loading *x = work->data;
	struct app *app = x->app;
	enum reload_cause cause = x->entry ? CAUSE_REVISION : CAUSE_ASKED;
	bool is_read = !x->entry && !x->path;

	(void)status;
	if (!app) {
		loading_free(x);
		return;
	}
	app->reload->loading = NULL;
	if (x->got && cfg_cache_take(&app->reload->loaded, x->got))
		x->got = NULL;
	app->reload->loaded.parsed = TAKE(x->parsed);
	loading_free(x);
	set_state(app, RELOAD_IDLE);
	if (is_read)
		rehearse(app);
	else
		begin(app, cause);
	if (app->reload->status.state == RELOAD_IDLE)
		go_on(app);
}

/* Begin to read in a thread. Return false if that did not begin; @x, which may be NULL, is freed then. */
static bool load_aside(struct app *app, struct loading *x)
{
	if (!x)
		return false;
	x->app = app;
	x->limits = &app->limits;
	x->work.data = x;
	if (uv_queue_work(&app->loop, &x->work, in_thread, on_loaded) < 0) {
		loading_free(x);
		return false;
	}
	app->reload->loading = x;
	set_state(app, RELOAD_REHEARSING);
	return true;
}

/* The files of the configuration, to be parsed in a thread; NULL: that is not worth it, or there is no memory. */
static struct loading *files_loading(struct app *app)
{
	struct loading *x =
		configuration_bytes(app->options.config_path) >= READ_ASIDE_BYTES ? calloc(1, sizeof(*x)) : NULL;

	if (x)
		x->path = str_dup(str_from(app->options.config_path));
	if (x && !x->path)
		loading_free(TAKE(x));
	return x;
}

void reload_begin(struct app *app)
{
	if (app->stopping || is_put_off(app, DUE_RELOAD)) /* the files may have changed since they were read */
		return;
	if (!load_aside(app, files_loading(app)))
		begin(app, CAUSE_ASKED);
}

void reload_and_wait(void *ctx, const struct http_request *q, struct http_response *r)
{
	struct app *app = ctx;
	struct reload_waiter *a = q->state;

	if (!a) {
		a = reload_waiter_new(&app->reload->reload_waiters);
		if (!a) {
			api_fail(r, 500, "out of memory");
			return;
		}
		reload_begin(app);
		if (reload_waiter_waits(a, q))
			return;
	}
	reload_waiter_answer(a, r);
}

void reload_follow(struct app *app)
{
	if (app->stopping || is_put_off(app, DUE_FOLLOW))
		return;
	if (configuration_unchanged(app->options.config_path, &app->limits, app->cfg))
		begin(app, CAUSE_MANIFESTS);
	else
		wait_for_reload(app, CAUSE_MANIFESTS);
}

/* ---- revisions ---- */

static const struct cfg_reference *entry_of(const struct cfg *cfg, str name)
{
	for (size_t i = 0; i < cfg->n_references; i++) {
		if (str_eq(cfg->references[i].name, name))
			return &cfg->references[i];
	}
	return NULL;
}

/* The revision, to be loaded in a thread; NULL: there is no such reference, or no memory. */
static struct loading *revision_loading(struct app *app, const struct cfg_candidate *c)
{
	const struct cfg_reference *entry = entry_of(app->cfg, c->name);
	struct loading *x = entry && c->id.n < SOURCE_ID_SIZE ? calloc(1, sizeof(*x)) : NULL;

	if (!x)
		return NULL;
	*x = (struct loading){ .cfg = cfg_ref(app->cfg), .entry = entry, .keys = app->reload->keys };
	memcpy(x->id, c->id.p, c->id.n);
	return x;
}

bool reload_try(struct app *app, const struct reload_candidate *c)
{
	struct reload *r = app->reload;

	if (app->stopping || r->status.state != RELOAD_IDLE)
		return false;
	if (!configuration_unchanged(app->options.config_path, &app->limits, app->cfg)) {
		wait_for_reload(app, CAUSE_REVISION);
		return false;
	}
	r->candidate = *c;
	if (!load_aside(app, revision_loading(app, &c->what)))
		begin(app, CAUSE_REVISION);
	return true;
}

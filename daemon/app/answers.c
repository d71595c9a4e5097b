/* The HTTP routes of driftd, each with the function that answers it. */
#include "daemon/app/answers.h"

#include "daemon/api/api.h"
#include "daemon/app/accepting.h"
#include "daemon/app/alerting.h"
#include "daemon/app/app_internal.h"
#include "daemon/app/keeping.h"
#include "daemon/app/leadership.h"
#include "daemon/app/published.h"
#include "daemon/app/reload.h"
#include "daemon/pages/pages.h"
#include "daemon/serve/metrics.h"

#include <assert.h>

struct answers {
	char *metrics_path;
	struct http_route open_routes[8]; /* not constant, because the configuration sets the path of the metrics */
	struct http_site site;
	bool was_ready;
	uint64_t per_object_dropped;
	struct metrics_view view; /* the view for the current answer, and the statuses that it borrows */
	struct writer_status writer;
	struct leader_status leader;
};

struct answers *answers_new(void)
{
	return calloc(1, sizeof(struct answers));
}

void answers_free(struct answers *a)
{
	if (a)
		free(a->metrics_path);
	free(a);
}

const struct http_site *answers_site(const struct app *app)
{
	return &app->answers->site;
}

const char *answers_metrics_path(const struct app *app)
{
	return app->answers->metrics_path;
}

/* ---- answers ---- */

static void what_is_missing(const struct app *app, struct buf *out)
{
	for (size_t i = 0; i < app->clusters.n; i++) {
		const struct cluster *c = app->clusters.p[i];

		if (*cluster_waits_for(c))
			buf_printf(out, "cluster %.*s: waits for %s\n", STR_ARG(cluster_name(c)), cluster_waits_for(c));
	}
	if (reload_closes(reload_status(app).state))
		buf_add_cstr(out, "reloading\n");
}

static void open_gaps(const struct app *app, struct buf *out)
{
	const struct finding *x = NULL;
	size_t at = 0;

	while ((x = findings_each_gap(app->findings, &at, x)))
		buf_printf(out, "gap: cluster %.*s%s%.*s%s%.*s%s%.*s\n", STR_ARG(x->subject.cluster),
			   x->subject.resource.n ? ", " : "", STR_ARG(x->subject.resource),
			   x->subject.namespace.n ? ", namespace " : "", STR_ARG(x->subject.namespace),
			   x->subject.name.n ? ", name " : "", STR_ARG(x->subject.name));
}

static void absent_references(const struct app *app, struct buf *out)
{
	size_t n;
	const struct source_state *views = published_views(app, &n);

	for (size_t i = 0; i < n; i++) {
		if (!*views[i].in_force)
			buf_printf(out, "reference %.*s: nothing of it is in force\n", STR_ARG(views[i].source->name));
	}
}

/* List the kinds in the configuration that no cluster serves: a name may be wrong, or a definition not installed
 * yet. */
static void missing_kinds(const struct app *app, struct buf *out)
{
	for (size_t i = 0; i < app->clusters.n; i++) {
		size_t n;
		struct cluster_kind *const *kinds = cluster_kinds(app->clusters.p[i], &n);

		for (size_t k = 0; k < n; k++) {
			if (cluster_kind_missing(kinds[k]))
				buf_printf(out, "not served: cluster %.*s, %.*s of %.*s\n",
					   STR_ARG(cluster_name(app->clusters.p[i])), STR_ARG(kinds[k]->kind->name),
					   STR_ARG(kinds[k]->kind->api_version));
		}
	}
}

/* Answer /readyz. Readiness is latched, since a probe asks whether the start is over. Later trouble is a gap, and
 * drift does not affect readiness. */
static void on_ready(void *ctx, const struct http_request *q, struct http_response *r)
{
	struct app *app = ctx;
	CLEANUP(buf_done) struct buf missing = BUF_INIT(1u << 20);
	const char *nothing = cfg_nothing(app->cfg);

	(void)q;
	what_is_missing(app, &missing);
	app->answers->was_ready |= missing.n == 0 && !missing.error;
	if (!app->answers->was_ready)
		r->status = 503;
	if (app->answers->was_ready)
		buf_add_cstr(&r->body, nothing ? "ready: " : "ready\n");
	if (nothing)
		buf_printf(&r->body, "%s\n", nothing);
	buf_add_str(&r->body, buf_str(&missing));
	open_gaps(app, &r->body);
	keeping_stuck_steps(app, &r->body);
	missing_kinds(app, &r->body);
	absent_references(app, &r->body);
}

static void on_healthy(void *ctx, const struct http_request *q, struct http_response *r)
{
	(void)ctx;
	(void)q;
	buf_add_cstr(&r->body, "healthy\n");
}

const struct metrics_view *answers_view(struct app *app)
{
	struct answers *a = app->answers;

	writer_status(app->writer, &a->writer);
	if (app->leadership)
		leadership_status(app, &a->leader);
	a->view = (struct metrics_view){
		.cfg = app->cfg,
		.clusters = app->clusters.p,
		.n_clusters = app->clusters.n,
		.findings = app->findings,
		.store_client = app->store_client,
		.history = app->history,
		.metrics_path = a->metrics_path,
		.writer = &a->writer,
		.leader = app->leadership ? &a->leader : NULL,
		.leader_phase = app->leadership ? leadership_phase(app) : NULL,
		.inspection = app->inspecting ? app->inspecting->context(app) : NULL,
		.turns = &app->turns.durations,
		.per_object_dropped = &a->per_object_dropped,
		.shard = app->options.shard,
		.configuration = reload_status(app),
		.started_at = app->started_at,
	};
	a->view.sources = published_views(app, &a->view.n_sources);
	a->view.alerts = alerting_views(app, &a->view.n_alerts);
	return &a->view;
}

static void on_metrics(void *ctx, const struct http_request *q, struct http_response *r)
{
	const char *accept = http_header(q, "Accept");
	bool openmetrics = accept && strstr(accept, "application/openmetrics-text");

	r->content_type = openmetrics ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
				      : "text/plain; version=0.0.4; charset=utf-8";
	r->compress = true;
	metrics_render(answers_view(ctx), openmetrics, &r->body);
}

static void on_status(void *ctx, const struct http_request *q, struct http_response *r)
{
	(void)q;
	api_status(answers_view(ctx), r);
}

static const struct metrics_view *view_now(void *app)
{
	return answers_view(app);
}

static void on_findings(void *ctx, const struct http_request *q, struct http_response *r)
{
	api_findings(&(struct view_source){ view_now, ctx }, q, r);
}

static void on_finding(void *ctx, const struct http_request *q, struct http_response *r)
{
	api_finding(answers_view(ctx), q, r);
}

static void on_history(void *ctx, const struct http_request *q, struct http_response *r)
{
	api_history(answers_view(ctx), q, r);
}

static void on_timeline(void *ctx, const struct http_request *q, struct http_response *r)
{
	api_timeline(answers_view(ctx), q, r);
}

static void on_releases(void *ctx, const struct http_request *q, struct http_response *r)
{
	api_releases(answers_view(ctx), q, r);
}

static void on_overview(void *ctx, const struct http_request *q, struct http_response *r)
{
	pages_overview(answers_view(ctx), q, r);
}

static void on_finding_page(void *ctx, const struct http_request *q, struct http_response *r)
{
	pages_finding(answers_view(ctx), q, r);
}

static void on_history_page(void *ctx, const struct http_request *q, struct http_response *r)
{
	pages_history(answers_view(ctx), q, r);
}

static void on_runbook(void *ctx, const struct http_request *q, struct http_response *r)
{
	pages_runbook(answers_view(ctx), q, r);
}

/* Whether the request is trusted: the reasons are not for everyone who can reach the port. */
static bool may_ask_why(const struct http_request *q, struct http_response *r)
{
	if (!q->trusted)
		api_fail(r, 403, "over the control socket, or by who is known by --web.config.file");
	return q->trusted;
}

static void on_objects(void *ctx, const struct http_request *q, struct http_response *r)
{
	if (may_ask_why(q, r))
		api_objects(answers_view(ctx), q, r);
}

static void on_explain(void *ctx, const struct http_request *q, struct http_response *r)
{
	if (may_ask_why(q, r))
		api_explain(answers_view(ctx), q, r);
}

static void on_words(void *ctx, const struct http_request *q, struct http_response *r)
{
	if (may_ask_why(q, r))
		api_words(answers_view(ctx), q, r);
}

static void on_list_accepted(void *ctx, const struct http_request *q, struct http_response *r)
{
	if (may_ask_why(q, r))
		accepting_list(ctx, q, r);
}

/* Whether a request may accept a deviation, or withdraw an acceptance. */
static bool may_accept(void *ctx, const struct http_request *q, struct http_response *r)
{
	char why[LEADERSHIP_REFUSAL_SIZE];
	unsigned status;

	if (!may_ask_why(q, r))
		return false;
	/* a request that has begun gets its answer, whoever leads now */
	status = q->state ? 0 : leadership_refusal(ctx, why);
	if (status)
		api_fail(r, status, why);
	return !status;
}

static void on_accept(void *ctx, const struct http_request *q, struct http_response *r)
{
	if (may_accept(ctx, q, r))
		accepting_accept(ctx, q, r);
}

static void on_unaccept(void *ctx, const struct http_request *q, struct http_response *r)
{
	if (may_accept(ctx, q, r))
		accepting_take_back(ctx, q, r);
}

/* Whether a request may change which revision of a reference is in force. */
static bool may_publish(void *ctx, const struct http_request *q, struct http_response *r)
{
	if (!may_ask_why(q, r) || leadership_refuses(ctx, r))
		return false;
	if (!http_sends(q, "application/json"))
		api_fail(r, 415, "this is asked for as application/json, of which nothing is read");
	return r->status < 400;
}

static void on_references(void *ctx, const struct http_request *q, struct http_response *r)
{
	api_references(answers_view(ctx), q, r);
}

static void on_reference(void *ctx, const struct http_request *q, struct http_response *r)
{
	api_reference(answers_view(ctx), q, r);
}

#define PUBLISHING(name, call)                                                                                         \
	static void name(void *ctx, const struct http_request *q, struct http_response *r)                             \
	{                                                                                                              \
		if (may_publish(ctx, q, r))                                                                            \
			call(ctx, q, r);                                                                               \
	}

PUBLISHING(on_update, published_update)
PUBLISHING(on_accept_revision, published_accept)
PUBLISHING(on_pin, published_pin)
PUBLISHING(on_unpin, published_unpin)
PUBLISHING(on_roll_back, published_roll_back)

/* Reload the configuration, which takes a while: only a client that could also send a signal may ask for it. */
static void on_reload(void *ctx, const struct http_request *q, struct http_response *r)
{
	const char *dry = http_query(q, "dryRun"), *wait = http_query(q, "wait");

	if (q->peer == HTTP_PEER_NETWORK) {
		api_fail(r, 403, "over the control socket only");
	} else if (dry && strcmp(dry, "All") != 0) {
		api_fail(r, 400, "the parameter 'dryRun' is 'All' or absent");
	} else if (wait && (dry || strcmp(wait, "true") != 0)) {
		api_fail(r, 400, "the parameter 'wait' is 'true', without 'dryRun', or absent");
	} else if (dry) {
		reload_dry_run(ctx, q, r);
	} else if (wait) {
		reload_and_wait(ctx, q, r);
	} else {
		reload_begin(ctx);
		api_reload(r, false);
	}
}

/* ---- routes ---- */

static const struct http_route routes[] = {
	{ "GET", "/", on_overview },
	{ "GET", "/findings/{id}", on_finding_page },
	{ "GET", "/history", on_history_page },
	{ "GET", "/runbook", on_runbook },
	{ "GET", "/style.css", pages_style },
	{ "GET", "/icon.svg", pages_icon },
	{ "GET", "/status.json", on_status },
	{ "GET", "/api/v1/status", on_status },
	{ "GET", "/api/v1/findings", on_findings },
	{ "GET", "/api/v1/findings/{id}", on_finding },
	{ "GET", "/api/v1/history", on_history },
	{ "GET", "/api/v1/history/timeline", on_timeline },
	{ "GET", "/api/v1/releases", on_releases },
	{ "GET", "/api/v1/references", on_references },
	{ "GET", "/api/v1/references/{name}", on_reference },
	{ "POST", "/api/v1/references/{name}/update", on_update },
	{ "POST", "/api/v1/references/{name}/accept", on_accept_revision },
	{ "POST", "/api/v1/references/{name}/pin", on_pin },
	{ "POST", "/api/v1/references/{name}/unpin", on_unpin },
	{ "POST", "/api/v1/references/{name}/rollback", on_roll_back },
	{ "GET", "/api/v1/objects", on_objects },
	{ "GET", "/api/v1/explain", on_explain },
	{ "GET", "/api/v1/words", on_words },
	{ "POST", "/api/v1/reload", on_reload },
	{ "GET", "/api/v1/accepted", on_list_accepted },
	{ "POST", "/api/v1/accepted", on_accept },
	{ "DELETE", "/api/v1/accepted/{id}", on_unaccept },
	{ 0 },
};

int answers_configure(struct app *app, struct web_config *web, struct err *err)
{
	struct answers *a = app->answers;
	char *path = app->options.telemetry_path ? str_dup(str_from(app->options.telemetry_path))
						 : str_dup(app->cfg->telemetry_path);
	const struct http_route open_routes[] = {
		{ "GET", path, on_metrics },
		{ "GET", "/-/healthy", on_healthy },
		{ "GET", "/-/ready", on_ready },
		{ 0 },
	};

	static_assert(sizeof(open_routes) <= sizeof(a->open_routes), "the table of open routes is too short");
	a->site.hosts = app->cfg->allowed_hosts;
	a->site.n_hosts = app->cfg->n_allowed_hosts;
	if (!path)
		return err_nomem(err);
	free(a->metrics_path);
	a->metrics_path = path;
	memcpy(a->open_routes, open_routes, sizeof(open_routes));
	a->site.open_routes = a->open_routes;
	a->site.routes = routes;
	a->site.resources = app->inspecting ? app->inspecting->resources : NULL;
	a->site.ctx = app;
	a->site.web = web;
	return 0;
}

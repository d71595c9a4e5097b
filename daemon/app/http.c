/* What the daemon answers over HTTP. */
#include "daemon/api/api.h"
#include "daemon/app/app_internal.h"
#include "daemon/pages/pages.h"
#include "daemon/serve/metrics.h"

#include <assert.h>
#include <errno.h>

/* ---- answers ---- */

static void what_is_missing(const struct app *app, struct buf *out)
{
	for (size_t i = 0; i < app->n_clusters; i++) {
		const struct cluster *c = app->clusters[i];

		if (*cluster_waits_for(c))
			buf_printf(out, "cluster %.*s: waits for %s\n", STR_ARG(cluster_name(c)), cluster_waits_for(c));
	}
	if (app->n_closing)
		buf_add_cstr(out, "reloading\n");
}

static void open_gaps(const struct app *app, struct buf *out)
{
	const struct finding *x;
	size_t at = 0;

	while ((x = findings_each(app->findings, &at))) {
		if (x->kind == FINDING_GAP)
			buf_printf(out, "gap: cluster %.*s%s%.*s%s%.*s%s%.*s\n", STR_ARG(x->subject.cluster),
				   x->subject.resource.n ? ", " : "", STR_ARG(x->subject.resource),
				   x->subject.namespace.n ? ", namespace " : "", STR_ARG(x->subject.namespace),
				   x->subject.name.n ? ", name " : "", STR_ARG(x->subject.name));
	}
}

/* What the configuration is about in vain: a name may be wrong, or a definition not installed yet. */
static void missing_kinds(const struct app *app, struct buf *out)
{
	for (size_t i = 0; i < app->n_clusters; i++) {
		size_t n;
		struct cluster_kind *const *kinds = cluster_kinds(app->clusters[i], &n);

		for (size_t k = 0; k < n; k++) {
			if (cluster_kind_missing(kinds[k]))
				buf_printf(out, "not served: cluster %.*s, %.*s of %.*s\n",
					   STR_ARG(cluster_name(app->clusters[i])), STR_ARG(kinds[k]->kind->name),
					   STR_ARG(kinds[k]->kind->api_version));
		}
	}
}

/* Latched: who asks wants to know whether the start is over. What is wrong later is a gap, and drift is no matter of
 * readiness. */
static void answer_ready(struct app *app, struct http_response *r)
{
	CLEANUP(buf_done) struct buf missing = BUF_INIT(1u << 20);
	const char *nothing = cfg_nothing(app->cfg);

	what_is_missing(app, &missing);
	app->was_ready |= missing.n == 0 && !missing.error;
	if (!app->was_ready)
		r->status = 503;
	if (app->was_ready)
		buf_add_cstr(&r->body, nothing ? "ready: " : "ready\n");
	if (nothing)
		buf_printf(&r->body, "%s\n", nothing);
	buf_add_str(&r->body, buf_str(&missing));
	open_gaps(app, &r->body);
	app_stuck_steps(app, &r->body);
	missing_kinds(app, &r->body);
}

static void on_ready(void *ctx, const struct http_request *q, struct http_response *r)
{
	(void)q;
	answer_ready(ctx, r);
}

static void on_healthy(void *ctx, const struct http_request *q, struct http_response *r)
{
	(void)ctx;
	(void)q;
	buf_add_cstr(&r->body, "healthy\n");
}

/* What is asked of threads for an answer. */
struct shown_status {
	struct writer_status writer;
	struct leader_status leader;
};

/* @status is filled and borrowed. */
static struct metrics_view view_of(struct app *app, struct shown_status *status)
{
	writer_status(app->writer, &status->writer);
	if (app->leader)
		app_leader_status(app, &status->leader);
	return (struct metrics_view){
		.cfg = app->cfg,
		.clusters = app->clusters,
		.n_clusters = app->n_clusters,
		.findings = app->findings,
		.writer = &status->writer,
		.leader = app->leader ? &status->leader : NULL,
		.inspection = &app->inspecting,
		.turns = &app->turns.durations,
		.per_object_dropped = &app->per_object_dropped,
		.shard = app->options.shard,
		.reloaded_ok = app->reloaded_ok,
		.reloaded_at = app->reloaded_at,
		.started_at = app->started_at,
	};
}

static void on_metrics(void *ctx, const struct http_request *q, struct http_response *r)
{
	struct app *app = ctx;
	const char *accept = http_header(q, "Accept");
	bool openmetrics = accept && strstr(accept, "application/openmetrics-text");
	struct shown_status status;
	struct metrics_view view = view_of(app, &status);

	r->content_type = openmetrics ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
				      : "text/plain; version=0.0.4; charset=utf-8";
	r->compress = true;
	metrics_render(&view, openmetrics, &r->body);
}

static void on_status(void *ctx, const struct http_request *q, struct http_response *r)
{
	struct app *app = ctx;
	struct shown_status status;
	struct metrics_view view = view_of(app, &status);

	(void)q;
	api_status(&view, app->reload_mistakes, r);
}

static void on_findings(void *ctx, const struct http_request *q, struct http_response *r)
{
	struct shown_status status;
	struct metrics_view view = view_of(ctx, &status);

	api_findings(&view, q, r);
}

static void on_finding(void *ctx, const struct http_request *q, struct http_response *r)
{
	struct app *app = ctx;
	struct shown_status status;
	struct metrics_view view = view_of(app, &status);

	api_finding(&view, app->desk, q, r);
}

/* Not for whoever finds the port. */
static bool may_ask_why(const struct http_request *q, struct http_response *r)
{
	if (!q->trusted)
		api_fail(r, 403, "over the control socket, or by who is known by --web.config.file");
	return q->trusted;
}

static void on_objects(void *ctx, const struct http_request *q, struct http_response *r)
{
	struct shown_status status;
	struct metrics_view view = view_of(ctx, &status);

	if (may_ask_why(q, r))
		api_objects(&view, q, r);
}

static void on_explain(void *ctx, const struct http_request *q, struct http_response *r)
{
	struct shown_status status;
	struct metrics_view view = view_of(ctx, &status);

	if (may_ask_why(q, r))
		api_explain(&view, q, r);
}

static void on_list_accepted(void *ctx, const struct http_request *q, struct http_response *r)
{
	if (may_ask_why(q, r))
		app_list_accepted(ctx, q, r);
}

static void on_accept(void *ctx, const struct http_request *q, struct http_response *r)
{
	if (may_ask_why(q, r))
		app_accept(ctx, q, r);
}

static void on_unaccept(void *ctx, const struct http_request *q, struct http_response *r)
{
	if (may_ask_why(q, r))
		app_unaccept(ctx, q, r);
}

/* Reading the configuration takes a while: who may is who could send a signal as well. */
static void on_reload(void *ctx, const struct http_request *q, struct http_response *r)
{
	const char *dry = http_query(q, "dryRun");

	if (q->peer == HTTP_PEER_NETWORK) {
		api_fail(r, 403, "over the control socket only");
	} else if (dry && strcmp(dry, "All") != 0) {
		api_fail(r, 400, "the parameter 'dryRun' is 'All' or absent");
	} else if (dry) {
		app_dry_run(ctx, q, r);
	} else {
		app_reload(ctx);
		r->status = 202;
		r->content_type = "application/json";
		buf_add_cstr(&r->body, "{\"apiVersion\":\"driftd/v1\",\"kind\":\"Reload\"}\n");
	}
}

/* ---- pages ---- */

static struct page_context page_context_of(const struct app *app, const struct metrics_view *view)
{
	return (struct page_context){ view, app->reload_mistakes, app->telemetry_path };
}

static void on_overview(void *ctx, const struct http_request *q, struct http_response *r)
{
	struct shown_status status;
	struct metrics_view view = view_of(ctx, &status);
	struct page_context context = page_context_of(ctx, &view);

	pages_overview(&context, q, r);
}

static void on_finding_page(void *ctx, const struct http_request *q, struct http_response *r)
{
	struct app *app = ctx;
	struct shown_status status;
	struct metrics_view view = view_of(app, &status);
	struct page_context context = page_context_of(app, &view);

	pages_finding(&context, app->desk, q, r);
}

static void on_style(void *ctx, const struct http_request *q, struct http_response *r)
{
	(void)ctx;
	pages_style(q, r);
}

static void on_icon(void *ctx, const struct http_request *q, struct http_response *r)
{
	(void)ctx;
	pages_icon(q, r);
}

/* ---- routes ---- */

/* The configuration says where the metrics are. */
int app_set_routes(struct app *app, struct err *err)
{
	char *path = app->options.telemetry_path ? str_dup(str_from(app->options.telemetry_path))
						 : str_dup(app->cfg->telemetry_path);
	const struct http_route open_routes[] = {
		{ "GET", path, on_metrics },
		{ "GET", "/-/healthy", on_healthy },
		{ "GET", "/-/ready", on_ready },
		{ 0 },
	};
	static const struct http_route routes[] = {
		{ "GET", "/", on_overview },
		{ "GET", "/findings/{id}", on_finding_page },
		{ "GET", "/style.css", on_style },
		{ "GET", "/icon.svg", on_icon },
		{ "GET", "/status.json", on_status },
		{ "GET", "/api/v1/status", on_status },
		{ "GET", "/api/v1/findings", on_findings },
		{ "GET", "/api/v1/findings/{id}", on_finding },
		{ "GET", "/api/v1/objects", on_objects },
		{ "GET", "/api/v1/explain", on_explain },
		{ "POST", "/api/v1/reload", on_reload },
		{ "GET", "/api/v1/accepted", on_list_accepted },
		{ "POST", "/api/v1/accepted", on_accept },
		{ "DELETE", "/api/v1/accepted/{id}", on_unaccept },
		{ 0 },
	};

	static const struct http_resource resources[] = {
		{ INSP_RULES_PATH, app_answer_inspection, INSPECTION_BODY_MAX, true, app_refuse_inspection },
		{ 0 },
	};

	static_assert(sizeof(open_routes) <= sizeof(app->open_routes), "the table of open routes is too short");
	app->web.hosts = app->cfg->allowed_hosts;
	app->web.n_hosts = app->cfg->n_allowed_hosts;
	if (!path)
		return err_nomem(err);
	free(app->telemetry_path);
	app->telemetry_path = path;
	memcpy(app->open_routes, open_routes, sizeof(open_routes));
	app->web.open_routes = app->open_routes;
	app->web.routes = routes;
	app->web.resources = resources;
	app->web.ctx = app;
	app->web.web = app->web_config;
	app->control = app->web;
	return 0;
}

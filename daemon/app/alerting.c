/* When alerts are posted, and by which settings. */
#include "daemon/app/alerting.h"

#include "daemon/alertmanager/alerts.h"
#include "daemon/app/app_internal.h"
#include "daemon/app/leadership.h"
#include "daemon/findings/notice.h"

struct alerting {
	struct alerts *alerts; /* NULL: no alerts are posted */
	bool closing;          /* the previous alerts are being closed */
	uint64_t unsure_ns;    /* uv_hrtime since which this host is not sure that it leads; 0: it is sure */
};

/* How long this host may be unsure whether it leads before it posts nevertheless. Within this time another host
 * leads, unless etcd cannot be reached; then open alerts that nobody posts would end by themselves. */
#define UNSURE_NS (UINT64_C(300) * 1000000000)

/* Whether this host may post alerts. A host that was stopped for longer than its lease learns only a moment after it
 * wakes up that another host leads, and must not post its older alerts in that moment. */
static bool may_post(void *ctx)
{
	const struct app *app = ctx;
	struct alerting *x = app->alerting;
	struct leader_status s;

	if (!app->leadership)
		return true;
	leadership_status(app, &s);
	if (s.reports)
		x->unsure_ns = 0;
	else if (!x->unsure_ns)
		x->unsure_ns = uv_hrtime();
	return s.reports || uv_hrtime() - x->unsure_ns >= UNSURE_NS;
}

static void open_alerts(struct app *app)
{
	struct alerting *x = app->alerting;
	struct err err;

	if (x->alerts || x->closing || app->stopping || !app->cfg->alertmanager.n_urls)
		return;
	if (alerts_new(&(struct alerts_options){ .loop = &app->loop,
						 .pace = &app->pace,
						 .from = &app->cfg->alertmanager,
						 .findings = app->findings,
						 .sink = app->sink,
						 .shard = app->options.shard,
						 .may_post = may_post,
						 .ctx = app },
		       &x->alerts, &err) < 0)
		record_lifecycle(app->sink, MESSAGE_NOTICE, SEVERITY_CRITICAL,
				 "no alerts are posted: alertmanager: %s; reload the configuration", err.msg);
}

static void on_closed(void *ctx)
{
	struct app *app = ctx;

	app->alerting->closing = false;
	open_alerts(app);
}

static void close_alerts(struct app *app)
{
	struct alerting *x = app->alerting;

	x->closing = true;
	alerts_close(TAKE(x->alerts), on_closed, app);
}

void alerting_configure(struct app *app)
{
	if (!app->alerting)
		app->alerting = calloc(1, sizeof(*app->alerting));
	if (!app->alerting) {
		record_lifecycle(app->sink, MESSAGE_NOTICE, SEVERITY_CRITICAL,
				 "no alerts are posted: out of memory; reload the configuration");
		return;
	}
	if (app->alerting->alerts && !alerts_are_of(app->alerting->alerts, &app->cfg->alertmanager))
		close_alerts(app);
	open_alerts(app);
}

void alerting_tick(struct app *app)
{
	if (app->alerting && app->alerting->alerts)
		alerts_tick(app->alerting->alerts, !app->leadership || leadership_reports(app));
}

void alerting_woke(struct app *app)
{
	if (app->alerting && app->alerting->alerts)
		alerts_hurry(app->alerting->alerts);
}

void alerting_stop(struct app *app)
{
	if (app->alerting && app->alerting->alerts)
		close_alerts(app);
}

void alerting_free(struct app *app)
{
	free(app->alerting);
}

const struct alertmanager_status *alerting_views(const struct app *app, size_t *n)
{
	*n = 0;
	return app->alerting && app->alerting->alerts ? alerts_views(app->alerting->alerts, n) : NULL;
}

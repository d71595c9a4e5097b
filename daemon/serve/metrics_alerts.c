/* The metrics of Alertmanagers to which open findings are posted. */
#include "daemon/serve/metrics_internal.h"

#include "daemon/alertmanager/alertmanager_status.h"

/* A family with one sample for each Alertmanager. */
struct alert_family {
	const char *name;
	enum metric_type type;
	const char *help;
	double (*value)(const struct alertmanager_status *v);
	bool of_reporting; /* only on a host that leads: one that follows posts nothing, which is no problem */
};

static double is_up(const struct alertmanager_status *v)
{
	return v->up;
}

static double alerts(const struct alertmanager_status *v)
{
	return (double)v->alerts;
}

static double undelivered(const struct alertmanager_status *v)
{
	return (double)v->undelivered;
}

static double posts(const struct alertmanager_status *v)
{
	return (double)v->posts;
}

static double last_success(const struct alertmanager_status *v)
{
	return (double)v->last_success_usec / 1e6;
}

static void render_failures(struct exposition *e, const struct alertmanager_status *views, size_t n)
{
	exposition_family(e, "driftd_alertmanager_post_failures_total", METRIC_COUNTER,
			  "Requests to an Alertmanager that failed, by what failed.");
	for (size_t i = 0; i < n; i++) {
		for (int f = 0; f < ALERT_FAILURES; f++)
			exposition_sample(e, (double)views[i].failures[f],
					  LABELS({ "alertmanager", views[i].url },
						 { "reason", str_from(alert_failure_name((enum alert_failure)f)) }));
	}
}

void metrics_alerts(struct exposition *e, const struct alertmanager_status *views, size_t n)
{
	static const struct alert_family families[] = {
		{ "driftd_alertmanager_up", METRIC_GAUGE, "1 if the last request to an Alertmanager was answered well.",
		  is_up, true },
		{ "driftd_alertmanager_alerts", METRIC_GAUGE, "Open findings that an Alertmanager has as alerts.",
		  alerts, false },
		{ "driftd_alertmanager_undelivered", METRIC_GAUGE,
		  "Alerts that begin, change or end and that an Alertmanager has not received yet.", undelivered,
		  false },
		{ "driftd_alertmanager_posts_total", METRIC_COUNTER, "Requests with alerts to an Alertmanager.", posts,
		  false },
		{ "driftd_alertmanager_last_success_timestamp_seconds", METRIC_GAUGE,
		  "When an Alertmanager last answered well; 0: never.", last_success, false },
	};

	if (!n)
		return;
	for (size_t i = 0; i < ARRAY_LEN(families); i++) {
		exposition_family(e, families[i].name, families[i].type, families[i].help);
		for (size_t k = 0; k < n; k++) {
			if (views[k].reports || !families[i].of_reporting)
				exposition_sample(e, families[i].value(&views[k]),
						  LABELS({ "alertmanager", views[k].url }));
		}
	}
	render_failures(e, views, n);
}

/* The metrics of references that are published elsewhere and followed. */
#include "daemon/serve/metrics_internal.h"

#include "daemon/serve/source_state.h"

/* A family with one sample for each reference. */
struct source_family {
	const char *name;
	const char *help;
	double (*value)(const struct source_state *v);
};

static double last_fetch(const struct source_state *v)
{
	return v->status ? (double)v->status->attempted : 0;
}

static double last_success(const struct source_state *v)
{
	return v->status ? (double)v->status->succeeded : 0;
}

static double interval(const struct source_state *v)
{
	return (double)v->source->interval_ns / 1e9;
}

static double held(const struct source_state *v)
{
	return v->standing == SOURCE_HELD;
}

/* The revision in force of each reference: by what the source calls it, or else by the name of its folder. */
static void render_revisions(struct exposition *e, const struct source_state *views, size_t n)
{
	exposition_family(e, "driftd_reference_revision_info", METRIC_INFO,
			  "Revisions in force of references that are followed.");
	for (size_t i = 0; i < n; i++) {
		const struct source_state *v = &views[i];

		if (*v->in_force)
			exposition_sample(
				e, 1,
				LABELS({ "reference", v->source->name },
				       { "revision", v->revision ? v->revision->revision : str_from(v->in_force) },
				       { "kind", str_from(source_kind_name(v->source->kind)) }));
	}
}

static void render_standings(struct exposition *e, const struct source_state *views, size_t n)
{
	exposition_family(e, "driftd_reference_standing", METRIC_GAUGE,
			  "1 for the state that a published reference is in.");
	for (size_t i = 0; i < n; i++)
		exposition_sample(e, 1,
				  LABELS({ "reference", views[i].source->name },
					 { "standing", str_from(source_standing_name(views[i].standing)) }));
}

static void render_failures(struct exposition *e, const struct source_state *views, size_t n)
{
	exposition_family(e, "driftd_reference_fetch_failures_total", METRIC_COUNTER,
			  "Attempts to fetch a reference that failed.");
	for (size_t i = 0; i < n; i++) {
		const struct source_status *s = views[i].status;

		for (int f = 0; f < SOURCE_FAILURES; f++)
			exposition_sample(e, s ? (double)s->failures[f] : 0,
					  LABELS({ "reference", views[i].source->name },
						 { "reason", str_from(source_failure_name((enum source_failure)f)) }));
	}
}

void metrics_sources(struct exposition *e, const struct source_state *views, size_t n)
{
	static const struct source_family families[] = {
		{ "driftd_reference_last_fetch_timestamp_seconds", "When fetching was last tried; 0: never.",
		  last_fetch },
		{ "driftd_reference_last_success_timestamp_seconds",
		  "When fetching last succeeded, also where nothing had changed; 0: never.", last_success },
		{ "driftd_reference_interval_seconds",
		  "How often the source is to be looked at; 0: never, it is imported.", interval },
		{ "driftd_reference_held", "1 while a new revision waits for an administrator.", held },
	};

	if (!n)
		return;
	render_revisions(e, views, n);
	render_standings(e, views, n);
	for (size_t i = 0; i < ARRAY_LEN(families); i++) {
		exposition_family(e, families[i].name, METRIC_GAUGE, families[i].help);
		for (size_t k = 0; k < n; k++)
			exposition_sample(e, families[i].value(&views[k]),
					  LABELS({ "reference", views[k].source->name }));
	}
	render_failures(e, views, n);
}

#include "daemon/metrics.h"

#include "cel/cel_rules.h"
#include "daemon/serve/exposition.h"

#include <dirent.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

static const enum severity all_severities[] = { SEVERITY_CRITICAL, SEVERITY_ERROR, SEVERITY_WARNING, SEVERITY_NOTICE,
						SEVERITY_INFO };

/* One family over all clusters: @samples writes those of one. */
static void per_cluster(struct exposition *e, struct app *app, const char *name, enum metric_type type,
			const char *help, void (*samples)(struct exposition *e, struct app *app, struct cluster *c))
{
	exposition_family(e, name, type, help);
	for (size_t i = 0; i < app->n_clusters; i++)
		samples(e, app, app->clusters[i]);
}

#define CLUSTER(c)                                                                                                     \
	{                                                                                                              \
		"kube_cluster", cluster_name(c)                                                                        \
	}

static void single(struct exposition *e, const char *name, enum metric_type type, const char *help, double value)
{
	exposition_family(e, name, type, help);
	exposition_sample(e, value, NULL, 0);
}

/* ---- clusters and watches ---- */

static void up(struct exposition *e, struct app *app, struct cluster *c)
{
	(void)app;
	exposition_sample(e, kc_client_up(cluster_client(c)), LABELS(CLUSTER(c)));
}

static void synced(struct exposition *e, struct app *app, struct cluster *c)
{
	(void)app;
	exposition_sample(e, cluster_synced(c), LABELS(CLUSTER(c)));
}

static void each_watch(struct exposition *e, struct cluster *c, double (*value)(const struct cluster_watch *w))
{
	size_t n;
	const struct cluster_watch *w = cluster_watches(c, &n);

	for (size_t i = 0; i < n; i++)
		exposition_sample(e, value(&w[i]),
				  LABELS(CLUSTER(c), { "resource", str_from(kc_watch_resource(w[i].watch)) }));
}

static double watch_last_sync(const struct cluster_watch *w)
{
	return w->last_sync;
}
static double watch_objects(const struct cluster_watch *w)
{
	return (double)w->kind->objects.n;
}
static double watch_events(const struct cluster_watch *w)
{
	return (double)kc_watch_counters(w->watch)->events;
}
static double watch_oversized(const struct cluster_watch *w)
{
	return (double)kc_watch_counters(w->watch)->oversized;
}
static double watch_bad_data(const struct cluster_watch *w)
{
	return (double)kc_watch_counters(w->watch)->bad_data;
}

static void last_sync(struct exposition *e, struct app *app, struct cluster *c)
{
	(void)app;
	each_watch(e, c, watch_last_sync);
}

static void objects(struct exposition *e, struct app *app, struct cluster *c)
{
	(void)app;
	each_watch(e, c, watch_objects);
}

static void events(struct exposition *e, struct app *app, struct cluster *c)
{
	(void)app;
	each_watch(e, c, watch_events);
}

static void oversized(struct exposition *e, struct app *app, struct cluster *c)
{
	(void)app;
	each_watch(e, c, watch_oversized);
}

static void bad_data(struct exposition *e, struct app *app, struct cluster *c)
{
	(void)app;
	each_watch(e, c, watch_bad_data);
}

static void restarts(struct exposition *e, struct app *app, struct cluster *c)
{
	size_t n;
	const struct cluster_watch *w = cluster_watches(c, &n);

	(void)app;
	for (int r = 0; r < KC_RESTART_REASONS; r++) {
		uint64_t total = 0;

		for (size_t i = 0; i < n; i++)
			total += kc_watch_counters(w[i].watch)->restarts[r];
		exposition_sample(
			e, (double)total,
			LABELS(CLUSTER(c), { "reason", str_from(kc_restart_reason_name((enum kc_restart_reason)r)) }));
	}
}

static void relists(struct exposition *e, struct app *app, struct cluster *c)
{
	size_t n;
	const struct cluster_watch *w = cluster_watches(c, &n);

	(void)app;
	for (int r = 0; r < KC_LIST_REASONS; r++) {
		uint64_t total = 0;

		for (size_t i = 0; i < n; i++)
			total += kc_watch_counters(w[i].watch)->relists[r];
		exposition_sample(
			e, (double)total,
			LABELS(CLUSTER(c), { "reason", str_from(kc_list_reason_name((enum kc_list_reason)r)) }));
	}
}

static void requests(struct exposition *e, struct app *app, struct cluster *c)
{
	const struct kc_counters *k = kc_client_counters(cluster_client(c));

	(void)app;
	for (int v = 0; v < KC_VERBS; v++)
		exposition_sample(e, (double)k->requests[v],
				  LABELS(CLUSTER(c), { "verb", str_from(kc_verb_name((enum kc_verb)v)) }));
}

static void request_failures(struct exposition *e, struct app *app, struct cluster *c)
{
	const struct kc_counters *k = kc_client_counters(cluster_client(c));

	(void)app;
	for (size_t i = 0; i < k->n_failures; i++)
		exposition_sample(e, (double)k->failures[i].n,
				  LABELS(CLUSTER(c), { "verb", str_from(kc_verb_name(k->failures[i].verb)) },
					 { "code", str_from(k->failures[i].code) }));
}

/* ---- verdicts ---- */

/* Findings of one cluster by severity; with @oldest also the earliest beginning of each (Unix seconds; 0: none). */
static void count_findings(struct app *app, str cluster, enum finding_kind kind, double counts[8], double oldest[8])
{
	const struct finding *x;
	size_t at = 0;

	while ((x = findings_each(app->findings, &at))) {
		double since = (double)x->first_seen_usec / 1e6;

		if (x->kind != kind || !str_eq(x->subject.cluster, cluster))
			continue;
		counts[x->severity]++;
		if (oldest && (oldest[x->severity] == 0 || since < oldest[x->severity]))
			oldest[x->severity] = since;
	}
}

static void drifted(struct exposition *e, struct app *app, struct cluster *c)
{
	double counts[8] = { 0 };

	count_findings(app, cluster_name(c), FINDING_DRIFT, counts, NULL);
	for (size_t i = 0; i < ARRAY_LEN(all_severities); i++)
		exposition_sample(e, counts[all_severities[i]],
				  LABELS(CLUSTER(c), { "severity", str_from(severity_name(all_severities[i])) }));
}

/* Only what exists: an age computed from 0 would be an alert for nothing. */
static void oldest_drift(struct exposition *e, struct app *app, struct cluster *c)
{
	double counts[8] = { 0 }, oldest[8] = { 0 };

	count_findings(app, cluster_name(c), FINDING_DRIFT, counts, oldest);
	for (size_t i = 0; i < ARRAY_LEN(all_severities); i++) {
		if (counts[all_severities[i]] > 0)
			exposition_sample(
				e, oldest[all_severities[i]],
				LABELS(CLUSTER(c), { "severity", str_from(severity_name(all_severities[i])) }));
	}
}

static double findings_of(struct app *app, struct cluster *c, enum finding_kind kind)
{
	double counts[8] = { 0 }, total = 0;

	count_findings(app, cluster_name(c), kind, counts, NULL);
	for (size_t i = 0; i < ARRAY_LEN(counts); i++)
		total += counts[i];
	return total;
}

/* Rules that cannot be evaluated are errors too, but no objects: driftd_validation_rules_invalid has them. */
static void errors_current(struct exposition *e, struct app *app, struct cluster *c)
{
	const struct finding *x;
	size_t at = 0, n = 0;

	while ((x = findings_each(app->findings, &at)))
		n += x->kind == FINDING_ERROR && x->subject.rule.n == 0 && str_eq(x->subject.cluster, cluster_name(c));
	exposition_sample(e, (double)n, LABELS(CLUSTER(c)));
}

static void validation_failures(struct exposition *e, struct app *app, struct cluster *c)
{
	size_t counts[SOURCES][CEL_DUPLICATE + 1] = { 0 }, at = 0;
	const struct finding *x;

	while ((x = findings_each(app->findings, &at))) {
		size_t s = str_eq(x->subject.rule_source, STR(RULE_SOURCE_CRD)) ? SOURCE_CRD : SOURCE_FILE, r = 0;

		if (x->kind != FINDING_VALIDATION || !str_eq(x->subject.cluster, cluster_name(c)))
			continue;
		while (r < CEL_DUPLICATE && !str_eq(x->subject.reason, str_from(cel_reason_name((enum cel_reason)r))))
			r++;
		counts[s][r]++;
	}
	for (size_t s = 0; s < SOURCES; s++) {
		for (size_t r = 0; r <= CEL_DUPLICATE; r++)
			exposition_sample(e, (double)counts[s][r],
					  LABELS(CLUSTER(c),
						 { "source", str_from(rule_source_name((enum rule_source)s)) },
						 { "reason", str_from(cel_reason_name((enum cel_reason)r)) }));
	}
}

static void each_source(struct exposition *e, struct cluster *c, const size_t counts[SOURCES])
{
	for (size_t s = 0; s < SOURCES; s++)
		exposition_sample(e, (double)counts[s],
				  LABELS(CLUSTER(c), { "source", str_from(rule_source_name((enum rule_source)s)) }));
}

static void validation_rules(struct exposition *e, struct app *app, struct cluster *c)
{
	struct validator_facts f = validator_facts(cluster_validator(c));

	(void)app;
	each_source(e, c, f.rules);
}

static void validation_rules_invalid(struct exposition *e, struct app *app, struct cluster *c)
{
	struct validator_facts f = validator_facts(cluster_validator(c));

	(void)app;
	each_source(e, c, f.invalid);
}

static void validation_evaluations(struct exposition *e, struct app *app, struct cluster *c)
{
	(void)app;
	exposition_sample(e, (double)validator_facts(cluster_validator(c)).evaluations, LABELS(CLUSTER(c)));
}

static void gaps(struct exposition *e, struct app *app, struct cluster *c)
{
	exposition_sample(e, findings_of(app, c, FINDING_GAP), LABELS(CLUSTER(c)));
}

static void unmatched(struct exposition *e, struct app *app, struct cluster *c)
{
	size_t n, total = 0;
	const struct follower *f = cluster_followers(c, &n);

	(void)app;
	for (size_t i = 0; i < n; i++)
		total += f[i].states[VERDICT_UNMATCHED];
	exposition_sample(e, (double)total, LABELS(CLUSTER(c)));
}

static bool unsatisfied(struct app *app, str cluster, str reference, str component)
{
	const struct finding *x;
	size_t at = 0;

	while ((x = findings_each(app->findings, &at))) {
		if (x->kind == FINDING_COMPONENT && str_eq(x->subject.cluster, cluster) &&
		    str_eq(x->subject.reference, reference) && str_eq(x->subject.component, component))
			return true;
	}
	return false;
}

static void components(struct exposition *e, struct app *app, struct cluster *c)
{
	CLEANUP(strmap_done) struct strmap seen = { 0 };
	size_t n;
	const struct follower *f = cluster_followers(c, &n);

	for (size_t i = 0; i < n; i++) {
		const struct reference *r = f[i].reference->reference;

		for (size_t p = 0; p < r->n_parts; p++) {
			for (size_t k = 0; k < r->parts[p].n_components; k++) {
				str name = r->parts[p].components[k].name;

				/* Parts and references may use one name twice; a series may not. */
				if (strmap_has(&seen, name) || !strmap_put(&seen, name, NULL, NULL))
					continue;
				exposition_sample(e, unsatisfied(app, cluster_name(c), f[i].reference->name, name),
						  LABELS(CLUSTER(c), { "component", name }));
			}
		}
	}
}

static void transitions(struct exposition *e, struct app *app, struct cluster *c)
{
	static const char *const names[TRANSITIONS] = { "begin", "change", "end" };
	const struct finding_counters *k = findings_counters(app->findings, cluster_name(c));

	for (int t = 0; k && t < TRANSITIONS; t++) {
		for (size_t i = 0; i < ARRAY_LEN(all_severities); i++)
			exposition_sample(e, (double)k->transitions[t][all_severities[i]],
					  LABELS(CLUSTER(c), { "transition", str_from(names[t]) },
						 { "severity", str_from(severity_name(all_severities[i])) }));
	}
}

struct totals {
	double evaluations, skipped, failures, queue;
	struct histogram duration;
};

static struct totals add_up(struct app *app)
{
	struct totals t = { 0 };

	for (size_t i = 0; i < app->n_clusters; i++) {
		size_t n;
		const struct follower *f = cluster_followers(app->clusters[i], &n);

		t.queue += (double)cluster_queue_length(app->clusters[i]);
		for (size_t k = 0; k < n; k++) {
			t.evaluations += (double)f[k].counters.evaluations;
			t.skipped += (double)f[k].counters.skipped_unchanged;
			t.failures += (double)f[k].counters.failures;
			t.duration.sum_ns += f[k].counters.duration.sum_ns;
			for (int b = 0; b <= HISTOGRAM_BUCKETS; b++)
				t.duration.buckets[b] += f[k].counters.duration.buckets[b];
		}
	}
	return t;
}

static void render_evaluation(struct exposition *e, struct app *app)
{
	struct totals t = add_up(app);

	single(e, "driftd_queue_length", METRIC_GAUGE, "Objects that wait for their verdict.", t.queue);
	single(e, "driftd_evaluations_total", METRIC_COUNTER, "Verdicts computed.", t.evaluations);
	exposition_family(e, "driftd_evaluations_skipped_total", METRIC_COUNTER, "Updates that needed no verdict.");
	exposition_sample(e, t.skipped, LABELS({ "reason", STR("unchanged") }));
	single(e, "driftd_evaluation_failures_total", METRIC_COUNTER, "Objects that could not be judged.", t.failures);
	exposition_family(e, "driftd_evaluation_duration_seconds", METRIC_HISTOGRAM, "Time that a verdict took.");
	exposition_histogram(e, &t.duration);
	exposition_family(e, "driftd_detection_latency_seconds", METRIC_HISTOGRAM,
			  "Time from the last byte of an event read to its record written.");
	exposition_histogram(e, &app->latency);
}

static void render_clusters(struct exposition *e, struct app *app)
{
	per_cluster(e, app, "driftd_cluster_up", METRIC_GAUGE, "1 while the API server answers.", up);
	per_cluster(e, app, "driftd_cluster_synced", METRIC_GAUGE, "1 once everything was listed and judged.", synced);
	per_cluster(e, app, "driftd_cluster_last_sync_timestamp_seconds", METRIC_GAUGE,
		    "When the last complete list of the resource was read; 0: never.", last_sync);
	per_cluster(e, app, "driftd_objects", METRIC_GAUGE, "Objects known.", objects);
	per_cluster(e, app, "driftd_objects_drifted", METRIC_GAUGE, "Objects that differ from their reference.",
		    drifted);
	per_cluster(e, app, "driftd_objects_unmatched", METRIC_GAUGE,
		    "Objects of watched kinds that no template is for.", unmatched);
	per_cluster(e, app, "driftd_evaluation_errors_current", METRIC_GAUGE, "Objects that cannot be judged.",
		    errors_current);
	per_cluster(e, app, "driftd_watch_gaps_current", METRIC_GAUGE, "Clusters or kinds that cannot be watched.",
		    gaps);
	per_cluster(e, app, "driftd_components_unsatisfied", METRIC_GAUGE, "1 while the component is not satisfied.",
		    components);
	per_cluster(e, app, "driftd_validation_failures_current", METRIC_GAUGE,
		    "Validation rules that objects do not pass.", validation_failures);
	per_cluster(e, app, "driftd_validation_rules", METRIC_GAUGE, "Validation rules in force.", validation_rules);
	per_cluster(e, app, "driftd_validation_rules_invalid", METRIC_GAUGE, "Validation rules that do not compile.",
		    validation_rules_invalid);
	per_cluster(e, app, "driftd_validation_evaluations_total", METRIC_COUNTER, "Validation expressions evaluated.",
		    validation_evaluations);
	per_cluster(e, app, "driftd_oldest_drift_timestamp_seconds", METRIC_GAUGE, "When the oldest open drift began.",
		    oldest_drift);
	per_cluster(e, app, "driftd_drift_transitions_total", METRIC_COUNTER, "Findings that began, changed or ended.",
		    transitions);
	per_cluster(e, app, "driftd_kube_requests_total", METRIC_COUNTER, "Requests to the API server.", requests);
	per_cluster(e, app, "driftd_kube_request_failures_total", METRIC_COUNTER, "Requests that failed.",
		    request_failures);
	per_cluster(e, app, "driftd_watch_events_total", METRIC_COUNTER, "Watch events read, without bookmarks.",
		    events);
	per_cluster(e, app, "driftd_watch_restarts_total", METRIC_COUNTER, "Watches resumed.", restarts);
	per_cluster(e, app, "driftd_relists_total", METRIC_COUNTER, "Lists taken, the first one included.", relists);
	per_cluster(e, app, "driftd_objects_oversized_total", METRIC_COUNTER, "Objects skipped for their size.",
		    oversized);
	per_cluster(e, app, "driftd_watch_bad_data_total", METRIC_COUNTER,
		    "Answers of the server that could not be read.", bad_data);
}

/* ---- the daemon itself ---- */

static void render_config(struct exposition *e, struct app *app)
{
	exposition_family(e, "driftd_build_info", METRIC_INFO, "The build.");
	exposition_sample(e, 1,
			  LABELS({ "version", STR(DRIFTD_VERSION) }, { "revision", STR(DRIFTD_REVISION) },
				 { "compiler", STR("C " __VERSION__) }));
	single(e, "driftd_config_last_reload_successful", METRIC_GAUGE,
	       "1 if the last load of the configuration succeeded.", app->reloaded_ok);
	single(e, "driftd_config_last_reload_success_timestamp_seconds", METRIC_GAUGE,
	       "When the configuration in force was loaded.", app->reloaded_at);
	exposition_family(e, "driftd_reference_info", METRIC_INFO, "References in force.");
	for (size_t i = 0; i < app->cfg->n_references; i++)
		exposition_sample(e, 1,
				  LABELS({ "reference", app->cfg->references[i].name },
					 { "hash", str_from(app->cfg->references[i].reference->hash) }));
}

static void render_journal(struct exposition *e, struct app *app)
{
	const struct sink_counters *s = sink_counters(app->sink);

	exposition_family(e, "driftd_journal_records_total", METRIC_COUNTER, "Records written, by syslog priority.");
	for (int p = 0; p < 8; p++) {
		char priority[2] = { (char)('0' + p), '\0' };

		exposition_sample(e, (double)s->records[p], LABELS({ "priority", str_from(priority) }));
	}
	single(e, "driftd_journal_write_failures_total", METRIC_COUNTER, "Records that could not be written.",
	       (double)s->write_failures);
	exposition_family(e, "driftd_journal_records_suppressed_total", METRIC_COUNTER,
			  "Records not written, by reason.");
	exposition_sample(e, (double)findings_suppressed(app->findings), LABELS({ "reason", STR("storm") }));
}

static double open_files(void)
{
	DIR *dir = opendir("/proc/self/fd");
	double n = -3; /* ".", ".." and the folder's own */

	while (dir && readdir(dir))
		n++;
	if (dir)
		closedir(dir);
	return n < 0 ? 0 : n;
}

static void render_process(struct exposition *e, const struct app *app)
{
	struct rusage usage = { 0 };
	struct rlimit files = { 0 };
	unsigned long pages = 0, resident = 0;
	FILE *f = fopen("/proc/self/statm", "re");

	if (f && fscanf(f, "%lu %lu", &pages, &resident) != 2)
		pages = resident = 0;
	if (f)
		fclose(f);
	getrusage(RUSAGE_SELF, &usage);
	getrlimit(RLIMIT_NOFILE, &files);
	single(e, "process_start_time_seconds", METRIC_GAUGE, "Start time of the process since the Unix epoch.",
	       app->started_at);
	single(e, "process_cpu_seconds_total", METRIC_COUNTER, "User and system CPU time spent.",
	       (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
		       (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6);
	single(e, "process_resident_memory_bytes", METRIC_GAUGE, "Resident memory.",
	       (double)resident * (double)sysconf(_SC_PAGESIZE));
	single(e, "process_virtual_memory_bytes", METRIC_GAUGE, "Virtual memory.",
	       (double)pages * (double)sysconf(_SC_PAGESIZE));
	single(e, "process_open_fds", METRIC_GAUGE, "Open file descriptors.", open_files());
	single(e, "process_max_fds", METRIC_GAUGE, "Limit of open file descriptors.", (double)files.rlim_cur);
}

void metrics_render(struct app *app, bool openmetrics, struct buf *out)
{
	struct exposition e = { .out = out, .openmetrics = openmetrics };

	render_config(&e, app);
	render_clusters(&e, app);
	render_evaluation(&e, app);
	render_journal(&e, app);
	render_process(&e, app);
	exposition_end(&e);
}

/* Defines all families of metrics but those of the process. */
#include "daemon/serve/metrics.h"

#include "base/assert.h"
#include "config/part.h"
#include "daemon/findings/clock.h"
#include "daemon/serve/exposition.h"
#include "daemon/serve/metrics_internal.h"
#include "rules/event_review.h"

#include <math.h>

static const enum severity all_severities[] = { SEVERITY_CRITICAL, SEVERITY_ERROR, SEVERITY_WARNING, SEVERITY_NOTICE,
						SEVERITY_INFO };

/* What a sample is about. */
struct point {
	const struct metrics_view *view;
	struct cluster *c; /* NULL: it is about no cluster */
	size_t i;          /* index in the words of an axis */
};

/* A label, and its possible values. */
struct axis {
	const char *label;
	size_t n;
	const char *(*word)(size_t i);
};

/* A family with samples for each cluster. */
struct family {
	const char *name;
	enum metric_type type;
	const char *help;
	const struct axis *along;               /* NULL: one sample only */
	double (*value)(const struct point *p); /* NAN: there is no such sample */
	/* writes the samples instead of @value */
	void (*samples)(struct exposition *e, const struct metrics_view *view, struct cluster *c);
};

#define CLUSTER(c)                                                                                                     \
	{                                                                                                              \
		"kube_cluster", cluster_name(c)                                                                        \
	}

/* The value of a family is @of the point p, and the words of an axis are @of i. */
#define VALUE(name, of)                                                                                                \
	static double name(const struct point *p)                                                                      \
	{                                                                                                              \
		return (double)(of);                                                                                   \
	}
#define AXIS(name, label, n, of)                                                                                       \
	static const char *name##_word(size_t i)                                                                       \
	{                                                                                                              \
		return (of);                                                                                           \
	}                                                                                                              \
	static const struct axis name = { label, n, name##_word };

AXIS(by_severity, "severity", ARRAY_LEN(all_severities), severity_name(all_severities[i]))
AXIS(by_verb, "verb", KC_VERBS, kc_verb_name((enum kc_verb)i))
AXIS(by_restart, "reason", KC_RESTART_REASONS, kc_restart_reason_name((enum kc_restart_reason)i))
AXIS(by_list, "reason", KC_LIST_REASONS, kc_list_reason_name((enum kc_list_reason)i))
AXIS(by_source, "source", RULE_SOURCES, rule_source_name((enum rule_source)i))
AXIS(by_outcome, "outcome", ARRIVAL_OUTCOMES, arrival_outcome_name((enum arrival_outcome)i))
AXIS(by_step, "step", STORE_STEPS, step_name((enum store_step)i))

static void render_point(struct exposition *e, const struct axis *along, double value, const struct point *p)
{
	str word = along ? str_from(along->word(p->i)) : STR("");

	if (isnan(value))
		return;
	if (along && p->c)
		exposition_sample(e, value, LABELS(CLUSTER(p->c), { along->label, word }));
	else if (p->c)
		exposition_sample(e, value, LABELS(CLUSTER(p->c)));
	else
		exposition_sample(e, value, LABELS({ along->label, word }));
}

/* Write the samples of @f for @c, which is NULL if the family is not about clusters. */
static void render_samples(struct exposition *e, const struct metrics_view *view, const struct family *f,
			   struct cluster *c)
{
	struct point p = { .view = view, .c = c };

	if (f->samples)
		f->samples(e, view, c);
	for (; !f->samples && p.i < (f->along ? f->along->n : 1); p.i++)
		render_point(e, f->along, f->value(&p), &p);
}

/* ---- clusters and watches ---- */

VALUE(up, cluster_up(p->c))
VALUE(synced, cluster_synced(p->c))
VALUE(evidence, (double)cluster_evidence_usec(p->c) / 1e6)

/* A family with one sample for each resource. */
struct resource_family {
	const char *name;
	enum metric_type type;
	const char *help;
	double (*value)(const struct cluster_kind *k);
	double (*join)(double a, double b); /* joins the values of two versions of a resource */
};

static double sum(double a, double b)
{
	return a + b;
}

static double resource_last_sync(const struct cluster_kind *k)
{
	double oldest = k->watches[0].last_sync;

	for (size_t i = 1; i < k->n_watches; i++)
		oldest = fmin(oldest, k->watches[i].last_sync);
	return oldest;
}

static double resource_objects(const struct cluster_kind *k)
{
	return (double)(k->kind->objects.n - k->kind->n_foreign);
}

#define SUM_OF_WATCHES(name, member)                                                                                   \
	static double name(const struct cluster_kind *k)                                                               \
	{                                                                                                              \
		uint64_t total = 0;                                                                                    \
                                                                                                                       \
		for (size_t i = 0; i < k->n_watches; i++)                                                              \
			total += cluster_watch_counters(&k->watches[i])->member;                                       \
		return (double)total;                                                                                  \
	}

SUM_OF_WATCHES(resource_events, events)
SUM_OF_WATCHES(resource_oversized, oversized)
SUM_OF_WATCHES(resource_bad_data, bad_data)

static bool is_shown(const struct cluster_kind *k)
{
	return k->kept && k->n_watches;
}

/* Whether an earlier one of the kinds, up to @n, has the same resource in another version, and so its sample. */
static bool has_sample(struct cluster_kind *const *kinds, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (is_shown(kinds[i]) && str_eq(kinds[i]->kind->resource, kinds[n]->kind->resource))
			return true;
	}
	return false;
}

static void render_resources_of(struct exposition *e, struct cluster *c, const struct resource_family *f)
{
	size_t n;
	struct cluster_kind *const *kinds = cluster_kinds(c, &n);

	for (size_t k = 0; k < n; k++) {
		str resource = kinds[k]->kind->resource;
		double value;

		if (!is_shown(kinds[k]) || has_sample(kinds, k))
			continue;
		value = f->value(kinds[k]);
		for (size_t o = k + 1; o < n; o++) {
			if (is_shown(kinds[o]) && str_eq(kinds[o]->kind->resource, resource))
				value = f->join(value, f->value(kinds[o]));
		}
		exposition_sample(e, value, LABELS(CLUSTER(c), { "resource", resource }));
	}
}

static void render_resources(struct exposition *e, const struct metrics_view *view)
{
	static const struct resource_family families[] = {
		{ "driftd_cluster_last_sync_timestamp_seconds", METRIC_GAUGE,
		  "When the last complete list of the resource was read; 0: never.", resource_last_sync, fmin },
		{ "driftd_objects", METRIC_GAUGE, "Objects known.", resource_objects, fmax },
		{ "driftd_watch_events_total", METRIC_COUNTER, "Watch events read, without bookmarks.", resource_events,
		  sum },
		{ "driftd_objects_oversized_total", METRIC_COUNTER, "Objects skipped for their size.",
		  resource_oversized, sum },
		{ "driftd_watch_bad_data_total", METRIC_COUNTER, "Answers of the server that could not be read.",
		  resource_bad_data, sum },
	};

	for (size_t i = 0; i < ARRAY_LEN(families); i++) {
		exposition_family(e, families[i].name, families[i].type, families[i].help);
		for (size_t c = 0; c < view->n_clusters; c++)
			render_resources_of(e, view->clusters[c], &families[i]);
	}
}

/* The sum over all watches of the cluster; @offset: in kc_watch_counters. */
static uint64_t count_watches(const struct cluster *c, size_t offset)
{
	size_t n;
	struct cluster_kind *const *kinds = cluster_kinds(c, &n);
	uint64_t total = 0;

	for (size_t k = 0; k < n; k++) {
		for (size_t i = 0; i < kinds[k]->n_watches; i++)
			total += *(const uint64_t *)((const char *)cluster_watch_counters(&kinds[k]->watches[i]) +
						     offset);
	}
	return total;
}

VALUE(restarts, count_watches(p->c, offsetof(struct kc_watch_counters, restarts[p->i])))
VALUE(relists, count_watches(p->c, offsetof(struct kc_watch_counters, relists[p->i])))
VALUE(requests, cluster_requests(p->c)->requests[p->i])
VALUE(answers, cluster_requests(p->c)->answers[p->i])
VALUE(answer_seconds, (double)cluster_requests(p->c)->answer_ns[p->i] / 1e9)

static void request_failures(struct exposition *e, const struct metrics_view *view, struct cluster *c)
{
	const struct kc_counters *k = cluster_requests(c);

	(void)view;
	for (size_t i = 0; i < k->n_failures; i++)
		exposition_sample(e, (double)k->failures[i].n,
				  LABELS(CLUSTER(c), { "verb", str_from(kc_verb_name(k->failures[i].verb)) },
					 { "code", str_from(k->failures[i].code) }));
}

/* ---- verdicts ---- */

static const struct finding_counters *counters_of(const struct metrics_view *view, const struct cluster *c)
{
	static const struct finding_counters none;
	const struct finding_counters *k = findings_counters(view->findings, cluster_name(c));

	return k ? k : &none;
}

#define COUNTERS (counters_of(p->view, p->c))
#define RULES (rule_judge_facts(cluster_rule_judge(p->c)))

VALUE(drifted, COUNTERS->open[FINDING_DRIFT][all_severities[p->i]])
VALUE(inspection_failures, COUNTERS->open[FINDING_INSPECTION][all_severities[p->i]])
VALUE(accepted, findings_open(COUNTERS, FINDING_ACCEPTED))
VALUE(gaps, findings_open(COUNTERS, FINDING_GAP))
/* Rules that cannot be evaluated are errors too, but no objects: driftd_rule_errors_current has them. */
VALUE(errors_current, findings_open(COUNTERS, FINDING_ERROR) - COUNTERS->rule_errors)
VALUE(rule_errors, COUNTERS->rule_errors)
VALUE(flapping, COUNTERS->flapping)
VALUE(flapping_changes, COUNTERS->flaps)
VALUE(validation_rules, RULES.rules[p->i])
VALUE(validation_rules_invalid, RULES.invalid[p->i])
VALUE(validation_evaluations, RULES.evaluations)
VALUE(failures_counted_only, RULES.counted_only)

/* Only what exists: an age computed from 0 would be an alert for nothing. */
static double oldest_drift(const struct point *p)
{
	const struct finding *x = TAILQ_FIRST(&COUNTERS->drifts[all_severities[p->i]]);

	return x ? (double)x->first_seen_usec / 1e6 : (double)NAN;
}

static void failures_of(struct exposition *e, const struct cluster *c, size_t source, size_t reason,
			const size_t counts[8])
{
	for (size_t i = 0; i < ARRAY_LEN(all_severities); i++)
		exposition_sample(e, (double)counts[all_severities[i]],
				  LABELS(CLUSTER(c), { "source", str_from(rule_source_name((enum rule_source)source)) },
					 { "reason", str_from(cel_reason_name((enum cel_reason)reason)) },
					 { "severity", str_from(severity_name(all_severities[i])) }));
}

static void validation_failures(struct exposition *e, const struct metrics_view *view, struct cluster *c)
{
	for (size_t s = 0; s < RULE_SOURCES; s++) {
		for (size_t r = 0; r < CEL_REASONS; r++)
			failures_of(e, c, s, r, counters_of(view, c)->failures[s][r]);
	}
}

static double kinds_missing(const struct point *p)
{
	size_t n, missing = 0;
	struct cluster_kind *const *kinds = cluster_kinds(p->c, &n);

	for (size_t i = 0; i < n; i++)
		missing += cluster_kind_missing(kinds[i]);
	return (double)missing;
}

static double unmatched(const struct point *p)
{
	size_t n, total = 0;
	const struct reference_judge *f = cluster_judges(p->c, &n);

	for (size_t i = 0; i < n; i++)
		total += f[i].states[VERDICT_UNMATCHED];
	return (double)total;
}

static void component(struct exposition *e, const struct metrics_view *view, struct cluster *c,
		      const struct reference_judge *j, str part, str name)
{
	const struct cfg_reference *r = j->reference;
	const struct finding_subject s = {
		.cluster = cluster_name(c), .reference = r->name, .part = part, .component = name
	};
	bool unsatisfied = findings_get(view->findings, FINDING_COMPONENT, &s) != NULL;
	enum severity severity = cfg_severity(r, name);

	exposition_sample(e, unsatisfied,
			  LABELS(CLUSTER(c), { "reference", r->name }, { "part", part }, { "component", name },
				 { "severity", str_from(severity_name(severity)) }));
}

/* Two components of a part may have one name; a series may not. */
static bool named_before(const struct ref_part *p, size_t k)
{
	for (size_t i = 0; i < k; i++) {
		if (str_eq(p->components[i].name, p->components[k].name))
			return true;
	}
	return false;
}

static void components(struct exposition *e, const struct metrics_view *view, struct cluster *c)
{
	size_t n;
	const struct reference_judge *f = cluster_judges(c, &n);

	for (size_t i = 0; i < n; i++) {
		const struct reference *r = f[i].in_force;

		for (size_t p = 0; p < r->n_parts; p++) {
			for (size_t k = 0; k < r->parts[p].n_components; k++) {
				const struct ref_component *x = &r->parts[p].components[k];

				if (!named_before(&r->parts[p], k) && reference_judge_reports(&f[i], &r->parts[p], x))
					component(e, view, c, &f[i], r->parts[p].name, r->parts[p].components[k].name);
			}
		}
	}
}

static void transitions(struct exposition *e, const struct metrics_view *view, struct cluster *c)
{
	const struct finding_counters *k = findings_counters(view->findings, cluster_name(c));

	for (int t = 0; k && t < TRANSITIONS; t++) {
		for (size_t i = 0; i < ARRAY_LEN(all_severities); i++)
			exposition_sample(e, (double)k->transitions[t][all_severities[i]],
					  LABELS(CLUSTER(c), { "transition", str_from(transition_names[t]) },
						 { "severity", str_from(severity_name(all_severities[i])) }));
	}
}

struct totals {
	double evaluations, skipped, failures, queue;
	struct histogram duration;
};

static struct totals add_up(const struct metrics_view *view)
{
	struct totals t = { 0 };

	for (size_t i = 0; i < view->n_clusters; i++) {
		size_t n;
		const struct reference_judge *f = cluster_judges(view->clusters[i], &n);

		t.queue += (double)cluster_queue_length(view->clusters[i]);
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

VALUE(arrivals, cluster_arrivals(p->c, (enum arrival_outcome)p->i))

static void render_families(struct exposition *e, const struct metrics_view *view, const struct family *f, size_t n)
{
	for (; n-- > 0; f++) {
		exposition_family(e, f->name, f->type, f->help);
		for (size_t c = 0; c < view->n_clusters; c++)
			render_samples(e, view, f, view->clusters[c]);
	}
}

static void render_evaluation(struct exposition *e, const struct metrics_view *view)
{
	static const struct family by_arrival = { "driftd_arrivals_total", METRIC_COUNTER,
						  "Objects that watches reported, by outcome.", .along = &by_outcome,
						  .value = arrivals };
	struct totals t = add_up(view);

	render_families(e, view, &by_arrival, 1);
	exposition_single(e, "driftd_queue_length", METRIC_GAUGE, "Objects that wait for their verdict.", t.queue);
	exposition_single(e, "driftd_evaluations_total", METRIC_COUNTER, "Verdicts computed.", t.evaluations);
	exposition_family(e, "driftd_evaluations_skipped_total", METRIC_COUNTER, "Updates that needed no verdict.");
	exposition_sample(e, t.skipped, LABELS({ "reason", STR("unchanged") }));
	exposition_single(e, "driftd_evaluation_failures_total", METRIC_COUNTER, "Objects that could not be judged.",
			  t.failures);
	exposition_family(e, "driftd_evaluation_duration_seconds", METRIC_HISTOGRAM, "Time that a verdict took.");
	exposition_histogram(e, &t.duration);
	exposition_family(e, "driftd_detection_latency_seconds", METRIC_HISTOGRAM,
			  "Time from the last byte of an event read to its record written.");
	exposition_histogram(e, &view->writer->latency);
	if (!view->turns)
		return;
	exposition_family(e, "driftd_loop_turn_seconds", METRIC_HISTOGRAM,
			  "Time between two waits of the loop for events, in which nothing else is served.");
	exposition_histogram(e, view->turns);
}

static void render_clusters(struct exposition *e, const struct metrics_view *view)
{
	static const struct family families[] = {
		{ "driftd_cluster_up", METRIC_GAUGE, "1 while the API server answers.", .value = up },
		{ "driftd_cluster_synced", METRIC_GAUGE,
		  "1 while every kind is listed or known to be absent, judged, and proved to be watched.",
		  .value = synced },
		{ "driftd_cluster_evidence_timestamp_seconds", METRIC_GAUGE,
		  "When the watch that was proved longest ago was proved to work.", .value = evidence },
		{ "driftd_objects_drifted", METRIC_GAUGE, "Objects that differ from their reference.",
		  .along = &by_severity, .value = drifted },
		{ "driftd_objects_unmatched", METRIC_GAUGE, "Objects of watched kinds that no template is for.",
		  .value = unmatched },
		{ "driftd_evaluation_errors_current", METRIC_GAUGE, "Objects that cannot be judged.",
		  .value = errors_current },
		{ "driftd_rule_errors_current", METRIC_GAUGE, "Rules that do not compile, or cost too much.",
		  .value = rule_errors },
		{ "driftd_kinds_missing", METRIC_GAUGE,
		  "Kinds that references or rules name and the server does not have.", .value = kinds_missing },
		{ "driftd_accepted_deviations", METRIC_GAUGE,
		  "Objects and components that deviate from their reference, accepted by somebody.",
		  .value = accepted },
		{ "driftd_inspection_failures_current", METRIC_GAUGE, "Objects whose inspection failed.",
		  .along = &by_severity, .value = inspection_failures },
		{ "driftd_watch_gaps_current", METRIC_GAUGE, "Clusters or kinds that cannot be watched.",
		  .value = gaps },
		{ "driftd_components_unsatisfied", METRIC_GAUGE, "1 while the component is not satisfied.",
		  .samples = components },
		{ "driftd_validation_failures_current", METRIC_GAUGE, "Validation rules that objects do not pass.",
		  .samples = validation_failures },
		{ "driftd_validation_failures_counted_only", METRIC_GAUGE,
		  "Failures of an object beyond those that are reported one by one.", .value = failures_counted_only },
		{ "driftd_validation_rules", METRIC_GAUGE, "Validation rules in force.", .along = &by_source,
		  .value = validation_rules },
		{ "driftd_validation_rules_invalid", METRIC_GAUGE, "Validation rules that do not compile.",
		  .along = &by_source, .value = validation_rules_invalid },
		{ "driftd_validation_evaluations_total", METRIC_COUNTER, "Validation expressions evaluated.",
		  .value = validation_evaluations },
		{ "driftd_oldest_drift_timestamp_seconds", METRIC_GAUGE, "When the oldest open drift began.",
		  .along = &by_severity, .value = oldest_drift },
		{ "driftd_drift_transitions_total", METRIC_COUNTER, "Findings that began, changed or ended.",
		  .samples = transitions },
		{ "driftd_findings_flapping", METRIC_GAUGE, "Findings that flap, open or dormant.", .value = flapping },
		{ "driftd_flapping_changes_total", METRIC_COUNTER,
		  "Changes of flapping findings that were counted, not reported.", .value = flapping_changes },
		{ "driftd_kube_requests_total", METRIC_COUNTER, "Requests to the API server.", .along = &by_verb,
		  .value = requests },
		{ "driftd_kube_answers_total", METRIC_COUNTER, "Requests of which an answer has begun.",
		  .along = &by_verb, .value = answers },
		{ "driftd_kube_answer_seconds_total", METRIC_COUNTER,
		  "Time until these answers began, in sum, making a connection included.", .along = &by_verb,
		  .value = answer_seconds },
		{ "driftd_kube_request_failures_total", METRIC_COUNTER, "Requests that failed.",
		  .samples = request_failures },
		{ "driftd_watch_restarts_total", METRIC_COUNTER, "Watches resumed.", .along = &by_restart,
		  .value = restarts },
		{ "driftd_relists_total", METRIC_COUNTER, "Lists taken, the first one included.", .along = &by_list,
		  .value = relists },
	};

	render_families(e, view, families, ARRAY_LEN(families));
}

/* ---- the daemon itself ---- */

static void render_shard(struct exposition *e, const struct metrics_view *view)
{
	uint32_t total = view->shard.total;

	exposition_single(e, "driftd_shard_ordinal", METRIC_GAUGE,
			  "Which of the processes that share the clusters it is.", view->shard.ordinal);
	exposition_single(e, "driftd_total_shards", METRIC_GAUGE, "How many processes share the clusters.",
			  total ? total : 1);
}

const char *reload_state_name(enum reload_state s)
{
	static const char *const names[] = { "settled", "rehearsing", "replacing", "retargeting" };

	_Static_assert(ARRAY_LEN(names) == RELOAD_RETARGETING + 1, "ORDER enum reload_state");
	ASSERT(s < ARRAY_LEN(names));
	return names[s];
}

bool reload_closes(enum reload_state s)
{
	return s == RELOAD_REPLACING || s == RELOAD_RETARGETING;
}

static bool any_manifests(const struct cfg *cfg)
{
	for (size_t i = 0; i < cfg->n_references; i++) {
		if (cfg->references[i].reference && cfg->references[i].reference->manifests)
			return true;
	}
	return false;
}

static void render_left_out(struct exposition *e, const struct cfg *cfg)
{
	if (!any_manifests(cfg))
		return;
	exposition_family(e, "driftd_reference_left_out", METRIC_GAUGE,
			  "Manifests that no object is compared with: hooks, and those without a name.");
	for (size_t i = 0; i < cfg->n_references; i++) {
		const struct reference *r = cfg->references[i].reference;

		if (!r || !r->manifests)
			continue;
		exposition_sample(e, (double)r->n_hooks, LABELS({ "reference", r->name }, { "reason", STR("hook") }));
		exposition_sample(e, (double)r->n_unnamed,
				  LABELS({ "reference", r->name }, { "reason", STR("unnamed") }));
	}
}

static void render_config(struct exposition *e, const struct metrics_view *view)
{
	exposition_family(e, "driftd_build_info", METRIC_INFO, "The build.");
	exposition_sample(e, 1,
			  LABELS({ "version", STR(DRIFTD_VERSION) }, { "revision", STR(DRIFTD_REVISION) },
				 { "compiler", STR("C " __VERSION__) }));
	exposition_single(e, "driftd_config_last_reload_successful", METRIC_GAUGE,
			  "1 if the last load of the configuration succeeded.", view->configuration.accepted);
	exposition_single(e, "driftd_config_last_reload_success_timestamp_seconds", METRIC_GAUGE,
			  "When the configuration in force was loaded.", view->configuration.at);
	exposition_family(e, "driftd_config_state", METRIC_GAUGE, "1 for what is done about the configuration now.");
	exposition_sample(e, 1, LABELS({ "state", str_from(reload_state_name(view->configuration.state)) }));
	exposition_single(e, "driftd_config_warnings", METRIC_GAUGE,
			  "Warnings of the configuration in force and its references.", (double)view->cfg->n_warnings);
	exposition_family(e, "driftd_reference_info", METRIC_INFO, "References in force.");
	for (size_t i = 0; i < view->cfg->n_references; i++) {
		const struct cfg_reference *r = &view->cfg->references[i];

		if (r->reference)
			exposition_sample(e, 1,
					  LABELS({ "reference", r->name }, { "hash", str_from(r->reference->hash) }));
	}
	render_left_out(e, view->cfg);
}

VALUE(step_progress_at, (double)clock_usec_of(p->view->writer->steps[p->i].progress_ns) / 1e6)
VALUE(step_failures, p->view->writer->steps[p->i].failures)
VALUE(step_is_stuck, step_state(&p->view->writer->steps[p->i], (enum store_step)p->i, clock_ns()) == STEP_STUCK)

static void render_steps(struct exposition *e, const struct metrics_view *view)
{
	static const struct family families[] = {
		{ "driftd_state_step_last_progress_timestamp_seconds", METRIC_GAUGE,
		  "When a step of storing and sending records last did something; 0: not yet.", .along = &by_step,
		  .value = step_progress_at },
		{ "driftd_state_step_failures_total", METRIC_COUNTER, "Tries of a step that failed.", .along = &by_step,
		  .value = step_failures },
		{ "driftd_state_step_stuck", METRIC_GAUGE, "1 while a step has something to do and makes no progress.",
		  .along = &by_step, .value = step_is_stuck },
	};

	for (size_t i = 0; i < ARRAY_LEN(families); i++) {
		exposition_family(e, families[i].name, families[i].type, families[i].help);
		render_samples(e, view, &families[i], NULL);
	}
}

static void render_journal(struct exposition *e, const struct metrics_view *view)
{
	const struct writer_status *s = view->writer;

	exposition_family(e, "driftd_journal_records_total", METRIC_COUNTER, "Records written, by syslog priority.");
	for (int p = 0; p < 8; p++) {
		char priority[2] = { (char)('0' + p), '\0' };

		exposition_sample(e, (double)s->records[p], LABELS({ "priority", str_from(priority) }));
	}
	exposition_single(e, "driftd_journal_write_failures_total", METRIC_COUNTER,
			  "Tries to write a record that failed.", (double)s->write_failures);
	exposition_single(e, "driftd_state_write_failures_total", METRIC_COUNTER,
			  "Transactions of the state database that failed.", (double)s->steps[STEP_COMMIT].failures);
	render_steps(e, view);
	exposition_single(e, "driftd_state_renewals_total", METRIC_COUNTER,
			  "State databases that were damaged, missing or truncated and were replaced.",
			  (double)s->renewals);
	exposition_family(e, "driftd_journal_records_marked_total", METRIC_COUNTER,
			  "Records written before they could be stored, or perhaps a second time.");
	exposition_sample(e, (double)s->not_durable, LABELS({ "mark", STR("not_durable") }));
	exposition_sample(e, (double)s->resent, LABELS({ "mark", STR("resent") }));
	exposition_single(e, "driftd_records_waiting", METRIC_GAUGE, "Records that are not written yet.",
			  (double)s->waiting);
	exposition_family(e, "driftd_journal_records_suppressed_total", METRIC_COUNTER,
			  "Records not written, by reason.");
	exposition_sample(e, (double)s->merged, LABELS({ "reason", STR("merged") }));
	exposition_single(e, "driftd_records_deferred_current", METRIC_GAUGE,
			  "Records that exceed what is written at once and follow.", (double)s->deferred);
}

/* ---- several hosts ---- */

static void render_leader(struct exposition *e, const struct metrics_view *view)
{
	const struct leader_status *s = view->leader;

	if (!s)
		return;
	exposition_single(e, "driftd_leader", METRIC_GAUGE, "1 if this host leads and reports, 0 if it only watches.",
			  s->reports);
	exposition_family(e, "driftd_leader_phase", METRIC_GAUGE,
			  "1 for the phase of leadership that this host is in.");
	exposition_sample(e, 1, LABELS({ "phase", str_from(view->leader_phase) }));
	exposition_single(e, "driftd_leader_transitions_total", METRIC_COUNTER,
			  "Leaderships of this host that began or ended.", (double)s->transitions);
	if (s->renewal_age_ns >= 0)
		exposition_single(e, "driftd_leader_renewal_age_seconds", METRIC_GAUGE,
				  "Since the lease was renewed last.", (double)s->renewal_age_ns / 1e9);
	exposition_single(e, "driftd_etcd_request_failures_total", METRIC_COUNTER,
			  "Requests that no endpoint of etcd answered well.", (double)s->request_failures);
}

/* ---- event rules ---- */

#define RULE_SERIES_MAX 500

/* Rules of the same path and severity are one series. */
static void render_rules_of(struct exposition *e, const struct metrics_view *view, const struct event_set *set,
			    struct strmap *seen)
{
	for (size_t i = 0; i < set->n && seen->n < RULE_SERIES_MAX; i++) {
		const struct event_set_rule *r = &set->rules[i];
		enum severity s = event_rule_severity(r);
		CLEANUP(buf_done) struct buf key = BUF_INIT(1u << 20);

		buf_printf(&key, "%d %.*s", (int)s, STR_ARG(r->rule.path.text));
		if (!r->typed || r->rule.type == EVENT_IGNORE || key.error || strmap_has(seen, buf_str(&key)) ||
		    !strmap_put(seen, buf_str(&key), seen, NULL))
			continue;
		exposition_sample(e, (double)findings_rule_events(view->findings, r->rule.path.text, s),
				  LABELS({ "rule", r->rule.path.text }, { "severity", str_from(severity_name(s)) }));
	}
}

static void render_rules(struct exposition *e, const struct metrics_view *view)
{
	CLEANUP(strmap_done) struct strmap seen = { 0 };

	exposition_family(e, "driftd_rule_events_total", METRIC_COUNTER,
			  "Events of a rule in drift that began or changed; the first 500 rules.");
	for (size_t i = 0; i < view->cfg->n_event_rules; i++)
		render_rules_of(e, view, view->cfg->event_rules[i].set, &seen);
}

void metrics_render(const struct metrics_view *view, bool openmetrics, struct buf *out)
{
	struct exposition e = { .out = out, .openmetrics = openmetrics };

	render_config(&e, view);
	metrics_sources(&e, view->sources, view->n_sources);
	metrics_alerts(&e, view->alerts, view->n_alerts);
	render_shard(&e, view);
	render_clusters(&e, view);
	render_resources(&e, view);
	render_evaluation(&e, view);
	render_rules(&e, view);
	if (HAS_INSPECTION)
		metrics_inspection(&e, view->inspection);
	render_journal(&e, view);
	render_leader(&e, view);
	if (view->cfg->per_object)
		metrics_objects(&e, view->findings, view->cfg, view->cfg->per_object_limit, view->per_object_dropped);
	if (view->cfg->by_namespace)
		metrics_namespaces(&e, view->findings, view->cfg);
	metrics_process(&e, view->started_at);
	exposition_end(&e);
}

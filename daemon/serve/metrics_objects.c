/* The metrics by object. Objects beyond the limit are only counted. */
#include "daemon/serve/metrics_internal.h"

static const enum severity by_weight[] = { SEVERITY_CRITICAL, SEVERITY_ERROR, SEVERITY_WARNING, SEVERITY_NOTICE,
					   SEVERITY_INFO };

static void sample(struct exposition *e, const struct finding *x)
{
	const struct finding_subject *s = &x->subject;

	exposition_sample(e, 1,
			  LABELS({ "kube_cluster", s->cluster }, { "reference", s->reference },
				 { "api_version", s->api_version }, { "resource", s->resource },
				 { "namespace", s->namespace }, { "name", s->name },
				 { "severity", str_from(severity_name(x->severity)) }));
}

void metrics_objects(struct exposition *e, struct findings *f, const struct cfg *cfg, unsigned limit, uint64_t *dropped)
{
	size_t shown = 0, open = 0;

	exposition_family(e, "driftd_object_drifted", METRIC_GAUGE, "1: the object differs from its reference.");
	for (size_t s = 0; s < ARRAY_LEN(by_weight); s++) {
		for (size_t c = 0; c < cfg->n_clusters; c++) {
			const struct finding_counters *k = findings_counters(f, cfg->clusters[c].name);
			const struct finding *x;

			if (!k)
				continue;
			open += k->open[FINDING_DRIFT][by_weight[s]];
			TAILQ_FOREACH(x, &k->drifts[by_weight[s]], by_age)
			{
				if (shown == limit)
					break;
				sample(e, x);
				shown++;
			}
		}
	}
	*dropped += open - shown;
	exposition_single(e, "driftd_per_object_series_dropped_total", METRIC_COUNTER,
			  "Series of driftd_object_drifted left out by metrics.per_object_limit, over all scrapes.",
			  (double)*dropped);
}

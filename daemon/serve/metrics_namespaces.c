/* The metrics by namespace. Namespaces beyond the limit are only counted. */
#include "daemon/findings/namespace_counts.h"
#include "daemon/serve/metrics_internal.h"

/* The label for names that are left out; neither a reference nor a namespace can have this name. */
#define OTHER STR("(other)")

static void sample(struct exposition *e, size_t n, str cluster, enum finding_kind kind, enum severity severity,
		   str reference, str namespace)
{
	exposition_sample(e, (double)n,
			  LABELS({ "kube_cluster", cluster }, { "type", str_from(finding_type(kind)) },
				 { "severity", str_from(severity_name(severity)) }, { "reference", reference },
				 { "namespace", namespace }));
}

static void others(struct exposition *e, const struct finding_counters *c, str cluster)
{
	for (size_t kind = 0; kind < FINDING_KINDS; kind++) {
		for (size_t s = 0; s < ARRAY_LEN(c->open[kind]); s++) {
			size_t n = c->open[kind][s] - c->as_series[kind][s];

			if (n)
				sample(e, n, cluster, (enum finding_kind)kind, (enum severity)s, OTHER, OTHER);
		}
	}
}

void metrics_namespaces(struct exposition *e, struct findings *f, const struct cfg *cfg)
{
	const struct namespace_count *n = NULL;

	exposition_family(e, "driftd_findings", METRIC_GAUGE,
			  "Open findings by reference and namespace; empty: of none.");
	while ((n = findings_each_namespace(f, n)))
		sample(e, n->n, n->cluster, n->kind, n->severity, n->reference, n->namespace);
	for (size_t i = 0; i < cfg->n_clusters; i++) {
		const struct finding_counters *c = findings_counters(f, cfg->clusters[i].name);

		if (c)
			others(e, c, cfg->clusters[i].name);
	}
	exposition_single(e, "driftd_findings_series_folded", METRIC_GAUGE,
			  "Series of driftd_findings beyond metrics.by_namespace_limit, which (other) has together.",
			  (double)findings_namespaces_folded(f));
}

/* Makes Deployments, ReplicaSets, DaemonSets and StatefulSets from their shorthand. */
#include "kubegen/kg_objects.h"

static val make_workload(struct kg_make *m, const struct kg_kind *kind, val from, val manifest);

static const struct kg_field workload_fields[] = {
	{ "selector", KG_TEXT_MAP, true },
	{ "podAnnotations", KG_TEXT_MAP, true },
};
static const struct kg_shape workload_shape = { workload_fields, ARRAY_LEN(workload_fields), &kg_pod_shape };

static const struct kg_field deployment_fields[] = {
	{ "replicas", KG_COUNT_ZERO, false },
	{ "minReadySeconds", KG_COUNT, false },
	{ "revisionHistoryLimit", KG_COUNT_ZERO, true },
	{ "RevisionHistoryLimit", KG_COUNT_ZERO, true },
	{ "paused", KG_FLAG, false },
	{ "progressDeadlineSeconds", KG_COUNT_ZERO, false },
	{ "strategy", KG_MAP, true },
};
static const struct kg_shape deployment_shape = { deployment_fields, ARRAY_LEN(deployment_fields), &workload_shape };
const struct kg_kind kg_deployment = { "Deployments", "Deployment", &deployment_shape, make_workload };

static const struct kg_field replica_set_fields[] = {
	{ "replicas", KG_COUNT_ZERO, false },
	{ "minReadySeconds", KG_COUNT, false },
};
static const struct kg_shape replica_set_shape = { replica_set_fields, ARRAY_LEN(replica_set_fields), &workload_shape };
const struct kg_kind kg_replica_set = { "ReplicaSets", "ReplicaSet", &replica_set_shape, make_workload };

const struct kg_kind kg_daemon_set = { "DaemonSets", "DaemonSet", &workload_shape, make_workload };

static const struct kg_field stateful_set_fields[] = {
	{ "replicas", KG_COUNT_ZERO, false },
	{ "serviceName", KG_TEXT, false },
	{ "volumeClaimTemplates", KG_MAPS, false },
};
static const struct kg_shape stateful_set_shape = { stateful_set_fields, ARRAY_LEN(stateful_set_fields),
						    &workload_shape };
const struct kg_kind kg_stateful_set = { "StatefulSets", "StatefulSet", &stateful_set_shape, make_workload };

/* ---- strategy ---- */

static const struct kg_field rolling_fields[] = {
	{ "maxUnavailable", KG_TEXT, true },
	{ "maxUnavailableCount", KG_COUNT_ZERO, true },
	{ "maxSurge", KG_TEXT, true },
	{ "maxSurgeCount", KG_COUNT_ZERO, true },
};
static const struct kg_shape rolling_shape = { rolling_fields, ARRAY_LEN(rolling_fields), NULL };

static const struct kg_field strategy_fields[] = { { "type", KG_TEXT, false } };
static const struct kg_shape strategy_shape = { strategy_fields, ARRAY_LEN(strategy_fields), &rolling_shape };

/* Make the rolling update with zeros as given: for a missing field the API server takes 25%. */
static val rolling_update(struct kg_make *m, val from)
{
	struct kg_object o = { .m = m };

	kg_put(&o, "maxUnavailable", kg_get_either(m, from, "maxUnavailable", "maxUnavailableCount"));
	kg_put(&o, "maxSurge", kg_get_either(m, from, "maxSurge", "maxSurgeCount"));
	return kg_object_val(&o);
}

static val make_strategy(struct kg_make *m, val from)
{
	struct kg_object o = { .m = m };

	if (!val_exists(from) || !kg_check(m, from, &strategy_shape))
		return (val){ 0 };
	kg_carry(&o, from, &strategy_shape);
	if (str_eq(val_str(kg_get(from, "type")), STR("RollingUpdate"))) {
		kg_put_filled(&o, "rollingUpdate", rolling_update(m, from));
		return kg_object_val(&o);
	}
	for (size_t i = 0; i < ARRAY_LEN(rolling_fields); i++) {
		if (val_exists(kg_get(from, rolling_fields[i].name)))
			kg_wrong(m, from, rolling_fields[i].name, "%s needs type RollingUpdate",
				 rolling_fields[i].name);
	}
	return kg_object_val(&o);
}

/* ---- the object ---- */

static val selector(struct kg_make *m, val from)
{
	struct kg_object o = { .m = m };
	val labels = kg_get_texts(m, from, "selector");

	kg_put(&o, "matchLabels", val_count(labels) ? labels : kg_labels(m, from));
	return kg_object_val(&o);
}

static val pod_template(struct kg_make *m, val from)
{
	struct kg_object o = { .m = m }, metadata = { .m = m };

	kg_put(&metadata, "labels", kg_labels(m, from));
	kg_put_filled(&metadata, "annotations", kg_get_texts(m, from, "podAnnotations"));
	kg_put(&o, "metadata", kg_object_val(&metadata));
	kg_put(&o, "spec", kg_pod_spec(m, from, kg_get(from, "volumeClaimTemplates")));
	return kg_object_val(&o);
}

static val make_workload(struct kg_make *m, const struct kg_kind *kind, val from, val manifest)
{
	struct kg_object o = { .m = m }, spec = { .m = m };

	(void)manifest;
	kg_put_head(&o, "apps/v1", kind->kind, from);
	kg_carry(&spec, from, kind->shape);
	if (kind == &kg_deployment) {
		kg_put(&spec, "revisionHistoryLimit",
		       kg_get_either(m, from, "revisionHistoryLimit", "RevisionHistoryLimit"));
		kg_put_filled(&spec, "strategy", make_strategy(m, kg_get(from, "strategy")));
	}
	kg_put(&spec, "selector", selector(m, from));
	kg_put(&spec, "template", pod_template(m, from));
	kg_put(&o, "spec", kg_object_val(&spec));
	return kg_object_val(&o);
}

/* Knows what an API server makes of lists besides defaults: in what order it stores the metrics of an autoscaler, and
 * what it adds to the tolerations of a pod. */
#include "manifest/manifest_internal.h"

/* Whether the current place is the field @name in the spec of an object of this kind. */
static bool is_in_spec(const struct walk *w, const struct place *p, str kind, str name)
{
	return w->built_in && w->list.at.n == 2 && p->type.field && str_eq(p->type.name, name) &&
	       str_eq(val_str(VAL_GET(w->list.expected, "kind")), kind) && str_eq(w->list.at.p[0].text, STR("spec"));
}

/* ---- metrics ---- */

/* Whether autoscaling/v1 has a field for the metric: the average utilization of the CPU. */
static bool is_cpu_utilization(val metric)
{
	val resource = VAL_GET(metric, "resource");

	return str_eq(val_str(VAL_GET(metric, "type")), STR("Resource")) &&
	       str_eq(val_str(VAL_GET(resource, "name")), STR("cpu")) &&
	       (val_exists(val_dig(resource, "target", "averageUtilization", NULL)) ||
		val_exists(VAL_GET(resource, "targetAverageUtilization")));
}

/* Servers that store autoscaling/v1 keep the utilization of the CPU in a field and the other metrics in an annotation,
 * so that it comes back as the last one. @l shows whether it did. */
static val metrics_as_stored(struct walk *w, val m, val l)
{
	val *items;
	uint32_t at = 0;

	if (m.n < 2 || val_count(l) != m.n || !is_cpu_utilization(l.items[l.n - 1]))
		return m;
	while (at < m.n && !is_cpu_utilization(m.items[at]))
		at++;
	items = arena_array(w->arena, m.n, sizeof(*items));
	w->no_memory |= !items;
	if (at == m.n || !items)
		return m;
	for (uint32_t i = 0, n = 0; i < m.n; i++) {
		if (i != at)
			items[n++] = m.items[i];
	}
	items[m.n - 1] = m.items[at];
	return (val){ .kind = VAL_LIST, .n = m.n, .items = items };
}

val manifest_as_stored(struct walk *w, const struct place *p, val m, val l)
{
	if (val_is_list(m) && val_is_list(l) && is_in_spec(w, p, STR("HorizontalPodAutoscaler"), STR("metrics")))
		return metrics_as_stored(w, m, l);
	return m;
}

/* ---- tolerations ---- */

/* Whether @t has what the admission plugin DefaultTolerationSeconds adds, with the seconds that it has unless a flag of
 * the server sets others. */
static bool is_admitted(val t)
{
	str key = val_str(VAL_GET(t, "key"));

	return val_count(t) == 4 && str_eq(val_str(VAL_GET(t, "operator")), STR("Exists")) &&
	       str_eq(val_str(VAL_GET(t, "effect")), STR("NoExecute")) &&
	       val_same(VAL_GET(t, "tolerationSeconds"), val_int(300)) &&
	       (str_eq(key, STR("node.kubernetes.io/not-ready")) || str_eq(key, STR("node.kubernetes.io/unreachable")));
}

/* Whether one of the tolerations @m is for what @t is for, so that the plugin does not add @t. */
static bool has_toleration(val m, val t)
{
	for (uint32_t i = 0; i < val_count(m); i++) {
		str key = val_str(VAL_GET(m.items[i], "key")), effect = val_str(VAL_GET(m.items[i], "effect"));

		if ((!key.n || str_eq(key, val_str(VAL_GET(t, "key")))) &&
		    (!effect.n || str_eq(effect, STR("NoExecute"))))
			return true;
	}
	return false;
}

val manifest_without_admitted(const struct walk *w, const struct place *p, val m, val l)
{
	if (!val_is_list(l) || (!val_is_list(m) && !val_is_null(m)) ||
	    !is_in_spec(w, p, STR("Pod"), STR("tolerations")))
		return l;
	while (l.n > val_count(m) && is_admitted(l.items[l.n - 1]) && !has_toleration(m, l.items[l.n - 1]))
		l.n--;
	return l;
}

/* The table of kinds, and reading definitions. */
#include "resources.h"

#include "sim.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <time.h>

enum { NS = 1, STATUS = 2, GEN = 4 };

static const struct row {
	const char *group, *version, *plural, *singular, *kind, *short_names;
	unsigned flags;
} builtin[] = {
	{ "", "v1", "namespaces", "namespace", "Namespace", "ns", STATUS },
	{ "", "v1", "pods", "pod", "Pod", "po", NS | STATUS },
	{ "", "v1", "services", "service", "Service", "svc", NS | STATUS },
	{ "", "v1", "configmaps", "configmap", "ConfigMap", "cm", NS },
	{ "", "v1", "secrets", "secret", "Secret", "", NS },
	{ "", "v1", "serviceaccounts", "serviceaccount", "ServiceAccount", "sa", NS },
	{ "", "v1", "nodes", "node", "Node", "no", STATUS },
	{ "", "v1", "persistentvolumes", "persistentvolume", "PersistentVolume", "pv", STATUS },
	{ "", "v1", "persistentvolumeclaims", "persistentvolumeclaim", "PersistentVolumeClaim", "pvc", NS | STATUS },
	{ "", "v1", "events", "event", "Event", "ev", NS },
	{ "", "v1", "endpoints", "endpoints", "Endpoints", "ep", NS },
	{ "", "v1", "limitranges", "limitrange", "LimitRange", "limits", NS },
	{ "", "v1", "resourcequotas", "resourcequota", "ResourceQuota", "quota", NS | STATUS },
	{ "apps", "v1", "deployments", "deployment", "Deployment", "deploy", NS | STATUS | GEN },
	{ "apps", "v1", "statefulsets", "statefulset", "StatefulSet", "sts", NS | STATUS | GEN },
	{ "apps", "v1", "daemonsets", "daemonset", "DaemonSet", "ds", NS | STATUS | GEN },
	{ "apps", "v1", "replicasets", "replicaset", "ReplicaSet", "rs", NS | STATUS | GEN },
	{ "batch", "v1", "jobs", "job", "Job", "", NS | STATUS | GEN },
	{ "batch", "v1", "cronjobs", "cronjob", "CronJob", "cj", NS | STATUS | GEN },
	{ "rbac.authorization.k8s.io", "v1", "roles", "role", "Role", "", NS },
	{ "rbac.authorization.k8s.io", "v1", "rolebindings", "rolebinding", "RoleBinding", "", NS },
	{ "rbac.authorization.k8s.io", "v1", "clusterroles", "clusterrole", "ClusterRole", "", 0 },
	{ "rbac.authorization.k8s.io", "v1", "clusterrolebindings", "clusterrolebinding", "ClusterRoleBinding", "", 0 },
	{ "networking.k8s.io", "v1", "networkpolicies", "networkpolicy", "NetworkPolicy", "netpol", NS | GEN },
	{ "networking.k8s.io", "v1", "ingresses", "ingress", "Ingress", "ing", NS | STATUS | GEN },
	{ "policy", "v1", "poddisruptionbudgets", "poddisruptionbudget", "PodDisruptionBudget", "pdb",
	  NS | STATUS | GEN },
	{ "storage.k8s.io", "v1", "storageclasses", "storageclass", "StorageClass", "sc", 0 },
	{ "scheduling.k8s.io", "v1", "priorityclasses", "priorityclass", "PriorityClass", "pc", GEN },
	{ "autoscaling", "v2", "horizontalpodautoscalers", "horizontalpodautoscaler", "HorizontalPodAutoscaler", "hpa",
	  NS | STATUS },
	{ "apiextensions.k8s.io", "v1", "customresourcedefinitions", "customresourcedefinition",
	  "CustomResourceDefinition", "crd,crds", STATUS | GEN },
	{ "admissionregistration.k8s.io", "v1", "validatingwebhookconfigurations", "validatingwebhookconfiguration",
	  "ValidatingWebhookConfiguration", "", GEN },
	{ "admissionregistration.k8s.io", "v1", "mutatingwebhookconfigurations", "mutatingwebhookconfiguration",
	  "MutatingWebhookConfiguration", "", GEN },
	{ "coordination.k8s.io", "v1", "leases", "lease", "Lease", "", NS },
};

static bool push_copy(string_list *vec, str s)
{
	char *copy = str_dup(s);

	if (copy && vec_push(vec, copy))
		return true;
	free(copy);
	return false;
}

static void free_strings(string_list *vec)
{
	for (size_t i = 0; i < vec->n; i++)
		free(vec->p[i]);
	vec_done(vec);
}

struct resource *resource_ref(struct resource *res)
{
	res->refs++;
	return res;
}

void resource_unref(struct resource *res)
{
	if (!res || --res->refs > 0)
		return;
	table_done(&res->table);
	free_strings(&res->versions);
	free_strings(&res->short_names);
	free_strings(&res->status_versions);
	free(res->group);
	free(res->plural);
	free(res->singular);
	free(res->kind);
	free(res->list_kind);
	free(res->api_version);
	free(res);
}

void group_version(const char *group, const char *version, char *to, size_t n)
{
	(void)snprintf(to, n, "%s%s%s", group, *group ? "/" : "", version);
}

static char *copy_of(const char *s)
{
	return str_dup(str_from(s ? s : ""));
}

/* A row with names and no versions; NULL without memory. */
static struct resource *resource_new(const char *group, const char *version, const char *plural, const char *singular,
				     const char *kind, const char *list_kind)
{
	struct resource *res = calloc(1, sizeof(*res));
	char gv[320];

	if (!res)
		return NULL;
	group_version(group, version, gv, sizeof(gv));
	res->refs = 1;
	res->group = copy_of(group);
	res->plural = copy_of(plural);
	res->singular = copy_of(singular);
	res->kind = copy_of(kind);
	res->list_kind = copy_of(list_kind);
	res->api_version = copy_of(gv);
	if (res->group && res->plural && res->singular && res->kind && res->list_kind && res->api_version)
		return res;
	resource_unref(res);
	return NULL;
}

static struct resource *from_row(const struct row *row, size_t window)
{
	char list_kind[160];
	str rest = str_from(row->short_names), part;
	struct resource *res;
	bool ok;

	(void)snprintf(list_kind, sizeof(list_kind), "%sList", row->kind);
	res = resource_new(row->group, row->version, row->plural, row->singular, row->kind, list_kind);
	if (!res)
		return NULL;
	table_init(&res->table, window, 0);
	res->namespaced = row->flags & NS;
	res->generation = row->flags & GEN;
	ok = push_copy(&res->versions, str_from(row->version));
	if (ok && (row->flags & STATUS))
		ok = push_copy(&res->status_versions, str_from(row->version));
	while (ok && str_next_part(&rest, ',', &part))
		ok = part.n == 0 || push_copy(&res->short_names, part);
	if (ok)
		return res;
	resource_unref(res);
	return NULL;
}

int resources_init(struct resource_set *set, size_t window)
{
	for (size_t i = 0; i < ARRAY_LEN(builtin); i++) {
		struct resource *res = from_row(&builtin[i], window);

		if (!res || !vec_push(&set->rows, res)) {
			resource_unref(res);
			return -ENOMEM;
		}
	}
	return 0;
}

void resources_done(struct resource_set *set)
{
	for (size_t i = 0; i < set->rows.n; i++)
		resource_unref(set->rows.p[i]);
	vec_done(&set->rows);
}

bool resource_serves(const struct resource *res, const char *version)
{
	for (size_t i = 0; i < res->versions.n; i++)
		if (strcmp(res->versions.p[i], version) == 0)
			return true;
	return false;
}

bool resource_has_status(const struct resource *res, const char *version)
{
	for (size_t i = 0; i < res->status_versions.n; i++)
		if (strcmp(res->status_versions.p[i], version) == 0)
			return true;
	return false;
}

struct resource *resource_find(const struct resource_set *set, const char *group, const char *version,
			       const char *plural)
{
	for (size_t i = 0; i < set->rows.n; i++) {
		struct resource *res = set->rows.p[i];

		if (strcmp(res->group, group) == 0 && strcmp(res->plural, plural) == 0 &&
		    (!version || resource_serves(res, version)))
			return res;
	}
	return NULL;
}

struct resource *resource_of_kind(const struct resource_set *set, const char *api_version, const char *kind)
{
	for (size_t i = 0; i < set->rows.n; i++) {
		struct resource *res = set->rows.p[i];

		if (strcmp(res->kind, kind) != 0)
			continue;
		for (size_t v = 0; v < res->versions.n; v++) {
			char gv[320];

			group_version(res->group, res->versions.p[v], gv, sizeof(gv));
			if (strcmp(gv, api_version) == 0)
				return res;
		}
	}
	return NULL;
}

struct resource *resource_of_label(const struct resource_set *set, const char *label)
{
	const char *dot = strchr(label, '.');
	size_t n = dot ? (size_t)(dot - label) : strlen(label);

	for (size_t i = 0; i < set->rows.n; i++) {
		struct resource *res = set->rows.p[i];

		if (strlen(res->plural) == n && strncmp(res->plural, label, n) == 0 &&
		    (!dot || strcmp(res->group, dot + 1) == 0))
			return res;
	}
	return NULL;
}

/* --- custom resource definitions --- */

static const char *text_at(json_t *obj, const char *key)
{
	return json_string_value(json_object_get(obj, key));
}

void crd_default_names(json_t *crd)
{
	json_t *names = json_object_get(json_object_get(crd, "spec"), "names");
	const char *kind = text_at(names, "kind");
	char text[256];

	if (!kind)
		return;
	if (!text_at(names, "listKind")) {
		(void)snprintf(text, sizeof(text), "%sList", kind);
		json_object_set_new(names, "listKind", json_string(text));
	}
	if (!text_at(names, "singular")) {
		(void)snprintf(text, sizeof(text), "%s", kind);
		for (char *p = text; *p; p++)
			*p = (char)tolower((unsigned char)*p);
		json_object_set_new(names, "singular", json_string(text));
	}
}

static const char *storage_version(json_t *crd)
{
	const char *first = NULL;
	size_t i;
	json_t *v;

	json_array_foreach(json_object_get(json_object_get(crd, "spec"), "versions"), i, v)
	{
		if (!first)
			first = text_at(v, "name");
		if (json_is_true(json_object_get(v, "storage")))
			return text_at(v, "name");
	}
	return first;
}

/* A lower-case DNS name, or with @upper a kind. Nothing in it needs an escape in JSON. */
static bool is_plain(const char *s, bool upper)
{
	size_t n = s ? strlen(s) : 0;

	for (size_t i = 0; i < n; i++)
		if (!(s[i] >= 'a' && s[i] <= 'z') && !(s[i] >= '0' && s[i] <= '9') && s[i] != '-' && s[i] != '.' &&
		    !(upper && s[i] >= 'A' && s[i] <= 'Z'))
			return false;
	return n > 0 && n < 128;
}

const char *crd_bad_field(json_t *crd)
{
	json_t *spec = json_object_get(crd, "spec"), *names = json_object_get(spec, "names");
	const char *name = text_at(json_object_get(crd, "metadata"), "name"), *group = text_at(spec, "group");
	char expected[300];
	size_t i;
	json_t *v;

	if (!is_plain(group, false))
		return "spec.group";
	if (!is_plain(text_at(names, "plural"), false))
		return "spec.names.plural";
	if (!is_plain(text_at(names, "kind"), true) || !is_plain(text_at(names, "listKind"), true))
		return "spec.names.kind";
	if (!is_plain(text_at(names, "singular"), false))
		return "spec.names.singular";
	if (json_array_size(json_object_get(spec, "versions")) == 0)
		return "spec.versions";
	json_array_foreach(json_object_get(spec, "versions"), i,
			   v) if (!is_plain(text_at(v, "name"), false)) return "spec.versions";
	(void)snprintf(expected, sizeof(expected), "%s.%s", text_at(names, "plural"), group);
	return name && strcmp(name, expected) == 0 ? NULL : "metadata.name";
}

json_t *crd_status(json_t *crd)
{
	json_t *names = json_object_get(json_object_get(crd, "spec"), "names");
	const char *version = storage_version(crd);
	char now[32];

	now_rfc3339(now);
	return json_pack("{s:[{s:s,s:s,s:s,s:s,s:s},{s:s,s:s,s:s,s:s,s:s}],s:O,s:[s]}", "conditions", "type",
			 "NamesAccepted", "status", "True", "lastTransitionTime", now, "reason", "NoConflicts",
			 "message", "no conflicts found", "type", "Established", "status", "True", "lastTransitionTime",
			 now, "reason", "InitialNamesAccepted", "message", "the initial names have been accepted",
			 "acceptedNames", names, "storedVersions", version ? version : "");
}

static bool read_versions(struct resource *res, json_t *crd)
{
	size_t i;
	json_t *v;

	free_strings(&res->versions);
	free_strings(&res->status_versions);
	json_array_foreach(json_object_get(json_object_get(crd, "spec"), "versions"), i, v)
	{
		const char *name = text_at(v, "name");

		if (!name || !json_is_true(json_object_get(v, "served")))
			continue;
		if (!push_copy(&res->versions, str_from(name)))
			return false;
		if (json_object_get(json_object_get(v, "subresources"), "status") &&
		    !push_copy(&res->status_versions, str_from(name)))
			return false;
	}
	return true;
}

static bool read_short_names(struct resource *res, json_t *names)
{
	size_t i;
	json_t *v;

	free_strings(&res->short_names);
	json_array_foreach(json_object_get(names, "shortNames"), i,
			   v) if (json_is_string(v) &&
				  !push_copy(&res->short_names, str_from(json_string_value(v)))) return false;
	return true;
}

struct resource *resources_define(struct sim *sim, json_t *crd)
{
	json_t *spec = json_object_get(crd, "spec");
	json_t *names = json_object_get(spec, "names");
	const char *group = text_at(spec, "group"), *plural = text_at(names, "plural"), *kind = text_at(names, "kind");
	const char *scope = text_at(spec, "scope"), *version = storage_version(crd);
	struct resource *res;

	if (!group || !plural || !kind || !version)
		return NULL;
	res = resource_find(&sim->resources, group, NULL, plural);
	if (!res) {
		res = resource_new(group, version, plural, text_at(names, "singular"), kind,
				   text_at(names, "listKind"));
		if (!res || !vec_push(&sim->resources.rows, res)) {
			resource_unref(res);
			return NULL;
		}
		table_init(&res->table, sim->opt.watch_cache, sim->rv);
		res->custom = res->generation = true;
		res->namespaced = !scope || strcmp(scope, "Cluster") != 0;
	}
	if (!res->custom || !read_versions(res, crd) || !read_short_names(res, names))
		return NULL;
	return res;
}

void resources_undefine(struct sim *sim, struct resource *res)
{
	for (size_t i = 0; i < sim->resources.rows.n; i++) {
		if (sim->resources.rows.p[i] != res)
			continue;
		memmove(&sim->resources.rows.p[i], &sim->resources.rows.p[i + 1],
			(sim->resources.rows.n - i - 1) * sizeof(sim->resources.rows.p[0]));
		sim->resources.rows.n--;
		res->gone = true;
		resource_unref(res);
		return;
	}
}

/* Tables of fields that clusters write, for cleaning objects and for metadata.yaml. */
#include "daemon/compare/generate_omit.h"

#include "base/key.h"
#include "value/kube_names.h"
#include "value/yaml.h"

#include <errno.h>

struct injected {
	const char *key;
	bool is_prefix;
};

/* Keys that Kubernetes, OpenShift and its operators write. kubectl cluster-compare promises to leave out the same
 * ones. */
static const struct injected annotations[] = {
	{ .key = KUBE_LAST_APPLIED },
	{ .key = "deployment.kubernetes.io/revision" },
	{ .key = "kubernetes.io/metadata.name" },
	{ .key = "openshift.io/sa.scc.mcs" },
	{ .key = "openshift.io/sa.scc.supplemental-groups" },
	{ .key = "openshift.io/sa.scc.uid-range" },
	{ .key = "security.openshift.io/MinimallySufficientPodSecurityStandard" },
	{ .key = "machineconfiguration.openshift.io/mc-name-suffix" },
	{ .key = "nmstate.io/webhook-mutating-timestamp" },
	{ .key = "ran.openshift.io/ztp-gitops-generated" },
	{ .key = "include.release.openshift.io/ibm-cloud-managed" },
	{ .key = "include.release.openshift.io/self-managed-high-availability" },
	{ .key = "include.release.openshift.io/single-node-developer" },
	{ .key = "release.openshift.io/create-only" },
	{ .key = "capability.openshift.io/name" },
	{ .key = "olm.providedAPIs" },
	{ .key = "operator.sriovnetwork.openshift.io/last-network-namespace" },
	{ .key = "k8s.v1.cni.cncf.io/resourceName" },
};
static const struct injected labels[] = {
	{ .key = "kubernetes.io/metadata.name" },
	{ .key = "pod-security.kubernetes.io/", .is_prefix = true },
	{ .key = "operators.coreos.com/", .is_prefix = true },
	{ .key = "security.openshift.io/scc.podSecurityLabelSync" },
	{ .key = "lca.openshift.io/target-ocp-version" },
	{ .key = "olm.operatorgroup.uid" },
};

static const char *const metadata_fields[] = {
	"resourceVersion", "uid",      "creationTimestamp", "generation",
	"managedFields",   "selfLink", "ownerReferences",   "finalizers",
};

/* Fields that stay in the captured objects, so that whoever edits them sees the values. */
static const char *const other_paths[] = { "metadata.ownerReferences", "spec.finalizers", "spec.ownerReferences",
					   "spec.clusterID" };

static const struct keyed_map {
	const char *name, *setting;
	const struct injected *keys;
	size_t n;
} maps[] = {
	{ "annotations", "omitAnnotations", annotations, ARRAY_LEN(annotations) },
	{ "labels", "omitLabels", labels, ARRAY_LEN(labels) },
};

/* ---- objects ---- */

static bool is_injected(const struct keyed_map *m, val more, str key)
{
	for (size_t i = 0; i < m->n; i++) {
		str known = str_from(m->keys[i].key);

		if (m->keys[i].is_prefix ? str_has_prefix(key, known) : str_eq(key, known))
			return true;
	}
	for (uint32_t i = 0; i < val_count(more); i++) {
		if (str_eq(val_str(val_at(more, i)), key))
			return true;
	}
	return false;
}

static val clean_map(struct arena *a, val metadata, const struct keyed_map *m, val config)
{
	val map = val_get(metadata, str_from(m->name)), kept = map, more = val_get(config, str_from(m->setting));
	const struct key *key = key_make(NULL, a, str_from(m->name));

	if (!val_is_map(map) || !key)
		return key ? metadata : (val){ 0 };
	for (uint32_t i = 0; i < map.n && val_exists(kept); i++) {
		if (is_injected(m, more, key_str(map.members[i].key)))
			kept = val_map_without(a, kept, key_str(map.members[i].key));
	}
	if (!val_exists(kept))
		return kept;
	return kept.n ? val_map_with(a, metadata, key, kept) : val_map_without(a, metadata, key_str(key));
}

val generate_clean(struct arena *a, val object, val config)
{
	val metadata = VAL_GET(object, "metadata");
	const struct key *key = key_make(NULL, a, STR("metadata"));

	if (!key)
		return (val){ 0 };
	if (val_is_map(metadata)) {
		for (size_t i = 0; i < ARRAY_LEN(metadata_fields) && val_exists(metadata); i++)
			metadata = val_map_without(a, metadata, str_from(metadata_fields[i]));
		for (size_t i = 0; i < ARRAY_LEN(maps) && val_exists(metadata); i++)
			metadata = clean_map(a, metadata, &maps[i], config);
		if (!val_exists(metadata))
			return metadata;
		object = val_map_with(a, object, key, metadata);
	}
	return val_exists(object) ? val_map_without(a, object, STR("status")) : object;
}

/* ---- metadata.yaml ---- */

static void add_path(struct buf *out, const struct keyed_map *m, str key)
{
	CLEANUP(buf_done) struct buf path = BUF_INIT(out->max);
	struct err err;

	buf_printf(&path, "metadata.%s.\"%.*s\"", m->name, STR_ARG(key));
	buf_add_cstr(out, "    - pathToKey: ");
	if (path.error || yaml_encode(val_string(buf_str(&path)), out, &err) < 0)
		out->error = -ENOMEM;
}

static void add_map(struct buf *out, const struct keyed_map *m, val more)
{
	for (size_t i = 0; i < m->n; i++) {
		add_path(out, m, str_from(m->keys[i].key));
		if (m->keys[i].is_prefix)
			buf_add_cstr(out, "      isPrefix: true\n");
	}
	for (uint32_t i = 0; i < val_count(more); i++)
		add_path(out, m, val_str(val_at(more, i)));
}

void generate_omitted(struct buf *out, val config)
{
	for (size_t i = 0; i < ARRAY_LEN(other_paths); i++)
		buf_printf(out, "    - pathToKey: %s\n", other_paths[i]);
	for (size_t i = 0; i < ARRAY_LEN(maps); i++)
		add_map(out, &maps[i], val_get(config, str_from(maps[i].setting)));
}

/* Manifests without memory. */
#include "oom.h"

#include "manifest/manifest_compare.h"
#include "manifest/manifest_set.h"
#include "value/yaml.h"

#include <errno.h>

static struct limits limits;

static const char manifest[] = "{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: a, finalizers: [b, c], "
			       "labels: {d: e}}, spec: {replicas: null, "
			       "updateStrategy: {}, nothing: 1, template: {spec: {initContainers: [{name: a}, {name: "
			       "b}], containers: [{name: c, "
			       "imagePullPolicy: '', env: [{name: x, value: $(z)}, {name: z}], ports: [{containerPort: "
			       "53}, {containerPort: 53, protocol: "
			       "UDP}], resources: {limits: {cpu: 0.5}}, args: [a, b]}]}}, volumeClaimTemplates: "
			       "[{metadata: {name: d}, spec: {resources: "
			       "{requests: {storage: 1Gi}}}}]}}";
static const char live[] =
	"{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: a, finalizers: [d], managedFields: [{}]}, spec: "
	"{replicas: 1, "
	"updateStrategy: {}, template: {spec: {initContainers: [{name: b}, {name: a}], containers: [{name: c, "
	"imagePullPolicy: "
	"Always, env: [{name: z}, {name: x, value: $(z)}], ports: [{containerPort: 53, protocol: UDP}, {containerPort: "
	"54}], "
	"resources: {limits: {cpu: 500m}}, args: [b, a]}, {name: d}]}}, volumeClaimTemplates: [{apiVersion: v1, kind: "
	"PersistentVolumeClaim, metadata: {name: d}, spec: {volumeMode: Filesystem, resources: {requests: {storage: "
	"1024Mi}}}, "
	"status: {phase: Pending}}]}}";

/* Twelve places differ, and no others. */
#define DIFFERENCES 12

static int run_manifest_compare(struct err *err)
{
	struct yaml_options o = { .limits = &limits };
	CLEANUP(doc_unrefp) struct doc *m = NULL, *l = NULL;
	struct manifest_env env = { .limits = &limits };
	CLEANUP(verdict_done) struct verdict v = { 0 };
	int r;

	if (yaml_decode(STR(manifest), &o, &m, err) < 0 || yaml_decode(STR(live), &o, &l, err) < 0)
		return OOM_WRONG;
	oom_arm();
	r = manifest_judge(m->root, l->root, &env, &v, err);
	oom_disarm();
	if (r < 0)
		return v.changes.p ? OOM_WRONG : r;
	return v.state == VERDICT_DRIFTED && v.changes.total == DIFFERENCES ? 0 : OOM_WRONG;
}

static const char texts[] =
	"apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: xs.x.io}\n"
	"spec: {group: x.io, scope: Cluster, names: {kind: X}, versions: [{name: v1, served: true, schema: "
	"{openAPIV3Schema: "
	"{type: object}}}]}\n---\n{apiVersion: x.io/v1, kind: X, metadata: {name: a, namespace: b}}\n---\n"
	"{kind: List, items: [{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {containers: [{name: c}, {name: "
	"d}]}}]}\n";
static const char mistakes[] =
	"a: {{ b }}\n---\n{apiVersion: v1, kind: Pod, metadata: {name: a, labels: {b: 1}}, spec: {containers: "
	"[{name: c}, {name: c}]}}\n---\n{apiVersion: v1, kind: Pod, metadata: {name: a}, x: 1, x: 2}\n";

static int read_all(struct manifest_set *s, str text, struct err *err)
{
	struct crd_table definitions;
	int r;

	crd_table_init(&definitions);
	r = manifest_set_add(s, STR("file"), text, err);
	if (r == 0)
		r = manifest_set_finish(s, &definitions, STR("default"), err);
	crd_table_done(&definitions);
	return r;
}

static int run_manifest_set(struct err *err)
{
	CLEANUP(manifest_set_done) struct manifest_set s;
	int r;

	manifest_set_init(&s, &limits, NULL);
	oom_arm();
	r = read_all(&s, STR(texts), err);
	oom_disarm();
	if (r < 0)
		return r;
	return s.list.n == 3 && !s.list.p[1].id.namespace.n && !problems_any(&s.mistakes) ? 0 : OOM_WRONG;
}

/* Their texts may be lost, but not that there are some. */
static int run_manifest_mistakes(struct err *err)
{
	CLEANUP(manifest_set_done) struct manifest_set s;
	int r;

	manifest_set_init(&s, &limits, NULL);
	oom_arm();
	r = read_all(&s, STR(mistakes), err);
	oom_disarm();
	if (r < 0)
		return r;
	return s.mistakes.list.n + s.mistakes.dropped == 4 ? 0 : OOM_WRONG;
}

int main(int argc, char **argv)
{
	static const struct oom_case cases[] = {
		{ "manifest_compare", run_manifest_compare, true },
		{ "manifest_set", run_manifest_set, true },
		{ "manifest_mistakes", run_manifest_mistakes, true },
	};

	limits = LIMITS_DEFAULT;
	return oom_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}

/* What is known of places: of built-in kinds, of custom resources, and of what nobody knows. */
#include "support/json_values.h"
#include "topology/topology.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const char *shape_name(enum topo_shape s)
{
	static const char *const names[] = { "unknown", "scalar", "struct", "map", "list" };

	return names[s];
}

static const char *value_name(enum topo_value v)
{
	static const char *const names[] = { "any",  "string",   "number",        "boolean", "bytes",
					     "time", "quantity", "int-or-string", "structs", "lists" };

	return names[v];
}

static const char *list_name(enum topo_list l)
{
	static const char *const names[] = { "", " atomic", " set", " keyed" };

	return names[l];
}

/* "list structs keyed pointer =default [key key:default]" */
static void describe(const struct topo *t, val elements, struct arena *a, struct buf *out)
{
	val otherwise = topo_default(t, a);
	struct list_keys keys;
	struct err err;

	buf_printf(out, "%s %s%s%s%s", shape_name(topo_shape(t)),
		   topo_shape(t) == TOPO_STRUCT ? "-" : value_name(topo_value(t)), list_name(topo_list(t)),
		   topo_atomic(t) ? " atomic" : "", topo_pointer(t) ? " pointer" : "");
	if (val_exists(otherwise)) {
		buf_add_cstr(out, " =");
		assert_int_equal(json_encode(otherwise, JSON_PLAIN, NULL, out, &err), 0);
	}
	topo_list_keys(t, elements, &keys);
	for (size_t i = 0; i < keys.n; i++)
		buf_printf(out, "%s%.*s%s%.*s%s",
			   i           ? " "
			   : keys.sure ? " ["
				       : " habit[",
			   STR_ARG(keys.p[i].name), keys.p[i].otherwise.p ? ":" : "", STR_ARG(keys.p[i].otherwise),
			   i + 1 == keys.n ? "]" : "");
	buf_add_byte(out, '\0');
}

struct row {
	const char *api_version, *kind, *path, *elements, *says;
};

static void check(const struct row *r, const char *schema)
{
	CLEANUP(arena_done) struct arena a = ARENA_INIT(0);
	CLEANUP(buf_done) struct buf out = BUF_INIT(1u << 16);
	struct topo root =
		topo_root(str_from(r->api_version), str_from(r->kind), schema ? value_of_json(schema, &a) : (val){ 0 });
	struct path p = { 0 };
	struct topo at;

	assert_true(path_parse(str_from(r->path), &a, &p));
	at = topo_at(root, p);
	describe(&at, r->elements ? value_of_json(r->elements, &a) : (val){ 0 }, &a, &out);
	if (strcmp(out.p, r->says) != 0)
		fail_msg("%s %s %s: %s, not %s", r->api_version, r->kind, r->path, out.p, r->says);
}

#define POD "spec.template.spec"

static void test_built_in(void **state)
{
	static const struct row rows[] = {
		{ "apps/v1", "Deployment", "", NULL, "struct - pointer" },
		{ "apps/v1", "Deployment", "metadata.labels", NULL, "map string" },
		{ "apps/v1", "Deployment", "metadata.labels.app", NULL, "scalar string pointer" },
		{ "apps/v1", "Deployment", "metadata.finalizers", NULL, "list string set" },
		{ "apps/v1", "Deployment", "metadata.ownerReferences", NULL, "list structs keyed [uid]" },
		{ "apps/v1", "Deployment", "spec.replicas", NULL, "scalar number pointer =1" },
		{ "apps/v1", "Deployment", "spec.selector", NULL, "struct - atomic pointer" },
		{ "apps/v1", "Deployment", POD ".containers", NULL, "list structs keyed [name]" },
		{ "apps/v1", "Deployment", POD ".containers[0].ports", NULL,
		  "list structs keyed [containerPort protocol:TCP]" },
		{ "apps/v1", "Deployment", POD ".containers[0].ports[1].protocol", NULL, "scalar string =\"TCP\"" },
		{ "apps/v1", "Deployment", POD ".containers[0].args", NULL, "list string atomic" },
		{ "apps/v1", "Deployment", POD ".containers[0].args[2]", NULL, "scalar string pointer" },
		{ "apps/v1", "Deployment", POD ".containers[0].resources.limits", NULL, "map quantity" },
		{ "apps/v1", "Deployment", POD ".containers[0].resources.limits.cpu", NULL, "scalar quantity pointer" },
		{ "apps/v1", "Deployment", POD ".containers[0].volumeMounts", NULL, "list structs keyed [mountPath]" },
		{ "apps/v1", "Deployment", POD ".containers[0].livenessProbe.httpGet.port", NULL,
		  "scalar int-or-string" },
		{ "apps/v1", "Deployment", POD ".topologySpreadConstraints", NULL,
		  "list structs keyed [topologyKey whenUnsatisfiable]" },
		{ "apps/v1", "Deployment", POD ".imagePullSecrets", NULL, "list structs keyed [name]" },
		{ "v1", "ServiceAccount", "secrets", NULL, "list structs keyed [name]" },
		{ "v1", "ServiceAccount", "secrets[0]", NULL, "struct - atomic pointer" },
		{ "apps/v1", "Deployment", POD ".containers[0]", NULL, "struct - pointer" },
		{ "v1", "ServiceAccount", "imagePullSecrets", "[{\"name\":\"a\"}]", "list structs atomic habit[name]" },
		{ "v1", "ServiceAccount", "imagePullSecrets", "[{}]", "list structs atomic" },
		{ "v1", "Service", "spec.ports", NULL, "list structs keyed [port protocol:TCP]" },
		{ "v1", "Service", "spec.selector", NULL, "map string atomic" },
		{ "v1", "Secret", "data", NULL, "map bytes" },
		{ "v1", "Endpoints", "subsets[0].ports", "[{\"port\":1}]", "list structs atomic" },
		{ "batch/v1", "CronJob", "spec.jobTemplate." POD ".containers[0].env", NULL,
		  "list structs keyed [name]" },
		{ "batch/v1beta1", "CronJob", "spec.jobTemplate." POD ".containers", NULL,
		  "list structs keyed [name]" }, /* of another version */
		{ "autoscaling/v1", "HorizontalPodAutoscaler", "spec.scaleTargetRef", NULL, "struct - atomic" },
		{ "autoscaling/v2beta2", "HorizontalPodAutoscaler", "spec.metrics[0].resource.target", NULL,
		  "struct -" },
		{ "autoscaling/v2beta1", "HorizontalPodAutoscaler", "spec.metrics[0].pods.targetAverageValue", NULL,
		  "scalar quantity" },
		{ "networking.k8s.io/v1beta1", "Ingress", "spec.rules[0].http.paths[0].pathType", NULL,
		  "scalar string pointer =\"ImplementationSpecific\"" },
		{ "networking.k8s.io/v1", "Ingress", "spec.rules[0].http.paths[0].pathType", NULL,
		  "scalar string pointer" },
		{ "extensions/v1beta1", "Ingress", "spec.backend.servicePort", NULL, "scalar int-or-string" },
		{ "apiregistration.k8s.io/v1beta1", "APIService", "spec.caBundle", NULL, "scalar bytes" },
		{ "apiregistration.k8s.io/v1", "APIService", "spec.insecureSkipTLSVerify", NULL, "scalar boolean" },
		{ "storage.k8s.io/v1", "CSIDriver", "spec.storageCapacity", NULL, "scalar boolean pointer =false" },
		{ "storage.k8s.io/v1", "CSIDriver", "spec.volumeLifecycleModes", NULL, "list string set" },
		{ "storage.k8s.io/v1", "CSINode", "spec.drivers", NULL, "list structs keyed [name]" },
		{ "node.k8s.io/v1", "RuntimeClass", "overhead.podFixed.cpu", NULL, "scalar quantity pointer" },
		{ "node.k8s.io/v1", "RuntimeClass", "scheduling.nodeSelector", NULL, "map string atomic" },
		{ "node.k8s.io/v1", "RuntimeClass", "scheduling.tolerations[0].tolerationSeconds", NULL,
		  "scalar number pointer" },
		{ "flowcontrol.apiserver.k8s.io/v1", "FlowSchema", "spec.rules", NULL, "list structs atomic" },
		{ "flowcontrol.apiserver.k8s.io/v1beta3", "PriorityLevelConfiguration",
		  "spec.limited.limitResponse.queuing.queues", NULL, "scalar number =64" },
		{ "certificates.k8s.io/v1", "CertificateSigningRequest", "spec.extra", NULL, "map lists" },
		{ "policy/v1beta1", "PodSecurityPolicy", "spec.runAsUser.ranges[0].min", NULL, "scalar number" },
		{ "admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicy",
		  "spec.matchConstraints.namespaceSelector", NULL, "struct - atomic pointer ={}" },
		{ "apps/v1", "Deployment", "spec.nothing", NULL, "unknown any pointer" },
		{ "apps/v1", "Deployment", "spec.replicas.nothing[0].more", NULL, "unknown any pointer" },
		{ "v1", "Deployment", "spec.replicas", NULL, "unknown any pointer" }, /* there is no such kind */
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		check(&rows[i], NULL);
}

#define PROPERTIES "spec.versions[0].schema.openAPIV3Schema.properties"

/* A definition is of a built-in kind, and its schemas are of a type that holds itself. */
static void test_definition(void **state)
{
	static const char *const rows[][2] = {
		{ "spec.preserveUnknownFields", "scalar boolean" },
		{ "spec.names.shortNames", "list string atomic" },
		{ "spec.conversion.webhook.clientConfig.service.port", "scalar number pointer =443" },
		{ "spec.versions", "list structs atomic" },
		{ "spec.versions[0].additionalPrinterColumns[1].priority", "scalar number" },
		{ "spec.versions[0].subresources.status", "struct - pointer" },
		{ "spec.versions[0].subresources.status.x", "unknown any pointer" },
		{ PROPERTIES, "map structs" },
		{ PROPERTIES ".a", "struct - pointer" },
		{ PROPERTIES ".a.items.properties.b.additionalProperties.nullable", "scalar boolean" },
		{ PROPERTIES ".a.items.properties.b.minLength", "scalar number pointer" },
		{ PROPERTIES ".a.x-kubernetes-validations", "list structs keyed [rule]" },
		{ PROPERTIES ".a.oneOf[0].not.required", "list string atomic" },
		{ PROPERTIES ".a.default", "scalar any pointer" },
		{ PROPERTIES ".a.default.b", "scalar any pointer" }, /* any JSON, and what is in it */
		{ PROPERTIES ".a.default.b[0].c.nullable", "scalar any pointer" },
		{ PROPERTIES ".a.enum", "list any atomic" },
		{ PROPERTIES ".a.enum[0].b.c", "scalar any pointer" },
		{ PROPERTIES ".a.nothing", "unknown any pointer" },
		{ "status.conditions", "list structs keyed [type]" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		const struct row r = { "apiextensions.k8s.io/v1", "CustomResourceDefinition", rows[i][0], NULL,
				       rows[i][1] };

		check(&r, NULL);
	}
}

static void test_custom(void **state)
{
	static const char schema[] =
		"{\"type\":\"object\",\"properties\":{\"metadata\":{\"type\":\"object\"},\"spec\":{\"type\":\"object\","
		"\"properties\":{"
		"\"l\":{\"type\":\"array\",\"x-kubernetes-list-type\":\"map\",\"x-kubernetes-list-map-keys\":[\"a\","
		"\"b\"],"
		"\"items\":{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"string\"},\"b\":{\"type\":\"string\","
		"\"default\":\"x\"}}}},"
		"\"s\":{\"type\":\"array\",\"x-kubernetes-list-type\":\"set\",\"items\":{\"type\":\"string\"}},"
		"\"u\":{\"type\":\"array\",\"items\":{\"type\":\"object\"}},\"ports\":{\"type\":\"array\",\"items\":{"
		"\"type\":\"object\"}},"
		"\"m\":{\"type\":\"object\",\"additionalProperties\":{\"type\":\"integer\"}},"
		"\"q\":{\"x-kubernetes-int-or-string\":true,\"pattern\":\"^([KMGTPE]i)$\",\"default\":1},"
		"\"p\":{\"x-kubernetes-int-or-string\":true},"
		"\"r\":{\"type\":\"object\",\"x-kubernetes-map-type\":\"atomic\",\"properties\":{\"t\":{\"type\":"
		"\"string\",\"format\":\"date-time\"}}},"
		"\"e\":{\"type\":\"object\",\"x-kubernetes-embedded-resource\":true}}}}}";
	static const struct row rows[] = {
		{ "x.io/v1", "X", "metadata.ownerReferences", NULL, "list structs keyed [uid]" },
		{ "x.io/v1", "X", "spec.e.metadata.finalizers", NULL, "list string set" },
		{ "x.io/v1", "X", "spec.l", NULL, "list structs keyed pointer [a b:x]" },
		{ "x.io/v1", "X", "spec.l[0].b", NULL, "scalar string pointer =\"x\"" },
		{ "x.io/v1", "X", "spec.s", NULL, "list string set pointer" },
		{ "x.io/v1", "X", "spec.u", "[{\"name\":\"n\"}]", "list structs pointer habit[name]" },
		{ "x.io/v1", "X", "spec.ports", "[{\"port\":1}]", "list structs pointer habit[port protocol:TCP]" },
		{ "x.io/v1", "X", "spec.m", NULL, "map number pointer" },
		{ "x.io/v1", "X", "spec.m.k", NULL, "scalar number pointer" },
		{ "x.io/v1", "X", "spec.q", NULL, "scalar quantity pointer =1" },
		{ "x.io/v1", "X", "spec.p", NULL, "scalar int-or-string pointer" },
		{ "x.io/v1", "X", "spec.r", NULL, "struct - atomic pointer" },
		{ "x.io/v1", "X", "spec.r.t", NULL, "scalar time pointer" },
		{ "x.io/v1", "X", "status.x", NULL, "unknown any pointer" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		check(&rows[i], schema);
}

/* Of every kind and version that nobody knows. */
static void test_unknown(void **state)
{
	static const struct row rows[] = {
		{ "x.io/v1", "X", "metadata.ownerReferences", NULL, "list structs keyed [uid]" },
		{ "x.io/v1", "X", "spec.volumeMounts", "[{\"mountPath\":\"/\"}]",
		  "unknown any pointer habit[mountPath]" },
		{ "x.io/v1", "X", "spec.ports", "[{\"containerPort\":1}]",
		  "unknown any pointer habit[containerPort protocol:TCP]" },
		{ "x.io/v1", "X", "spec.ports[0]", "[{\"containerPort\":1}]",
		  "unknown any pointer" }, /* a list in a list */
		{ "x.io/v1", "X", "spec.containers", "[{\"name\":\"a\"}]", "unknown any pointer habit[name]" },
		{ "x.io/v1", "X", "spec.containers", "[{\"name\":1}]", "unknown any pointer" },
		{ "x.io/v1", "X", "spec.containers", "[]", "unknown any pointer" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		check(&rows[i], NULL);
}

/* Which places are what somebody asks for by kind, and which keep no member that nobody knows. */
static void test_kinds_of_places(void **state)
{
	static const struct {
		const char *path;
		bool template, object, closed;
	} rows[] = {
		{ "", false, true, true },
		{ "spec.template", true, false, true },
		{ "spec.template.spec", false, false, true },
		{ "spec.template.spec.containers", false, false, false },
		{ "spec.template.spec.containers[0]", false, false, true },
		{ "spec.volumeClaimTemplates", false, false, false },
		{ "spec.volumeClaimTemplates[0]", false, true, true },
		{ "metadata.labels", false, false, false },
		{ "spec.nothing", false, false, false },
	};
	struct topo root = topo_root(STR("apps/v1"), STR("StatefulSet"), (val){ 0 });

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		CLEANUP(arena_done) struct arena a = ARENA_INIT(0);
		struct path p = { 0 };
		struct topo t;

		assert_true(path_parse(str_from(*rows[i].path ? rows[i].path : "."), &a, &p) || !*rows[i].path);
		t = topo_at(root, p);
		if (topo_is_pod_template(&t) != rows[i].template || topo_is_object(&t) != rows[i].object ||
		    topo_closed(&t) != rows[i].closed || topo_known(&t) != (i + 1 < ARRAY_LEN(rows)))
			fail_msg("%s", rows[i].path);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_built_in), cmocka_unit_test(test_definition),      cmocka_unit_test(test_custom),
		cmocka_unit_test(test_unknown),  cmocka_unit_test(test_kinds_of_places),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

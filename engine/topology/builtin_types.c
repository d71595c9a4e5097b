/* Written by gen/builtin_types.py; do not edit. */
#include "topology/builtin_types.h"

const struct builtin_field builtin_fields[] = {
	/* io.k8s.api.admissionregistration.v1.AuditAnnotation */
	{ .name = "key", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "valueExpression", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	/* io.k8s.api.admissionregistration.v1.ExpressionWarning */
	{ .name = "fieldRef", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "warning", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	/* io.k8s.api.admissionregistration.v1.MatchCondition */
	{ .name = "expression", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "name", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	/* io.k8s.api.admissionregistration.v1.MatchResources */
	{ .name = "excludeResourceRules", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_ATOMIC, .whole_elements = true, .type = 7 },
	{ .name = "matchPolicy", .shape = TOPO_SCALAR, .value = TOPO_STRING, .pointer = true, .otherwise = "\"Equivalent\"" },
	{ .name = "namespaceSelector", .shape = TOPO_STRUCT, .atomic = true, .pointer = true, .otherwise = "{}", .type = 339 },
	{ .name = "objectSelector", .shape = TOPO_STRUCT, .atomic = true, .pointer = true, .otherwise = "{}", .type = 339 },
	{ .name = "resourceRules", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_ATOMIC, .whole_elements = true, .type = 7 },
	/* io.k8s.api.admissionregistration.v1.MutatingWebhook */
	{ .name = "admissionReviewVersions", .shape = TOPO_LIST, .value = TOPO_STRING, .list = TOPO_ATOMIC },
	{ .name = "clientConfig", .shape = TOPO_STRUCT, .type = 22 },
	{ .name = "failurePolicy", .shape = TOPO_SCALAR, .value = TOPO_STRING, .pointer = true, .otherwise = "\"Fail\"" },
	{ .name = "matchConditions", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_KEYED, .keys = "name", .type = 3 },
	{ .name = "matchPolicy", .shape = TOPO_SCALAR, .value = TOPO_STRING, .pointer = true, .otherwise = "\"Equivalent\"" },
	{ .name = "name", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "namespaceSelector", .shape = TOPO_STRUCT, .atomic = true, .pointer = true, .otherwise = "{}", .type = 339 },
	{ .name = "objectSelector", .shape = TOPO_STRUCT, .atomic = true, .pointer = true, .otherwise = "{}", .type = 339 },
	{ .name = "reinvocationPolicy", .shape = TOPO_SCALAR, .value = TOPO_STRING, .pointer = true, .otherwise = "\"Never\"" },
	{ .name = "rules", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_ATOMIC, .type = 10 },
	{ .name = "sideEffects", .shape = TOPO_SCALAR, .value = TOPO_STRING, .pointer = true },
	{ .name = "timeoutSeconds", .shape = TOPO_SCALAR, .value = TOPO_NUMBER, .pointer = true, .otherwise = "10" },
	/* io.k8s.api.admissionregistration.v1.MutatingWebhookConfiguration */
	{ .name = "apiVersion", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "kind", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "metadata", .shape = TOPO_STRUCT, .type = 343 },
	{ .name = "webhooks", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_KEYED, .keys = "name", .type = 5 },
	/* io.k8s.api.admissionregistration.v1.NamedRuleWithOperations */
	{ .name = "apiGroups", .shape = TOPO_LIST, .value = TOPO_STRING, .list = TOPO_ATOMIC },
	{ .name = "apiVersions", .shape = TOPO_LIST, .value = TOPO_STRING, .list = TOPO_ATOMIC },
	{ .name = "operations", .shape = TOPO_LIST, .value = TOPO_STRING, .list = TOPO_ATOMIC },
	{ .name = "resourceNames", .shape = TOPO_LIST, .value = TOPO_STRING, .list = TOPO_ATOMIC },
	{ .name = "resources", .shape = TOPO_LIST, .value = TOPO_STRING, .list = TOPO_ATOMIC },
	{ .name = "scope", .shape = TOPO_SCALAR, .value = TOPO_STRING, .pointer = true, .otherwise = "\"*\"" },
	/* io.k8s.api.admissionregistration.v1.ParamKind */
	{ .name = "apiVersion", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "kind", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	/* io.k8s.api.admissionregistration.v1.ParamRef */
	{ .name = "name", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "namespace", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "parameterNotFoundAction", .shape = TOPO_SCALAR, .value = TOPO_STRING, .pointer = true },
	{ .name = "selector", .shape = TOPO_STRUCT, .atomic = true, .pointer = true, .type = 339 },
	/* io.k8s.api.admissionregistration.v1.RuleWithOperations */
	{ .name = "apiGroups", .shape = TOPO_LIST, .value = TOPO_STRING, .list = TOPO_ATOMIC },
	{ .name = "apiVersions", .shape = TOPO_LIST, .value = TOPO_STRING, .list = TOPO_ATOMIC },
	{ .name = "operations", .shape = TOPO_LIST, .value = TOPO_STRING, .list = TOPO_ATOMIC },
	{ .name = "resources", .shape = TOPO_LIST, .value = TOPO_STRING, .list = TOPO_ATOMIC },
	{ .name = "scope", .shape = TOPO_SCALAR, .value = TOPO_STRING, .pointer = true, .otherwise = "\"*\"" },
	/* io.k8s.api.admissionregistration.v1.ServiceReference */
	{ .name = "name", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "namespace", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "path", .shape = TOPO_SCALAR, .value = TOPO_STRING, .pointer = true },
	{ .name = "port", .shape = TOPO_SCALAR, .value = TOPO_NUMBER, .pointer = true, .otherwise = "443" },
	/* io.k8s.api.admissionregistration.v1.TypeChecking */
	{ .name = "expressionWarnings", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_ATOMIC, .type = 2 },
	/* io.k8s.api.admissionregistration.v1.ValidatingAdmissionPolicy */
	{ .name = "apiVersion", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "kind", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "metadata", .shape = TOPO_STRUCT, .type = 343 },
	{ .name = "spec", .shape = TOPO_STRUCT, .type = 16 },
	{ .name = "status", .shape = TOPO_STRUCT, .type = 17 },
	/* io.k8s.api.admissionregistration.v1.ValidatingAdmissionPolicyBinding */
	{ .name = "apiVersion", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "kind", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "metadata", .shape = TOPO_STRUCT, .type = 343 },
	{ .name = "spec", .shape = TOPO_STRUCT, .type = 15 },
	/* io.k8s.api.admissionregistration.v1.ValidatingAdmissionPolicyBindingSpec */
	{ .name = "matchResources", .shape = TOPO_STRUCT, .atomic = true, .pointer = true, .type = 4 },
	{ .name = "paramRef", .shape = TOPO_STRUCT, .atomic = true, .pointer = true, .type = 9 },
	{ .name = "policyName", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "validationActions", .shape = TOPO_LIST, .value = TOPO_STRING, .list = TOPO_SET },
	/* io.k8s.api.admissionregistration.v1.ValidatingAdmissionPolicySpec */
	{ .name = "auditAnnotations", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_ATOMIC, .type = 1 },
	{ .name = "failurePolicy", .shape = TOPO_SCALAR, .value = TOPO_STRING, .pointer = true, .otherwise = "\"Fail\"" },
	{ .name = "matchConditions", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_KEYED, .keys = "name", .type = 3 },
	{ .name = "matchConstraints", .shape = TOPO_STRUCT, .atomic = true, .pointer = true, .type = 4 },
	{ .name = "paramKind", .shape = TOPO_STRUCT, .atomic = true, .pointer = true, .type = 8 },
	{ .name = "validations", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_ATOMIC, .type = 20 },
	{ .name = "variables", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_KEYED, .keys = "name", .whole_elements = true, .type = 21 },
	/* io.k8s.api.admissionregistration.v1.ValidatingAdmissionPolicyStatus */
	{ .name = "conditions", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_KEYED, .keys = "type", .type = 336 },
	{ .name = "observedGeneration", .shape = TOPO_SCALAR, .value = TOPO_NUMBER },
	{ .name = "typeChecking", .shape = TOPO_STRUCT, .pointer = true, .type = 12 },
	/* io.k8s.api.admissionregistration.v1.ValidatingWebhook */
	{ .name = "admissionReviewVersions", .shape = TOPO_LIST, .value = TOPO_STRING, .list = TOPO_ATOMIC },
	{ .name = "clientConfig", .shape = TOPO_STRUCT, .type = 22 },
	{ .name = "failurePolicy", .shape = TOPO_SCALAR, .value = TOPO_STRING, .pointer = true, .otherwise = "\"Fail\"" },
	{ .name = "matchConditions", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_KEYED, .keys = "name", .type = 3 },
	{ .name = "matchPolicy", .shape = TOPO_SCALAR, .value = TOPO_STRING, .pointer = true, .otherwise = "\"Equivalent\"" },
	{ .name = "name", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "namespaceSelector", .shape = TOPO_STRUCT, .atomic = true, .pointer = true, .otherwise = "{}", .type = 339 },
	{ .name = "objectSelector", .shape = TOPO_STRUCT, .atomic = true, .pointer = true, .otherwise = "{}", .type = 339 },
	{ .name = "rules", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_ATOMIC, .type = 10 },
	{ .name = "sideEffects", .shape = TOPO_SCALAR, .value = TOPO_STRING, .pointer = true },
	{ .name = "timeoutSeconds", .shape = TOPO_SCALAR, .value = TOPO_NUMBER, .pointer = true, .otherwise = "10" },
	/* io.k8s.api.admissionregistration.v1.ValidatingWebhookConfiguration */
	{ .name = "apiVersion", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "kind", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "metadata", .shape = TOPO_STRUCT, .type = 343 },
	{ .name = "webhooks", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_KEYED, .keys = "name", .type = 18 },
	/* io.k8s.api.admissionregistration.v1.Validation */
	{ .name = "expression", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "message", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "messageExpression", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "reason", .shape = TOPO_SCALAR, .value = TOPO_STRING, .pointer = true },
	/* io.k8s.api.admissionregistration.v1.Variable */
	{ .name = "expression", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "name", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	/* io.k8s.api.admissionregistration.v1.WebhookClientConfig */
	{ .name = "caBundle", .shape = TOPO_SCALAR, .value = TOPO_BYTES },
	{ .name = "service", .shape = TOPO_STRUCT, .pointer = true, .type = 11 },
	{ .name = "url", .shape = TOPO_SCALAR, .value = TOPO_STRING, .pointer = true },
	/* io.k8s.api.apps.v1.ControllerRevision */
	{ .name = "apiVersion", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "data", .shape = TOPO_SCALAR, .value = TOPO_ANY },
	{ .name = "kind", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "metadata", .shape = TOPO_STRUCT, .type = 343 },
	{ .name = "revision", .shape = TOPO_SCALAR, .value = TOPO_NUMBER },
	/* io.k8s.api.apps.v1.DaemonSet */
	{ .name = "apiVersion", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "kind", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "metadata", .shape = TOPO_STRUCT, .type = 343 },
	{ .name = "spec", .shape = TOPO_STRUCT, .type = 26 },
	{ .name = "status", .shape = TOPO_STRUCT, .type = 27 },
	/* io.k8s.api.apps.v1.DaemonSetCondition */
	{ .name = "lastTransitionTime", .shape = TOPO_SCALAR, .value = TOPO_TIME },
	{ .name = "message", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "reason", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "status", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "type", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	/* io.k8s.api.apps.v1.DaemonSetSpec */
	{ .name = "minReadySeconds", .shape = TOPO_SCALAR, .value = TOPO_NUMBER },
	{ .name = "revisionHistoryLimit", .shape = TOPO_SCALAR, .value = TOPO_NUMBER, .pointer = true, .otherwise = "10" },
	{ .name = "selector", .shape = TOPO_STRUCT, .atomic = true, .pointer = true, .type = 339 },
	{ .name = "template", .shape = TOPO_STRUCT, .type = 227 },
	{ .name = "updateStrategy", .shape = TOPO_STRUCT, .type = 28 },
	/* io.k8s.api.apps.v1.DaemonSetStatus */
	{ .name = "collisionCount", .shape = TOPO_SCALAR, .value = TOPO_NUMBER, .pointer = true },
	{ .name = "conditions", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_KEYED, .keys = "type", .type = 25 },
	{ .name = "currentNumberScheduled", .shape = TOPO_SCALAR, .value = TOPO_NUMBER },
	{ .name = "desiredNumberScheduled", .shape = TOPO_SCALAR, .value = TOPO_NUMBER },
	{ .name = "numberAvailable", .shape = TOPO_SCALAR, .value = TOPO_NUMBER },
	{ .name = "numberMisscheduled", .shape = TOPO_SCALAR, .value = TOPO_NUMBER },
	{ .name = "numberReady", .shape = TOPO_SCALAR, .value = TOPO_NUMBER },
	{ .name = "numberUnavailable", .shape = TOPO_SCALAR, .value = TOPO_NUMBER },
	{ .name = "observedGeneration", .shape = TOPO_SCALAR, .value = TOPO_NUMBER },
	{ .name = "updatedNumberScheduled", .shape = TOPO_SCALAR, .value = TOPO_NUMBER },
	/* io.k8s.api.apps.v1.DaemonSetUpdateStrategy */
	{ .name = "rollingUpdate", .shape = TOPO_STRUCT, .pointer = true, .type = 38 },
	{ .name = "type", .shape = TOPO_SCALAR, .value = TOPO_STRING, .otherwise = "\"RollingUpdate\"" },
	/* io.k8s.api.apps.v1.Deployment */
	{ .name = "apiVersion", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "kind", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "metadata", .shape = TOPO_STRUCT, .type = 343 },
	{ .name = "spec", .shape = TOPO_STRUCT, .type = 31 },
	{ .name = "status", .shape = TOPO_STRUCT, .type = 32 },
	/* io.k8s.api.apps.v1.DeploymentCondition */
	{ .name = "lastTransitionTime", .shape = TOPO_SCALAR, .value = TOPO_TIME },
	{ .name = "lastUpdateTime", .shape = TOPO_SCALAR, .value = TOPO_TIME },
	{ .name = "message", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "reason", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "status", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "type", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	/* io.k8s.api.apps.v1.DeploymentSpec */
	{ .name = "minReadySeconds", .shape = TOPO_SCALAR, .value = TOPO_NUMBER },
	{ .name = "paused", .shape = TOPO_SCALAR, .value = TOPO_BOOLEAN },
	{ .name = "progressDeadlineSeconds", .shape = TOPO_SCALAR, .value = TOPO_NUMBER, .pointer = true, .otherwise = "600" },
	{ .name = "replicas", .shape = TOPO_SCALAR, .value = TOPO_NUMBER, .pointer = true, .otherwise = "1" },
	{ .name = "revisionHistoryLimit", .shape = TOPO_SCALAR, .value = TOPO_NUMBER, .pointer = true, .otherwise = "10" },
	{ .name = "selector", .shape = TOPO_STRUCT, .atomic = true, .pointer = true, .type = 339 },
	{ .name = "strategy", .shape = TOPO_STRUCT, .type = 33 },
	{ .name = "template", .shape = TOPO_STRUCT, .type = 227 },
	/* io.k8s.api.apps.v1.DeploymentStatus */
	{ .name = "availableReplicas", .shape = TOPO_SCALAR, .value = TOPO_NUMBER },
	{ .name = "collisionCount", .shape = TOPO_SCALAR, .value = TOPO_NUMBER, .pointer = true },
	{ .name = "conditions", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_KEYED, .keys = "type", .type = 30 },
	{ .name = "observedGeneration", .shape = TOPO_SCALAR, .value = TOPO_NUMBER },
	{ .name = "readyReplicas", .shape = TOPO_SCALAR, .value = TOPO_NUMBER },
	{ .name = "replicas", .shape = TOPO_SCALAR, .value = TOPO_NUMBER },
	{ .name = "terminatingReplicas", .shape = TOPO_SCALAR, .value = TOPO_NUMBER, .pointer = true },
	{ .name = "unavailableReplicas", .shape = TOPO_SCALAR, .value = TOPO_NUMBER },
	{ .name = "updatedReplicas", .shape = TOPO_SCALAR, .value = TOPO_NUMBER },
	/* io.k8s.api.apps.v1.DeploymentStrategy */
	{ .name = "rollingUpdate", .shape = TOPO_STRUCT, .pointer = true, .type = 39 },
	{ .name = "type", .shape = TOPO_SCALAR, .value = TOPO_STRING, .otherwise = "\"RollingUpdate\"" },
	/* io.k8s.api.apps.v1.ReplicaSet */
	{ .name = "apiVersion", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "kind", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "metadata", .shape = TOPO_STRUCT, .type = 343 },
	{ .name = "spec", .shape = TOPO_STRUCT, .type = 36 },
	{ .name = "status", .shape = TOPO_STRUCT, .type = 37 },
	/* io.k8s.api.apps.v1.ReplicaSetCondition */
	{ .name = "lastTransitionTime", .shape = TOPO_SCALAR, .value = TOPO_TIME },
	{ .name = "message", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "reason", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "status", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "type", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	/* io.k8s.api.apps.v1.ReplicaSetSpec */
	{ .name = "minReadySeconds", .shape = TOPO_SCALAR, .value = TOPO_NUMBER },
	{ .name = "replicas", .shape = TOPO_SCALAR, .value = TOPO_NUMBER, .pointer = true, .otherwise = "1" },
	{ .name = "selector", .shape = TOPO_STRUCT, .atomic = true, .pointer = true, .type = 339 },
	{ .name = "template", .shape = TOPO_STRUCT, .type = 227 },
	/* io.k8s.api.apps.v1.ReplicaSetStatus */
	{ .name = "availableReplicas", .shape = TOPO_SCALAR, .value = TOPO_NUMBER },
	{ .name = "conditions", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_KEYED, .keys = "type", .type = 35 },
	{ .name = "fullyLabeledReplicas", .shape = TOPO_SCALAR, .value = TOPO_NUMBER },
	{ .name = "observedGeneration", .shape = TOPO_SCALAR, .value = TOPO_NUMBER },
	{ .name = "readyReplicas", .shape = TOPO_SCALAR, .value = TOPO_NUMBER },
	{ .name = "replicas", .shape = TOPO_SCALAR, .value = TOPO_NUMBER },
	{ .name = "terminatingReplicas", .shape = TOPO_SCALAR, .value = TOPO_NUMBER, .pointer = true },
	/* io.k8s.api.apps.v1.RollingUpdateDaemonSet */
	{ .name = "maxSurge", .shape = TOPO_SCALAR, .value = TOPO_INT_OR_STRING, .pointer = true, .otherwise = "0" },
	{ .name = "maxUnavailable", .shape = TOPO_SCALAR, .value = TOPO_INT_OR_STRING, .pointer = true, .otherwise = "1" },
	/* io.k8s.api.apps.v1.RollingUpdateDeployment */
	{ .name = "maxSurge", .shape = TOPO_SCALAR, .value = TOPO_INT_OR_STRING, .pointer = true, .otherwise = "\"25%\"" },
	{ .name = "maxUnavailable", .shape = TOPO_SCALAR, .value = TOPO_INT_OR_STRING, .pointer = true, .otherwise = "\"25%\"" },
	/* io.k8s.api.apps.v1.RollingUpdateStatefulSetStrategy */
	{ .name = "maxUnavailable", .shape = TOPO_SCALAR, .value = TOPO_INT_OR_STRING, .pointer = true },
	{ .name = "partition", .shape = TOPO_SCALAR, .value = TOPO_NUMBER, .pointer = true, .otherwise = "0" },
	/* io.k8s.api.apps.v1.StatefulSet */
	{ .name = "apiVersion", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "kind", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "metadata", .shape = TOPO_STRUCT, .type = 343 },
	{ .name = "spec", .shape = TOPO_STRUCT, .type = 45 },
	{ .name = "status", .shape = TOPO_STRUCT, .type = 46 },
	/* io.k8s.api.apps.v1.StatefulSetCondition */
	{ .name = "lastTransitionTime", .shape = TOPO_SCALAR, .value = TOPO_TIME },
	{ .name = "message", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "reason", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "status", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "type", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	/* io.k8s.api.apps.v1.StatefulSetOrdinals */
	{ .name = "start", .shape = TOPO_SCALAR, .value = TOPO_NUMBER },
	/* io.k8s.api.apps.v1.StatefulSetPersistentVolumeClaimRetentionPolicy */
	{ .name = "whenDeleted", .shape = TOPO_SCALAR, .value = TOPO_STRING, .otherwise = "\"Retain\"" },
	{ .name = "whenScaled", .shape = TOPO_SCALAR, .value = TOPO_STRING, .otherwise = "\"Retain\"" },
	/* io.k8s.api.apps.v1.StatefulSetSpec */
	{ .name = "minReadySeconds", .shape = TOPO_SCALAR, .value = TOPO_NUMBER },
	{ .name = "ordinals", .shape = TOPO_STRUCT, .pointer = true, .type = 43 },
	{ .name = "persistentVolumeClaimRetentionPolicy", .shape = TOPO_STRUCT, .pointer = true, .type = 44 },
	{ .name = "podManagementPolicy", .shape = TOPO_SCALAR, .value = TOPO_STRING, .otherwise = "\"OrderedReady\"" },
	{ .name = "replicas", .shape = TOPO_SCALAR, .value = TOPO_NUMBER, .pointer = true, .otherwise = "1" },
	{ .name = "revisionHistoryLimit", .shape = TOPO_SCALAR, .value = TOPO_NUMBER, .pointer = true, .otherwise = "10" },
	{ .name = "selector", .shape = TOPO_STRUCT, .atomic = true, .pointer = true, .type = 339 },
	{ .name = "serviceName", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "template", .shape = TOPO_STRUCT, .type = 227 },
	{ .name = "updateStrategy", .shape = TOPO_STRUCT, .type = 47 },
	{ .name = "volumeClaimTemplates", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_ATOMIC, .type = 198 },
	/* io.k8s.api.apps.v1.StatefulSetStatus */
	{ .name = "availableReplicas", .shape = TOPO_SCALAR, .value = TOPO_NUMBER },
	{ .name = "collisionCount", .shape = TOPO_SCALAR, .value = TOPO_NUMBER, .pointer = true },
	{ .name = "conditions", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_KEYED, .keys = "type", .type = 42 },
	{ .name = "currentReplicas", .shape = TOPO_SCALAR, .value = TOPO_NUMBER },
	{ .name = "currentRevision", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "observedGeneration", .shape = TOPO_SCALAR, .value = TOPO_NUMBER },
	{ .name = "readyReplicas", .shape = TOPO_SCALAR, .value = TOPO_NUMBER },
	{ .name = "replicas", .shape = TOPO_SCALAR, .value = TOPO_NUMBER },
	{ .name = "updateRevision", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "updatedReplicas", .shape = TOPO_SCALAR, .value = TOPO_NUMBER },
	/* io.k8s.api.apps.v1.StatefulSetUpdateStrategy */
	{ .name = "rollingUpdate", .shape = TOPO_STRUCT, .pointer = true, .type = 40 },
	{ .name = "type", .shape = TOPO_SCALAR, .value = TOPO_STRING, .otherwise = "\"RollingUpdate\"" },
	/* io.k8s.api.autoscaling.v2.ContainerResourceMetricSource */
	{ .name = "container", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "name", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "target", .shape = TOPO_STRUCT, .type = 63 },
	/* io.k8s.api.autoscaling.v2.ContainerResourceMetricStatus */
	{ .name = "container", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "current", .shape = TOPO_STRUCT, .type = 64 },
	{ .name = "name", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	/* io.k8s.api.autoscaling.v2.CrossVersionObjectReference */
	{ .name = "apiVersion", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "kind", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "name", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	/* io.k8s.api.autoscaling.v2.ExternalMetricSource */
	{ .name = "metric", .shape = TOPO_STRUCT, .type = 60 },
	{ .name = "target", .shape = TOPO_STRUCT, .type = 63 },
	/* io.k8s.api.autoscaling.v2.ExternalMetricStatus */
	{ .name = "current", .shape = TOPO_STRUCT, .type = 64 },
	{ .name = "metric", .shape = TOPO_STRUCT, .type = 60 },
	/* io.k8s.api.autoscaling.v2.HPAScalingPolicy */
	{ .name = "periodSeconds", .shape = TOPO_SCALAR, .value = TOPO_NUMBER },
	{ .name = "type", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "value", .shape = TOPO_SCALAR, .value = TOPO_NUMBER },
	/* io.k8s.api.autoscaling.v2.HPAScalingRules */
	{ .name = "policies", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_ATOMIC, .type = 53 },
	{ .name = "selectPolicy", .shape = TOPO_SCALAR, .value = TOPO_STRING, .pointer = true, .otherwise = "\"Max\"" },
	{ .name = "stabilizationWindowSeconds", .shape = TOPO_SCALAR, .value = TOPO_NUMBER, .pointer = true },
	{ .name = "tolerance", .shape = TOPO_SCALAR, .value = TOPO_QUANTITY, .pointer = true },
	/* io.k8s.api.autoscaling.v2.HorizontalPodAutoscaler */
	{ .name = "apiVersion", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "kind", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "metadata", .shape = TOPO_STRUCT, .type = 343 },
	{ .name = "spec", .shape = TOPO_STRUCT, .type = 58 },
	{ .name = "status", .shape = TOPO_STRUCT, .type = 59 },
	/* io.k8s.api.autoscaling.v2.HorizontalPodAutoscalerBehavior */
	{ .name = "scaleDown", .shape = TOPO_STRUCT, .pointer = true, .type = 54 },
	{ .name = "scaleUp", .shape = TOPO_STRUCT, .pointer = true, .type = 54 },
	/* io.k8s.api.autoscaling.v2.HorizontalPodAutoscalerCondition */
	{ .name = "lastTransitionTime", .shape = TOPO_SCALAR, .value = TOPO_TIME },
	{ .name = "message", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "reason", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "status", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "type", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	/* io.k8s.api.autoscaling.v2.HorizontalPodAutoscalerSpec */
	{ .name = "behavior", .shape = TOPO_STRUCT, .pointer = true, .type = 56 },
	{ .name = "maxReplicas", .shape = TOPO_SCALAR, .value = TOPO_NUMBER },
	{ .name = "metrics", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_ATOMIC, .otherwise = "[{\"resource\":{\"name\":\"cpu\",\"target\":{\"averageUtilization\":80,\"type\":\"Utilization\"}},\"type\":\"Resource\"}]", .type = 61 },
	{ .name = "minReplicas", .shape = TOPO_SCALAR, .value = TOPO_NUMBER, .pointer = true, .otherwise = "1" },
	{ .name = "scaleTargetRef", .shape = TOPO_STRUCT, .type = 50 },
	/* io.k8s.api.autoscaling.v2.HorizontalPodAutoscalerStatus */
	{ .name = "conditions", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_KEYED, .keys = "type", .type = 57 },
	{ .name = "currentMetrics", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_ATOMIC, .type = 62 },
	{ .name = "currentReplicas", .shape = TOPO_SCALAR, .value = TOPO_NUMBER },
	{ .name = "desiredReplicas", .shape = TOPO_SCALAR, .value = TOPO_NUMBER },
	{ .name = "lastScaleTime", .shape = TOPO_SCALAR, .value = TOPO_TIME, .pointer = true },
	{ .name = "observedGeneration", .shape = TOPO_SCALAR, .value = TOPO_NUMBER, .pointer = true },
	/* io.k8s.api.autoscaling.v2.MetricIdentifier */
	{ .name = "name", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "selector", .shape = TOPO_STRUCT, .atomic = true, .pointer = true, .type = 339 },
	/* io.k8s.api.autoscaling.v2.MetricSpec */
	{ .name = "containerResource", .shape = TOPO_STRUCT, .pointer = true, .type = 48 },
	{ .name = "external", .shape = TOPO_STRUCT, .pointer = true, .type = 51 },
	{ .name = "object", .shape = TOPO_STRUCT, .pointer = true, .type = 65 },
	{ .name = "pods", .shape = TOPO_STRUCT, .pointer = true, .type = 67 },
	{ .name = "resource", .shape = TOPO_STRUCT, .pointer = true, .type = 69 },
	{ .name = "type", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	/* io.k8s.api.autoscaling.v2.MetricStatus */
	{ .name = "containerResource", .shape = TOPO_STRUCT, .pointer = true, .type = 49 },
	{ .name = "external", .shape = TOPO_STRUCT, .pointer = true, .type = 52 },
	{ .name = "object", .shape = TOPO_STRUCT, .pointer = true, .type = 66 },
	{ .name = "pods", .shape = TOPO_STRUCT, .pointer = true, .type = 68 },
	{ .name = "resource", .shape = TOPO_STRUCT, .pointer = true, .type = 70 },
	{ .name = "type", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	/* io.k8s.api.autoscaling.v2.MetricTarget */
	{ .name = "averageUtilization", .shape = TOPO_SCALAR, .value = TOPO_NUMBER, .pointer = true },
	{ .name = "averageValue", .shape = TOPO_SCALAR, .value = TOPO_QUANTITY, .pointer = true },
	{ .name = "type", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "value", .shape = TOPO_SCALAR, .value = TOPO_QUANTITY, .pointer = true },
	/* io.k8s.api.autoscaling.v2.MetricValueStatus */
	{ .name = "averageUtilization", .shape = TOPO_SCALAR, .value = TOPO_NUMBER, .pointer = true },
	{ .name = "averageValue", .shape = TOPO_SCALAR, .value = TOPO_QUANTITY, .pointer = true },
	{ .name = "value", .shape = TOPO_SCALAR, .value = TOPO_QUANTITY, .pointer = true },
	/* io.k8s.api.autoscaling.v2.ObjectMetricSource */
	{ .name = "describedObject", .shape = TOPO_STRUCT, .type = 50 },
	{ .name = "metric", .shape = TOPO_STRUCT, .type = 60 },
	{ .name = "target", .shape = TOPO_STRUCT, .type = 63 },
	/* io.k8s.api.autoscaling.v2.ObjectMetricStatus */
	{ .name = "current", .shape = TOPO_STRUCT, .type = 64 },
	{ .name = "describedObject", .shape = TOPO_STRUCT, .type = 50 },
	{ .name = "metric", .shape = TOPO_STRUCT, .type = 60 },
	/* io.k8s.api.autoscaling.v2.PodsMetricSource */
	{ .name = "metric", .shape = TOPO_STRUCT, .type = 60 },
	{ .name = "target", .shape = TOPO_STRUCT, .type = 63 },
	/* io.k8s.api.autoscaling.v2.PodsMetricStatus */
	{ .name = "current", .shape = TOPO_STRUCT, .type = 64 },
	{ .name = "metric", .shape = TOPO_STRUCT, .type = 60 },
	/* io.k8s.api.autoscaling.v2.ResourceMetricSource */
	{ .name = "name", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "target", .shape = TOPO_STRUCT, .type = 63 },
	/* io.k8s.api.autoscaling.v2.ResourceMetricStatus */
	{ .name = "current", .shape = TOPO_STRUCT, .type = 64 },
	{ .name = "name", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	/* io.k8s.api.batch.v1.CronJob */
	{ .name = "apiVersion", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "kind", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "metadata", .shape = TOPO_STRUCT, .type = 343 },
	{ .name = "spec", .shape = TOPO_STRUCT, .type = 72 },
	{ .name = "status", .shape = TOPO_STRUCT, .type = 73 },
	/* io.k8s.api.batch.v1.CronJobSpec */
	{ .name = "concurrencyPolicy", .shape = TOPO_SCALAR, .value = TOPO_STRING, .otherwise = "\"Allow\"" },
	{ .name = "failedJobsHistoryLimit", .shape = TOPO_SCALAR, .value = TOPO_NUMBER, .pointer = true, .otherwise = "1" },
	{ .name = "jobTemplate", .shape = TOPO_STRUCT, .type = 78 },
	{ .name = "schedule", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "startingDeadlineSeconds", .shape = TOPO_SCALAR, .value = TOPO_NUMBER, .pointer = true },
	{ .name = "successfulJobsHistoryLimit", .shape = TOPO_SCALAR, .value = TOPO_NUMBER, .pointer = true, .otherwise = "3" },
	{ .name = "suspend", .shape = TOPO_SCALAR, .value = TOPO_BOOLEAN, .pointer = true, .otherwise = "false" },
	{ .name = "timeZone", .shape = TOPO_SCALAR, .value = TOPO_STRING, .pointer = true },
	/* io.k8s.api.batch.v1.CronJobStatus */
	{ .name = "active", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_ATOMIC, .whole_elements = true, .type = 196 },
	{ .name = "lastScheduleTime", .shape = TOPO_SCALAR, .value = TOPO_TIME, .pointer = true },
	{ .name = "lastSuccessfulTime", .shape = TOPO_SCALAR, .value = TOPO_TIME, .pointer = true },
	/* io.k8s.api.batch.v1.Job */
	{ .name = "apiVersion", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "kind", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "metadata", .shape = TOPO_STRUCT, .type = 343 },
	{ .name = "spec", .shape = TOPO_STRUCT, .type = 76 },
	{ .name = "status", .shape = TOPO_STRUCT, .type = 77 },
	/* io.k8s.api.batch.v1.JobCondition */
	{ .name = "lastProbeTime", .shape = TOPO_SCALAR, .value = TOPO_TIME },
	{ .name = "lastTransitionTime", .shape = TOPO_SCALAR, .value = TOPO_TIME },
	{ .name = "message", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "reason", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "status", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "type", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	/* io.k8s.api.batch.v1.JobSpec */
	{ .name = "activeDeadlineSeconds", .shape = TOPO_SCALAR, .value = TOPO_NUMBER, .pointer = true },
	{ .name = "backoffLimit", .shape = TOPO_SCALAR, .value = TOPO_NUMBER, .pointer = true, .otherwise = "6" },
	{ .name = "backoffLimitPerIndex", .shape = TOPO_SCALAR, .value = TOPO_NUMBER, .pointer = true },
	{ .name = "completionMode", .shape = TOPO_SCALAR, .value = TOPO_STRING, .pointer = true, .otherwise = "\"NonIndexed\"" },
	{ .name = "completions", .shape = TOPO_SCALAR, .value = TOPO_NUMBER, .pointer = true, .otherwise = "1" },
	{ .name = "managedBy", .shape = TOPO_SCALAR, .value = TOPO_STRING, .pointer = true },
	{ .name = "manualSelector", .shape = TOPO_SCALAR, .value = TOPO_BOOLEAN, .pointer = true },
	{ .name = "maxFailedIndexes", .shape = TOPO_SCALAR, .value = TOPO_NUMBER, .pointer = true },
	{ .name = "parallelism", .shape = TOPO_SCALAR, .value = TOPO_NUMBER, .pointer = true, .otherwise = "1" },
	{ .name = "podFailurePolicy", .shape = TOPO_STRUCT, .pointer = true, .type = 79 },
	{ .name = "podReplacementPolicy", .shape = TOPO_SCALAR, .value = TOPO_STRING, .pointer = true },
	{ .name = "selector", .shape = TOPO_STRUCT, .atomic = true, .pointer = true, .type = 339 },
	{ .name = "successPolicy", .shape = TOPO_STRUCT, .pointer = true, .type = 83 },
	{ .name = "suspend", .shape = TOPO_SCALAR, .value = TOPO_BOOLEAN, .pointer = true, .otherwise = "false" },
	{ .name = "template", .shape = TOPO_STRUCT, .type = 227 },
	{ .name = "ttlSecondsAfterFinished", .shape = TOPO_SCALAR, .value = TOPO_NUMBER, .pointer = true },
	/* io.k8s.api.batch.v1.JobStatus */
	{ .name = "active", .shape = TOPO_SCALAR, .value = TOPO_NUMBER },
	{ .name = "completedIndexes", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "completionTime", .shape = TOPO_SCALAR, .value = TOPO_TIME, .pointer = true },
	{ .name = "conditions", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_ATOMIC, .type = 75 },
	{ .name = "failed", .shape = TOPO_SCALAR, .value = TOPO_NUMBER },
	{ .name = "failedIndexes", .shape = TOPO_SCALAR, .value = TOPO_STRING, .pointer = true },
	{ .name = "ready", .shape = TOPO_SCALAR, .value = TOPO_NUMBER, .pointer = true },
	{ .name = "startTime", .shape = TOPO_SCALAR, .value = TOPO_TIME, .pointer = true },
	{ .name = "succeeded", .shape = TOPO_SCALAR, .value = TOPO_NUMBER },
	{ .name = "terminating", .shape = TOPO_SCALAR, .value = TOPO_NUMBER, .pointer = true },
	{ .name = "uncountedTerminatedPods", .shape = TOPO_STRUCT, .pointer = true, .type = 85 },
	/* io.k8s.api.batch.v1.JobTemplateSpec */
	{ .name = "metadata", .shape = TOPO_STRUCT, .type = 343 },
	{ .name = "spec", .shape = TOPO_STRUCT, .type = 76 },
	/* io.k8s.api.batch.v1.PodFailurePolicy */
	{ .name = "rules", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_ATOMIC, .type = 82 },
	/* io.k8s.api.batch.v1.PodFailurePolicyOnExitCodesRequirement */
	{ .name = "containerName", .shape = TOPO_SCALAR, .value = TOPO_STRING, .pointer = true },
	{ .name = "operator", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "values", .shape = TOPO_LIST, .value = TOPO_NUMBER, .list = TOPO_SET },
	/* io.k8s.api.batch.v1.PodFailurePolicyOnPodConditionsPattern */
	{ .name = "status", .shape = TOPO_SCALAR, .value = TOPO_STRING, .otherwise = "\"True\"" },
	{ .name = "type", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	/* io.k8s.api.batch.v1.PodFailurePolicyRule */
	{ .name = "action", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "onExitCodes", .shape = TOPO_STRUCT, .pointer = true, .type = 80 },
	{ .name = "onPodConditions", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_ATOMIC, .type = 81 },
	/* io.k8s.api.batch.v1.SuccessPolicy */
	{ .name = "rules", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_ATOMIC, .type = 84 },
	/* io.k8s.api.batch.v1.SuccessPolicyRule */
	{ .name = "succeededCount", .shape = TOPO_SCALAR, .value = TOPO_NUMBER, .pointer = true },
	{ .name = "succeededIndexes", .shape = TOPO_SCALAR, .value = TOPO_STRING, .pointer = true },
	/* io.k8s.api.batch.v1.UncountedTerminatedPods */
	{ .name = "failed", .shape = TOPO_LIST, .value = TOPO_STRING, .list = TOPO_SET },
	{ .name = "succeeded", .shape = TOPO_LIST, .value = TOPO_STRING, .list = TOPO_SET },
	/* io.k8s.api.coordination.v1.Lease */
	{ .name = "apiVersion", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "kind", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "metadata", .shape = TOPO_STRUCT, .type = 343 },
	{ .name = "spec", .shape = TOPO_STRUCT, .type = 87 },
	/* io.k8s.api.coordination.v1.LeaseSpec */
	{ .name = "acquireTime", .shape = TOPO_SCALAR, .value = TOPO_TIME, .pointer = true },
	{ .name = "holderIdentity", .shape = TOPO_SCALAR, .value = TOPO_STRING, .pointer = true },
	{ .name = "leaseDurationSeconds", .shape = TOPO_SCALAR, .value = TOPO_NUMBER, .pointer = true },
	{ .name = "leaseTransitions", .shape = TOPO_SCALAR, .value = TOPO_NUMBER, .pointer = true },
	{ .name = "preferredHolder", .shape = TOPO_SCALAR, .value = TOPO_STRING, .pointer = true },
	{ .name = "renewTime", .shape = TOPO_SCALAR, .value = TOPO_TIME, .pointer = true },
	{ .name = "strategy", .shape = TOPO_SCALAR, .value = TOPO_STRING, .pointer = true },
	/* io.k8s.api.core.v1.AWSElasticBlockStoreVolumeSource */
	{ .name = "fsType", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "partition", .shape = TOPO_SCALAR, .value = TOPO_NUMBER },
	{ .name = "readOnly", .shape = TOPO_SCALAR, .value = TOPO_BOOLEAN },
	{ .name = "volumeID", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	/* io.k8s.api.core.v1.Affinity */
	{ .name = "nodeAffinity", .shape = TOPO_STRUCT, .pointer = true, .type = 179 },
	{ .name = "podAffinity", .shape = TOPO_STRUCT, .pointer = true, .type = 208 },
	{ .name = "podAntiAffinity", .shape = TOPO_STRUCT, .pointer = true, .type = 210 },
	/* io.k8s.api.core.v1.AppArmorProfile */
	{ .name = "localhostProfile", .shape = TOPO_SCALAR, .value = TOPO_STRING, .pointer = true },
	{ .name = "type", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	/* io.k8s.api.core.v1.AttachedVolume */
	{ .name = "devicePath", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "name", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	/* io.k8s.api.core.v1.AzureDiskVolumeSource */
	{ .name = "cachingMode", .shape = TOPO_SCALAR, .value = TOPO_STRING, .pointer = true, .otherwise = "\"ReadWrite\"" },
	{ .name = "diskName", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "diskURI", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "fsType", .shape = TOPO_SCALAR, .value = TOPO_STRING, .pointer = true, .otherwise = "\"ext4\"" },
	{ .name = "kind", .shape = TOPO_SCALAR, .value = TOPO_STRING, .pointer = true, .otherwise = "\"Shared\"" },
	{ .name = "readOnly", .shape = TOPO_SCALAR, .value = TOPO_BOOLEAN, .pointer = true, .otherwise = "false" },
	/* io.k8s.api.core.v1.AzureFilePersistentVolumeSource */
	{ .name = "readOnly", .shape = TOPO_SCALAR, .value = TOPO_BOOLEAN },
	{ .name = "secretName", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "secretNamespace", .shape = TOPO_SCALAR, .value = TOPO_STRING, .pointer = true },
	{ .name = "shareName", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	/* io.k8s.api.core.v1.AzureFileVolumeSource */
	{ .name = "readOnly", .shape = TOPO_SCALAR, .value = TOPO_BOOLEAN },
	{ .name = "secretName", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "shareName", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	/* io.k8s.api.core.v1.CSIPersistentVolumeSource */
	{ .name = "controllerExpandSecretRef", .shape = TOPO_STRUCT, .atomic = true, .pointer = true, .type = 258 },
	{ .name = "controllerPublishSecretRef", .shape = TOPO_STRUCT, .atomic = true, .pointer = true, .type = 258 },
	{ .name = "driver", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "fsType", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "nodeExpandSecretRef", .shape = TOPO_STRUCT, .atomic = true, .pointer = true, .type = 258 },
	{ .name = "nodePublishSecretRef", .shape = TOPO_STRUCT, .atomic = true, .pointer = true, .type = 258 },
	{ .name = "nodeStageSecretRef", .shape = TOPO_STRUCT, .atomic = true, .pointer = true, .type = 258 },
	{ .name = "readOnly", .shape = TOPO_SCALAR, .value = TOPO_BOOLEAN },
	{ .name = "volumeAttributes", .shape = TOPO_MAP, .value = TOPO_STRING },
	{ .name = "volumeHandle", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	/* io.k8s.api.core.v1.CSIVolumeSource */
	{ .name = "driver", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "fsType", .shape = TOPO_SCALAR, .value = TOPO_STRING, .pointer = true },
	{ .name = "nodePublishSecretRef", .shape = TOPO_STRUCT, .atomic = true, .pointer = true, .type = 169 },
	{ .name = "readOnly", .shape = TOPO_SCALAR, .value = TOPO_BOOLEAN, .pointer = true },
	{ .name = "volumeAttributes", .shape = TOPO_MAP, .value = TOPO_STRING },
	/* io.k8s.api.core.v1.Capabilities */
	{ .name = "add", .shape = TOPO_LIST, .value = TOPO_STRING, .list = TOPO_ATOMIC },
	{ .name = "drop", .shape = TOPO_LIST, .value = TOPO_STRING, .list = TOPO_ATOMIC },
	/* io.k8s.api.core.v1.CephFSPersistentVolumeSource */
	{ .name = "monitors", .shape = TOPO_LIST, .value = TOPO_STRING, .list = TOPO_ATOMIC },
	{ .name = "path", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "readOnly", .shape = TOPO_SCALAR, .value = TOPO_BOOLEAN },
	{ .name = "secretFile", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "secretRef", .shape = TOPO_STRUCT, .atomic = true, .pointer = true, .type = 258 },
	{ .name = "user", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	/* io.k8s.api.core.v1.CephFSVolumeSource */
	{ .name = "monitors", .shape = TOPO_LIST, .value = TOPO_STRING, .list = TOPO_ATOMIC },
	{ .name = "path", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "readOnly", .shape = TOPO_SCALAR, .value = TOPO_BOOLEAN },
	{ .name = "secretFile", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "secretRef", .shape = TOPO_STRUCT, .atomic = true, .pointer = true, .type = 169 },
	{ .name = "user", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	/* io.k8s.api.core.v1.CinderPersistentVolumeSource */
	{ .name = "fsType", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "readOnly", .shape = TOPO_SCALAR, .value = TOPO_BOOLEAN },
	{ .name = "secretRef", .shape = TOPO_STRUCT, .atomic = true, .pointer = true, .type = 258 },
	{ .name = "volumeID", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	/* io.k8s.api.core.v1.CinderVolumeSource */
	{ .name = "fsType", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "readOnly", .shape = TOPO_SCALAR, .value = TOPO_BOOLEAN },
	{ .name = "secretRef", .shape = TOPO_STRUCT, .atomic = true, .pointer = true, .type = 169 },
	{ .name = "volumeID", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	/* io.k8s.api.core.v1.ClientIPConfig */
	{ .name = "timeoutSeconds", .shape = TOPO_SCALAR, .value = TOPO_NUMBER, .pointer = true, .otherwise = "10800" },
	/* io.k8s.api.core.v1.ClusterTrustBundleProjection */
	{ .name = "labelSelector", .shape = TOPO_STRUCT, .atomic = true, .pointer = true, .type = 339 },
	{ .name = "name", .shape = TOPO_SCALAR, .value = TOPO_STRING, .pointer = true },
	{ .name = "optional", .shape = TOPO_SCALAR, .value = TOPO_BOOLEAN, .pointer = true },
	{ .name = "path", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "signerName", .shape = TOPO_SCALAR, .value = TOPO_STRING, .pointer = true },
	/* io.k8s.api.core.v1.ConfigMap */
	{ .name = "apiVersion", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "binaryData", .shape = TOPO_MAP, .value = TOPO_BYTES },
	{ .name = "data", .shape = TOPO_MAP, .value = TOPO_STRING },
	{ .name = "immutable", .shape = TOPO_SCALAR, .value = TOPO_BOOLEAN, .pointer = true },
	{ .name = "kind", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "metadata", .shape = TOPO_STRUCT, .type = 343 },
	/* io.k8s.api.core.v1.ConfigMapEnvSource */
	{ .name = "name", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "optional", .shape = TOPO_SCALAR, .value = TOPO_BOOLEAN, .pointer = true },
	/* io.k8s.api.core.v1.ConfigMapKeySelector */
	{ .name = "key", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "name", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "optional", .shape = TOPO_SCALAR, .value = TOPO_BOOLEAN, .pointer = true },
	/* io.k8s.api.core.v1.ConfigMapNodeConfigSource */
	{ .name = "kubeletConfigKey", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "name", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "namespace", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "resourceVersion", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "uid", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	/* io.k8s.api.core.v1.ConfigMapProjection */
	{ .name = "items", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_ATOMIC, .type = 160 },
	{ .name = "name", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "optional", .shape = TOPO_SCALAR, .value = TOPO_BOOLEAN, .pointer = true },
	/* io.k8s.api.core.v1.ConfigMapVolumeSource */
	{ .name = "defaultMode", .shape = TOPO_SCALAR, .value = TOPO_NUMBER, .pointer = true, .otherwise = "420" },
	{ .name = "items", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_ATOMIC, .type = 160 },
	{ .name = "name", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "optional", .shape = TOPO_SCALAR, .value = TOPO_BOOLEAN, .pointer = true },
	/* io.k8s.api.core.v1.Container */
	{ .name = "args", .shape = TOPO_LIST, .value = TOPO_STRING, .list = TOPO_ATOMIC },
	{ .name = "command", .shape = TOPO_LIST, .value = TOPO_STRING, .list = TOPO_ATOMIC },
	{ .name = "env", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_KEYED, .keys = "name", .type = 133 },
	{ .name = "envFrom", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_ATOMIC, .type = 132 },
	{ .name = "image", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "imagePullPolicy", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "lifecycle", .shape = TOPO_STRUCT, .pointer = true, .type = 161 },
	{ .name = "livenessProbe", .shape = TOPO_STRUCT, .pointer = true, .type = 231 },
	{ .name = "name", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "ports", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_KEYED, .keys = "containerPort,protocol", .type = 113 },
	{ .name = "readinessProbe", .shape = TOPO_STRUCT, .pointer = true, .type = 231 },
	{ .name = "resizePolicy", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_ATOMIC, .type = 114 },
	{ .name = "resources", .shape = TOPO_STRUCT, .type = 246 },
	{ .name = "restartPolicy", .shape = TOPO_SCALAR, .value = TOPO_STRING, .pointer = true },
	{ .name = "restartPolicyRules", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_ATOMIC, .type = 115 },
	{ .name = "securityContext", .shape = TOPO_STRUCT, .pointer = true, .type = 260 },
	{ .name = "startupProbe", .shape = TOPO_STRUCT, .pointer = true, .type = 231 },
	{ .name = "stdin", .shape = TOPO_SCALAR, .value = TOPO_BOOLEAN },
	{ .name = "stdinOnce", .shape = TOPO_SCALAR, .value = TOPO_BOOLEAN },
	{ .name = "terminationMessagePath", .shape = TOPO_SCALAR, .value = TOPO_STRING, .otherwise = "\"/dev/termination-log\"" },
	{ .name = "terminationMessagePolicy", .shape = TOPO_SCALAR, .value = TOPO_STRING, .otherwise = "\"File\"" },
	{ .name = "tty", .shape = TOPO_SCALAR, .value = TOPO_BOOLEAN },
	{ .name = "volumeDevices", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_KEYED, .keys = "devicePath", .type = 281 },
	{ .name = "volumeMounts", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_KEYED, .keys = "mountPath", .type = 282 },
	{ .name = "workingDir", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	/* io.k8s.api.core.v1.ContainerExtendedResourceRequest */
	{ .name = "containerName", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "requestName", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "resourceName", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	/* io.k8s.api.core.v1.ContainerImage */
	{ .name = "names", .shape = TOPO_LIST, .value = TOPO_STRING, .list = TOPO_ATOMIC },
	{ .name = "sizeBytes", .shape = TOPO_SCALAR, .value = TOPO_NUMBER },
	/* io.k8s.api.core.v1.ContainerPort */
	{ .name = "containerPort", .shape = TOPO_SCALAR, .value = TOPO_NUMBER },
	{ .name = "hostIP", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "hostPort", .shape = TOPO_SCALAR, .value = TOPO_NUMBER },
	{ .name = "name", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "protocol", .shape = TOPO_SCALAR, .value = TOPO_STRING, .otherwise = "\"TCP\"" },
	/* io.k8s.api.core.v1.ContainerResizePolicy */
	{ .name = "resourceName", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "restartPolicy", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	/* io.k8s.api.core.v1.ContainerRestartRule */
	{ .name = "action", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "exitCodes", .shape = TOPO_STRUCT, .pointer = true, .type = 116 },
	/* io.k8s.api.core.v1.ContainerRestartRuleOnExitCodes */
	{ .name = "operator", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "values", .shape = TOPO_LIST, .value = TOPO_NUMBER, .list = TOPO_SET },
	/* io.k8s.api.core.v1.ContainerState */
	{ .name = "running", .shape = TOPO_STRUCT, .pointer = true, .type = 118 },
	{ .name = "terminated", .shape = TOPO_STRUCT, .pointer = true, .type = 119 },
	{ .name = "waiting", .shape = TOPO_STRUCT, .pointer = true, .type = 120 },
	/* io.k8s.api.core.v1.ContainerStateRunning */
	{ .name = "startedAt", .shape = TOPO_SCALAR, .value = TOPO_TIME },
	/* io.k8s.api.core.v1.ContainerStateTerminated */
	{ .name = "containerID", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "exitCode", .shape = TOPO_SCALAR, .value = TOPO_NUMBER },
	{ .name = "finishedAt", .shape = TOPO_SCALAR, .value = TOPO_TIME },
	{ .name = "message", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "reason", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "signal", .shape = TOPO_SCALAR, .value = TOPO_NUMBER },
	{ .name = "startedAt", .shape = TOPO_SCALAR, .value = TOPO_TIME },
	/* io.k8s.api.core.v1.ContainerStateWaiting */
	{ .name = "message", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "reason", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	/* io.k8s.api.core.v1.ContainerStatus */
	{ .name = "allocatedResources", .shape = TOPO_MAP, .value = TOPO_QUANTITY },
	{ .name = "allocatedResourcesStatus", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_KEYED, .keys = "name", .type = 247 },
	{ .name = "containerID", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "image", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "imageID", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "lastState", .shape = TOPO_STRUCT, .type = 117 },
	{ .name = "name", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "ready", .shape = TOPO_SCALAR, .value = TOPO_BOOLEAN },
	{ .name = "resources", .shape = TOPO_STRUCT, .pointer = true, .type = 246 },
	{ .name = "restartCount", .shape = TOPO_SCALAR, .value = TOPO_NUMBER },
	{ .name = "started", .shape = TOPO_SCALAR, .value = TOPO_BOOLEAN, .pointer = true },
	{ .name = "state", .shape = TOPO_STRUCT, .type = 117 },
	{ .name = "stopSignal", .shape = TOPO_SCALAR, .value = TOPO_STRING, .pointer = true },
	{ .name = "user", .shape = TOPO_STRUCT, .pointer = true, .type = 122 },
	{ .name = "volumeMounts", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_KEYED, .keys = "mountPath", .type = 283 },
	/* io.k8s.api.core.v1.ContainerUser */
	{ .name = "linux", .shape = TOPO_STRUCT, .pointer = true, .type = 166 },
	/* io.k8s.api.core.v1.DaemonEndpoint */
	{ .name = "Port", .shape = TOPO_SCALAR, .value = TOPO_NUMBER },
	/* io.k8s.api.core.v1.DownwardAPIProjection */
	{ .name = "items", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_ATOMIC, .type = 125 },
	/* io.k8s.api.core.v1.DownwardAPIVolumeFile */
	{ .name = "fieldRef", .shape = TOPO_STRUCT, .atomic = true, .pointer = true, .type = 195 },
	{ .name = "mode", .shape = TOPO_SCALAR, .value = TOPO_NUMBER, .pointer = true },
	{ .name = "path", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "resourceFieldRef", .shape = TOPO_STRUCT, .atomic = true, .pointer = true, .type = 241 },
	/* io.k8s.api.core.v1.DownwardAPIVolumeSource */
	{ .name = "defaultMode", .shape = TOPO_SCALAR, .value = TOPO_NUMBER, .pointer = true, .otherwise = "420" },
	{ .name = "items", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_ATOMIC, .type = 125 },
	/* io.k8s.api.core.v1.EmptyDirVolumeSource */
	{ .name = "medium", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "sizeLimit", .shape = TOPO_SCALAR, .value = TOPO_QUANTITY, .pointer = true },
	/* io.k8s.api.core.v1.EndpointAddress */
	{ .name = "hostname", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "ip", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "nodeName", .shape = TOPO_SCALAR, .value = TOPO_STRING, .pointer = true },
	{ .name = "targetRef", .shape = TOPO_STRUCT, .atomic = true, .pointer = true, .type = 196 },
	/* io.k8s.api.core.v1.EndpointPort */
	{ .name = "appProtocol", .shape = TOPO_SCALAR, .value = TOPO_STRING, .pointer = true },
	{ .name = "name", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "port", .shape = TOPO_SCALAR, .value = TOPO_NUMBER },
	{ .name = "protocol", .shape = TOPO_SCALAR, .value = TOPO_STRING, .otherwise = "\"TCP\"" },
	/* io.k8s.api.core.v1.EndpointSubset */
	{ .name = "addresses", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_ATOMIC, .whole_elements = true, .type = 128 },
	{ .name = "notReadyAddresses", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_ATOMIC, .whole_elements = true, .type = 128 },
	{ .name = "ports", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_ATOMIC, .whole_elements = true, .type = 129 },
	/* io.k8s.api.core.v1.Endpoints */
	{ .name = "apiVersion", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "kind", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "metadata", .shape = TOPO_STRUCT, .type = 343 },
	{ .name = "subsets", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_ATOMIC, .type = 130 },
	/* io.k8s.api.core.v1.EnvFromSource */
	{ .name = "configMapRef", .shape = TOPO_STRUCT, .pointer = true, .type = 105 },
	{ .name = "prefix", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "secretRef", .shape = TOPO_STRUCT, .pointer = true, .type = 255 },
	/* io.k8s.api.core.v1.EnvVar */
	{ .name = "name", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "value", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "valueFrom", .shape = TOPO_STRUCT, .pointer = true, .type = 134 },
	/* io.k8s.api.core.v1.EnvVarSource */
	{ .name = "configMapKeyRef", .shape = TOPO_STRUCT, .atomic = true, .pointer = true, .type = 106 },
	{ .name = "fieldRef", .shape = TOPO_STRUCT, .atomic = true, .pointer = true, .type = 195 },
	{ .name = "fileKeyRef", .shape = TOPO_STRUCT, .atomic = true, .pointer = true, .type = 142 },
	{ .name = "resourceFieldRef", .shape = TOPO_STRUCT, .atomic = true, .pointer = true, .type = 241 },
	{ .name = "secretKeyRef", .shape = TOPO_STRUCT, .atomic = true, .pointer = true, .type = 256 },
	/* io.k8s.api.core.v1.EphemeralContainer */
	{ .name = "args", .shape = TOPO_LIST, .value = TOPO_STRING, .list = TOPO_ATOMIC },
	{ .name = "command", .shape = TOPO_LIST, .value = TOPO_STRING, .list = TOPO_ATOMIC },
	{ .name = "env", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_KEYED, .keys = "name", .type = 133 },
	{ .name = "envFrom", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_ATOMIC, .type = 132 },
	{ .name = "image", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "imagePullPolicy", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "lifecycle", .shape = TOPO_STRUCT, .pointer = true, .type = 161 },
	{ .name = "livenessProbe", .shape = TOPO_STRUCT, .pointer = true, .type = 231 },
	{ .name = "name", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "ports", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_KEYED, .keys = "containerPort,protocol", .type = 113 },
	{ .name = "readinessProbe", .shape = TOPO_STRUCT, .pointer = true, .type = 231 },
	{ .name = "resizePolicy", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_ATOMIC, .type = 114 },
	{ .name = "resources", .shape = TOPO_STRUCT, .type = 246 },
	{ .name = "restartPolicy", .shape = TOPO_SCALAR, .value = TOPO_STRING, .pointer = true },
	{ .name = "restartPolicyRules", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_ATOMIC, .type = 115 },
	{ .name = "securityContext", .shape = TOPO_STRUCT, .pointer = true, .type = 260 },
	{ .name = "startupProbe", .shape = TOPO_STRUCT, .pointer = true, .type = 231 },
	{ .name = "stdin", .shape = TOPO_SCALAR, .value = TOPO_BOOLEAN },
	{ .name = "stdinOnce", .shape = TOPO_SCALAR, .value = TOPO_BOOLEAN },
	{ .name = "targetContainerName", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "terminationMessagePath", .shape = TOPO_SCALAR, .value = TOPO_STRING, .otherwise = "\"/dev/termination-log\"" },
	{ .name = "terminationMessagePolicy", .shape = TOPO_SCALAR, .value = TOPO_STRING, .otherwise = "\"File\"" },
	{ .name = "tty", .shape = TOPO_SCALAR, .value = TOPO_BOOLEAN },
	{ .name = "volumeDevices", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_KEYED, .keys = "devicePath", .type = 281 },
	{ .name = "volumeMounts", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_KEYED, .keys = "mountPath", .type = 282 },
	{ .name = "workingDir", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	/* io.k8s.api.core.v1.EphemeralVolumeSource */
	{ .name = "volumeClaimTemplate", .shape = TOPO_STRUCT, .pointer = true, .type = 202 },
	/* io.k8s.api.core.v1.Event */
	{ .name = "action", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "apiVersion", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "count", .shape = TOPO_SCALAR, .value = TOPO_NUMBER },
	{ .name = "eventTime", .shape = TOPO_SCALAR, .value = TOPO_TIME },
	{ .name = "firstTimestamp", .shape = TOPO_SCALAR, .value = TOPO_TIME },
	{ .name = "involvedObject", .shape = TOPO_STRUCT, .atomic = true, .type = 196 },
	{ .name = "kind", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "lastTimestamp", .shape = TOPO_SCALAR, .value = TOPO_TIME },
	{ .name = "message", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "metadata", .shape = TOPO_STRUCT, .type = 343 },
	{ .name = "reason", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "related", .shape = TOPO_STRUCT, .atomic = true, .pointer = true, .type = 196 },
	{ .name = "reportingComponent", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "reportingInstance", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "series", .shape = TOPO_STRUCT, .pointer = true, .type = 138 },
	{ .name = "source", .shape = TOPO_STRUCT, .type = 139 },
	{ .name = "type", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	/* io.k8s.api.core.v1.EventSeries */
	{ .name = "count", .shape = TOPO_SCALAR, .value = TOPO_NUMBER },
	{ .name = "lastObservedTime", .shape = TOPO_SCALAR, .value = TOPO_TIME },
	/* io.k8s.api.core.v1.EventSource */
	{ .name = "component", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "host", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	/* io.k8s.api.core.v1.ExecAction */
	{ .name = "command", .shape = TOPO_LIST, .value = TOPO_STRING, .list = TOPO_ATOMIC },
	/* io.k8s.api.core.v1.FCVolumeSource */
	{ .name = "fsType", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "lun", .shape = TOPO_SCALAR, .value = TOPO_NUMBER, .pointer = true },
	{ .name = "readOnly", .shape = TOPO_SCALAR, .value = TOPO_BOOLEAN },
	{ .name = "targetWWNs", .shape = TOPO_LIST, .value = TOPO_STRING, .list = TOPO_ATOMIC },
	{ .name = "wwids", .shape = TOPO_LIST, .value = TOPO_STRING, .list = TOPO_ATOMIC },
	/* io.k8s.api.core.v1.FileKeySelector */
	{ .name = "key", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "optional", .shape = TOPO_SCALAR, .value = TOPO_BOOLEAN, .pointer = true },
	{ .name = "path", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "volumeName", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	/* io.k8s.api.core.v1.FlexPersistentVolumeSource */
	{ .name = "driver", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "fsType", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "options", .shape = TOPO_MAP, .value = TOPO_STRING },
	{ .name = "readOnly", .shape = TOPO_SCALAR, .value = TOPO_BOOLEAN },
	{ .name = "secretRef", .shape = TOPO_STRUCT, .atomic = true, .pointer = true, .type = 258 },
	/* io.k8s.api.core.v1.FlexVolumeSource */
	{ .name = "driver", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "fsType", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "options", .shape = TOPO_MAP, .value = TOPO_STRING },
	{ .name = "readOnly", .shape = TOPO_SCALAR, .value = TOPO_BOOLEAN },
	{ .name = "secretRef", .shape = TOPO_STRUCT, .atomic = true, .pointer = true, .type = 169 },
	/* io.k8s.api.core.v1.FlockerVolumeSource */
	{ .name = "datasetName", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "datasetUUID", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	/* io.k8s.api.core.v1.GCEPersistentDiskVolumeSource */
	{ .name = "fsType", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "partition", .shape = TOPO_SCALAR, .value = TOPO_NUMBER },
	{ .name = "pdName", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "readOnly", .shape = TOPO_SCALAR, .value = TOPO_BOOLEAN },
	/* io.k8s.api.core.v1.GRPCAction */
	{ .name = "port", .shape = TOPO_SCALAR, .value = TOPO_NUMBER },
	{ .name = "service", .shape = TOPO_SCALAR, .value = TOPO_STRING, .pointer = true, .otherwise = "\"\"" },
	/* io.k8s.api.core.v1.GitRepoVolumeSource */
	{ .name = "directory", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "repository", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "revision", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	/* io.k8s.api.core.v1.GlusterfsPersistentVolumeSource */
	{ .name = "endpoints", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "endpointsNamespace", .shape = TOPO_SCALAR, .value = TOPO_STRING, .pointer = true },
	{ .name = "path", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "readOnly", .shape = TOPO_SCALAR, .value = TOPO_BOOLEAN },
	/* io.k8s.api.core.v1.GlusterfsVolumeSource */
	{ .name = "endpoints", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "path", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "readOnly", .shape = TOPO_SCALAR, .value = TOPO_BOOLEAN },
	/* io.k8s.api.core.v1.HTTPGetAction */
	{ .name = "host", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "httpHeaders", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_ATOMIC, .type = 152 },
	{ .name = "path", .shape = TOPO_SCALAR, .value = TOPO_STRING, .otherwise = "\"/\"" },
	{ .name = "port", .shape = TOPO_SCALAR, .value = TOPO_INT_OR_STRING },
	{ .name = "scheme", .shape = TOPO_SCALAR, .value = TOPO_STRING, .otherwise = "\"HTTP\"" },
	/* io.k8s.api.core.v1.HTTPHeader */
	{ .name = "name", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "value", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	/* io.k8s.api.core.v1.HostAlias */
	{ .name = "hostnames", .shape = TOPO_LIST, .value = TOPO_STRING, .list = TOPO_ATOMIC },
	{ .name = "ip", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	/* io.k8s.api.core.v1.HostIP */
	{ .name = "ip", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	/* io.k8s.api.core.v1.HostPathVolumeSource */
	{ .name = "path", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "type", .shape = TOPO_SCALAR, .value = TOPO_STRING, .pointer = true, .otherwise = "\"\"" },
	/* io.k8s.api.core.v1.ISCSIPersistentVolumeSource */
	{ .name = "chapAuthDiscovery", .shape = TOPO_SCALAR, .value = TOPO_BOOLEAN },
	{ .name = "chapAuthSession", .shape = TOPO_SCALAR, .value = TOPO_BOOLEAN },
	{ .name = "fsType", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "initiatorName", .shape = TOPO_SCALAR, .value = TOPO_STRING, .pointer = true },
	{ .name = "iqn", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "iscsiInterface", .shape = TOPO_SCALAR, .value = TOPO_STRING, .otherwise = "\"default\"" },
	{ .name = "lun", .shape = TOPO_SCALAR, .value = TOPO_NUMBER },
	{ .name = "portals", .shape = TOPO_LIST, .value = TOPO_STRING, .list = TOPO_ATOMIC },
	{ .name = "readOnly", .shape = TOPO_SCALAR, .value = TOPO_BOOLEAN },
	{ .name = "secretRef", .shape = TOPO_STRUCT, .atomic = true, .pointer = true, .type = 258 },
	{ .name = "targetPortal", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	/* io.k8s.api.core.v1.ISCSIVolumeSource */
	{ .name = "chapAuthDiscovery", .shape = TOPO_SCALAR, .value = TOPO_BOOLEAN },
	{ .name = "chapAuthSession", .shape = TOPO_SCALAR, .value = TOPO_BOOLEAN },
	{ .name = "fsType", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "initiatorName", .shape = TOPO_SCALAR, .value = TOPO_STRING, .pointer = true },
	{ .name = "iqn", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "iscsiInterface", .shape = TOPO_SCALAR, .value = TOPO_STRING, .otherwise = "\"default\"" },
	{ .name = "lun", .shape = TOPO_SCALAR, .value = TOPO_NUMBER },
	{ .name = "portals", .shape = TOPO_LIST, .value = TOPO_STRING, .list = TOPO_ATOMIC },
	{ .name = "readOnly", .shape = TOPO_SCALAR, .value = TOPO_BOOLEAN },
	{ .name = "secretRef", .shape = TOPO_STRUCT, .atomic = true, .pointer = true, .type = 169 },
	{ .name = "targetPortal", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	/* io.k8s.api.core.v1.ImageVolumeSource */
	{ .name = "pullPolicy", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "reference", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	/* io.k8s.api.core.v1.ImageVolumeStatus */
	{ .name = "imageRef", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	/* io.k8s.api.core.v1.KeyToPath */
	{ .name = "key", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "mode", .shape = TOPO_SCALAR, .value = TOPO_NUMBER, .pointer = true },
	{ .name = "path", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	/* io.k8s.api.core.v1.Lifecycle */
	{ .name = "postStart", .shape = TOPO_STRUCT, .pointer = true, .type = 162 },
	{ .name = "preStop", .shape = TOPO_STRUCT, .pointer = true, .type = 162 },
	{ .name = "stopSignal", .shape = TOPO_SCALAR, .value = TOPO_STRING, .pointer = true },
	/* io.k8s.api.core.v1.LifecycleHandler */
	{ .name = "exec", .shape = TOPO_STRUCT, .pointer = true, .type = 140 },
	{ .name = "httpGet", .shape = TOPO_STRUCT, .pointer = true, .type = 151 },
	{ .name = "sleep", .shape = TOPO_STRUCT, .pointer = true, .type = 268 },
	{ .name = "tcpSocket", .shape = TOPO_STRUCT, .pointer = true, .type = 272 },
	/* io.k8s.api.core.v1.LimitRange */
	{ .name = "apiVersion", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "kind", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "metadata", .shape = TOPO_STRUCT, .type = 343 },
	{ .name = "spec", .shape = TOPO_STRUCT, .type = 165 },
	/* io.k8s.api.core.v1.LimitRangeItem */
	{ .name = "default", .shape = TOPO_MAP, .value = TOPO_QUANTITY },
	{ .name = "defaultRequest", .shape = TOPO_MAP, .value = TOPO_QUANTITY },
	{ .name = "max", .shape = TOPO_MAP, .value = TOPO_QUANTITY },
	{ .name = "maxLimitRequestRatio", .shape = TOPO_MAP, .value = TOPO_QUANTITY },
	{ .name = "min", .shape = TOPO_MAP, .value = TOPO_QUANTITY },
	{ .name = "type", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	/* io.k8s.api.core.v1.LimitRangeSpec */
	{ .name = "limits", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_ATOMIC, .type = 164 },
	/* io.k8s.api.core.v1.LinuxContainerUser */
	{ .name = "gid", .shape = TOPO_SCALAR, .value = TOPO_NUMBER },
	{ .name = "supplementalGroups", .shape = TOPO_LIST, .value = TOPO_NUMBER, .list = TOPO_ATOMIC },
	{ .name = "uid", .shape = TOPO_SCALAR, .value = TOPO_NUMBER },
	/* io.k8s.api.core.v1.LoadBalancerIngress */
	{ .name = "hostname", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "ip", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "ipMode", .shape = TOPO_SCALAR, .value = TOPO_STRING, .pointer = true },
	{ .name = "ports", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_ATOMIC, .type = 228 },
	/* io.k8s.api.core.v1.LoadBalancerStatus */
	{ .name = "ingress", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_ATOMIC, .type = 167 },
	/* io.k8s.api.core.v1.LocalObjectReference */
	{ .name = "name", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	/* io.k8s.api.core.v1.LocalVolumeSource */
	{ .name = "fsType", .shape = TOPO_SCALAR, .value = TOPO_STRING, .pointer = true },
	{ .name = "path", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	/* io.k8s.api.core.v1.ModifyVolumeStatus */
	{ .name = "status", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "targetVolumeAttributesClassName", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	/* io.k8s.api.core.v1.NFSVolumeSource */
	{ .name = "path", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "readOnly", .shape = TOPO_SCALAR, .value = TOPO_BOOLEAN },
	{ .name = "server", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	/* io.k8s.api.core.v1.Namespace */
	{ .name = "apiVersion", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "kind", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "metadata", .shape = TOPO_STRUCT, .type = 343 },
	{ .name = "spec", .shape = TOPO_STRUCT, .type = 175 },
	{ .name = "status", .shape = TOPO_STRUCT, .type = 176 },
	/* io.k8s.api.core.v1.NamespaceCondition */
	{ .name = "lastTransitionTime", .shape = TOPO_SCALAR, .value = TOPO_TIME },
	{ .name = "message", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "reason", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "status", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "type", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	/* io.k8s.api.core.v1.NamespaceSpec */
	{ .name = "finalizers", .shape = TOPO_LIST, .value = TOPO_STRING, .list = TOPO_ATOMIC },
	/* io.k8s.api.core.v1.NamespaceStatus */
	{ .name = "conditions", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_KEYED, .keys = "type", .type = 174 },
	{ .name = "phase", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	/* io.k8s.api.core.v1.Node */
	{ .name = "apiVersion", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "kind", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "metadata", .shape = TOPO_STRUCT, .type = 343 },
	{ .name = "spec", .shape = TOPO_STRUCT, .type = 191 },
	{ .name = "status", .shape = TOPO_STRUCT, .type = 192 },
	/* io.k8s.api.core.v1.NodeAddress */
	{ .name = "address", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "type", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	/* io.k8s.api.core.v1.NodeAffinity */
	{ .name = "preferredDuringSchedulingIgnoredDuringExecution", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_ATOMIC, .type = 230 },
	{ .name = "requiredDuringSchedulingIgnoredDuringExecution", .shape = TOPO_STRUCT, .atomic = true, .pointer = true, .type = 188 },
	/* io.k8s.api.core.v1.NodeAllocatableResourceClaimStatus */
	{ .name = "containers", .shape = TOPO_LIST, .value = TOPO_STRING, .list = TOPO_SET },
	{ .name = "resourceClaimName", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "resources", .shape = TOPO_MAP, .value = TOPO_QUANTITY },
	/* io.k8s.api.core.v1.NodeCondition */
	{ .name = "lastHeartbeatTime", .shape = TOPO_SCALAR, .value = TOPO_TIME },
	{ .name = "lastTransitionTime", .shape = TOPO_SCALAR, .value = TOPO_TIME },
	{ .name = "message", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "reason", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "status", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "type", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	/* io.k8s.api.core.v1.NodeConfigSource */
	{ .name = "configMap", .shape = TOPO_STRUCT, .pointer = true, .type = 107 },
	/* io.k8s.api.core.v1.NodeConfigStatus */
	{ .name = "active", .shape = TOPO_STRUCT, .pointer = true, .type = 182 },
	{ .name = "assigned", .shape = TOPO_STRUCT, .pointer = true, .type = 182 },
	{ .name = "error", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "lastKnownGood", .shape = TOPO_STRUCT, .pointer = true, .type = 182 },
	/* io.k8s.api.core.v1.NodeDaemonEndpoints */
	{ .name = "kubeletEndpoint", .shape = TOPO_STRUCT, .type = 123 },
	/* io.k8s.api.core.v1.NodeFeatures */
	{ .name = "supplementalGroupsPolicy", .shape = TOPO_SCALAR, .value = TOPO_BOOLEAN, .pointer = true },
	/* io.k8s.api.core.v1.NodeRuntimeHandler */
	{ .name = "features", .shape = TOPO_STRUCT, .pointer = true, .type = 187 },
	{ .name = "name", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	/* io.k8s.api.core.v1.NodeRuntimeHandlerFeatures */
	{ .name = "recursiveReadOnlyMounts", .shape = TOPO_SCALAR, .value = TOPO_BOOLEAN, .pointer = true },
	{ .name = "userNamespaces", .shape = TOPO_SCALAR, .value = TOPO_BOOLEAN, .pointer = true },
	/* io.k8s.api.core.v1.NodeSelector */
	{ .name = "nodeSelectorTerms", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_ATOMIC, .whole_elements = true, .type = 190 },
	/* io.k8s.api.core.v1.NodeSelectorRequirement */
	{ .name = "key", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "operator", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "values", .shape = TOPO_LIST, .value = TOPO_STRING, .list = TOPO_ATOMIC },
	/* io.k8s.api.core.v1.NodeSelectorTerm */
	{ .name = "matchExpressions", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_ATOMIC, .type = 189 },
	{ .name = "matchFields", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_ATOMIC, .type = 189 },
	/* io.k8s.api.core.v1.NodeSpec */
	{ .name = "configSource", .shape = TOPO_STRUCT, .pointer = true, .type = 182 },
	{ .name = "externalID", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "podCIDR", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "podCIDRs", .shape = TOPO_LIST, .value = TOPO_STRING, .list = TOPO_SET },
	{ .name = "providerID", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "taints", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_ATOMIC, .type = 273 },
	{ .name = "unschedulable", .shape = TOPO_SCALAR, .value = TOPO_BOOLEAN },
	/* io.k8s.api.core.v1.NodeStatus */
	{ .name = "addresses", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_KEYED, .keys = "type", .type = 178 },
	{ .name = "allocatable", .shape = TOPO_MAP, .value = TOPO_QUANTITY },
	{ .name = "capacity", .shape = TOPO_MAP, .value = TOPO_QUANTITY },
	{ .name = "conditions", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_KEYED, .keys = "type", .type = 181 },
	{ .name = "config", .shape = TOPO_STRUCT, .pointer = true, .type = 183 },
	{ .name = "daemonEndpoints", .shape = TOPO_STRUCT, .type = 184 },
	{ .name = "declaredFeatures", .shape = TOPO_LIST, .value = TOPO_STRING, .list = TOPO_ATOMIC },
	{ .name = "features", .shape = TOPO_STRUCT, .pointer = true, .type = 185 },
	{ .name = "images", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_ATOMIC, .type = 112 },
	{ .name = "nodeInfo", .shape = TOPO_STRUCT, .type = 194 },
	{ .name = "phase", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "runtimeHandlers", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_ATOMIC, .type = 186 },
	{ .name = "volumesAttached", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_ATOMIC, .type = 91 },
	{ .name = "volumesInUse", .shape = TOPO_LIST, .value = TOPO_STRING, .list = TOPO_ATOMIC },
	/* io.k8s.api.core.v1.NodeSwapStatus */
	{ .name = "capacity", .shape = TOPO_SCALAR, .value = TOPO_NUMBER, .pointer = true },
	/* io.k8s.api.core.v1.NodeSystemInfo */
	{ .name = "architecture", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "bootID", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "containerRuntimeVersion", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "kernelVersion", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "kubeProxyVersion", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "kubeletVersion", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "machineID", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "operatingSystem", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "osImage", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "swap", .shape = TOPO_STRUCT, .pointer = true, .type = 193 },
	{ .name = "systemUUID", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	/* io.k8s.api.core.v1.ObjectFieldSelector */
	{ .name = "apiVersion", .shape = TOPO_SCALAR, .value = TOPO_STRING, .otherwise = "\"v1\"" },
	{ .name = "fieldPath", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	/* io.k8s.api.core.v1.ObjectReference */
	{ .name = "apiVersion", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "fieldPath", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "kind", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "name", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "namespace", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "resourceVersion", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "uid", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	/* io.k8s.api.core.v1.PersistentVolume */
	{ .name = "apiVersion", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "kind", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "metadata", .shape = TOPO_STRUCT, .type = 343 },
	{ .name = "spec", .shape = TOPO_STRUCT, .type = 204 },
	{ .name = "status", .shape = TOPO_STRUCT, .type = 205 },
	/* io.k8s.api.core.v1.PersistentVolumeClaim */
	{ .name = "apiVersion", .shape = TOPO_SCALAR, .value = TOPO_STRING, .otherwise = "\"v1\"" },
	{ .name = "kind", .shape = TOPO_SCALAR, .value = TOPO_STRING, .otherwise = "\"PersistentVolumeClaim\"" },
	{ .name = "metadata", .shape = TOPO_STRUCT, .type = 343 },
	{ .name = "spec", .shape = TOPO_STRUCT, .type = 200 },
	{ .name = "status", .shape = TOPO_STRUCT, .type = 201 },
	/* io.k8s.api.core.v1.PersistentVolumeClaimCondition */
	{ .name = "lastProbeTime", .shape = TOPO_SCALAR, .value = TOPO_TIME },
	{ .name = "lastTransitionTime", .shape = TOPO_SCALAR, .value = TOPO_TIME },
	{ .name = "message", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "reason", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "status", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "type", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	/* io.k8s.api.core.v1.PersistentVolumeClaimSpec */
	{ .name = "accessModes", .shape = TOPO_LIST, .value = TOPO_STRING, .list = TOPO_ATOMIC },
	{ .name = "dataSource", .shape = TOPO_STRUCT, .atomic = true, .pointer = true, .type = 278 },
	{ .name = "dataSourceRef", .shape = TOPO_STRUCT, .pointer = true, .type = 279 },
	{ .name = "resources", .shape = TOPO_STRUCT, .type = 286 },
	{ .name = "selector", .shape = TOPO_STRUCT, .atomic = true, .pointer = true, .type = 339 },
	{ .name = "storageClassName", .shape = TOPO_SCALAR, .value = TOPO_STRING, .pointer = true },
	{ .name = "volumeAttributesClassName", .shape = TOPO_SCALAR, .value = TOPO_STRING, .pointer = true },
	{ .name = "volumeMode", .shape = TOPO_SCALAR, .value = TOPO_STRING, .pointer = true, .otherwise = "\"Filesystem\"" },
	{ .name = "volumeName", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	/* io.k8s.api.core.v1.PersistentVolumeClaimStatus */
	{ .name = "accessModes", .shape = TOPO_LIST, .value = TOPO_STRING, .list = TOPO_ATOMIC },
	{ .name = "allocatedResourceStatuses", .shape = TOPO_MAP, .value = TOPO_STRING },
	{ .name = "allocatedResources", .shape = TOPO_MAP, .value = TOPO_QUANTITY },
	{ .name = "capacity", .shape = TOPO_MAP, .value = TOPO_QUANTITY },
	{ .name = "conditions", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_KEYED, .keys = "type", .type = 199 },
	{ .name = "currentVolumeAttributesClassName", .shape = TOPO_SCALAR, .value = TOPO_STRING, .pointer = true },
	{ .name = "modifyVolumeStatus", .shape = TOPO_STRUCT, .pointer = true, .type = 171 },
	{ .name = "phase", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	/* io.k8s.api.core.v1.PersistentVolumeClaimTemplate */
	{ .name = "metadata", .shape = TOPO_STRUCT, .type = 343 },
	{ .name = "spec", .shape = TOPO_STRUCT, .type = 200 },
	/* io.k8s.api.core.v1.PersistentVolumeClaimVolumeSource */
	{ .name = "claimName", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "readOnly", .shape = TOPO_SCALAR, .value = TOPO_BOOLEAN },
	/* io.k8s.api.core.v1.PersistentVolumeSpec */
	{ .name = "accessModes", .shape = TOPO_LIST, .value = TOPO_STRING, .list = TOPO_ATOMIC },
	{ .name = "awsElasticBlockStore", .shape = TOPO_STRUCT, .pointer = true, .type = 88 },
	{ .name = "azureDisk", .shape = TOPO_STRUCT, .pointer = true, .type = 92 },
	{ .name = "azureFile", .shape = TOPO_STRUCT, .pointer = true, .type = 93 },
	{ .name = "capacity", .shape = TOPO_MAP, .value = TOPO_QUANTITY },
	{ .name = "cephfs", .shape = TOPO_STRUCT, .pointer = true, .type = 98 },
	{ .name = "cinder", .shape = TOPO_STRUCT, .pointer = true, .type = 100 },
	{ .name = "claimRef", .shape = TOPO_STRUCT, .pointer = true, .type = 196 },
	{ .name = "csi", .shape = TOPO_STRUCT, .pointer = true, .type = 95 },
	{ .name = "fc", .shape = TOPO_STRUCT, .pointer = true, .type = 141 },
	{ .name = "flexVolume", .shape = TOPO_STRUCT, .pointer = true, .type = 143 },
	{ .name = "flocker", .shape = TOPO_STRUCT, .pointer = true, .type = 145 },
	{ .name = "gcePersistentDisk", .shape = TOPO_STRUCT, .pointer = true, .type = 146 },
	{ .name = "glusterfs", .shape = TOPO_STRUCT, .pointer = true, .type = 149 },
	{ .name = "hostPath", .shape = TOPO_STRUCT, .pointer = true, .type = 155 },
	{ .name = "iscsi", .shape = TOPO_STRUCT, .pointer = true, .type = 156 },
	{ .name = "local", .shape = TOPO_STRUCT, .pointer = true, .type = 170 },
	{ .name = "mountOptions", .shape = TOPO_LIST, .value = TOPO_STRING, .list = TOPO_ATOMIC },
	{ .name = "nfs", .shape = TOPO_STRUCT, .pointer = true, .type = 172 },
	{ .name = "nodeAffinity", .shape = TOPO_STRUCT, .pointer = true, .type = 284 },
	{ .name = "persistentVolumeReclaimPolicy", .shape = TOPO_SCALAR, .value = TOPO_STRING, .otherwise = "\"Retain\"" },
	{ .name = "photonPersistentDisk", .shape = TOPO_STRUCT, .pointer = true, .type = 206 },
	{ .name = "portworxVolume", .shape = TOPO_STRUCT, .pointer = true, .type = 229 },
	{ .name = "quobyte", .shape = TOPO_STRUCT, .pointer = true, .type = 233 },
	{ .name = "rbd", .shape = TOPO_STRUCT, .pointer = true, .type = 234 },
	{ .name = "scaleIO", .shape = TOPO_STRUCT, .pointer = true, .type = 249 },
	{ .name = "storageClassName", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "storageos", .shape = TOPO_STRUCT, .pointer = true, .type = 269 },
	{ .name = "volumeAttributesClassName", .shape = TOPO_SCALAR, .value = TOPO_STRING, .pointer = true },
	{ .name = "volumeMode", .shape = TOPO_SCALAR, .value = TOPO_STRING, .pointer = true, .otherwise = "\"Filesystem\"" },
	{ .name = "vsphereVolume", .shape = TOPO_STRUCT, .pointer = true, .type = 288 },
	/* io.k8s.api.core.v1.PersistentVolumeStatus */
	{ .name = "lastPhaseTransitionTime", .shape = TOPO_SCALAR, .value = TOPO_TIME, .pointer = true },
	{ .name = "message", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "phase", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "reason", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	/* io.k8s.api.core.v1.PhotonPersistentDiskVolumeSource */
	{ .name = "fsType", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "pdID", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	/* io.k8s.api.core.v1.Pod */
	{ .name = "apiVersion", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "kind", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "metadata", .shape = TOPO_STRUCT, .type = 343 },
	{ .name = "spec", .shape = TOPO_STRUCT, .type = 224 },
	{ .name = "status", .shape = TOPO_STRUCT, .type = 225 },
	/* io.k8s.api.core.v1.PodAffinity */
	{ .name = "preferredDuringSchedulingIgnoredDuringExecution", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_ATOMIC, .type = 289 },
	{ .name = "requiredDuringSchedulingIgnoredDuringExecution", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_ATOMIC, .type = 209 },
	/* io.k8s.api.core.v1.PodAffinityTerm */
	{ .name = "labelSelector", .shape = TOPO_STRUCT, .atomic = true, .pointer = true, .type = 339 },
	{ .name = "matchLabelKeys", .shape = TOPO_LIST, .value = TOPO_STRING, .list = TOPO_ATOMIC },
	{ .name = "mismatchLabelKeys", .shape = TOPO_LIST, .value = TOPO_STRING, .list = TOPO_ATOMIC },
	{ .name = "namespaceSelector", .shape = TOPO_STRUCT, .atomic = true, .pointer = true, .type = 339 },
	{ .name = "namespaces", .shape = TOPO_LIST, .value = TOPO_STRING, .list = TOPO_ATOMIC },
	{ .name = "topologyKey", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	/* io.k8s.api.core.v1.PodAntiAffinity */
	{ .name = "preferredDuringSchedulingIgnoredDuringExecution", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_ATOMIC, .type = 289 },
	{ .name = "requiredDuringSchedulingIgnoredDuringExecution", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_ATOMIC, .type = 209 },
	/* io.k8s.api.core.v1.PodCertificateProjection */
	{ .name = "certificateChainPath", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "credentialBundlePath", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "keyPath", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "keyType", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "maxExpirationSeconds", .shape = TOPO_SCALAR, .value = TOPO_NUMBER, .pointer = true },
	{ .name = "signerName", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "userAnnotations", .shape = TOPO_MAP, .value = TOPO_STRING },
	/* io.k8s.api.core.v1.PodCondition */
	{ .name = "lastProbeTime", .shape = TOPO_SCALAR, .value = TOPO_TIME },
	{ .name = "lastTransitionTime", .shape = TOPO_SCALAR, .value = TOPO_TIME },
	{ .name = "message", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "observedGeneration", .shape = TOPO_SCALAR, .value = TOPO_NUMBER },
	{ .name = "reason", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "status", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "type", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	/* io.k8s.api.core.v1.PodDNSConfig */
	{ .name = "nameservers", .shape = TOPO_LIST, .value = TOPO_STRING, .list = TOPO_ATOMIC },
	{ .name = "options", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_ATOMIC, .type = 214 },
	{ .name = "searches", .shape = TOPO_LIST, .value = TOPO_STRING, .list = TOPO_ATOMIC },
	/* io.k8s.api.core.v1.PodDNSConfigOption */
	{ .name = "name", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "value", .shape = TOPO_SCALAR, .value = TOPO_STRING, .pointer = true },
	/* io.k8s.api.core.v1.PodExtendedResourceClaimStatus */
	{ .name = "requestMappings", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_ATOMIC, .type = 111 },
	{ .name = "resourceClaimName", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	/* io.k8s.api.core.v1.PodIP */
	{ .name = "ip", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	/* io.k8s.api.core.v1.PodOS */
	{ .name = "name", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	/* io.k8s.api.core.v1.PodReadinessGate */
	{ .name = "conditionType", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	/* io.k8s.api.core.v1.PodResourceClaim */
	{ .name = "name", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "resourceClaimName", .shape = TOPO_SCALAR, .value = TOPO_STRING, .pointer = true },
	{ .name = "resourceClaimTemplateName", .shape = TOPO_SCALAR, .value = TOPO_STRING, .pointer = true },
	/* io.k8s.api.core.v1.PodResourceClaimStatus */
	{ .name = "name", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "resourceClaimName", .shape = TOPO_SCALAR, .value = TOPO_STRING, .pointer = true },
	/* io.k8s.api.core.v1.PodSchedulingGate */
	{ .name = "name", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	/* io.k8s.api.core.v1.PodSchedulingGroup */
	{ .name = "podGroupName", .shape = TOPO_SCALAR, .value = TOPO_STRING, .pointer = true },
	/* io.k8s.api.core.v1.PodSecurityContext */
	{ .name = "appArmorProfile", .shape = TOPO_STRUCT, .pointer = true, .type = 90 },
	{ .name = "fsGroup", .shape = TOPO_SCALAR, .value = TOPO_NUMBER, .pointer = true },
	{ .name = "fsGroupChangePolicy", .shape = TOPO_SCALAR, .value = TOPO_STRING, .pointer = true },
	{ .name = "runAsGroup", .shape = TOPO_SCALAR, .value = TOPO_NUMBER, .pointer = true },
	{ .name = "runAsNonRoot", .shape = TOPO_SCALAR, .value = TOPO_BOOLEAN, .pointer = true },
	{ .name = "runAsUser", .shape = TOPO_SCALAR, .value = TOPO_NUMBER, .pointer = true },
	{ .name = "seLinuxChangePolicy", .shape = TOPO_SCALAR, .value = TOPO_STRING, .pointer = true },
	{ .name = "seLinuxOptions", .shape = TOPO_STRUCT, .pointer = true, .type = 248 },
	{ .name = "seccompProfile", .shape = TOPO_STRUCT, .pointer = true, .type = 253 },
	{ .name = "supplementalGroups", .shape = TOPO_LIST, .value = TOPO_NUMBER, .list = TOPO_ATOMIC },
	{ .name = "supplementalGroupsPolicy", .shape = TOPO_SCALAR, .value = TOPO_STRING, .pointer = true },
	{ .name = "sysctls", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_ATOMIC, .type = 271 },
	{ .name = "windowsOptions", .shape = TOPO_STRUCT, .pointer = true, .type = 290 },
	/* io.k8s.api.core.v1.PodSpec */
	{ .name = "activeDeadlineSeconds", .shape = TOPO_SCALAR, .value = TOPO_NUMBER, .pointer = true },
	{ .name = "affinity", .shape = TOPO_STRUCT, .pointer = true, .type = 89 },
	{ .name = "automountServiceAccountToken", .shape = TOPO_SCALAR, .value = TOPO_BOOLEAN, .pointer = true },
	{ .name = "containers", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_KEYED, .keys = "name", .type = 110 },
	{ .name = "dnsConfig", .shape = TOPO_STRUCT, .pointer = true, .type = 213 },
	{ .name = "dnsPolicy", .shape = TOPO_SCALAR, .value = TOPO_STRING, .otherwise = "\"ClusterFirst\"" },
	{ .name = "enableServiceLinks", .shape = TOPO_SCALAR, .value = TOPO_BOOLEAN, .pointer = true, .otherwise = "true" },
	{ .name = "ephemeralContainers", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_KEYED, .keys = "name", .type = 135 },
	{ .name = "hostAliases", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_KEYED, .keys = "ip", .type = 153 },
	{ .name = "hostIPC", .shape = TOPO_SCALAR, .value = TOPO_BOOLEAN },
	{ .name = "hostNetwork", .shape = TOPO_SCALAR, .value = TOPO_BOOLEAN },
	{ .name = "hostPID", .shape = TOPO_SCALAR, .value = TOPO_BOOLEAN },
	{ .name = "hostUsers", .shape = TOPO_SCALAR, .value = TOPO_BOOLEAN, .pointer = true },
	{ .name = "hostname", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "hostnameOverride", .shape = TOPO_SCALAR, .value = TOPO_STRING, .pointer = true },
	{ .name = "imagePullSecrets", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_KEYED, .keys = "name", .whole_elements = true, .type = 169 },
	{ .name = "initContainers", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_KEYED, .keys = "name", .type = 110 },
	{ .name = "nodeName", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "nodeSelector", .shape = TOPO_MAP, .value = TOPO_STRING, .atomic = true },
	{ .name = "os", .shape = TOPO_STRUCT, .pointer = true, .type = 217 },
	{ .name = "overhead", .shape = TOPO_MAP, .value = TOPO_QUANTITY },
	{ .name = "preemptionPolicy", .shape = TOPO_SCALAR, .value = TOPO_STRING, .pointer = true, .otherwise = "\"PreemptLowerPriority\"" },
	{ .name = "priority", .shape = TOPO_SCALAR, .value = TOPO_NUMBER, .pointer = true, .otherwise = "0" },
	{ .name = "priorityClassName", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "readinessGates", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_ATOMIC, .type = 218 },
	{ .name = "resourceClaims", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_KEYED, .keys = "name", .type = 219 },
	{ .name = "resources", .shape = TOPO_STRUCT, .pointer = true, .type = 246 },
	{ .name = "restartPolicy", .shape = TOPO_SCALAR, .value = TOPO_STRING, .otherwise = "\"Always\"" },
	{ .name = "runtimeClassName", .shape = TOPO_SCALAR, .value = TOPO_STRING, .pointer = true },
	{ .name = "schedulerName", .shape = TOPO_SCALAR, .value = TOPO_STRING, .otherwise = "\"default-scheduler\"" },
	{ .name = "schedulingGates", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_KEYED, .keys = "name", .type = 221 },
	{ .name = "schedulingGroup", .shape = TOPO_STRUCT, .pointer = true, .type = 222 },
	{ .name = "securityContext", .shape = TOPO_STRUCT, .pointer = true, .type = 223 },
	{ .name = "serviceAccount", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "serviceAccountName", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "setHostnameAsFQDN", .shape = TOPO_SCALAR, .value = TOPO_BOOLEAN, .pointer = true },
	{ .name = "shareProcessNamespace", .shape = TOPO_SCALAR, .value = TOPO_BOOLEAN, .pointer = true },
	{ .name = "subdomain", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "terminationGracePeriodSeconds", .shape = TOPO_SCALAR, .value = TOPO_NUMBER, .pointer = true, .otherwise = "30" },
	{ .name = "tolerations", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_ATOMIC, .type = 274 },
	{ .name = "topologySpreadConstraints", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_KEYED, .keys = "topologyKey,whenUnsatisfiable", .type = 277 },
	{ .name = "volumes", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_KEYED, .keys = "name", .type = 280 },
	/* io.k8s.api.core.v1.PodStatus */
	{ .name = "allocatedResources", .shape = TOPO_MAP, .value = TOPO_QUANTITY },
	{ .name = "conditions", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_KEYED, .keys = "type", .type = 212 },
	{ .name = "containerStatuses", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_ATOMIC, .type = 121 },
	{ .name = "ephemeralContainerStatuses", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_ATOMIC, .type = 121 },
	{ .name = "extendedResourceClaimStatus", .shape = TOPO_STRUCT, .pointer = true, .type = 215 },
	{ .name = "hostIP", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "hostIPs", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_ATOMIC, .type = 154 },
	{ .name = "initContainerStatuses", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_ATOMIC, .type = 121 },
	{ .name = "message", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "nodeAllocatableResourceClaimStatuses", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_ATOMIC, .type = 180 },
	{ .name = "nominatedNodeName", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "observedGeneration", .shape = TOPO_SCALAR, .value = TOPO_NUMBER },
	{ .name = "phase", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "podIP", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "podIPs", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_KEYED, .keys = "ip", .type = 216 },
	{ .name = "qosClass", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "reason", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "resize", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "resourceClaimStatuses", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_KEYED, .keys = "name", .type = 220 },
	{ .name = "resources", .shape = TOPO_STRUCT, .pointer = true, .type = 246 },
	{ .name = "startTime", .shape = TOPO_SCALAR, .value = TOPO_TIME, .pointer = true },
	/* io.k8s.api.core.v1.PodTemplate */
	{ .name = "apiVersion", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "kind", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "metadata", .shape = TOPO_STRUCT, .type = 343 },
	{ .name = "template", .shape = TOPO_STRUCT, .type = 227 },
	/* io.k8s.api.core.v1.PodTemplateSpec */
	{ .name = "metadata", .shape = TOPO_STRUCT, .type = 343 },
	{ .name = "spec", .shape = TOPO_STRUCT, .type = 224 },
	/* io.k8s.api.core.v1.PortStatus */
	{ .name = "error", .shape = TOPO_SCALAR, .value = TOPO_STRING, .pointer = true },
	{ .name = "port", .shape = TOPO_SCALAR, .value = TOPO_NUMBER },
	{ .name = "protocol", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	/* io.k8s.api.core.v1.PortworxVolumeSource */
	{ .name = "fsType", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "readOnly", .shape = TOPO_SCALAR, .value = TOPO_BOOLEAN },
	{ .name = "volumeID", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	/* io.k8s.api.core.v1.PreferredSchedulingTerm */
	{ .name = "preference", .shape = TOPO_STRUCT, .atomic = true, .type = 190 },
	{ .name = "weight", .shape = TOPO_SCALAR, .value = TOPO_NUMBER },
	/* io.k8s.api.core.v1.Probe */
	{ .name = "exec", .shape = TOPO_STRUCT, .pointer = true, .type = 140 },
	{ .name = "failureThreshold", .shape = TOPO_SCALAR, .value = TOPO_NUMBER, .otherwise = "3" },
	{ .name = "grpc", .shape = TOPO_STRUCT, .pointer = true, .type = 147 },
	{ .name = "httpGet", .shape = TOPO_STRUCT, .pointer = true, .type = 151 },
	{ .name = "initialDelaySeconds", .shape = TOPO_SCALAR, .value = TOPO_NUMBER },
	{ .name = "periodSeconds", .shape = TOPO_SCALAR, .value = TOPO_NUMBER, .otherwise = "10" },
	{ .name = "successThreshold", .shape = TOPO_SCALAR, .value = TOPO_NUMBER, .otherwise = "1" },
	{ .name = "tcpSocket", .shape = TOPO_STRUCT, .pointer = true, .type = 272 },
	{ .name = "terminationGracePeriodSeconds", .shape = TOPO_SCALAR, .value = TOPO_NUMBER, .pointer = true },
	{ .name = "timeoutSeconds", .shape = TOPO_SCALAR, .value = TOPO_NUMBER, .otherwise = "1" },
	/* io.k8s.api.core.v1.ProjectedVolumeSource */
	{ .name = "defaultMode", .shape = TOPO_SCALAR, .value = TOPO_NUMBER, .pointer = true, .otherwise = "420" },
	{ .name = "sources", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_ATOMIC, .type = 285 },
	/* io.k8s.api.core.v1.QuobyteVolumeSource */
	{ .name = "group", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "readOnly", .shape = TOPO_SCALAR, .value = TOPO_BOOLEAN },
	{ .name = "registry", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "tenant", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "user", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "volume", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	/* io.k8s.api.core.v1.RBDPersistentVolumeSource */
	{ .name = "fsType", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "image", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "keyring", .shape = TOPO_SCALAR, .value = TOPO_STRING, .otherwise = "\"/etc/ceph/keyring\"" },
	{ .name = "monitors", .shape = TOPO_LIST, .value = TOPO_STRING, .list = TOPO_ATOMIC },
	{ .name = "pool", .shape = TOPO_SCALAR, .value = TOPO_STRING, .otherwise = "\"rbd\"" },
	{ .name = "readOnly", .shape = TOPO_SCALAR, .value = TOPO_BOOLEAN },
	{ .name = "secretRef", .shape = TOPO_STRUCT, .atomic = true, .pointer = true, .type = 258 },
	{ .name = "user", .shape = TOPO_SCALAR, .value = TOPO_STRING, .otherwise = "\"admin\"" },
	/* io.k8s.api.core.v1.RBDVolumeSource */
	{ .name = "fsType", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "image", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "keyring", .shape = TOPO_SCALAR, .value = TOPO_STRING, .otherwise = "\"/etc/ceph/keyring\"" },
	{ .name = "monitors", .shape = TOPO_LIST, .value = TOPO_STRING, .list = TOPO_ATOMIC },
	{ .name = "pool", .shape = TOPO_SCALAR, .value = TOPO_STRING, .otherwise = "\"rbd\"" },
	{ .name = "readOnly", .shape = TOPO_SCALAR, .value = TOPO_BOOLEAN },
	{ .name = "secretRef", .shape = TOPO_STRUCT, .atomic = true, .pointer = true, .type = 169 },
	{ .name = "user", .shape = TOPO_SCALAR, .value = TOPO_STRING, .otherwise = "\"admin\"" },
	/* io.k8s.api.core.v1.ReplicationController */
	{ .name = "apiVersion", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "kind", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "metadata", .shape = TOPO_STRUCT, .type = 343 },
	{ .name = "spec", .shape = TOPO_STRUCT, .type = 238 },
	{ .name = "status", .shape = TOPO_STRUCT, .type = 239 },
	/* io.k8s.api.core.v1.ReplicationControllerCondition */
	{ .name = "lastTransitionTime", .shape = TOPO_SCALAR, .value = TOPO_TIME },
	{ .name = "message", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "reason", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "status", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "type", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	/* io.k8s.api.core.v1.ReplicationControllerSpec */
	{ .name = "minReadySeconds", .shape = TOPO_SCALAR, .value = TOPO_NUMBER },
	{ .name = "replicas", .shape = TOPO_SCALAR, .value = TOPO_NUMBER, .pointer = true, .otherwise = "1" },
	{ .name = "selector", .shape = TOPO_MAP, .value = TOPO_STRING, .atomic = true },
	{ .name = "template", .shape = TOPO_STRUCT, .pointer = true, .type = 227 },
	/* io.k8s.api.core.v1.ReplicationControllerStatus */
	{ .name = "availableReplicas", .shape = TOPO_SCALAR, .value = TOPO_NUMBER },
	{ .name = "conditions", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_KEYED, .keys = "type", .type = 237 },
	{ .name = "fullyLabeledReplicas", .shape = TOPO_SCALAR, .value = TOPO_NUMBER },
	{ .name = "observedGeneration", .shape = TOPO_SCALAR, .value = TOPO_NUMBER },
	{ .name = "readyReplicas", .shape = TOPO_SCALAR, .value = TOPO_NUMBER },
	{ .name = "replicas", .shape = TOPO_SCALAR, .value = TOPO_NUMBER },
	/* io.k8s.api.core.v1.ResourceClaim */
	{ .name = "name", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "request", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	/* io.k8s.api.core.v1.ResourceFieldSelector */
	{ .name = "containerName", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "divisor", .shape = TOPO_SCALAR, .value = TOPO_QUANTITY, .otherwise = "\"0\"" },
	{ .name = "resource", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	/* io.k8s.api.core.v1.ResourceHealth */
	{ .name = "health", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "message", .shape = TOPO_SCALAR, .value = TOPO_STRING, .pointer = true },
	{ .name = "resourceID", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	/* io.k8s.api.core.v1.ResourceQuota */
	{ .name = "apiVersion", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "kind", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "metadata", .shape = TOPO_STRUCT, .type = 343 },
	{ .name = "spec", .shape = TOPO_STRUCT, .type = 244 },
	{ .name = "status", .shape = TOPO_STRUCT, .type = 245 },
	/* io.k8s.api.core.v1.ResourceQuotaSpec */
	{ .name = "hard", .shape = TOPO_MAP, .value = TOPO_QUANTITY },
	{ .name = "scopeSelector", .shape = TOPO_STRUCT, .atomic = true, .pointer = true, .type = 251 },
	{ .name = "scopes", .shape = TOPO_LIST, .value = TOPO_STRING, .list = TOPO_ATOMIC },
	/* io.k8s.api.core.v1.ResourceQuotaStatus */
	{ .name = "hard", .shape = TOPO_MAP, .value = TOPO_QUANTITY },
	{ .name = "used", .shape = TOPO_MAP, .value = TOPO_QUANTITY },
	/* io.k8s.api.core.v1.ResourceRequirements */
	{ .name = "claims", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_KEYED, .keys = "name", .type = 240 },
	{ .name = "limits", .shape = TOPO_MAP, .value = TOPO_QUANTITY },
	{ .name = "requests", .shape = TOPO_MAP, .value = TOPO_QUANTITY },
	/* io.k8s.api.core.v1.ResourceStatus */
	{ .name = "name", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "resources", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_KEYED, .keys = "resourceID", .type = 242 },
	/* io.k8s.api.core.v1.SELinuxOptions */
	{ .name = "level", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "role", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "type", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "user", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	/* io.k8s.api.core.v1.ScaleIOPersistentVolumeSource */
	{ .name = "fsType", .shape = TOPO_SCALAR, .value = TOPO_STRING, .otherwise = "\"xfs\"" },
	{ .name = "gateway", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "protectionDomain", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "readOnly", .shape = TOPO_SCALAR, .value = TOPO_BOOLEAN },
	{ .name = "secretRef", .shape = TOPO_STRUCT, .atomic = true, .pointer = true, .type = 258 },
	{ .name = "sslEnabled", .shape = TOPO_SCALAR, .value = TOPO_BOOLEAN },
	{ .name = "storageMode", .shape = TOPO_SCALAR, .value = TOPO_STRING, .otherwise = "\"ThinProvisioned\"" },
	{ .name = "storagePool", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "system", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "volumeName", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	/* io.k8s.api.core.v1.ScaleIOVolumeSource */
	{ .name = "fsType", .shape = TOPO_SCALAR, .value = TOPO_STRING, .otherwise = "\"xfs\"" },
	{ .name = "gateway", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "protectionDomain", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "readOnly", .shape = TOPO_SCALAR, .value = TOPO_BOOLEAN },
	{ .name = "secretRef", .shape = TOPO_STRUCT, .atomic = true, .pointer = true, .type = 169 },
	{ .name = "sslEnabled", .shape = TOPO_SCALAR, .value = TOPO_BOOLEAN },
	{ .name = "storageMode", .shape = TOPO_SCALAR, .value = TOPO_STRING, .otherwise = "\"ThinProvisioned\"" },
	{ .name = "storagePool", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "system", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "volumeName", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	/* io.k8s.api.core.v1.ScopeSelector */
	{ .name = "matchExpressions", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_ATOMIC, .type = 252 },
	/* io.k8s.api.core.v1.ScopedResourceSelectorRequirement */
	{ .name = "operator", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "scopeName", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "values", .shape = TOPO_LIST, .value = TOPO_STRING, .list = TOPO_ATOMIC },
	/* io.k8s.api.core.v1.SeccompProfile */
	{ .name = "localhostProfile", .shape = TOPO_SCALAR, .value = TOPO_STRING, .pointer = true },
	{ .name = "type", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	/* io.k8s.api.core.v1.Secret */
	{ .name = "apiVersion", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "data", .shape = TOPO_MAP, .value = TOPO_BYTES },
	{ .name = "immutable", .shape = TOPO_SCALAR, .value = TOPO_BOOLEAN, .pointer = true },
	{ .name = "kind", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "metadata", .shape = TOPO_STRUCT, .type = 343 },
	{ .name = "stringData", .shape = TOPO_MAP, .value = TOPO_STRING },
	{ .name = "type", .shape = TOPO_SCALAR, .value = TOPO_STRING, .otherwise = "\"Opaque\"" },
	/* io.k8s.api.core.v1.SecretEnvSource */
	{ .name = "name", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "optional", .shape = TOPO_SCALAR, .value = TOPO_BOOLEAN, .pointer = true },
	/* io.k8s.api.core.v1.SecretKeySelector */
	{ .name = "key", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "name", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "optional", .shape = TOPO_SCALAR, .value = TOPO_BOOLEAN, .pointer = true },
	/* io.k8s.api.core.v1.SecretProjection */
	{ .name = "items", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_ATOMIC, .type = 160 },
	{ .name = "name", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "optional", .shape = TOPO_SCALAR, .value = TOPO_BOOLEAN, .pointer = true },
	/* io.k8s.api.core.v1.SecretReference */
	{ .name = "name", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "namespace", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	/* io.k8s.api.core.v1.SecretVolumeSource */
	{ .name = "defaultMode", .shape = TOPO_SCALAR, .value = TOPO_NUMBER, .pointer = true, .otherwise = "420" },
	{ .name = "items", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_ATOMIC, .type = 160 },
	{ .name = "optional", .shape = TOPO_SCALAR, .value = TOPO_BOOLEAN, .pointer = true },
	{ .name = "secretName", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	/* io.k8s.api.core.v1.SecurityContext */
	{ .name = "allowPrivilegeEscalation", .shape = TOPO_SCALAR, .value = TOPO_BOOLEAN, .pointer = true },
	{ .name = "appArmorProfile", .shape = TOPO_STRUCT, .pointer = true, .type = 90 },
	{ .name = "capabilities", .shape = TOPO_STRUCT, .pointer = true, .type = 97 },
	{ .name = "privileged", .shape = TOPO_SCALAR, .value = TOPO_BOOLEAN, .pointer = true },
	{ .name = "procMount", .shape = TOPO_SCALAR, .value = TOPO_STRING, .pointer = true },
	{ .name = "readOnlyRootFilesystem", .shape = TOPO_SCALAR, .value = TOPO_BOOLEAN, .pointer = true },
	{ .name = "runAsGroup", .shape = TOPO_SCALAR, .value = TOPO_NUMBER, .pointer = true },
	{ .name = "runAsNonRoot", .shape = TOPO_SCALAR, .value = TOPO_BOOLEAN, .pointer = true },
	{ .name = "runAsUser", .shape = TOPO_SCALAR, .value = TOPO_NUMBER, .pointer = true },
	{ .name = "seLinuxOptions", .shape = TOPO_STRUCT, .pointer = true, .type = 248 },
	{ .name = "seccompProfile", .shape = TOPO_STRUCT, .pointer = true, .type = 253 },
	{ .name = "windowsOptions", .shape = TOPO_STRUCT, .pointer = true, .type = 290 },
	/* io.k8s.api.core.v1.Service */
	{ .name = "apiVersion", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "kind", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "metadata", .shape = TOPO_STRUCT, .type = 343 },
	{ .name = "spec", .shape = TOPO_STRUCT, .type = 265 },
	{ .name = "status", .shape = TOPO_STRUCT, .type = 266 },
	/* io.k8s.api.core.v1.ServiceAccount */
	{ .name = "apiVersion", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "automountServiceAccountToken", .shape = TOPO_SCALAR, .value = TOPO_BOOLEAN, .pointer = true },
	{ .name = "imagePullSecrets", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_ATOMIC, .whole_elements = true, .type = 169 },
	{ .name = "kind", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "metadata", .shape = TOPO_STRUCT, .type = 343 },
	{ .name = "secrets", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_KEYED, .keys = "name", .whole_elements = true, .type = 196 },
	/* io.k8s.api.core.v1.ServiceAccountTokenProjection */
	{ .name = "audience", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "expirationSeconds", .shape = TOPO_SCALAR, .value = TOPO_NUMBER, .pointer = true, .otherwise = "3600" },
	{ .name = "path", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	/* io.k8s.api.core.v1.ServicePort */
	{ .name = "appProtocol", .shape = TOPO_SCALAR, .value = TOPO_STRING, .pointer = true },
	{ .name = "name", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "nodePort", .shape = TOPO_SCALAR, .value = TOPO_NUMBER },
	{ .name = "port", .shape = TOPO_SCALAR, .value = TOPO_NUMBER },
	{ .name = "protocol", .shape = TOPO_SCALAR, .value = TOPO_STRING, .otherwise = "\"TCP\"" },
	{ .name = "targetPort", .shape = TOPO_SCALAR, .value = TOPO_INT_OR_STRING },
	/* io.k8s.api.core.v1.ServiceSpec */
	{ .name = "allocateLoadBalancerNodePorts", .shape = TOPO_SCALAR, .value = TOPO_BOOLEAN, .pointer = true, .otherwise = "true" },
	{ .name = "clusterIP", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "clusterIPs", .shape = TOPO_LIST, .value = TOPO_STRING, .list = TOPO_ATOMIC },
	{ .name = "externalIPs", .shape = TOPO_LIST, .value = TOPO_STRING, .list = TOPO_ATOMIC },
	{ .name = "externalName", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "externalTrafficPolicy", .shape = TOPO_SCALAR, .value = TOPO_STRING, .otherwise = "\"Cluster\"" },
	{ .name = "healthCheckNodePort", .shape = TOPO_SCALAR, .value = TOPO_NUMBER },
	{ .name = "internalTrafficPolicy", .shape = TOPO_SCALAR, .value = TOPO_STRING, .pointer = true, .otherwise = "\"Cluster\"" },
	{ .name = "ipFamilies", .shape = TOPO_LIST, .value = TOPO_STRING, .list = TOPO_ATOMIC },
	{ .name = "ipFamilyPolicy", .shape = TOPO_SCALAR, .value = TOPO_STRING, .pointer = true, .otherwise = "\"SingleStack\"" },
	{ .name = "loadBalancerClass", .shape = TOPO_SCALAR, .value = TOPO_STRING, .pointer = true },
	{ .name = "loadBalancerIP", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "loadBalancerSourceRanges", .shape = TOPO_LIST, .value = TOPO_STRING, .list = TOPO_ATOMIC },
	{ .name = "ports", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_KEYED, .keys = "port,protocol", .type = 264 },
	{ .name = "publishNotReadyAddresses", .shape = TOPO_SCALAR, .value = TOPO_BOOLEAN },
	{ .name = "selector", .shape = TOPO_MAP, .value = TOPO_STRING, .atomic = true },
	{ .name = "sessionAffinity", .shape = TOPO_SCALAR, .value = TOPO_STRING, .otherwise = "\"None\"" },
	{ .name = "sessionAffinityConfig", .shape = TOPO_STRUCT, .pointer = true, .type = 267 },
	{ .name = "trafficDistribution", .shape = TOPO_SCALAR, .value = TOPO_STRING, .pointer = true },
	{ .name = "type", .shape = TOPO_SCALAR, .value = TOPO_STRING, .otherwise = "\"ClusterIP\"" },
	/* io.k8s.api.core.v1.ServiceStatus */
	{ .name = "conditions", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_KEYED, .keys = "type", .type = 336 },
	{ .name = "loadBalancer", .shape = TOPO_STRUCT, .type = 168 },
	/* io.k8s.api.core.v1.SessionAffinityConfig */
	{ .name = "clientIP", .shape = TOPO_STRUCT, .pointer = true, .type = 102 },
	/* io.k8s.api.core.v1.SleepAction */
	{ .name = "seconds", .shape = TOPO_SCALAR, .value = TOPO_NUMBER },
	/* io.k8s.api.core.v1.StorageOSPersistentVolumeSource */
	{ .name = "fsType", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "readOnly", .shape = TOPO_SCALAR, .value = TOPO_BOOLEAN },
	{ .name = "secretRef", .shape = TOPO_STRUCT, .atomic = true, .pointer = true, .type = 196 },
	{ .name = "volumeName", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "volumeNamespace", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	/* io.k8s.api.core.v1.StorageOSVolumeSource */
	{ .name = "fsType", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "readOnly", .shape = TOPO_SCALAR, .value = TOPO_BOOLEAN },
	{ .name = "secretRef", .shape = TOPO_STRUCT, .atomic = true, .pointer = true, .type = 169 },
	{ .name = "volumeName", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "volumeNamespace", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	/* io.k8s.api.core.v1.Sysctl */
	{ .name = "name", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "value", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	/* io.k8s.api.core.v1.TCPSocketAction */
	{ .name = "host", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "port", .shape = TOPO_SCALAR, .value = TOPO_INT_OR_STRING },
	/* io.k8s.api.core.v1.Taint */
	{ .name = "effect", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "key", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "timeAdded", .shape = TOPO_SCALAR, .value = TOPO_TIME, .pointer = true },
	{ .name = "value", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	/* io.k8s.api.core.v1.Toleration */
	{ .name = "effect", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "key", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "operator", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "tolerationSeconds", .shape = TOPO_SCALAR, .value = TOPO_NUMBER, .pointer = true },
	{ .name = "value", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	/* io.k8s.api.core.v1.TopologySelectorLabelRequirement */
	{ .name = "key", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "values", .shape = TOPO_LIST, .value = TOPO_STRING, .list = TOPO_ATOMIC },
	/* io.k8s.api.core.v1.TopologySelectorTerm */
	{ .name = "matchLabelExpressions", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_ATOMIC, .type = 275 },
	/* io.k8s.api.core.v1.TopologySpreadConstraint */
	{ .name = "labelSelector", .shape = TOPO_STRUCT, .atomic = true, .pointer = true, .type = 339 },
	{ .name = "matchLabelKeys", .shape = TOPO_LIST, .value = TOPO_STRING, .list = TOPO_ATOMIC },
	{ .name = "maxSkew", .shape = TOPO_SCALAR, .value = TOPO_NUMBER },
	{ .name = "minDomains", .shape = TOPO_SCALAR, .value = TOPO_NUMBER, .pointer = true },
	{ .name = "nodeAffinityPolicy", .shape = TOPO_SCALAR, .value = TOPO_STRING, .pointer = true },
	{ .name = "nodeTaintsPolicy", .shape = TOPO_SCALAR, .value = TOPO_STRING, .pointer = true },
	{ .name = "topologyKey", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "whenUnsatisfiable", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	/* io.k8s.api.core.v1.TypedLocalObjectReference */
	{ .name = "apiGroup", .shape = TOPO_SCALAR, .value = TOPO_STRING, .pointer = true },
	{ .name = "kind", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "name", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	/* io.k8s.api.core.v1.TypedObjectReference */
	{ .name = "apiGroup", .shape = TOPO_SCALAR, .value = TOPO_STRING, .pointer = true },
	{ .name = "kind", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "name", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "namespace", .shape = TOPO_SCALAR, .value = TOPO_STRING, .pointer = true },
	/* io.k8s.api.core.v1.Volume */
	{ .name = "awsElasticBlockStore", .shape = TOPO_STRUCT, .pointer = true, .type = 88 },
	{ .name = "azureDisk", .shape = TOPO_STRUCT, .pointer = true, .type = 92 },
	{ .name = "azureFile", .shape = TOPO_STRUCT, .pointer = true, .type = 94 },
	{ .name = "cephfs", .shape = TOPO_STRUCT, .pointer = true, .type = 99 },
	{ .name = "cinder", .shape = TOPO_STRUCT, .pointer = true, .type = 101 },
	{ .name = "configMap", .shape = TOPO_STRUCT, .pointer = true, .type = 109 },
	{ .name = "csi", .shape = TOPO_STRUCT, .pointer = true, .type = 96 },
	{ .name = "downwardAPI", .shape = TOPO_STRUCT, .pointer = true, .type = 126 },
	{ .name = "emptyDir", .shape = TOPO_STRUCT, .pointer = true, .type = 127 },
	{ .name = "ephemeral", .shape = TOPO_STRUCT, .pointer = true, .type = 136 },
	{ .name = "fc", .shape = TOPO_STRUCT, .pointer = true, .type = 141 },
	{ .name = "flexVolume", .shape = TOPO_STRUCT, .pointer = true, .type = 144 },
	{ .name = "flocker", .shape = TOPO_STRUCT, .pointer = true, .type = 145 },
	{ .name = "gcePersistentDisk", .shape = TOPO_STRUCT, .pointer = true, .type = 146 },
	{ .name = "gitRepo", .shape = TOPO_STRUCT, .pointer = true, .type = 148 },
	{ .name = "glusterfs", .shape = TOPO_STRUCT, .pointer = true, .type = 150 },
	{ .name = "hostPath", .shape = TOPO_STRUCT, .pointer = true, .type = 155 },
	{ .name = "image", .shape = TOPO_STRUCT, .pointer = true, .type = 158 },
	{ .name = "iscsi", .shape = TOPO_STRUCT, .pointer = true, .type = 157 },
	{ .name = "name", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "nfs", .shape = TOPO_STRUCT, .pointer = true, .type = 172 },
	{ .name = "persistentVolumeClaim", .shape = TOPO_STRUCT, .pointer = true, .type = 203 },
	{ .name = "photonPersistentDisk", .shape = TOPO_STRUCT, .pointer = true, .type = 206 },
	{ .name = "portworxVolume", .shape = TOPO_STRUCT, .pointer = true, .type = 229 },
	{ .name = "projected", .shape = TOPO_STRUCT, .pointer = true, .type = 232 },
	{ .name = "quobyte", .shape = TOPO_STRUCT, .pointer = true, .type = 233 },
	{ .name = "rbd", .shape = TOPO_STRUCT, .pointer = true, .type = 235 },
	{ .name = "scaleIO", .shape = TOPO_STRUCT, .pointer = true, .type = 250 },
	{ .name = "secret", .shape = TOPO_STRUCT, .pointer = true, .type = 259 },
	{ .name = "storageos", .shape = TOPO_STRUCT, .pointer = true, .type = 270 },
	{ .name = "vsphereVolume", .shape = TOPO_STRUCT, .pointer = true, .type = 288 },
	/* io.k8s.api.core.v1.VolumeDevice */
	{ .name = "devicePath", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "name", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	/* io.k8s.api.core.v1.VolumeMount */
	{ .name = "mountPath", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "mountPropagation", .shape = TOPO_SCALAR, .value = TOPO_STRING, .pointer = true },
	{ .name = "name", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "readOnly", .shape = TOPO_SCALAR, .value = TOPO_BOOLEAN },
	{ .name = "recursiveReadOnly", .shape = TOPO_SCALAR, .value = TOPO_STRING, .pointer = true },
	{ .name = "subPath", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "subPathExpr", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	/* io.k8s.api.core.v1.VolumeMountStatus */
	{ .name = "mountPath", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "name", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "readOnly", .shape = TOPO_SCALAR, .value = TOPO_BOOLEAN },
	{ .name = "recursiveReadOnly", .shape = TOPO_SCALAR, .value = TOPO_STRING, .pointer = true },
	{ .name = "volumeStatus", .shape = TOPO_STRUCT, .pointer = true, .type = 287 },
	/* io.k8s.api.core.v1.VolumeNodeAffinity */
	{ .name = "required", .shape = TOPO_STRUCT, .atomic = true, .pointer = true, .type = 188 },
	/* io.k8s.api.core.v1.VolumeProjection */
	{ .name = "clusterTrustBundle", .shape = TOPO_STRUCT, .pointer = true, .type = 103 },
	{ .name = "configMap", .shape = TOPO_STRUCT, .pointer = true, .type = 108 },
	{ .name = "downwardAPI", .shape = TOPO_STRUCT, .pointer = true, .type = 124 },
	{ .name = "podCertificate", .shape = TOPO_STRUCT, .pointer = true, .type = 211 },
	{ .name = "secret", .shape = TOPO_STRUCT, .pointer = true, .type = 257 },
	{ .name = "serviceAccountToken", .shape = TOPO_STRUCT, .pointer = true, .type = 263 },
	/* io.k8s.api.core.v1.VolumeResourceRequirements */
	{ .name = "limits", .shape = TOPO_MAP, .value = TOPO_QUANTITY },
	{ .name = "requests", .shape = TOPO_MAP, .value = TOPO_QUANTITY },
	/* io.k8s.api.core.v1.VolumeStatus */
	{ .name = "image", .shape = TOPO_STRUCT, .pointer = true, .type = 159 },
	/* io.k8s.api.core.v1.VsphereVirtualDiskVolumeSource */
	{ .name = "fsType", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "storagePolicyID", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "storagePolicyName", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "volumePath", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	/* io.k8s.api.core.v1.WeightedPodAffinityTerm */
	{ .name = "podAffinityTerm", .shape = TOPO_STRUCT, .type = 209 },
	{ .name = "weight", .shape = TOPO_SCALAR, .value = TOPO_NUMBER },
	/* io.k8s.api.core.v1.WindowsSecurityContextOptions */
	{ .name = "gmsaCredentialSpec", .shape = TOPO_SCALAR, .value = TOPO_STRING, .pointer = true },
	{ .name = "gmsaCredentialSpecName", .shape = TOPO_SCALAR, .value = TOPO_STRING, .pointer = true },
	{ .name = "hostProcess", .shape = TOPO_SCALAR, .value = TOPO_BOOLEAN, .pointer = true },
	{ .name = "runAsUserName", .shape = TOPO_SCALAR, .value = TOPO_STRING, .pointer = true },
	/* io.k8s.api.discovery.v1.Endpoint */
	{ .name = "addresses", .shape = TOPO_LIST, .value = TOPO_STRING, .list = TOPO_SET },
	{ .name = "conditions", .shape = TOPO_STRUCT, .type = 292 },
	{ .name = "deprecatedTopology", .shape = TOPO_MAP, .value = TOPO_STRING },
	{ .name = "hints", .shape = TOPO_STRUCT, .pointer = true, .type = 293 },
	{ .name = "hostname", .shape = TOPO_SCALAR, .value = TOPO_STRING, .pointer = true },
	{ .name = "nodeName", .shape = TOPO_SCALAR, .value = TOPO_STRING, .pointer = true },
	{ .name = "targetRef", .shape = TOPO_STRUCT, .atomic = true, .pointer = true, .type = 196 },
	{ .name = "zone", .shape = TOPO_SCALAR, .value = TOPO_STRING, .pointer = true },
	/* io.k8s.api.discovery.v1.EndpointConditions */
	{ .name = "ready", .shape = TOPO_SCALAR, .value = TOPO_BOOLEAN, .pointer = true },
	{ .name = "serving", .shape = TOPO_SCALAR, .value = TOPO_BOOLEAN, .pointer = true },
	{ .name = "terminating", .shape = TOPO_SCALAR, .value = TOPO_BOOLEAN, .pointer = true },
	/* io.k8s.api.discovery.v1.EndpointHints */
	{ .name = "forNodes", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_ATOMIC, .type = 296 },
	{ .name = "forZones", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_ATOMIC, .type = 297 },
	/* io.k8s.api.discovery.v1.EndpointPort */
	{ .name = "appProtocol", .shape = TOPO_SCALAR, .value = TOPO_STRING, .pointer = true },
	{ .name = "name", .shape = TOPO_SCALAR, .value = TOPO_STRING, .pointer = true, .otherwise = "\"\"" },
	{ .name = "port", .shape = TOPO_SCALAR, .value = TOPO_NUMBER, .pointer = true },
	{ .name = "protocol", .shape = TOPO_SCALAR, .value = TOPO_STRING, .pointer = true, .otherwise = "\"TCP\"" },
	/* io.k8s.api.discovery.v1.EndpointSlice */
	{ .name = "addressType", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "apiVersion", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "endpoints", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_ATOMIC, .type = 291 },
	{ .name = "kind", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "metadata", .shape = TOPO_STRUCT, .type = 343 },
	{ .name = "ports", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_ATOMIC, .whole_elements = true, .type = 294 },
	/* io.k8s.api.discovery.v1.ForNode */
	{ .name = "name", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	/* io.k8s.api.discovery.v1.ForZone */
	{ .name = "name", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	/* io.k8s.api.networking.v1.HTTPIngressPath */
	{ .name = "backend", .shape = TOPO_STRUCT, .type = 302 },
	{ .name = "path", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "pathType", .shape = TOPO_SCALAR, .value = TOPO_STRING, .pointer = true },
	/* io.k8s.api.networking.v1.HTTPIngressRuleValue */
	{ .name = "paths", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_ATOMIC, .type = 298 },
	/* io.k8s.api.networking.v1.IPBlock */
	{ .name = "cidr", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "except", .shape = TOPO_LIST, .value = TOPO_STRING, .list = TOPO_ATOMIC },
	/* io.k8s.api.networking.v1.Ingress */
	{ .name = "apiVersion", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "kind", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "metadata", .shape = TOPO_STRUCT, .type = 343 },
	{ .name = "spec", .shape = TOPO_STRUCT, .type = 311 },
	{ .name = "status", .shape = TOPO_STRUCT, .type = 312 },
	/* io.k8s.api.networking.v1.IngressBackend */
	{ .name = "resource", .shape = TOPO_STRUCT, .atomic = true, .pointer = true, .type = 278 },
	{ .name = "service", .shape = TOPO_STRUCT, .pointer = true, .type = 310 },
	/* io.k8s.api.networking.v1.IngressClass */
	{ .name = "apiVersion", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "kind", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "metadata", .shape = TOPO_STRUCT, .type = 343 },
	{ .name = "spec", .shape = TOPO_STRUCT, .type = 305 },
	/* io.k8s.api.networking.v1.IngressClassParametersReference */
	{ .name = "apiGroup", .shape = TOPO_SCALAR, .value = TOPO_STRING, .pointer = true },
	{ .name = "kind", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "name", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "namespace", .shape = TOPO_SCALAR, .value = TOPO_STRING, .pointer = true },
	{ .name = "scope", .shape = TOPO_SCALAR, .value = TOPO_STRING, .pointer = true, .otherwise = "\"Cluster\"" },
	/* io.k8s.api.networking.v1.IngressClassSpec */
	{ .name = "controller", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "parameters", .shape = TOPO_STRUCT, .pointer = true, .type = 304 },
	/* io.k8s.api.networking.v1.IngressLoadBalancerIngress */
	{ .name = "hostname", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "ip", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "ports", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_ATOMIC, .type = 308 },
	/* io.k8s.api.networking.v1.IngressLoadBalancerStatus */
	{ .name = "ingress", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_ATOMIC, .type = 306 },
	/* io.k8s.api.networking.v1.IngressPortStatus */
	{ .name = "error", .shape = TOPO_SCALAR, .value = TOPO_STRING, .pointer = true },
	{ .name = "port", .shape = TOPO_SCALAR, .value = TOPO_NUMBER },
	{ .name = "protocol", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	/* io.k8s.api.networking.v1.IngressRule */
	{ .name = "host", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "http", .shape = TOPO_STRUCT, .pointer = true, .type = 299 },
	/* io.k8s.api.networking.v1.IngressServiceBackend */
	{ .name = "name", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "port", .shape = TOPO_STRUCT, .atomic = true, .type = 320 },
	/* io.k8s.api.networking.v1.IngressSpec */
	{ .name = "defaultBackend", .shape = TOPO_STRUCT, .pointer = true, .type = 302 },
	{ .name = "ingressClassName", .shape = TOPO_SCALAR, .value = TOPO_STRING, .pointer = true },
	{ .name = "rules", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_ATOMIC, .type = 309 },
	{ .name = "tls", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_ATOMIC, .type = 313 },
	/* io.k8s.api.networking.v1.IngressStatus */
	{ .name = "loadBalancer", .shape = TOPO_STRUCT, .type = 307 },
	/* io.k8s.api.networking.v1.IngressTLS */
	{ .name = "hosts", .shape = TOPO_LIST, .value = TOPO_STRING, .list = TOPO_ATOMIC },
	{ .name = "secretName", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	/* io.k8s.api.networking.v1.NetworkPolicy */
	{ .name = "apiVersion", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "kind", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "metadata", .shape = TOPO_STRUCT, .type = 343 },
	{ .name = "spec", .shape = TOPO_STRUCT, .type = 319 },
	/* io.k8s.api.networking.v1.NetworkPolicyEgressRule */
	{ .name = "ports", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_ATOMIC, .type = 318 },
	{ .name = "to", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_ATOMIC, .type = 317 },
	/* io.k8s.api.networking.v1.NetworkPolicyIngressRule */
	{ .name = "from", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_ATOMIC, .type = 317 },
	{ .name = "ports", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_ATOMIC, .type = 318 },
	/* io.k8s.api.networking.v1.NetworkPolicyPeer */
	{ .name = "ipBlock", .shape = TOPO_STRUCT, .pointer = true, .type = 300 },
	{ .name = "namespaceSelector", .shape = TOPO_STRUCT, .atomic = true, .pointer = true, .type = 339 },
	{ .name = "podSelector", .shape = TOPO_STRUCT, .atomic = true, .pointer = true, .type = 339 },
	/* io.k8s.api.networking.v1.NetworkPolicyPort */
	{ .name = "endPort", .shape = TOPO_SCALAR, .value = TOPO_NUMBER, .pointer = true },
	{ .name = "port", .shape = TOPO_SCALAR, .value = TOPO_INT_OR_STRING, .pointer = true },
	{ .name = "protocol", .shape = TOPO_SCALAR, .value = TOPO_STRING, .pointer = true, .otherwise = "\"TCP\"" },
	/* io.k8s.api.networking.v1.NetworkPolicySpec */
	{ .name = "egress", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_ATOMIC, .type = 315 },
	{ .name = "ingress", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_ATOMIC, .type = 316 },
	{ .name = "podSelector", .shape = TOPO_STRUCT, .atomic = true, .type = 339 },
	{ .name = "policyTypes", .shape = TOPO_LIST, .value = TOPO_STRING, .list = TOPO_ATOMIC },
	/* io.k8s.api.networking.v1.ServiceBackendPort */
	{ .name = "name", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "number", .shape = TOPO_SCALAR, .value = TOPO_NUMBER },
	/* io.k8s.api.policy.v1.PodDisruptionBudget */
	{ .name = "apiVersion", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "kind", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "metadata", .shape = TOPO_STRUCT, .type = 343 },
	{ .name = "spec", .shape = TOPO_STRUCT, .type = 322 },
	{ .name = "status", .shape = TOPO_STRUCT, .type = 323 },
	/* io.k8s.api.policy.v1.PodDisruptionBudgetSpec */
	{ .name = "maxUnavailable", .shape = TOPO_SCALAR, .value = TOPO_INT_OR_STRING, .pointer = true },
	{ .name = "minAvailable", .shape = TOPO_SCALAR, .value = TOPO_INT_OR_STRING, .pointer = true },
	{ .name = "selector", .shape = TOPO_STRUCT, .atomic = true, .pointer = true, .type = 339 },
	{ .name = "unhealthyPodEvictionPolicy", .shape = TOPO_SCALAR, .value = TOPO_STRING, .pointer = true },
	/* io.k8s.api.policy.v1.PodDisruptionBudgetStatus */
	{ .name = "conditions", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_KEYED, .keys = "type", .type = 336 },
	{ .name = "currentHealthy", .shape = TOPO_SCALAR, .value = TOPO_NUMBER },
	{ .name = "desiredHealthy", .shape = TOPO_SCALAR, .value = TOPO_NUMBER },
	{ .name = "disruptedPods", .shape = TOPO_MAP, .value = TOPO_TIME },
	{ .name = "disruptionsAllowed", .shape = TOPO_SCALAR, .value = TOPO_NUMBER },
	{ .name = "expectedPods", .shape = TOPO_SCALAR, .value = TOPO_NUMBER },
	{ .name = "observedGeneration", .shape = TOPO_SCALAR, .value = TOPO_NUMBER },
	/* io.k8s.api.rbac.v1.AggregationRule */
	{ .name = "clusterRoleSelectors", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_ATOMIC, .whole_elements = true, .type = 339 },
	/* io.k8s.api.rbac.v1.ClusterRole */
	{ .name = "aggregationRule", .shape = TOPO_STRUCT, .pointer = true, .type = 324 },
	{ .name = "apiVersion", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "kind", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "metadata", .shape = TOPO_STRUCT, .type = 343 },
	{ .name = "rules", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_ATOMIC, .type = 327 },
	/* io.k8s.api.rbac.v1.ClusterRoleBinding */
	{ .name = "apiVersion", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "kind", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "metadata", .shape = TOPO_STRUCT, .type = 343 },
	{ .name = "roleRef", .shape = TOPO_STRUCT, .atomic = true, .type = 330 },
	{ .name = "subjects", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_ATOMIC, .whole_elements = true, .type = 331 },
	/* io.k8s.api.rbac.v1.PolicyRule */
	{ .name = "apiGroups", .shape = TOPO_LIST, .value = TOPO_STRING, .list = TOPO_ATOMIC },
	{ .name = "nonResourceURLs", .shape = TOPO_LIST, .value = TOPO_STRING, .list = TOPO_ATOMIC },
	{ .name = "resourceNames", .shape = TOPO_LIST, .value = TOPO_STRING, .list = TOPO_ATOMIC },
	{ .name = "resources", .shape = TOPO_LIST, .value = TOPO_STRING, .list = TOPO_ATOMIC },
	{ .name = "verbs", .shape = TOPO_LIST, .value = TOPO_STRING, .list = TOPO_ATOMIC },
	/* io.k8s.api.rbac.v1.Role */
	{ .name = "apiVersion", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "kind", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "metadata", .shape = TOPO_STRUCT, .type = 343 },
	{ .name = "rules", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_ATOMIC, .type = 327 },
	/* io.k8s.api.rbac.v1.RoleBinding */
	{ .name = "apiVersion", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "kind", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "metadata", .shape = TOPO_STRUCT, .type = 343 },
	{ .name = "roleRef", .shape = TOPO_STRUCT, .atomic = true, .type = 330 },
	{ .name = "subjects", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_ATOMIC, .whole_elements = true, .type = 331 },
	/* io.k8s.api.rbac.v1.RoleRef */
	{ .name = "apiGroup", .shape = TOPO_SCALAR, .value = TOPO_STRING, .otherwise = "\"rbac.authorization.k8s.io\"" },
	{ .name = "kind", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "name", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	/* io.k8s.api.rbac.v1.Subject */
	{ .name = "apiGroup", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "kind", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "name", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "namespace", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	/* io.k8s.api.scheduling.v1.PriorityClass */
	{ .name = "apiVersion", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "description", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "globalDefault", .shape = TOPO_SCALAR, .value = TOPO_BOOLEAN },
	{ .name = "kind", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "metadata", .shape = TOPO_STRUCT, .type = 343 },
	{ .name = "preemptionPolicy", .shape = TOPO_SCALAR, .value = TOPO_STRING, .pointer = true, .otherwise = "\"PreemptLowerPriority\"" },
	{ .name = "value", .shape = TOPO_SCALAR, .value = TOPO_NUMBER },
	/* io.k8s.api.storage.v1.StorageClass */
	{ .name = "allowVolumeExpansion", .shape = TOPO_SCALAR, .value = TOPO_BOOLEAN, .pointer = true },
	{ .name = "allowedTopologies", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_ATOMIC, .whole_elements = true, .type = 276 },
	{ .name = "apiVersion", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "kind", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "metadata", .shape = TOPO_STRUCT, .type = 343 },
	{ .name = "mountOptions", .shape = TOPO_LIST, .value = TOPO_STRING, .list = TOPO_ATOMIC },
	{ .name = "parameters", .shape = TOPO_MAP, .value = TOPO_STRING },
	{ .name = "provisioner", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "reclaimPolicy", .shape = TOPO_SCALAR, .value = TOPO_STRING, .pointer = true, .otherwise = "\"Delete\"" },
	{ .name = "volumeBindingMode", .shape = TOPO_SCALAR, .value = TOPO_STRING, .pointer = true, .otherwise = "\"Immediate\"" },
	/* io.k8s.apimachinery.pkg.apis.meta.v1.APIGroup */
	{ .name = "apiVersion", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "kind", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "name", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "preferredVersion", .shape = TOPO_STRUCT, .type = 338 },
	{ .name = "serverAddressByClientCIDRs", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_ATOMIC, .type = 346 },
	{ .name = "versions", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_ATOMIC, .type = 338 },
	/* io.k8s.apimachinery.pkg.apis.meta.v1.APIVersions */
	{ .name = "apiVersion", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "kind", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "serverAddressByClientCIDRs", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_ATOMIC, .type = 346 },
	{ .name = "versions", .shape = TOPO_LIST, .value = TOPO_STRING, .list = TOPO_ATOMIC },
	/* io.k8s.apimachinery.pkg.apis.meta.v1.Condition */
	{ .name = "lastTransitionTime", .shape = TOPO_SCALAR, .value = TOPO_TIME },
	{ .name = "message", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "observedGeneration", .shape = TOPO_SCALAR, .value = TOPO_NUMBER },
	{ .name = "reason", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "status", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "type", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	/* io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions */
	{ .name = "apiVersion", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "dryRun", .shape = TOPO_LIST, .value = TOPO_STRING, .list = TOPO_ATOMIC },
	{ .name = "gracePeriodSeconds", .shape = TOPO_SCALAR, .value = TOPO_NUMBER, .pointer = true },
	{ .name = "ignoreStoreReadErrorWithClusterBreakingPotential", .shape = TOPO_SCALAR, .value = TOPO_BOOLEAN, .pointer = true },
	{ .name = "kind", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "orphanDependents", .shape = TOPO_SCALAR, .value = TOPO_BOOLEAN, .pointer = true },
	{ .name = "preconditions", .shape = TOPO_STRUCT, .pointer = true, .type = 345 },
	{ .name = "propagationPolicy", .shape = TOPO_SCALAR, .value = TOPO_STRING, .pointer = true },
	/* io.k8s.apimachinery.pkg.apis.meta.v1.GroupVersionForDiscovery */
	{ .name = "groupVersion", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "version", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	/* io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector */
	{ .name = "matchExpressions", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_ATOMIC, .type = 340 },
	{ .name = "matchLabels", .shape = TOPO_MAP, .value = TOPO_STRING },
	/* io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelectorRequirement */
	{ .name = "key", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "operator", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "values", .shape = TOPO_LIST, .value = TOPO_STRING, .list = TOPO_ATOMIC },
	/* io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta */
	{ .name = "continue", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "remainingItemCount", .shape = TOPO_SCALAR, .value = TOPO_NUMBER, .pointer = true },
	{ .name = "resourceVersion", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "selfLink", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "shardInfo", .shape = TOPO_STRUCT, .pointer = true, .type = 347 },
	/* io.k8s.apimachinery.pkg.apis.meta.v1.ManagedFieldsEntry */
	{ .name = "apiVersion", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "fieldsType", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "fieldsV1", .shape = TOPO_SCALAR, .value = TOPO_ANY, .pointer = true },
	{ .name = "manager", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "operation", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "subresource", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "time", .shape = TOPO_SCALAR, .value = TOPO_TIME, .pointer = true },
	/* io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta */
	{ .name = "annotations", .shape = TOPO_MAP, .value = TOPO_STRING },
	{ .name = "creationTimestamp", .shape = TOPO_SCALAR, .value = TOPO_TIME },
	{ .name = "deletionGracePeriodSeconds", .shape = TOPO_SCALAR, .value = TOPO_NUMBER, .pointer = true },
	{ .name = "deletionTimestamp", .shape = TOPO_SCALAR, .value = TOPO_TIME, .pointer = true },
	{ .name = "finalizers", .shape = TOPO_LIST, .value = TOPO_STRING, .list = TOPO_SET },
	{ .name = "generateName", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "generation", .shape = TOPO_SCALAR, .value = TOPO_NUMBER },
	{ .name = "labels", .shape = TOPO_MAP, .value = TOPO_STRING },
	{ .name = "managedFields", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_ATOMIC, .type = 342 },
	{ .name = "name", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "namespace", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "ownerReferences", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_KEYED, .keys = "uid", .whole_elements = true, .type = 344 },
	{ .name = "resourceVersion", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "selfLink", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "uid", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	/* io.k8s.apimachinery.pkg.apis.meta.v1.OwnerReference */
	{ .name = "apiVersion", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "blockOwnerDeletion", .shape = TOPO_SCALAR, .value = TOPO_BOOLEAN, .pointer = true },
	{ .name = "controller", .shape = TOPO_SCALAR, .value = TOPO_BOOLEAN, .pointer = true },
	{ .name = "kind", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "name", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "uid", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	/* io.k8s.apimachinery.pkg.apis.meta.v1.Preconditions */
	{ .name = "resourceVersion", .shape = TOPO_SCALAR, .value = TOPO_STRING, .pointer = true },
	{ .name = "uid", .shape = TOPO_SCALAR, .value = TOPO_STRING, .pointer = true },
	/* io.k8s.apimachinery.pkg.apis.meta.v1.ServerAddressByClientCIDR */
	{ .name = "clientCIDR", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "serverAddress", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	/* io.k8s.apimachinery.pkg.apis.meta.v1.ShardInfo */
	{ .name = "selector", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	/* io.k8s.apimachinery.pkg.apis.meta.v1.Status */
	{ .name = "apiVersion", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "code", .shape = TOPO_SCALAR, .value = TOPO_NUMBER },
	{ .name = "details", .shape = TOPO_STRUCT, .pointer = true, .type = 350 },
	{ .name = "kind", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "message", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "metadata", .shape = TOPO_STRUCT, .type = 341 },
	{ .name = "reason", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "status", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	/* io.k8s.apimachinery.pkg.apis.meta.v1.StatusCause */
	{ .name = "field", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "message", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "reason", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	/* io.k8s.apimachinery.pkg.apis.meta.v1.StatusDetails */
	{ .name = "causes", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_ATOMIC, .type = 349 },
	{ .name = "group", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "kind", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "name", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "retryAfterSeconds", .shape = TOPO_SCALAR, .value = TOPO_NUMBER },
	{ .name = "uid", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	/* io.k8s.apimachinery.pkg.apis.meta.v1.WatchEvent */
	{ .name = "object", .shape = TOPO_SCALAR, .value = TOPO_ANY },
	{ .name = "type", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	/* io.k8s.api.admissionregistration.v1.ApplyConfiguration */
	{ .name = "expression", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	/* io.k8s.api.admissionregistration.v1.JSONPatch */
	{ .name = "expression", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	/* io.k8s.api.admissionregistration.v1.MutatingAdmissionPolicy */
	{ .name = "apiVersion", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "kind", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "metadata", .shape = TOPO_STRUCT, .type = 343 },
	{ .name = "spec", .shape = TOPO_STRUCT, .type = 357 },
	/* io.k8s.api.admissionregistration.v1.MutatingAdmissionPolicyBinding */
	{ .name = "apiVersion", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "kind", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "metadata", .shape = TOPO_STRUCT, .type = 343 },
	{ .name = "spec", .shape = TOPO_STRUCT, .type = 356 },
	/* io.k8s.api.admissionregistration.v1.MutatingAdmissionPolicyBindingSpec */
	{ .name = "matchResources", .shape = TOPO_STRUCT, .atomic = true, .pointer = true, .type = 4 },
	{ .name = "paramRef", .shape = TOPO_STRUCT, .atomic = true, .pointer = true, .type = 9 },
	{ .name = "policyName", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	/* io.k8s.api.admissionregistration.v1.MutatingAdmissionPolicySpec */
	{ .name = "failurePolicy", .shape = TOPO_SCALAR, .value = TOPO_STRING, .pointer = true, .otherwise = "\"Fail\"" },
	{ .name = "matchConditions", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_KEYED, .keys = "name", .type = 3 },
	{ .name = "matchConstraints", .shape = TOPO_STRUCT, .atomic = true, .pointer = true, .type = 4 },
	{ .name = "mutations", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_ATOMIC, .type = 358 },
	{ .name = "paramKind", .shape = TOPO_STRUCT, .atomic = true, .pointer = true, .type = 8 },
	{ .name = "reinvocationPolicy", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "variables", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_ATOMIC, .whole_elements = true, .type = 21 },
	/* io.k8s.api.admissionregistration.v1.Mutation */
	{ .name = "applyConfiguration", .shape = TOPO_STRUCT, .pointer = true, .type = 352 },
	{ .name = "jsonPatch", .shape = TOPO_STRUCT, .pointer = true, .type = 353 },
	{ .name = "patchType", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	/* io.k8s.api.admissionregistration.v1beta1.MutatingWebhook */
	{ .name = "admissionReviewVersions", .shape = TOPO_LIST, .value = TOPO_STRING, .list = TOPO_ATOMIC, .otherwise = "[\"v1beta1\"]" },
	{ .name = "clientConfig", .shape = TOPO_STRUCT, .type = 22 },
	{ .name = "failurePolicy", .shape = TOPO_SCALAR, .value = TOPO_STRING, .pointer = true, .otherwise = "\"Ignore\"" },
	{ .name = "matchPolicy", .shape = TOPO_SCALAR, .value = TOPO_STRING, .pointer = true, .otherwise = "\"Exact\"" },
	{ .name = "name", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "namespaceSelector", .shape = TOPO_STRUCT, .atomic = true, .pointer = true, .otherwise = "{}", .type = 339 },
	{ .name = "objectSelector", .shape = TOPO_STRUCT, .atomic = true, .pointer = true, .otherwise = "{}", .type = 339 },
	{ .name = "reinvocationPolicy", .shape = TOPO_SCALAR, .value = TOPO_STRING, .pointer = true, .otherwise = "\"Never\"" },
	{ .name = "rules", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_ATOMIC, .type = 10 },
	{ .name = "sideEffects", .shape = TOPO_SCALAR, .value = TOPO_STRING, .pointer = true, .otherwise = "\"Unknown\"" },
	{ .name = "timeoutSeconds", .shape = TOPO_SCALAR, .value = TOPO_NUMBER, .pointer = true, .otherwise = "30" },
	/* io.k8s.api.admissionregistration.v1beta1.MutatingWebhookConfiguration */
	{ .name = "apiVersion", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "kind", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "metadata", .shape = TOPO_STRUCT, .type = 343 },
	{ .name = "webhooks", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_KEYED, .keys = "name", .type = 359 },
	/* io.k8s.api.admissionregistration.v1beta1.ValidatingWebhook */
	{ .name = "admissionReviewVersions", .shape = TOPO_LIST, .value = TOPO_STRING, .list = TOPO_ATOMIC, .otherwise = "[\"v1beta1\"]" },
	{ .name = "clientConfig", .shape = TOPO_STRUCT, .type = 22 },
	{ .name = "failurePolicy", .shape = TOPO_SCALAR, .value = TOPO_STRING, .pointer = true, .otherwise = "\"Ignore\"" },
	{ .name = "matchPolicy", .shape = TOPO_SCALAR, .value = TOPO_STRING, .pointer = true, .otherwise = "\"Exact\"" },
	{ .name = "name", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "namespaceSelector", .shape = TOPO_STRUCT, .atomic = true, .pointer = true, .otherwise = "{}", .type = 339 },
	{ .name = "objectSelector", .shape = TOPO_STRUCT, .atomic = true, .pointer = true, .otherwise = "{}", .type = 339 },
	{ .name = "rules", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_ATOMIC, .type = 10 },
	{ .name = "sideEffects", .shape = TOPO_SCALAR, .value = TOPO_STRING, .pointer = true, .otherwise = "\"Unknown\"" },
	{ .name = "timeoutSeconds", .shape = TOPO_SCALAR, .value = TOPO_NUMBER, .pointer = true, .otherwise = "30" },
	/* io.k8s.api.admissionregistration.v1beta1.ValidatingWebhookConfiguration */
	{ .name = "apiVersion", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "kind", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "metadata", .shape = TOPO_STRUCT, .type = 343 },
	{ .name = "webhooks", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_KEYED, .keys = "name", .type = 361 },
	/* io.k8s.api.autoscaling.v1.HorizontalPodAutoscaler */
	{ .name = "apiVersion", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "kind", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "metadata", .shape = TOPO_STRUCT, .type = 343 },
	{ .name = "spec", .shape = TOPO_STRUCT, .type = 364 },
	{ .name = "status", .shape = TOPO_STRUCT },
	/* io.k8s.api.autoscaling.v1.HorizontalPodAutoscalerSpec */
	{ .name = "maxReplicas", .shape = TOPO_SCALAR, .value = TOPO_NUMBER },
	{ .name = "minReplicas", .shape = TOPO_SCALAR, .value = TOPO_NUMBER, .pointer = true, .otherwise = "1" },
	{ .name = "scaleTargetRef", .shape = TOPO_STRUCT, .atomic = true, .type = 50 },
	{ .name = "targetCPUUtilizationPercentage", .shape = TOPO_SCALAR, .value = TOPO_NUMBER, .pointer = true, .otherwise = "80" },
	/* io.k8s.api.autoscaling.v2beta1.ContainerResourceMetricSource */
	{ .name = "container", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "name", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "targetAverageUtilization", .shape = TOPO_SCALAR, .value = TOPO_NUMBER, .pointer = true },
	{ .name = "targetAverageValue", .shape = TOPO_SCALAR, .value = TOPO_QUANTITY, .pointer = true },
	/* io.k8s.api.autoscaling.v2beta1.ExternalMetricSource */
	{ .name = "metricName", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "metricSelector", .shape = TOPO_STRUCT, .pointer = true, .type = 339 },
	{ .name = "targetAverageValue", .shape = TOPO_SCALAR, .value = TOPO_QUANTITY, .pointer = true },
	{ .name = "targetValue", .shape = TOPO_SCALAR, .value = TOPO_QUANTITY, .pointer = true },
	/* io.k8s.api.autoscaling.v2beta1.HorizontalPodAutoscaler */
	{ .name = "apiVersion", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "kind", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "metadata", .shape = TOPO_STRUCT, .type = 343 },
	{ .name = "spec", .shape = TOPO_STRUCT, .type = 368 },
	{ .name = "status", .shape = TOPO_STRUCT },
	/* io.k8s.api.autoscaling.v2beta1.HorizontalPodAutoscalerSpec */
	{ .name = "maxReplicas", .shape = TOPO_SCALAR, .value = TOPO_NUMBER },
	{ .name = "metrics", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_ATOMIC, .otherwise = "[{\"resource\":{\"name\":\"cpu\",\"targetAverageUtilization\":80},\"type\":\"Resource\"}]", .type = 369 },
	{ .name = "minReplicas", .shape = TOPO_SCALAR, .value = TOPO_NUMBER, .pointer = true, .otherwise = "1" },
	{ .name = "scaleTargetRef", .shape = TOPO_STRUCT, .type = 50 },
	/* io.k8s.api.autoscaling.v2beta1.MetricSpec */
	{ .name = "containerResource", .shape = TOPO_STRUCT, .pointer = true, .type = 365 },
	{ .name = "external", .shape = TOPO_STRUCT, .pointer = true, .type = 366 },
	{ .name = "object", .shape = TOPO_STRUCT, .pointer = true, .type = 370 },
	{ .name = "pods", .shape = TOPO_STRUCT, .pointer = true, .type = 371 },
	{ .name = "resource", .shape = TOPO_STRUCT, .pointer = true, .type = 372 },
	{ .name = "type", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	/* io.k8s.api.autoscaling.v2beta1.ObjectMetricSource */
	{ .name = "averageValue", .shape = TOPO_SCALAR, .value = TOPO_QUANTITY, .pointer = true },
	{ .name = "metricName", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "selector", .shape = TOPO_STRUCT, .pointer = true, .type = 339 },
	{ .name = "target", .shape = TOPO_STRUCT, .type = 50 },
	{ .name = "targetValue", .shape = TOPO_SCALAR, .value = TOPO_QUANTITY },
	/* io.k8s.api.autoscaling.v2beta1.PodsMetricSource */
	{ .name = "metricName", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "selector", .shape = TOPO_STRUCT, .pointer = true, .type = 339 },
	{ .name = "targetAverageValue", .shape = TOPO_SCALAR, .value = TOPO_QUANTITY },
	/* io.k8s.api.autoscaling.v2beta1.ResourceMetricSource */
	{ .name = "name", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "targetAverageUtilization", .shape = TOPO_SCALAR, .value = TOPO_NUMBER, .pointer = true },
	{ .name = "targetAverageValue", .shape = TOPO_SCALAR, .value = TOPO_QUANTITY, .pointer = true },
	/* io.k8s.api.certificates.v1.CertificateSigningRequest */
	{ .name = "apiVersion", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "kind", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "metadata", .shape = TOPO_STRUCT, .type = 343 },
	{ .name = "spec", .shape = TOPO_STRUCT, .type = 375 },
	{ .name = "status", .shape = TOPO_STRUCT, .type = 376 },
	/* io.k8s.api.certificates.v1.CertificateSigningRequestCondition */
	{ .name = "lastTransitionTime", .shape = TOPO_SCALAR, .value = TOPO_TIME },
	{ .name = "lastUpdateTime", .shape = TOPO_SCALAR, .value = TOPO_TIME },
	{ .name = "message", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "reason", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "status", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "type", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	/* io.k8s.api.certificates.v1.CertificateSigningRequestSpec */
	{ .name = "expirationSeconds", .shape = TOPO_SCALAR, .value = TOPO_NUMBER, .pointer = true },
	{ .name = "extra", .shape = TOPO_MAP, .value = TOPO_LISTS },
	{ .name = "groups", .shape = TOPO_LIST, .value = TOPO_STRING, .list = TOPO_ATOMIC },
	{ .name = "request", .shape = TOPO_SCALAR, .value = TOPO_BYTES },
	{ .name = "signerName", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "uid", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "usages", .shape = TOPO_LIST, .value = TOPO_STRING, .list = TOPO_ATOMIC },
	{ .name = "username", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	/* io.k8s.api.certificates.v1.CertificateSigningRequestStatus */
	{ .name = "certificate", .shape = TOPO_SCALAR, .value = TOPO_BYTES },
	{ .name = "conditions", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_KEYED, .keys = "type", .type = 374 },
	/* io.k8s.api.flowcontrol.v1.ExemptPriorityLevelConfiguration */
	{ .name = "lendablePercent", .shape = TOPO_SCALAR, .value = TOPO_NUMBER, .pointer = true, .otherwise = "0" },
	{ .name = "nominalConcurrencyShares", .shape = TOPO_SCALAR, .value = TOPO_NUMBER, .pointer = true, .otherwise = "0" },
	/* io.k8s.api.flowcontrol.v1.FlowDistinguisherMethod */
	{ .name = "type", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	/* io.k8s.api.flowcontrol.v1.FlowSchema */
	{ .name = "apiVersion", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "kind", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "metadata", .shape = TOPO_STRUCT, .type = 343 },
	{ .name = "spec", .shape = TOPO_STRUCT, .type = 381 },
	{ .name = "status", .shape = TOPO_STRUCT, .type = 382 },
	/* io.k8s.api.flowcontrol.v1.FlowSchemaCondition */
	{ .name = "lastTransitionTime", .shape = TOPO_SCALAR, .value = TOPO_TIME },
	{ .name = "message", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "reason", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "status", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "type", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	/* io.k8s.api.flowcontrol.v1.FlowSchemaSpec */
	{ .name = "distinguisherMethod", .shape = TOPO_STRUCT, .pointer = true, .type = 378 },
	{ .name = "matchingPrecedence", .shape = TOPO_SCALAR, .value = TOPO_NUMBER, .otherwise = "1000" },
	{ .name = "priorityLevelConfiguration", .shape = TOPO_STRUCT, .type = 390 },
	{ .name = "rules", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_ATOMIC, .type = 387 },
	/* io.k8s.api.flowcontrol.v1.FlowSchemaStatus */
	{ .name = "conditions", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_KEYED, .keys = "type", .type = 380 },
	/* io.k8s.api.flowcontrol.v1.GroupSubject */
	{ .name = "name", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	/* io.k8s.api.flowcontrol.v1.LimitResponse */
	{ .name = "queuing", .shape = TOPO_STRUCT, .pointer = true, .type = 393 },
	{ .name = "type", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	/* io.k8s.api.flowcontrol.v1.LimitedPriorityLevelConfiguration */
	{ .name = "borrowingLimitPercent", .shape = TOPO_SCALAR, .value = TOPO_NUMBER, .pointer = true },
	{ .name = "lendablePercent", .shape = TOPO_SCALAR, .value = TOPO_NUMBER, .pointer = true, .otherwise = "0" },
	{ .name = "limitResponse", .shape = TOPO_STRUCT, .type = 384 },
	{ .name = "nominalConcurrencyShares", .shape = TOPO_SCALAR, .value = TOPO_NUMBER, .pointer = true, .otherwise = "30" },
	/* io.k8s.api.flowcontrol.v1.NonResourcePolicyRule */
	{ .name = "nonResourceURLs", .shape = TOPO_LIST, .value = TOPO_STRING, .list = TOPO_SET },
	{ .name = "verbs", .shape = TOPO_LIST, .value = TOPO_STRING, .list = TOPO_SET },
	/* io.k8s.api.flowcontrol.v1.PolicyRulesWithSubjects */
	{ .name = "nonResourceRules", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_ATOMIC, .type = 386 },
	{ .name = "resourceRules", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_ATOMIC, .type = 394 },
	{ .name = "subjects", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_ATOMIC, .type = 396 },
	/* io.k8s.api.flowcontrol.v1.PriorityLevelConfiguration */
	{ .name = "apiVersion", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "kind", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "metadata", .shape = TOPO_STRUCT, .type = 343 },
	{ .name = "spec", .shape = TOPO_STRUCT, .type = 391 },
	{ .name = "status", .shape = TOPO_STRUCT, .type = 392 },
	/* io.k8s.api.flowcontrol.v1.PriorityLevelConfigurationCondition */
	{ .name = "lastTransitionTime", .shape = TOPO_SCALAR, .value = TOPO_TIME },
	{ .name = "message", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "reason", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "status", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "type", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	/* io.k8s.api.flowcontrol.v1.PriorityLevelConfigurationReference */
	{ .name = "name", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	/* io.k8s.api.flowcontrol.v1.PriorityLevelConfigurationSpec */
	{ .name = "exempt", .shape = TOPO_STRUCT, .pointer = true, .type = 377 },
	{ .name = "limited", .shape = TOPO_STRUCT, .pointer = true, .type = 385 },
	{ .name = "type", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	/* io.k8s.api.flowcontrol.v1.PriorityLevelConfigurationStatus */
	{ .name = "conditions", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_KEYED, .keys = "type", .type = 389 },
	/* io.k8s.api.flowcontrol.v1.QueuingConfiguration */
	{ .name = "handSize", .shape = TOPO_SCALAR, .value = TOPO_NUMBER, .otherwise = "8" },
	{ .name = "queueLengthLimit", .shape = TOPO_SCALAR, .value = TOPO_NUMBER, .otherwise = "50" },
	{ .name = "queues", .shape = TOPO_SCALAR, .value = TOPO_NUMBER, .otherwise = "64" },
	/* io.k8s.api.flowcontrol.v1.ResourcePolicyRule */
	{ .name = "apiGroups", .shape = TOPO_LIST, .value = TOPO_STRING, .list = TOPO_SET },
	{ .name = "clusterScope", .shape = TOPO_SCALAR, .value = TOPO_BOOLEAN },
	{ .name = "namespaces", .shape = TOPO_LIST, .value = TOPO_STRING, .list = TOPO_SET },
	{ .name = "resources", .shape = TOPO_LIST, .value = TOPO_STRING, .list = TOPO_SET },
	{ .name = "verbs", .shape = TOPO_LIST, .value = TOPO_STRING, .list = TOPO_SET },
	/* io.k8s.api.flowcontrol.v1.ServiceAccountSubject */
	{ .name = "name", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "namespace", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	/* io.k8s.api.flowcontrol.v1.Subject */
	{ .name = "group", .shape = TOPO_STRUCT, .pointer = true, .type = 383 },
	{ .name = "kind", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "serviceAccount", .shape = TOPO_STRUCT, .pointer = true, .type = 395 },
	{ .name = "user", .shape = TOPO_STRUCT, .pointer = true, .type = 397 },
	/* io.k8s.api.flowcontrol.v1.UserSubject */
	{ .name = "name", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	/* io.k8s.api.networking.v1beta1.HTTPIngressPath */
	{ .name = "backend", .shape = TOPO_STRUCT, .type = 401 },
	{ .name = "path", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "pathType", .shape = TOPO_SCALAR, .value = TOPO_STRING, .pointer = true, .otherwise = "\"ImplementationSpecific\"" },
	/* io.k8s.api.networking.v1beta1.HTTPIngressRuleValue */
	{ .name = "paths", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_ATOMIC, .type = 398 },
	/* io.k8s.api.networking.v1beta1.Ingress */
	{ .name = "apiVersion", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "kind", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "metadata", .shape = TOPO_STRUCT, .type = 343 },
	{ .name = "spec", .shape = TOPO_STRUCT, .type = 403 },
	{ .name = "status", .shape = TOPO_STRUCT },
	/* io.k8s.api.networking.v1beta1.IngressBackend */
	{ .name = "resource", .shape = TOPO_STRUCT, .pointer = true, .type = 278 },
	{ .name = "serviceName", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "servicePort", .shape = TOPO_SCALAR, .value = TOPO_INT_OR_STRING },
	/* io.k8s.api.networking.v1beta1.IngressRule */
	{ .name = "host", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "http", .shape = TOPO_STRUCT, .pointer = true, .type = 399 },
	/* io.k8s.api.networking.v1beta1.IngressSpec */
	{ .name = "backend", .shape = TOPO_STRUCT, .pointer = true, .type = 401 },
	{ .name = "ingressClassName", .shape = TOPO_SCALAR, .value = TOPO_STRING, .pointer = true },
	{ .name = "rules", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_ATOMIC, .type = 402 },
	{ .name = "tls", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_ATOMIC, .type = 313 },
	/* io.k8s.api.node.v1.Overhead */
	{ .name = "podFixed", .shape = TOPO_MAP, .value = TOPO_QUANTITY },
	/* io.k8s.api.node.v1.RuntimeClass */
	{ .name = "apiVersion", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "handler", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "kind", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "metadata", .shape = TOPO_STRUCT, .type = 343 },
	{ .name = "overhead", .shape = TOPO_STRUCT, .pointer = true, .type = 404 },
	{ .name = "scheduling", .shape = TOPO_STRUCT, .pointer = true, .type = 406 },
	/* io.k8s.api.node.v1.Scheduling */
	{ .name = "nodeSelector", .shape = TOPO_MAP, .value = TOPO_STRING, .atomic = true },
	{ .name = "tolerations", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_ATOMIC, .type = 274 },
	/* io.k8s.api.policy.v1beta1.AllowedCSIDriver */
	{ .name = "name", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	/* io.k8s.api.policy.v1beta1.AllowedFlexVolume */
	{ .name = "driver", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	/* io.k8s.api.policy.v1beta1.AllowedHostPath */
	{ .name = "pathPrefix", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "readOnly", .shape = TOPO_SCALAR, .value = TOPO_BOOLEAN },
	/* io.k8s.api.policy.v1beta1.GroupStrategyOptions */
	{ .name = "ranges", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_ATOMIC, .type = 412 },
	{ .name = "rule", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	/* io.k8s.api.policy.v1beta1.HostPortRange */
	{ .name = "max", .shape = TOPO_SCALAR, .value = TOPO_NUMBER },
	{ .name = "min", .shape = TOPO_SCALAR, .value = TOPO_NUMBER },
	/* io.k8s.api.policy.v1beta1.IDRange */
	{ .name = "max", .shape = TOPO_SCALAR, .value = TOPO_NUMBER },
	{ .name = "min", .shape = TOPO_SCALAR, .value = TOPO_NUMBER },
	/* io.k8s.api.policy.v1beta1.PodSecurityPolicy */
	{ .name = "apiVersion", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "kind", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "metadata", .shape = TOPO_STRUCT, .type = 343 },
	{ .name = "spec", .shape = TOPO_STRUCT, .type = 414 },
	/* io.k8s.api.policy.v1beta1.PodSecurityPolicySpec */
	{ .name = "allowPrivilegeEscalation", .shape = TOPO_SCALAR, .value = TOPO_BOOLEAN, .pointer = true, .otherwise = "true" },
	{ .name = "allowedCSIDrivers", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_ATOMIC, .type = 407 },
	{ .name = "allowedCapabilities", .shape = TOPO_LIST, .value = TOPO_STRING, .list = TOPO_ATOMIC },
	{ .name = "allowedFlexVolumes", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_ATOMIC, .type = 408 },
	{ .name = "allowedHostPaths", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_ATOMIC, .type = 409 },
	{ .name = "allowedProcMountTypes", .shape = TOPO_LIST, .value = TOPO_STRING, .list = TOPO_ATOMIC },
	{ .name = "allowedUnsafeSysctls", .shape = TOPO_LIST, .value = TOPO_STRING, .list = TOPO_ATOMIC },
	{ .name = "defaultAddCapabilities", .shape = TOPO_LIST, .value = TOPO_STRING, .list = TOPO_ATOMIC },
	{ .name = "defaultAllowPrivilegeEscalation", .shape = TOPO_SCALAR, .value = TOPO_BOOLEAN, .pointer = true },
	{ .name = "forbiddenSysctls", .shape = TOPO_LIST, .value = TOPO_STRING, .list = TOPO_ATOMIC },
	{ .name = "fsGroup", .shape = TOPO_STRUCT, .type = 410 },
	{ .name = "hostIPC", .shape = TOPO_SCALAR, .value = TOPO_BOOLEAN },
	{ .name = "hostNetwork", .shape = TOPO_SCALAR, .value = TOPO_BOOLEAN },
	{ .name = "hostPID", .shape = TOPO_SCALAR, .value = TOPO_BOOLEAN },
	{ .name = "hostPorts", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_ATOMIC, .type = 411 },
	{ .name = "privileged", .shape = TOPO_SCALAR, .value = TOPO_BOOLEAN },
	{ .name = "readOnlyRootFilesystem", .shape = TOPO_SCALAR, .value = TOPO_BOOLEAN },
	{ .name = "requiredDropCapabilities", .shape = TOPO_LIST, .value = TOPO_STRING, .list = TOPO_ATOMIC },
	{ .name = "runAsGroup", .shape = TOPO_STRUCT, .pointer = true, .type = 410 },
	{ .name = "runAsUser", .shape = TOPO_STRUCT, .type = 410 },
	{ .name = "runtimeClass", .shape = TOPO_STRUCT, .pointer = true, .type = 415 },
	{ .name = "seLinux", .shape = TOPO_STRUCT, .type = 416 },
	{ .name = "supplementalGroups", .shape = TOPO_STRUCT, .type = 410 },
	{ .name = "volumes", .shape = TOPO_LIST, .value = TOPO_STRING, .list = TOPO_ATOMIC },
	/* io.k8s.api.policy.v1beta1.RuntimeClassStrategyOptions */
	{ .name = "allowedRuntimeClassNames", .shape = TOPO_LIST, .value = TOPO_STRING, .list = TOPO_ATOMIC },
	{ .name = "defaultRuntimeClassName", .shape = TOPO_SCALAR, .value = TOPO_STRING, .pointer = true },
	/* io.k8s.api.policy.v1beta1.SELinuxStrategyOptions */
	{ .name = "rule", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "seLinuxOptions", .shape = TOPO_STRUCT, .pointer = true, .type = 248 },
	/* io.k8s.api.storage.v1.CSIDriver */
	{ .name = "apiVersion", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "kind", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "metadata", .shape = TOPO_STRUCT, .type = 343 },
	{ .name = "spec", .shape = TOPO_STRUCT, .type = 418 },
	/* io.k8s.api.storage.v1.CSIDriverSpec */
	{ .name = "attachRequired", .shape = TOPO_SCALAR, .value = TOPO_BOOLEAN, .pointer = true, .otherwise = "true" },
	{ .name = "fsGroupPolicy", .shape = TOPO_SCALAR, .value = TOPO_STRING, .pointer = true, .otherwise = "\"ReadWriteOnceWithFSType\"" },
	{ .name = "nodeAllocatableUpdatePeriodSeconds", .shape = TOPO_SCALAR, .value = TOPO_NUMBER, .pointer = true },
	{ .name = "podInfoOnMount", .shape = TOPO_SCALAR, .value = TOPO_BOOLEAN, .pointer = true, .otherwise = "false" },
	{ .name = "preventPodSchedulingIfMissing", .shape = TOPO_SCALAR, .value = TOPO_BOOLEAN, .pointer = true },
	{ .name = "requiresRepublish", .shape = TOPO_SCALAR, .value = TOPO_BOOLEAN, .pointer = true, .otherwise = "false" },
	{ .name = "seLinuxMount", .shape = TOPO_SCALAR, .value = TOPO_BOOLEAN, .pointer = true, .otherwise = "false" },
	{ .name = "serviceAccountTokenInSecrets", .shape = TOPO_SCALAR, .value = TOPO_BOOLEAN, .pointer = true },
	{ .name = "storageCapacity", .shape = TOPO_SCALAR, .value = TOPO_BOOLEAN, .pointer = true, .otherwise = "false" },
	{ .name = "tokenRequests", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_ATOMIC, .type = 423 },
	{ .name = "volumeLifecycleModes", .shape = TOPO_LIST, .value = TOPO_STRING, .list = TOPO_SET },
	/* io.k8s.api.storage.v1.CSINode */
	{ .name = "apiVersion", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "kind", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "metadata", .shape = TOPO_STRUCT, .type = 343 },
	{ .name = "spec", .shape = TOPO_STRUCT, .type = 421 },
	/* io.k8s.api.storage.v1.CSINodeDriver */
	{ .name = "allocatable", .shape = TOPO_STRUCT, .pointer = true, .type = 428 },
	{ .name = "name", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "nodeID", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "topologyKeys", .shape = TOPO_LIST, .value = TOPO_STRING, .list = TOPO_ATOMIC },
	/* io.k8s.api.storage.v1.CSINodeSpec */
	{ .name = "drivers", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_KEYED, .keys = "name", .type = 420 },
	/* io.k8s.api.storage.v1.CSIStorageCapacity */
	{ .name = "apiVersion", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "capacity", .shape = TOPO_SCALAR, .value = TOPO_QUANTITY, .pointer = true },
	{ .name = "kind", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "maximumVolumeSize", .shape = TOPO_SCALAR, .value = TOPO_QUANTITY, .pointer = true },
	{ .name = "metadata", .shape = TOPO_STRUCT, .type = 343 },
	{ .name = "nodeTopology", .shape = TOPO_STRUCT, .atomic = true, .pointer = true, .type = 339 },
	{ .name = "storageClassName", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	/* io.k8s.api.storage.v1.TokenRequest */
	{ .name = "audience", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "expirationSeconds", .shape = TOPO_SCALAR, .value = TOPO_NUMBER, .pointer = true },
	/* io.k8s.api.storage.v1.VolumeAttachment */
	{ .name = "apiVersion", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "kind", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "metadata", .shape = TOPO_STRUCT, .type = 343 },
	{ .name = "spec", .shape = TOPO_STRUCT, .type = 426 },
	{ .name = "status", .shape = TOPO_STRUCT },
	/* io.k8s.api.storage.v1.VolumeAttachmentSource */
	{ .name = "inlineVolumeSpec", .shape = TOPO_STRUCT, .pointer = true, .type = 204 },
	{ .name = "persistentVolumeName", .shape = TOPO_SCALAR, .value = TOPO_STRING, .pointer = true },
	/* io.k8s.api.storage.v1.VolumeAttachmentSpec */
	{ .name = "attacher", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "nodeName", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "source", .shape = TOPO_STRUCT, .type = 425 },
	/* io.k8s.api.storage.v1.VolumeAttributesClass */
	{ .name = "apiVersion", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "driverName", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "kind", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "metadata", .shape = TOPO_STRUCT, .type = 343 },
	{ .name = "parameters", .shape = TOPO_MAP, .value = TOPO_STRING },
	/* io.k8s.api.storage.v1.VolumeNodeResources */
	{ .name = "count", .shape = TOPO_SCALAR, .value = TOPO_NUMBER, .pointer = true },
	/* io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceColumnDefinition */
	{ .name = "description", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "format", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "jsonPath", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "name", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "priority", .shape = TOPO_SCALAR, .value = TOPO_NUMBER },
	{ .name = "type", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	/* io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceConversion */
	{ .name = "strategy", .shape = TOPO_SCALAR, .value = TOPO_STRING, .otherwise = "\"None\"" },
	{ .name = "webhook", .shape = TOPO_STRUCT, .pointer = true, .type = 446 },
	/* io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinition */
	{ .name = "apiVersion", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "kind", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "metadata", .shape = TOPO_STRUCT, .type = 343 },
	{ .name = "spec", .shape = TOPO_STRUCT, .type = 434 },
	{ .name = "status", .shape = TOPO_STRUCT, .type = 435 },
	/* io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionCondition */
	{ .name = "lastTransitionTime", .shape = TOPO_SCALAR, .value = TOPO_TIME },
	{ .name = "message", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "observedGeneration", .shape = TOPO_SCALAR, .value = TOPO_NUMBER },
	{ .name = "reason", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "status", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "type", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	/* io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionNames */
	{ .name = "categories", .shape = TOPO_LIST, .value = TOPO_STRING, .list = TOPO_ATOMIC },
	{ .name = "kind", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "listKind", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "plural", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "shortNames", .shape = TOPO_LIST, .value = TOPO_STRING, .list = TOPO_ATOMIC },
	{ .name = "singular", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	/* io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionSpec */
	{ .name = "conversion", .shape = TOPO_STRUCT, .pointer = true, .type = 430 },
	{ .name = "group", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "names", .shape = TOPO_STRUCT, .type = 433 },
	{ .name = "preserveUnknownFields", .shape = TOPO_SCALAR, .value = TOPO_BOOLEAN },
	{ .name = "scope", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "versions", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_ATOMIC, .type = 436 },
	/* io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionStatus */
	{ .name = "acceptedNames", .shape = TOPO_STRUCT, .type = 433 },
	{ .name = "conditions", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_KEYED, .keys = "type", .type = 432 },
	{ .name = "observedGeneration", .shape = TOPO_SCALAR, .value = TOPO_NUMBER },
	{ .name = "storedVersions", .shape = TOPO_LIST, .value = TOPO_STRING, .list = TOPO_ATOMIC },
	/* io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionVersion */
	{ .name = "additionalPrinterColumns", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_ATOMIC, .type = 429 },
	{ .name = "deprecated", .shape = TOPO_SCALAR, .value = TOPO_BOOLEAN },
	{ .name = "deprecationWarning", .shape = TOPO_SCALAR, .value = TOPO_STRING, .pointer = true },
	{ .name = "name", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "schema", .shape = TOPO_STRUCT, .pointer = true, .type = 439 },
	{ .name = "selectableFields", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_ATOMIC, .type = 442 },
	{ .name = "served", .shape = TOPO_SCALAR, .value = TOPO_BOOLEAN },
	{ .name = "storage", .shape = TOPO_SCALAR, .value = TOPO_BOOLEAN },
	{ .name = "subresources", .shape = TOPO_STRUCT, .pointer = true, .type = 438 },
	/* io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceSubresourceScale */
	{ .name = "labelSelectorPath", .shape = TOPO_SCALAR, .value = TOPO_STRING, .pointer = true },
	{ .name = "specReplicasPath", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "statusReplicasPath", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	/* io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceSubresources */
	{ .name = "scale", .shape = TOPO_STRUCT, .pointer = true, .type = 437 },
	{ .name = "status", .shape = TOPO_STRUCT, .pointer = true },
	/* io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceValidation */
	{ .name = "openAPIV3Schema", .shape = TOPO_STRUCT, .pointer = true, .type = 441 },
	/* io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.ExternalDocumentation */
	{ .name = "description", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "url", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	/* io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps */
	{ .name = "$ref", .shape = TOPO_SCALAR, .value = TOPO_STRING, .pointer = true },
	{ .name = "$schema", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "additionalItems", .shape = TOPO_STRUCT, .pointer = true, .type = 441 },
	{ .name = "additionalProperties", .shape = TOPO_STRUCT, .pointer = true, .type = 441 },
	{ .name = "allOf", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_ATOMIC, .type = 441 },
	{ .name = "anyOf", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_ATOMIC, .type = 441 },
	{ .name = "default", .shape = TOPO_SCALAR, .value = TOPO_ANY, .pointer = true },
	{ .name = "definitions", .shape = TOPO_MAP, .value = TOPO_STRUCTS, .type = 441 },
	{ .name = "dependencies", .shape = TOPO_MAP, .value = TOPO_STRUCTS, .type = 441 },
	{ .name = "description", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "enum", .shape = TOPO_LIST, .value = TOPO_ANY, .list = TOPO_ATOMIC },
	{ .name = "example", .shape = TOPO_SCALAR, .value = TOPO_ANY, .pointer = true },
	{ .name = "exclusiveMaximum", .shape = TOPO_SCALAR, .value = TOPO_BOOLEAN },
	{ .name = "exclusiveMinimum", .shape = TOPO_SCALAR, .value = TOPO_BOOLEAN },
	{ .name = "externalDocs", .shape = TOPO_STRUCT, .pointer = true, .type = 440 },
	{ .name = "format", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "id", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "items", .shape = TOPO_STRUCT, .pointer = true, .type = 441 },
	{ .name = "maxItems", .shape = TOPO_SCALAR, .value = TOPO_NUMBER, .pointer = true },
	{ .name = "maxLength", .shape = TOPO_SCALAR, .value = TOPO_NUMBER, .pointer = true },
	{ .name = "maxProperties", .shape = TOPO_SCALAR, .value = TOPO_NUMBER, .pointer = true },
	{ .name = "maximum", .shape = TOPO_SCALAR, .value = TOPO_NUMBER, .pointer = true },
	{ .name = "minItems", .shape = TOPO_SCALAR, .value = TOPO_NUMBER, .pointer = true },
	{ .name = "minLength", .shape = TOPO_SCALAR, .value = TOPO_NUMBER, .pointer = true },
	{ .name = "minProperties", .shape = TOPO_SCALAR, .value = TOPO_NUMBER, .pointer = true },
	{ .name = "minimum", .shape = TOPO_SCALAR, .value = TOPO_NUMBER, .pointer = true },
	{ .name = "multipleOf", .shape = TOPO_SCALAR, .value = TOPO_NUMBER, .pointer = true },
	{ .name = "not", .shape = TOPO_STRUCT, .pointer = true, .type = 441 },
	{ .name = "nullable", .shape = TOPO_SCALAR, .value = TOPO_BOOLEAN },
	{ .name = "oneOf", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_ATOMIC, .type = 441 },
	{ .name = "pattern", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "patternProperties", .shape = TOPO_MAP, .value = TOPO_STRUCTS, .type = 441 },
	{ .name = "properties", .shape = TOPO_MAP, .value = TOPO_STRUCTS, .type = 441 },
	{ .name = "required", .shape = TOPO_LIST, .value = TOPO_STRING, .list = TOPO_ATOMIC },
	{ .name = "title", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "type", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "uniqueItems", .shape = TOPO_SCALAR, .value = TOPO_BOOLEAN },
	{ .name = "x-kubernetes-embedded-resource", .shape = TOPO_SCALAR, .value = TOPO_BOOLEAN },
	{ .name = "x-kubernetes-int-or-string", .shape = TOPO_SCALAR, .value = TOPO_BOOLEAN },
	{ .name = "x-kubernetes-list-map-keys", .shape = TOPO_LIST, .value = TOPO_STRING, .list = TOPO_ATOMIC },
	{ .name = "x-kubernetes-list-type", .shape = TOPO_SCALAR, .value = TOPO_STRING, .pointer = true },
	{ .name = "x-kubernetes-map-type", .shape = TOPO_SCALAR, .value = TOPO_STRING, .pointer = true },
	{ .name = "x-kubernetes-preserve-unknown-fields", .shape = TOPO_SCALAR, .value = TOPO_BOOLEAN, .pointer = true },
	{ .name = "x-kubernetes-validations", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_KEYED, .keys = "rule", .type = 444 },
	/* io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.SelectableField */
	{ .name = "jsonPath", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	/* io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.ServiceReference */
	{ .name = "name", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "namespace", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "path", .shape = TOPO_SCALAR, .value = TOPO_STRING, .pointer = true },
	{ .name = "port", .shape = TOPO_SCALAR, .value = TOPO_NUMBER, .pointer = true, .otherwise = "443" },
	/* io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.ValidationRule */
	{ .name = "fieldPath", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "message", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "messageExpression", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "optionalOldSelf", .shape = TOPO_SCALAR, .value = TOPO_BOOLEAN, .pointer = true },
	{ .name = "reason", .shape = TOPO_SCALAR, .value = TOPO_STRING, .pointer = true },
	{ .name = "rule", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	/* io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.WebhookClientConfig */
	{ .name = "caBundle", .shape = TOPO_SCALAR, .value = TOPO_BYTES },
	{ .name = "service", .shape = TOPO_STRUCT, .pointer = true, .type = 443 },
	{ .name = "url", .shape = TOPO_SCALAR, .value = TOPO_STRING, .pointer = true },
	/* io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.WebhookConversion */
	{ .name = "clientConfig", .shape = TOPO_STRUCT, .pointer = true, .type = 445 },
	{ .name = "conversionReviewVersions", .shape = TOPO_LIST, .value = TOPO_STRING, .list = TOPO_ATOMIC },
	/* io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1beta1.CustomResourceColumnDefinition */
	{ .name = "JSONPath", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "description", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "format", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "name", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "priority", .shape = TOPO_SCALAR, .value = TOPO_NUMBER },
	{ .name = "type", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	/* io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1beta1.CustomResourceConversion */
	{ .name = "conversionReviewVersions", .shape = TOPO_LIST, .value = TOPO_STRING, .list = TOPO_ATOMIC },
	{ .name = "strategy", .shape = TOPO_SCALAR, .value = TOPO_STRING, .otherwise = "\"None\"" },
	{ .name = "webhookClientConfig", .shape = TOPO_STRUCT, .pointer = true, .type = 445 },
	/* io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1beta1.CustomResourceDefinition */
	{ .name = "apiVersion", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "kind", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "metadata", .shape = TOPO_STRUCT, .type = 343 },
	{ .name = "spec", .shape = TOPO_STRUCT, .type = 450 },
	{ .name = "status", .shape = TOPO_STRUCT, .type = 435 },
	/* io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1beta1.CustomResourceDefinitionSpec */
	{ .name = "additionalPrinterColumns", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_ATOMIC, .type = 447 },
	{ .name = "conversion", .shape = TOPO_STRUCT, .pointer = true, .type = 448 },
	{ .name = "group", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "names", .shape = TOPO_STRUCT, .type = 433 },
	{ .name = "preserveUnknownFields", .shape = TOPO_SCALAR, .value = TOPO_BOOLEAN, .pointer = true, .otherwise = "true" },
	{ .name = "scope", .shape = TOPO_SCALAR, .value = TOPO_STRING, .otherwise = "\"Namespaced\"" },
	{ .name = "subresources", .shape = TOPO_STRUCT, .pointer = true, .type = 438 },
	{ .name = "validation", .shape = TOPO_STRUCT, .pointer = true, .type = 439 },
	{ .name = "version", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "versions", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_ATOMIC, .type = 451 },
	/* io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1beta1.CustomResourceDefinitionVersion */
	{ .name = "additionalPrinterColumns", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_ATOMIC, .type = 447 },
	{ .name = "deprecated", .shape = TOPO_SCALAR, .value = TOPO_BOOLEAN },
	{ .name = "deprecationWarning", .shape = TOPO_SCALAR, .value = TOPO_STRING, .pointer = true },
	{ .name = "name", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "schema", .shape = TOPO_STRUCT, .pointer = true, .type = 439 },
	{ .name = "served", .shape = TOPO_SCALAR, .value = TOPO_BOOLEAN },
	{ .name = "storage", .shape = TOPO_SCALAR, .value = TOPO_BOOLEAN },
	{ .name = "subresources", .shape = TOPO_STRUCT, .pointer = true, .type = 438 },
	/* io.k8s.kube-aggregator.pkg.apis.apiregistration.v1.APIService */
	{ .name = "apiVersion", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "kind", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "metadata", .shape = TOPO_STRUCT, .type = 343 },
	{ .name = "spec", .shape = TOPO_STRUCT, .type = 454 },
	{ .name = "status", .shape = TOPO_STRUCT, .type = 455 },
	/* io.k8s.kube-aggregator.pkg.apis.apiregistration.v1.APIServiceCondition */
	{ .name = "lastTransitionTime", .shape = TOPO_SCALAR, .value = TOPO_TIME },
	{ .name = "message", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "reason", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "status", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "type", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	/* io.k8s.kube-aggregator.pkg.apis.apiregistration.v1.APIServiceSpec */
	{ .name = "caBundle", .shape = TOPO_SCALAR, .value = TOPO_BYTES },
	{ .name = "group", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "groupPriorityMinimum", .shape = TOPO_SCALAR, .value = TOPO_NUMBER },
	{ .name = "insecureSkipTLSVerify", .shape = TOPO_SCALAR, .value = TOPO_BOOLEAN },
	{ .name = "service", .shape = TOPO_STRUCT, .pointer = true, .type = 456 },
	{ .name = "version", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "versionPriority", .shape = TOPO_SCALAR, .value = TOPO_NUMBER },
	/* io.k8s.kube-aggregator.pkg.apis.apiregistration.v1.APIServiceStatus */
	{ .name = "conditions", .shape = TOPO_LIST, .value = TOPO_STRUCTS, .list = TOPO_KEYED, .keys = "type", .type = 453 },
	/* io.k8s.kube-aggregator.pkg.apis.apiregistration.v1.ServiceReference */
	{ .name = "name", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "namespace", .shape = TOPO_SCALAR, .value = TOPO_STRING },
	{ .name = "port", .shape = TOPO_SCALAR, .value = TOPO_NUMBER, .pointer = true, .otherwise = "443" },
};

const uint16_t builtin_ends[] = {
	0,
	2, /* 1: io.k8s.api.admissionregistration.v1.AuditAnnotation */
	4, /* 2: io.k8s.api.admissionregistration.v1.ExpressionWarning */
	6, /* 3: io.k8s.api.admissionregistration.v1.MatchCondition */
	11, /* 4: io.k8s.api.admissionregistration.v1.MatchResources */
	23, /* 5: io.k8s.api.admissionregistration.v1.MutatingWebhook */
	27, /* 6: io.k8s.api.admissionregistration.v1.MutatingWebhookConfiguration */
	33, /* 7: io.k8s.api.admissionregistration.v1.NamedRuleWithOperations */
	35, /* 8: io.k8s.api.admissionregistration.v1.ParamKind */
	39, /* 9: io.k8s.api.admissionregistration.v1.ParamRef */
	44, /* 10: io.k8s.api.admissionregistration.v1.RuleWithOperations */
	48, /* 11: io.k8s.api.admissionregistration.v1.ServiceReference */
	49, /* 12: io.k8s.api.admissionregistration.v1.TypeChecking */
	54, /* 13: io.k8s.api.admissionregistration.v1.ValidatingAdmissionPolicy */
	58, /* 14: io.k8s.api.admissionregistration.v1.ValidatingAdmissionPolicyBinding */
	62, /* 15: io.k8s.api.admissionregistration.v1.ValidatingAdmissionPolicyBindingSpec */
	69, /* 16: io.k8s.api.admissionregistration.v1.ValidatingAdmissionPolicySpec */
	72, /* 17: io.k8s.api.admissionregistration.v1.ValidatingAdmissionPolicyStatus */
	83, /* 18: io.k8s.api.admissionregistration.v1.ValidatingWebhook */
	87, /* 19: io.k8s.api.admissionregistration.v1.ValidatingWebhookConfiguration */
	91, /* 20: io.k8s.api.admissionregistration.v1.Validation */
	93, /* 21: io.k8s.api.admissionregistration.v1.Variable */
	96, /* 22: io.k8s.api.admissionregistration.v1.WebhookClientConfig */
	101, /* 23: io.k8s.api.apps.v1.ControllerRevision */
	106, /* 24: io.k8s.api.apps.v1.DaemonSet */
	111, /* 25: io.k8s.api.apps.v1.DaemonSetCondition */
	116, /* 26: io.k8s.api.apps.v1.DaemonSetSpec */
	126, /* 27: io.k8s.api.apps.v1.DaemonSetStatus */
	128, /* 28: io.k8s.api.apps.v1.DaemonSetUpdateStrategy */
	133, /* 29: io.k8s.api.apps.v1.Deployment */
	139, /* 30: io.k8s.api.apps.v1.DeploymentCondition */
	147, /* 31: io.k8s.api.apps.v1.DeploymentSpec */
	156, /* 32: io.k8s.api.apps.v1.DeploymentStatus */
	158, /* 33: io.k8s.api.apps.v1.DeploymentStrategy */
	163, /* 34: io.k8s.api.apps.v1.ReplicaSet */
	168, /* 35: io.k8s.api.apps.v1.ReplicaSetCondition */
	172, /* 36: io.k8s.api.apps.v1.ReplicaSetSpec */
	179, /* 37: io.k8s.api.apps.v1.ReplicaSetStatus */
	181, /* 38: io.k8s.api.apps.v1.RollingUpdateDaemonSet */
	183, /* 39: io.k8s.api.apps.v1.RollingUpdateDeployment */
	185, /* 40: io.k8s.api.apps.v1.RollingUpdateStatefulSetStrategy */
	190, /* 41: io.k8s.api.apps.v1.StatefulSet */
	195, /* 42: io.k8s.api.apps.v1.StatefulSetCondition */
	196, /* 43: io.k8s.api.apps.v1.StatefulSetOrdinals */
	198, /* 44: io.k8s.api.apps.v1.StatefulSetPersistentVolumeClaimRetentionPolicy */
	209, /* 45: io.k8s.api.apps.v1.StatefulSetSpec */
	219, /* 46: io.k8s.api.apps.v1.StatefulSetStatus */
	221, /* 47: io.k8s.api.apps.v1.StatefulSetUpdateStrategy */
	224, /* 48: io.k8s.api.autoscaling.v2.ContainerResourceMetricSource */
	227, /* 49: io.k8s.api.autoscaling.v2.ContainerResourceMetricStatus */
	230, /* 50: io.k8s.api.autoscaling.v2.CrossVersionObjectReference */
	232, /* 51: io.k8s.api.autoscaling.v2.ExternalMetricSource */
	234, /* 52: io.k8s.api.autoscaling.v2.ExternalMetricStatus */
	237, /* 53: io.k8s.api.autoscaling.v2.HPAScalingPolicy */
	241, /* 54: io.k8s.api.autoscaling.v2.HPAScalingRules */
	246, /* 55: io.k8s.api.autoscaling.v2.HorizontalPodAutoscaler */
	248, /* 56: io.k8s.api.autoscaling.v2.HorizontalPodAutoscalerBehavior */
	253, /* 57: io.k8s.api.autoscaling.v2.HorizontalPodAutoscalerCondition */
	258, /* 58: io.k8s.api.autoscaling.v2.HorizontalPodAutoscalerSpec */
	264, /* 59: io.k8s.api.autoscaling.v2.HorizontalPodAutoscalerStatus */
	266, /* 60: io.k8s.api.autoscaling.v2.MetricIdentifier */
	272, /* 61: io.k8s.api.autoscaling.v2.MetricSpec */
	278, /* 62: io.k8s.api.autoscaling.v2.MetricStatus */
	282, /* 63: io.k8s.api.autoscaling.v2.MetricTarget */
	285, /* 64: io.k8s.api.autoscaling.v2.MetricValueStatus */
	288, /* 65: io.k8s.api.autoscaling.v2.ObjectMetricSource */
	291, /* 66: io.k8s.api.autoscaling.v2.ObjectMetricStatus */
	293, /* 67: io.k8s.api.autoscaling.v2.PodsMetricSource */
	295, /* 68: io.k8s.api.autoscaling.v2.PodsMetricStatus */
	297, /* 69: io.k8s.api.autoscaling.v2.ResourceMetricSource */
	299, /* 70: io.k8s.api.autoscaling.v2.ResourceMetricStatus */
	304, /* 71: io.k8s.api.batch.v1.CronJob */
	312, /* 72: io.k8s.api.batch.v1.CronJobSpec */
	315, /* 73: io.k8s.api.batch.v1.CronJobStatus */
	320, /* 74: io.k8s.api.batch.v1.Job */
	326, /* 75: io.k8s.api.batch.v1.JobCondition */
	342, /* 76: io.k8s.api.batch.v1.JobSpec */
	353, /* 77: io.k8s.api.batch.v1.JobStatus */
	355, /* 78: io.k8s.api.batch.v1.JobTemplateSpec */
	356, /* 79: io.k8s.api.batch.v1.PodFailurePolicy */
	359, /* 80: io.k8s.api.batch.v1.PodFailurePolicyOnExitCodesRequirement */
	361, /* 81: io.k8s.api.batch.v1.PodFailurePolicyOnPodConditionsPattern */
	364, /* 82: io.k8s.api.batch.v1.PodFailurePolicyRule */
	365, /* 83: io.k8s.api.batch.v1.SuccessPolicy */
	367, /* 84: io.k8s.api.batch.v1.SuccessPolicyRule */
	369, /* 85: io.k8s.api.batch.v1.UncountedTerminatedPods */
	373, /* 86: io.k8s.api.coordination.v1.Lease */
	380, /* 87: io.k8s.api.coordination.v1.LeaseSpec */
	384, /* 88: io.k8s.api.core.v1.AWSElasticBlockStoreVolumeSource */
	387, /* 89: io.k8s.api.core.v1.Affinity */
	389, /* 90: io.k8s.api.core.v1.AppArmorProfile */
	391, /* 91: io.k8s.api.core.v1.AttachedVolume */
	397, /* 92: io.k8s.api.core.v1.AzureDiskVolumeSource */
	401, /* 93: io.k8s.api.core.v1.AzureFilePersistentVolumeSource */
	404, /* 94: io.k8s.api.core.v1.AzureFileVolumeSource */
	414, /* 95: io.k8s.api.core.v1.CSIPersistentVolumeSource */
	419, /* 96: io.k8s.api.core.v1.CSIVolumeSource */
	421, /* 97: io.k8s.api.core.v1.Capabilities */
	427, /* 98: io.k8s.api.core.v1.CephFSPersistentVolumeSource */
	433, /* 99: io.k8s.api.core.v1.CephFSVolumeSource */
	437, /* 100: io.k8s.api.core.v1.CinderPersistentVolumeSource */
	441, /* 101: io.k8s.api.core.v1.CinderVolumeSource */
	442, /* 102: io.k8s.api.core.v1.ClientIPConfig */
	447, /* 103: io.k8s.api.core.v1.ClusterTrustBundleProjection */
	453, /* 104: io.k8s.api.core.v1.ConfigMap */
	455, /* 105: io.k8s.api.core.v1.ConfigMapEnvSource */
	458, /* 106: io.k8s.api.core.v1.ConfigMapKeySelector */
	463, /* 107: io.k8s.api.core.v1.ConfigMapNodeConfigSource */
	466, /* 108: io.k8s.api.core.v1.ConfigMapProjection */
	470, /* 109: io.k8s.api.core.v1.ConfigMapVolumeSource */
	495, /* 110: io.k8s.api.core.v1.Container */
	498, /* 111: io.k8s.api.core.v1.ContainerExtendedResourceRequest */
	500, /* 112: io.k8s.api.core.v1.ContainerImage */
	505, /* 113: io.k8s.api.core.v1.ContainerPort */
	507, /* 114: io.k8s.api.core.v1.ContainerResizePolicy */
	509, /* 115: io.k8s.api.core.v1.ContainerRestartRule */
	511, /* 116: io.k8s.api.core.v1.ContainerRestartRuleOnExitCodes */
	514, /* 117: io.k8s.api.core.v1.ContainerState */
	515, /* 118: io.k8s.api.core.v1.ContainerStateRunning */
	522, /* 119: io.k8s.api.core.v1.ContainerStateTerminated */
	524, /* 120: io.k8s.api.core.v1.ContainerStateWaiting */
	539, /* 121: io.k8s.api.core.v1.ContainerStatus */
	540, /* 122: io.k8s.api.core.v1.ContainerUser */
	541, /* 123: io.k8s.api.core.v1.DaemonEndpoint */
	542, /* 124: io.k8s.api.core.v1.DownwardAPIProjection */
	546, /* 125: io.k8s.api.core.v1.DownwardAPIVolumeFile */
	548, /* 126: io.k8s.api.core.v1.DownwardAPIVolumeSource */
	550, /* 127: io.k8s.api.core.v1.EmptyDirVolumeSource */
	554, /* 128: io.k8s.api.core.v1.EndpointAddress */
	558, /* 129: io.k8s.api.core.v1.EndpointPort */
	561, /* 130: io.k8s.api.core.v1.EndpointSubset */
	565, /* 131: io.k8s.api.core.v1.Endpoints */
	568, /* 132: io.k8s.api.core.v1.EnvFromSource */
	571, /* 133: io.k8s.api.core.v1.EnvVar */
	576, /* 134: io.k8s.api.core.v1.EnvVarSource */
	602, /* 135: io.k8s.api.core.v1.EphemeralContainer */
	603, /* 136: io.k8s.api.core.v1.EphemeralVolumeSource */
	620, /* 137: io.k8s.api.core.v1.Event */
	622, /* 138: io.k8s.api.core.v1.EventSeries */
	624, /* 139: io.k8s.api.core.v1.EventSource */
	625, /* 140: io.k8s.api.core.v1.ExecAction */
	630, /* 141: io.k8s.api.core.v1.FCVolumeSource */
	634, /* 142: io.k8s.api.core.v1.FileKeySelector */
	639, /* 143: io.k8s.api.core.v1.FlexPersistentVolumeSource */
	644, /* 144: io.k8s.api.core.v1.FlexVolumeSource */
	646, /* 145: io.k8s.api.core.v1.FlockerVolumeSource */
	650, /* 146: io.k8s.api.core.v1.GCEPersistentDiskVolumeSource */
	652, /* 147: io.k8s.api.core.v1.GRPCAction */
	655, /* 148: io.k8s.api.core.v1.GitRepoVolumeSource */
	659, /* 149: io.k8s.api.core.v1.GlusterfsPersistentVolumeSource */
	662, /* 150: io.k8s.api.core.v1.GlusterfsVolumeSource */
	667, /* 151: io.k8s.api.core.v1.HTTPGetAction */
	669, /* 152: io.k8s.api.core.v1.HTTPHeader */
	671, /* 153: io.k8s.api.core.v1.HostAlias */
	672, /* 154: io.k8s.api.core.v1.HostIP */
	674, /* 155: io.k8s.api.core.v1.HostPathVolumeSource */
	685, /* 156: io.k8s.api.core.v1.ISCSIPersistentVolumeSource */
	696, /* 157: io.k8s.api.core.v1.ISCSIVolumeSource */
	698, /* 158: io.k8s.api.core.v1.ImageVolumeSource */
	699, /* 159: io.k8s.api.core.v1.ImageVolumeStatus */
	702, /* 160: io.k8s.api.core.v1.KeyToPath */
	705, /* 161: io.k8s.api.core.v1.Lifecycle */
	709, /* 162: io.k8s.api.core.v1.LifecycleHandler */
	713, /* 163: io.k8s.api.core.v1.LimitRange */
	719, /* 164: io.k8s.api.core.v1.LimitRangeItem */
	720, /* 165: io.k8s.api.core.v1.LimitRangeSpec */
	723, /* 166: io.k8s.api.core.v1.LinuxContainerUser */
	727, /* 167: io.k8s.api.core.v1.LoadBalancerIngress */
	728, /* 168: io.k8s.api.core.v1.LoadBalancerStatus */
	729, /* 169: io.k8s.api.core.v1.LocalObjectReference */
	731, /* 170: io.k8s.api.core.v1.LocalVolumeSource */
	733, /* 171: io.k8s.api.core.v1.ModifyVolumeStatus */
	736, /* 172: io.k8s.api.core.v1.NFSVolumeSource */
	741, /* 173: io.k8s.api.core.v1.Namespace */
	746, /* 174: io.k8s.api.core.v1.NamespaceCondition */
	747, /* 175: io.k8s.api.core.v1.NamespaceSpec */
	749, /* 176: io.k8s.api.core.v1.NamespaceStatus */
	754, /* 177: io.k8s.api.core.v1.Node */
	756, /* 178: io.k8s.api.core.v1.NodeAddress */
	758, /* 179: io.k8s.api.core.v1.NodeAffinity */
	761, /* 180: io.k8s.api.core.v1.NodeAllocatableResourceClaimStatus */
	767, /* 181: io.k8s.api.core.v1.NodeCondition */
	768, /* 182: io.k8s.api.core.v1.NodeConfigSource */
	772, /* 183: io.k8s.api.core.v1.NodeConfigStatus */
	773, /* 184: io.k8s.api.core.v1.NodeDaemonEndpoints */
	774, /* 185: io.k8s.api.core.v1.NodeFeatures */
	776, /* 186: io.k8s.api.core.v1.NodeRuntimeHandler */
	778, /* 187: io.k8s.api.core.v1.NodeRuntimeHandlerFeatures */
	779, /* 188: io.k8s.api.core.v1.NodeSelector */
	782, /* 189: io.k8s.api.core.v1.NodeSelectorRequirement */
	784, /* 190: io.k8s.api.core.v1.NodeSelectorTerm */
	791, /* 191: io.k8s.api.core.v1.NodeSpec */
	805, /* 192: io.k8s.api.core.v1.NodeStatus */
	806, /* 193: io.k8s.api.core.v1.NodeSwapStatus */
	817, /* 194: io.k8s.api.core.v1.NodeSystemInfo */
	819, /* 195: io.k8s.api.core.v1.ObjectFieldSelector */
	826, /* 196: io.k8s.api.core.v1.ObjectReference */
	831, /* 197: io.k8s.api.core.v1.PersistentVolume */
	836, /* 198: io.k8s.api.core.v1.PersistentVolumeClaim */
	842, /* 199: io.k8s.api.core.v1.PersistentVolumeClaimCondition */
	851, /* 200: io.k8s.api.core.v1.PersistentVolumeClaimSpec */
	859, /* 201: io.k8s.api.core.v1.PersistentVolumeClaimStatus */
	861, /* 202: io.k8s.api.core.v1.PersistentVolumeClaimTemplate */
	863, /* 203: io.k8s.api.core.v1.PersistentVolumeClaimVolumeSource */
	894, /* 204: io.k8s.api.core.v1.PersistentVolumeSpec */
	898, /* 205: io.k8s.api.core.v1.PersistentVolumeStatus */
	900, /* 206: io.k8s.api.core.v1.PhotonPersistentDiskVolumeSource */
	905, /* 207: io.k8s.api.core.v1.Pod */
	907, /* 208: io.k8s.api.core.v1.PodAffinity */
	913, /* 209: io.k8s.api.core.v1.PodAffinityTerm */
	915, /* 210: io.k8s.api.core.v1.PodAntiAffinity */
	922, /* 211: io.k8s.api.core.v1.PodCertificateProjection */
	929, /* 212: io.k8s.api.core.v1.PodCondition */
	932, /* 213: io.k8s.api.core.v1.PodDNSConfig */
	934, /* 214: io.k8s.api.core.v1.PodDNSConfigOption */
	936, /* 215: io.k8s.api.core.v1.PodExtendedResourceClaimStatus */
	937, /* 216: io.k8s.api.core.v1.PodIP */
	938, /* 217: io.k8s.api.core.v1.PodOS */
	939, /* 218: io.k8s.api.core.v1.PodReadinessGate */
	942, /* 219: io.k8s.api.core.v1.PodResourceClaim */
	944, /* 220: io.k8s.api.core.v1.PodResourceClaimStatus */
	945, /* 221: io.k8s.api.core.v1.PodSchedulingGate */
	946, /* 222: io.k8s.api.core.v1.PodSchedulingGroup */
	959, /* 223: io.k8s.api.core.v1.PodSecurityContext */
	1001, /* 224: io.k8s.api.core.v1.PodSpec */
	1022, /* 225: io.k8s.api.core.v1.PodStatus */
	1026, /* 226: io.k8s.api.core.v1.PodTemplate */
	1028, /* 227: io.k8s.api.core.v1.PodTemplateSpec */
	1031, /* 228: io.k8s.api.core.v1.PortStatus */
	1034, /* 229: io.k8s.api.core.v1.PortworxVolumeSource */
	1036, /* 230: io.k8s.api.core.v1.PreferredSchedulingTerm */
	1046, /* 231: io.k8s.api.core.v1.Probe */
	1048, /* 232: io.k8s.api.core.v1.ProjectedVolumeSource */
	1054, /* 233: io.k8s.api.core.v1.QuobyteVolumeSource */
	1062, /* 234: io.k8s.api.core.v1.RBDPersistentVolumeSource */
	1070, /* 235: io.k8s.api.core.v1.RBDVolumeSource */
	1075, /* 236: io.k8s.api.core.v1.ReplicationController */
	1080, /* 237: io.k8s.api.core.v1.ReplicationControllerCondition */
	1084, /* 238: io.k8s.api.core.v1.ReplicationControllerSpec */
	1090, /* 239: io.k8s.api.core.v1.ReplicationControllerStatus */
	1092, /* 240: io.k8s.api.core.v1.ResourceClaim */
	1095, /* 241: io.k8s.api.core.v1.ResourceFieldSelector */
	1098, /* 242: io.k8s.api.core.v1.ResourceHealth */
	1103, /* 243: io.k8s.api.core.v1.ResourceQuota */
	1106, /* 244: io.k8s.api.core.v1.ResourceQuotaSpec */
	1108, /* 245: io.k8s.api.core.v1.ResourceQuotaStatus */
	1111, /* 246: io.k8s.api.core.v1.ResourceRequirements */
	1113, /* 247: io.k8s.api.core.v1.ResourceStatus */
	1117, /* 248: io.k8s.api.core.v1.SELinuxOptions */
	1127, /* 249: io.k8s.api.core.v1.ScaleIOPersistentVolumeSource */
	1137, /* 250: io.k8s.api.core.v1.ScaleIOVolumeSource */
	1138, /* 251: io.k8s.api.core.v1.ScopeSelector */
	1141, /* 252: io.k8s.api.core.v1.ScopedResourceSelectorRequirement */
	1143, /* 253: io.k8s.api.core.v1.SeccompProfile */
	1150, /* 254: io.k8s.api.core.v1.Secret */
	1152, /* 255: io.k8s.api.core.v1.SecretEnvSource */
	1155, /* 256: io.k8s.api.core.v1.SecretKeySelector */
	1158, /* 257: io.k8s.api.core.v1.SecretProjection */
	1160, /* 258: io.k8s.api.core.v1.SecretReference */
	1164, /* 259: io.k8s.api.core.v1.SecretVolumeSource */
	1176, /* 260: io.k8s.api.core.v1.SecurityContext */
	1181, /* 261: io.k8s.api.core.v1.Service */
	1187, /* 262: io.k8s.api.core.v1.ServiceAccount */
	1190, /* 263: io.k8s.api.core.v1.ServiceAccountTokenProjection */
	1196, /* 264: io.k8s.api.core.v1.ServicePort */
	1216, /* 265: io.k8s.api.core.v1.ServiceSpec */
	1218, /* 266: io.k8s.api.core.v1.ServiceStatus */
	1219, /* 267: io.k8s.api.core.v1.SessionAffinityConfig */
	1220, /* 268: io.k8s.api.core.v1.SleepAction */
	1225, /* 269: io.k8s.api.core.v1.StorageOSPersistentVolumeSource */
	1230, /* 270: io.k8s.api.core.v1.StorageOSVolumeSource */
	1232, /* 271: io.k8s.api.core.v1.Sysctl */
	1234, /* 272: io.k8s.api.core.v1.TCPSocketAction */
	1238, /* 273: io.k8s.api.core.v1.Taint */
	1243, /* 274: io.k8s.api.core.v1.Toleration */
	1245, /* 275: io.k8s.api.core.v1.TopologySelectorLabelRequirement */
	1246, /* 276: io.k8s.api.core.v1.TopologySelectorTerm */
	1254, /* 277: io.k8s.api.core.v1.TopologySpreadConstraint */
	1257, /* 278: io.k8s.api.core.v1.TypedLocalObjectReference */
	1261, /* 279: io.k8s.api.core.v1.TypedObjectReference */
	1292, /* 280: io.k8s.api.core.v1.Volume */
	1294, /* 281: io.k8s.api.core.v1.VolumeDevice */
	1301, /* 282: io.k8s.api.core.v1.VolumeMount */
	1306, /* 283: io.k8s.api.core.v1.VolumeMountStatus */
	1307, /* 284: io.k8s.api.core.v1.VolumeNodeAffinity */
	1313, /* 285: io.k8s.api.core.v1.VolumeProjection */
	1315, /* 286: io.k8s.api.core.v1.VolumeResourceRequirements */
	1316, /* 287: io.k8s.api.core.v1.VolumeStatus */
	1320, /* 288: io.k8s.api.core.v1.VsphereVirtualDiskVolumeSource */
	1322, /* 289: io.k8s.api.core.v1.WeightedPodAffinityTerm */
	1326, /* 290: io.k8s.api.core.v1.WindowsSecurityContextOptions */
	1334, /* 291: io.k8s.api.discovery.v1.Endpoint */
	1337, /* 292: io.k8s.api.discovery.v1.EndpointConditions */
	1339, /* 293: io.k8s.api.discovery.v1.EndpointHints */
	1343, /* 294: io.k8s.api.discovery.v1.EndpointPort */
	1349, /* 295: io.k8s.api.discovery.v1.EndpointSlice */
	1350, /* 296: io.k8s.api.discovery.v1.ForNode */
	1351, /* 297: io.k8s.api.discovery.v1.ForZone */
	1354, /* 298: io.k8s.api.networking.v1.HTTPIngressPath */
	1355, /* 299: io.k8s.api.networking.v1.HTTPIngressRuleValue */
	1357, /* 300: io.k8s.api.networking.v1.IPBlock */
	1362, /* 301: io.k8s.api.networking.v1.Ingress */
	1364, /* 302: io.k8s.api.networking.v1.IngressBackend */
	1368, /* 303: io.k8s.api.networking.v1.IngressClass */
	1373, /* 304: io.k8s.api.networking.v1.IngressClassParametersReference */
	1375, /* 305: io.k8s.api.networking.v1.IngressClassSpec */
	1378, /* 306: io.k8s.api.networking.v1.IngressLoadBalancerIngress */
	1379, /* 307: io.k8s.api.networking.v1.IngressLoadBalancerStatus */
	1382, /* 308: io.k8s.api.networking.v1.IngressPortStatus */
	1384, /* 309: io.k8s.api.networking.v1.IngressRule */
	1386, /* 310: io.k8s.api.networking.v1.IngressServiceBackend */
	1390, /* 311: io.k8s.api.networking.v1.IngressSpec */
	1391, /* 312: io.k8s.api.networking.v1.IngressStatus */
	1393, /* 313: io.k8s.api.networking.v1.IngressTLS */
	1397, /* 314: io.k8s.api.networking.v1.NetworkPolicy */
	1399, /* 315: io.k8s.api.networking.v1.NetworkPolicyEgressRule */
	1401, /* 316: io.k8s.api.networking.v1.NetworkPolicyIngressRule */
	1404, /* 317: io.k8s.api.networking.v1.NetworkPolicyPeer */
	1407, /* 318: io.k8s.api.networking.v1.NetworkPolicyPort */
	1411, /* 319: io.k8s.api.networking.v1.NetworkPolicySpec */
	1413, /* 320: io.k8s.api.networking.v1.ServiceBackendPort */
	1418, /* 321: io.k8s.api.policy.v1.PodDisruptionBudget */
	1422, /* 322: io.k8s.api.policy.v1.PodDisruptionBudgetSpec */
	1429, /* 323: io.k8s.api.policy.v1.PodDisruptionBudgetStatus */
	1430, /* 324: io.k8s.api.rbac.v1.AggregationRule */
	1435, /* 325: io.k8s.api.rbac.v1.ClusterRole */
	1440, /* 326: io.k8s.api.rbac.v1.ClusterRoleBinding */
	1445, /* 327: io.k8s.api.rbac.v1.PolicyRule */
	1449, /* 328: io.k8s.api.rbac.v1.Role */
	1454, /* 329: io.k8s.api.rbac.v1.RoleBinding */
	1457, /* 330: io.k8s.api.rbac.v1.RoleRef */
	1461, /* 331: io.k8s.api.rbac.v1.Subject */
	1468, /* 332: io.k8s.api.scheduling.v1.PriorityClass */
	1478, /* 333: io.k8s.api.storage.v1.StorageClass */
	1484, /* 334: io.k8s.apimachinery.pkg.apis.meta.v1.APIGroup */
	1488, /* 335: io.k8s.apimachinery.pkg.apis.meta.v1.APIVersions */
	1494, /* 336: io.k8s.apimachinery.pkg.apis.meta.v1.Condition */
	1502, /* 337: io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions */
	1504, /* 338: io.k8s.apimachinery.pkg.apis.meta.v1.GroupVersionForDiscovery */
	1506, /* 339: io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector */
	1509, /* 340: io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelectorRequirement */
	1514, /* 341: io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta */
	1521, /* 342: io.k8s.apimachinery.pkg.apis.meta.v1.ManagedFieldsEntry */
	1536, /* 343: io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta */
	1542, /* 344: io.k8s.apimachinery.pkg.apis.meta.v1.OwnerReference */
	1544, /* 345: io.k8s.apimachinery.pkg.apis.meta.v1.Preconditions */
	1546, /* 346: io.k8s.apimachinery.pkg.apis.meta.v1.ServerAddressByClientCIDR */
	1547, /* 347: io.k8s.apimachinery.pkg.apis.meta.v1.ShardInfo */
	1555, /* 348: io.k8s.apimachinery.pkg.apis.meta.v1.Status */
	1558, /* 349: io.k8s.apimachinery.pkg.apis.meta.v1.StatusCause */
	1564, /* 350: io.k8s.apimachinery.pkg.apis.meta.v1.StatusDetails */
	1566, /* 351: io.k8s.apimachinery.pkg.apis.meta.v1.WatchEvent */
	1567, /* 352: io.k8s.api.admissionregistration.v1.ApplyConfiguration */
	1568, /* 353: io.k8s.api.admissionregistration.v1.JSONPatch */
	1572, /* 354: io.k8s.api.admissionregistration.v1.MutatingAdmissionPolicy */
	1576, /* 355: io.k8s.api.admissionregistration.v1.MutatingAdmissionPolicyBinding */
	1579, /* 356: io.k8s.api.admissionregistration.v1.MutatingAdmissionPolicyBindingSpec */
	1586, /* 357: io.k8s.api.admissionregistration.v1.MutatingAdmissionPolicySpec */
	1589, /* 358: io.k8s.api.admissionregistration.v1.Mutation */
	1600, /* 359: io.k8s.api.admissionregistration.v1beta1.MutatingWebhook */
	1604, /* 360: io.k8s.api.admissionregistration.v1beta1.MutatingWebhookConfiguration */
	1614, /* 361: io.k8s.api.admissionregistration.v1beta1.ValidatingWebhook */
	1618, /* 362: io.k8s.api.admissionregistration.v1beta1.ValidatingWebhookConfiguration */
	1623, /* 363: io.k8s.api.autoscaling.v1.HorizontalPodAutoscaler */
	1627, /* 364: io.k8s.api.autoscaling.v1.HorizontalPodAutoscalerSpec */
	1631, /* 365: io.k8s.api.autoscaling.v2beta1.ContainerResourceMetricSource */
	1635, /* 366: io.k8s.api.autoscaling.v2beta1.ExternalMetricSource */
	1640, /* 367: io.k8s.api.autoscaling.v2beta1.HorizontalPodAutoscaler */
	1644, /* 368: io.k8s.api.autoscaling.v2beta1.HorizontalPodAutoscalerSpec */
	1650, /* 369: io.k8s.api.autoscaling.v2beta1.MetricSpec */
	1655, /* 370: io.k8s.api.autoscaling.v2beta1.ObjectMetricSource */
	1658, /* 371: io.k8s.api.autoscaling.v2beta1.PodsMetricSource */
	1661, /* 372: io.k8s.api.autoscaling.v2beta1.ResourceMetricSource */
	1666, /* 373: io.k8s.api.certificates.v1.CertificateSigningRequest */
	1672, /* 374: io.k8s.api.certificates.v1.CertificateSigningRequestCondition */
	1680, /* 375: io.k8s.api.certificates.v1.CertificateSigningRequestSpec */
	1682, /* 376: io.k8s.api.certificates.v1.CertificateSigningRequestStatus */
	1684, /* 377: io.k8s.api.flowcontrol.v1.ExemptPriorityLevelConfiguration */
	1685, /* 378: io.k8s.api.flowcontrol.v1.FlowDistinguisherMethod */
	1690, /* 379: io.k8s.api.flowcontrol.v1.FlowSchema */
	1695, /* 380: io.k8s.api.flowcontrol.v1.FlowSchemaCondition */
	1699, /* 381: io.k8s.api.flowcontrol.v1.FlowSchemaSpec */
	1700, /* 382: io.k8s.api.flowcontrol.v1.FlowSchemaStatus */
	1701, /* 383: io.k8s.api.flowcontrol.v1.GroupSubject */
	1703, /* 384: io.k8s.api.flowcontrol.v1.LimitResponse */
	1707, /* 385: io.k8s.api.flowcontrol.v1.LimitedPriorityLevelConfiguration */
	1709, /* 386: io.k8s.api.flowcontrol.v1.NonResourcePolicyRule */
	1712, /* 387: io.k8s.api.flowcontrol.v1.PolicyRulesWithSubjects */
	1717, /* 388: io.k8s.api.flowcontrol.v1.PriorityLevelConfiguration */
	1722, /* 389: io.k8s.api.flowcontrol.v1.PriorityLevelConfigurationCondition */
	1723, /* 390: io.k8s.api.flowcontrol.v1.PriorityLevelConfigurationReference */
	1726, /* 391: io.k8s.api.flowcontrol.v1.PriorityLevelConfigurationSpec */
	1727, /* 392: io.k8s.api.flowcontrol.v1.PriorityLevelConfigurationStatus */
	1730, /* 393: io.k8s.api.flowcontrol.v1.QueuingConfiguration */
	1735, /* 394: io.k8s.api.flowcontrol.v1.ResourcePolicyRule */
	1737, /* 395: io.k8s.api.flowcontrol.v1.ServiceAccountSubject */
	1741, /* 396: io.k8s.api.flowcontrol.v1.Subject */
	1742, /* 397: io.k8s.api.flowcontrol.v1.UserSubject */
	1745, /* 398: io.k8s.api.networking.v1beta1.HTTPIngressPath */
	1746, /* 399: io.k8s.api.networking.v1beta1.HTTPIngressRuleValue */
	1751, /* 400: io.k8s.api.networking.v1beta1.Ingress */
	1754, /* 401: io.k8s.api.networking.v1beta1.IngressBackend */
	1756, /* 402: io.k8s.api.networking.v1beta1.IngressRule */
	1760, /* 403: io.k8s.api.networking.v1beta1.IngressSpec */
	1761, /* 404: io.k8s.api.node.v1.Overhead */
	1767, /* 405: io.k8s.api.node.v1.RuntimeClass */
	1769, /* 406: io.k8s.api.node.v1.Scheduling */
	1770, /* 407: io.k8s.api.policy.v1beta1.AllowedCSIDriver */
	1771, /* 408: io.k8s.api.policy.v1beta1.AllowedFlexVolume */
	1773, /* 409: io.k8s.api.policy.v1beta1.AllowedHostPath */
	1775, /* 410: io.k8s.api.policy.v1beta1.GroupStrategyOptions */
	1777, /* 411: io.k8s.api.policy.v1beta1.HostPortRange */
	1779, /* 412: io.k8s.api.policy.v1beta1.IDRange */
	1783, /* 413: io.k8s.api.policy.v1beta1.PodSecurityPolicy */
	1807, /* 414: io.k8s.api.policy.v1beta1.PodSecurityPolicySpec */
	1809, /* 415: io.k8s.api.policy.v1beta1.RuntimeClassStrategyOptions */
	1811, /* 416: io.k8s.api.policy.v1beta1.SELinuxStrategyOptions */
	1815, /* 417: io.k8s.api.storage.v1.CSIDriver */
	1826, /* 418: io.k8s.api.storage.v1.CSIDriverSpec */
	1830, /* 419: io.k8s.api.storage.v1.CSINode */
	1834, /* 420: io.k8s.api.storage.v1.CSINodeDriver */
	1835, /* 421: io.k8s.api.storage.v1.CSINodeSpec */
	1842, /* 422: io.k8s.api.storage.v1.CSIStorageCapacity */
	1844, /* 423: io.k8s.api.storage.v1.TokenRequest */
	1849, /* 424: io.k8s.api.storage.v1.VolumeAttachment */
	1851, /* 425: io.k8s.api.storage.v1.VolumeAttachmentSource */
	1854, /* 426: io.k8s.api.storage.v1.VolumeAttachmentSpec */
	1859, /* 427: io.k8s.api.storage.v1.VolumeAttributesClass */
	1860, /* 428: io.k8s.api.storage.v1.VolumeNodeResources */
	1866, /* 429: io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceColumnDefinition */
	1868, /* 430: io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceConversion */
	1873, /* 431: io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinition */
	1879, /* 432: io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionCondition */
	1885, /* 433: io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionNames */
	1891, /* 434: io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionSpec */
	1895, /* 435: io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionStatus */
	1904, /* 436: io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionVersion */
	1907, /* 437: io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceSubresourceScale */
	1909, /* 438: io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceSubresources */
	1910, /* 439: io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceValidation */
	1912, /* 440: io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.ExternalDocumentation */
	1956, /* 441: io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps */
	1957, /* 442: io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.SelectableField */
	1961, /* 443: io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.ServiceReference */
	1967, /* 444: io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.ValidationRule */
	1970, /* 445: io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.WebhookClientConfig */
	1972, /* 446: io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.WebhookConversion */
	1978, /* 447: io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1beta1.CustomResourceColumnDefinition */
	1981, /* 448: io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1beta1.CustomResourceConversion */
	1986, /* 449: io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1beta1.CustomResourceDefinition */
	1996, /* 450: io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1beta1.CustomResourceDefinitionSpec */
	2004, /* 451: io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1beta1.CustomResourceDefinitionVersion */
	2009, /* 452: io.k8s.kube-aggregator.pkg.apis.apiregistration.v1.APIService */
	2014, /* 453: io.k8s.kube-aggregator.pkg.apis.apiregistration.v1.APIServiceCondition */
	2021, /* 454: io.k8s.kube-aggregator.pkg.apis.apiregistration.v1.APIServiceSpec */
	2022, /* 455: io.k8s.kube-aggregator.pkg.apis.apiregistration.v1.APIServiceStatus */
	2025, /* 456: io.k8s.kube-aggregator.pkg.apis.apiregistration.v1.ServiceReference */
};

const uint16_t builtin_object_meta = 343;
const uint16_t builtin_pod_template = 227;

const struct builtin_kind builtin_kinds[] = {
	{ "", "ConfigMap", "v1", 104 },
	{ "", "Endpoints", "v1", 131 },
	{ "", "Event", "v1", 137 },
	{ "", "LimitRange", "v1", 163 },
	{ "", "Namespace", "v1", 173 },
	{ "", "Node", "v1", 177 },
	{ "", "PersistentVolume", "v1", 197 },
	{ "", "PersistentVolumeClaim", "v1", 198 },
	{ "", "Pod", "v1", 207 },
	{ "", "PodTemplate", "v1", 226 },
	{ "", "ReplicationController", "v1", 236 },
	{ "", "ResourceQuota", "v1", 243 },
	{ "", "Secret", "v1", 254 },
	{ "", "Service", "v1", 261 },
	{ "", "ServiceAccount", "v1", 262 },
	{ "admissionregistration.k8s.io", "MutatingAdmissionPolicy", "v1", 354 },
	{ "admissionregistration.k8s.io", "MutatingAdmissionPolicyBinding", "v1", 355 },
	{ "admissionregistration.k8s.io", "MutatingWebhookConfiguration", "v1", 6 },
	{ "admissionregistration.k8s.io", "MutatingWebhookConfiguration", "v1beta1", 360 },
	{ "admissionregistration.k8s.io", "ValidatingAdmissionPolicy", "v1", 13 },
	{ "admissionregistration.k8s.io", "ValidatingAdmissionPolicyBinding", "v1", 14 },
	{ "admissionregistration.k8s.io", "ValidatingWebhookConfiguration", "v1", 19 },
	{ "admissionregistration.k8s.io", "ValidatingWebhookConfiguration", "v1beta1", 362 },
	{ "apiextensions.k8s.io", "CustomResourceDefinition", "v1", 431 },
	{ "apiextensions.k8s.io", "CustomResourceDefinition", "v1beta1", 449 },
	{ "apiregistration.k8s.io", "APIService", "v1", 452 },
	{ "apps", "ControllerRevision", "v1", 23 },
	{ "apps", "DaemonSet", "v1", 24 },
	{ "apps", "Deployment", "v1", 29 },
	{ "apps", "ReplicaSet", "v1", 34 },
	{ "apps", "StatefulSet", "v1", 41 },
	{ "autoscaling", "HorizontalPodAutoscaler", "v1", 363 },
	{ "autoscaling", "HorizontalPodAutoscaler", "v2", 55 },
	{ "autoscaling", "HorizontalPodAutoscaler", "v2beta1", 367 },
	{ "autoscaling", "HorizontalPodAutoscaler", "v2beta2", 55 },
	{ "batch", "CronJob", "v1", 71 },
	{ "batch", "Job", "v1", 74 },
	{ "certificates.k8s.io", "CertificateSigningRequest", "v1", 373 },
	{ "coordination.k8s.io", "Lease", "v1", 86 },
	{ "discovery.k8s.io", "EndpointSlice", "v1", 295 },
	{ "extensions", "Ingress", "v1beta1", 400 },
	{ "extensions", "PodSecurityPolicy", "v1beta1", 413 },
	{ "flowcontrol.apiserver.k8s.io", "FlowSchema", "v1", 379 },
	{ "flowcontrol.apiserver.k8s.io", "PriorityLevelConfiguration", "v1", 388 },
	{ "networking.k8s.io", "Ingress", "v1", 301 },
	{ "networking.k8s.io", "Ingress", "v1beta1", 400 },
	{ "networking.k8s.io", "IngressClass", "v1", 303 },
	{ "networking.k8s.io", "NetworkPolicy", "v1", 314 },
	{ "node.k8s.io", "RuntimeClass", "v1", 405 },
	{ "policy", "PodDisruptionBudget", "v1", 321 },
	{ "policy", "PodSecurityPolicy", "v1beta1", 413 },
	{ "rbac.authorization.k8s.io", "ClusterRole", "v1", 325 },
	{ "rbac.authorization.k8s.io", "ClusterRoleBinding", "v1", 326 },
	{ "rbac.authorization.k8s.io", "Role", "v1", 328 },
	{ "rbac.authorization.k8s.io", "RoleBinding", "v1", 329 },
	{ "scheduling.k8s.io", "PriorityClass", "v1", 332 },
	{ "storage.k8s.io", "CSIDriver", "v1", 417 },
	{ "storage.k8s.io", "CSINode", "v1", 419 },
	{ "storage.k8s.io", "CSIStorageCapacity", "v1", 422 },
	{ "storage.k8s.io", "StorageClass", "v1", 333 },
	{ "storage.k8s.io", "VolumeAttachment", "v1", 424 },
	{ "storage.k8s.io", "VolumeAttributesClass", "v1", 427 },
};
const size_t n_builtin_kinds = ARRAY_LEN(builtin_kinds);

const struct builtin_list builtin_lists[] = {
	{ "addresses", "type" },
	{ "conditions", "type" },
	{ "hostAliases", "ip" },
	{ "ownerReferences", "uid" },
	{ "podIPs", "ip" },
	{ "ports", "containerPort,protocol" },
	{ "ports", "port,protocol" },
	{ "resources", "resourceID" },
	{ "topologySpreadConstraints", "topologyKey,whenUnsatisfiable" },
	{ "volumeDevices", "devicePath" },
	{ "volumeMounts", "mountPath" },
	{ "x-kubernetes-validations", "rule" },
};
const size_t n_builtin_lists = ARRAY_LEN(builtin_lists);

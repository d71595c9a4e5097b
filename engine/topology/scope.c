/* A table of the kinds without namespaces, of which Kubernetes adds one every few releases. */
#include "topology/scope.h"

#include "base/defs.h"
#include "value/identity.h"

static const struct {
	const char *group;
	const char *kind; /* "": all kinds of the group */
} outside[] = {
	{ "", "ComponentStatus" },
	{ "", "Namespace" },
	{ "", "Node" },
	{ "", "PersistentVolume" },
	{ "admissionregistration.k8s.io", "" },
	{ "apiextensions.k8s.io", "" },
	{ "apiregistration.k8s.io", "" },
	{ "authentication.k8s.io", "" },
	{ "authorization.k8s.io", "SelfSubjectAccessReview" },
	{ "authorization.k8s.io", "SelfSubjectRulesReview" },
	{ "authorization.k8s.io", "SubjectAccessReview" },
	{ "certificates.k8s.io", "CertificateSigningRequest" },
	{ "certificates.k8s.io", "ClusterTrustBundle" },
	{ "extensions", "PodSecurityPolicy" },
	{ "flowcontrol.apiserver.k8s.io", "" },
	{ "internal.apiserver.k8s.io", "" },
	{ "networking.k8s.io", "IPAddress" },
	{ "networking.k8s.io", "IngressClass" },
	{ "networking.k8s.io", "ServiceCIDR" },
	{ "node.k8s.io", "" },
	{ "policy", "PodSecurityPolicy" },
	{ "rbac.authorization.k8s.io", "ClusterRole" },
	{ "rbac.authorization.k8s.io", "ClusterRoleBinding" },
	{ "resource.k8s.io", "DeviceClass" },
	{ "resource.k8s.io", "DeviceTaintRule" },
	{ "resource.k8s.io", "ResourceSlice" },
	{ "scheduling.k8s.io", "PriorityClass" },
	{ "storage.k8s.io", "CSIDriver" },
	{ "storage.k8s.io", "CSINode" },
	{ "storage.k8s.io", "StorageClass" },
	{ "storage.k8s.io", "VolumeAttachment" },
	{ "storage.k8s.io", "VolumeAttributesClass" },
	{ "storagemigration.k8s.io", "" },
};

bool scope_is_cluster(str api_version, str kind)
{
	str group = group_version_of(api_version).group;

	for (size_t i = 0; i < ARRAY_LEN(outside); i++) {
		if (str_eq(group, str_from(outside[i].group)) &&
		    (!*outside[i].kind || str_eq(kind, str_from(outside[i].kind))))
			return true;
	}
	return false;
}

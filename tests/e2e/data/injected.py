"""injected.py yaml|paths: a namespace with all that platforms write into objects by themselves, or the paths of that."""
import json
import sys

ANNOTATIONS = [
    "kubernetes.io/metadata.name", "openshift.io/sa.scc.uid-range", "openshift.io/sa.scc.mcs", "openshift.io/sa.scc.supplemental-groups",
    "machineconfiguration.openshift.io/mc-name-suffix", "kubectl.kubernetes.io/last-applied-configuration",
    "nmstate.io/webhook-mutating-timestamp", "ran.openshift.io/ztp-gitops-generated", "include.release.openshift.io/ibm-cloud-managed",
    "include.release.openshift.io/self-managed-high-availability", "include.release.openshift.io/single-node-developer",
    "release.openshift.io/create-only", "capability.openshift.io/name", "olm.providedAPIs",
    "operator.sriovnetwork.openshift.io/last-network-namespace", "k8s.v1.cni.cncf.io/resourceName",
    "security.openshift.io/MinimallySufficientPodSecurityStandard", "deployment.kubernetes.io/revision",
]
LABELS = ["kubernetes.io/metadata.name", "security.openshift.io/scc.podSecurityLabelSync", "lca.openshift.io/target-ocp-version",
          "olm.operatorgroup.uid"]
PREFIXES = ["pod-security.kubernetes.io/", "operators.coreos.com/"]
OTHER = ["metadata.ownerReferences", "spec.finalizers", "spec.ownerReferences", "spec.clusterID"]

if sys.argv[1] == "paths":
    for kind, keys in ("annotations", ANNOTATIONS), ("labels", LABELS + PREFIXES):
        for key in keys:
            print(f'pathToKey: metadata.{kind}."{key}"')
    for path in OTHER:
        print(f"pathToKey: {path}")
else:
    print("apiVersion: v1\nkind: Namespace\nmetadata:\n  name: p\n  annotations:\n    openshift.io/description: kept")
    for key in ANNOTATIONS:
        print(f"    {json.dumps(key)}: injected")
    print("  labels:\n    app: kept")
    for key in LABELS + [p + name for p in PREFIXES for name in ("enforce", "audit")]:
        print(f"    {json.dumps(key)}: injected")
    print("spec:\n  finalizers: [kubernetes]\n  clusterID: injected")

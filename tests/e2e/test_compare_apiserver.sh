#!/usr/bin/env bash
# driftd compare against a real kube-apiserver, from references of the sample shop and of its own making.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/compare.sh"
. "$(dirname "$0")/control_plane.sh"
command -v jq >/dev/null || skip "no jq"
unset KUBECTL_EXTERNAL_DIFF KUBERNETES_SERVICE_HOST
export HOME=$work

start_control_plane
export KUBECONFIG=$work/kubeconfig

# ---- the sample shop ----

create_shop
shop=$source_dir/examples/demo/reference/metadata.yaml
compare -r "$shop"
ends_with 0 "the shop as it should be"
check "nothing to say beside the report: $(cat "$work/err")" test ! -s "$work/err"
compare -r "$shop" --concurrency 8 -v
ends_with 0 "with eight threads"
silent=$(grep -E '^[WE]|^error' "$work/err" || true)
check "no warning: $silent" test -z "$silent"
api PATCH /apis/apps/v1/namespaces/shop/deployments/web '{"spec":{"template":{"spec":{"terminationGracePeriodSeconds":31,"containers":[{"name":"web","image":"registry.example.com/shop/web:evil"}]}}}}' kubectl-edit
compare -r "$shop"
ends_with 1 "a drifted deployment"
says out "image: registry.example.com/shop/web:evil"
if command -v kubectl >/dev/null; then
	mkdir "$work/plugins"
	ln -s "$bin/driftd" "$work/plugins/kubectl-cluster_compare"
	cp "$work/out" "$work/out.driftd"
	program=(env "PATH=$work/plugins:$PATH" kubectl cluster-compare)
	compare -r "$shop"
	ends_with 1 "kubectl cluster-compare"
	check "the same report" cmp "$work/out" "$work/out.driftd"
	program=("$bin/driftd" compare)
else
	echo "no kubectl: its plugin was not tried"
fi

# ---- a kind that is served in several versions ----

versions=$(curl -sf -A driftd-e2e/1 --cacert "$ca" -H "Authorization: Bearer $token" "$server/apis" |
	jq -r '.groups[].versions[].groupVersion' | while read -r v; do
		curl -sf -A driftd-e2e/1 --cacert "$ca" -H "Authorization: Bearer $token" "$server/apis/$v" |
			jq -r 'select([.resources[].kind] | index("Ingress")) | .groupVersion'
	done | sort)
api POST /apis/networking.k8s.io/v1/namespaces/shop/ingresses '{"apiVersion":"networking.k8s.io/v1","kind":"Ingress","metadata":{"name":"front"},"spec":{"defaultBackend":{"service":{"name":"web","port":{"number":80}}}}}' setup
mkdir "$work/open"
printf 'apiVersion: v2\nparts:\n  - name: p\n    components:\n      - name: c\n        anyOf:\n          - path: ingress.yaml\n            config: {ignore-unspecified-fields: true}\n' >"$work/open/metadata.yaml"
printf 'apiVersion: {{ .apiVersion }}\nkind: Ingress\nmetadata:\n  name: front\n  namespace: shop\n' >"$work/open/ingress.yaml"
compare -r open/metadata.yaml -v
ends_with 0 "a template that leaves the apiVersion open"
check "several versions: $versions" test "$(wc -w <<<"$versions")" -gt 1
for v in $versions; do says out "Cluster CR: ${v}_Ingress_shop_front"; done

# ---- a reference made from the cluster ----

cat >"$work/generate.yaml" <<'Y'
outputDir: made
resources:
  - {kind: Namespace, apiVersion: v1, required: true}
  - {kind: ClusterRole, apiVersion: rbac.authorization.k8s.io/v1, required: true}
  - {kind: ClusterRoleBinding, apiVersion: rbac.authorization.k8s.io/v1}
  - {kind: ConfigMap, apiVersion: v1}
  - {kind: Service, apiVersion: v1}
  - {kind: Deployment, apiVersion: apps/v1, namespace: shop, names: [web]}
  - {kind: NetworkPolicy, apiVersion: networking.k8s.io/v1}
  - {kind: APIService, apiVersion: apiregistration.k8s.io/v1}
  - {kind: Ingress, apiVersion: networking.k8s.io/v1}
Y
compare -g generate.yaml
ends_with 0 "a reference from the cluster"
compare -r made/metadata.yaml
ends_with 0 "the round trip"
says out "CRs with diffs: 0/$(find "$work/made" -mindepth 2 -name '*.yaml' | wc -l)"
check "server-managed fields are gone" test -z "$(grep -rE '^  (uid|resourceVersion|creationTimestamp|managedFields|generation|selfLink):' "$work/made")"

# ---- who may not look ----

compare -r "$shop" --context nobody
ends_with 2 "a user without rights"
says err "error: error occurred while trying to fetch resources: ["
says err 'cannot list resource'
compare -r "$shop" --as nobody
ends_with 2 "an impersonated user without rights"
says err 'User "nobody" cannot list resource'
compare -r "$shop" --token wrong
ends_with 2 "a token that nobody has"
says err "error: failed to get clusters resource types: "
says err "401 Unauthorized"

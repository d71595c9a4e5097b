#!/usr/bin/env bash
# driftd compare against a real kube-apiserver, from references of the sample shop and of its own making.
# test_compare_apiserver.sh [modern]: see control_plane.sh.
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
evil='{"terminationGracePeriodSeconds":31,"containers":[{"name":"web","image":"registry.example.com/shop/web:evil"}]}'
api PATCH /apis/apps/v1/namespaces/shop/deployments/web "{\"spec\":{\"template\":{\"spec\":$evil}}}" kubectl-edit
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

# versions_of KIND: group/version of each that the server has, sorted
versions_of() {
	get /apis | jq -r '.groups[].versions[].groupVersion' | while read -r version; do
		get "/apis/$version" | jq -r --arg kind "$1" 'select([.resources[].kind] | index($kind)) | .groupVersion'
	done | sort
}
several() { versions=$(versions_of "$1") && [ "$(wc -w <<<"$versions")" -gt 1 ]; }

ingress='"spec":{"defaultBackend":{"service":{"name":"web","port":{"number":80}}}}'
api POST /apis/networking.k8s.io/v1/namespaces/shop/ingresses "$(object networking.k8s.io/v1 Ingress front "" "$ingress")" setup
kind=Ingress
if has_custom_resources; then # a server of today has no built-in kind in two versions
	kind=Gadget
	schema='{"type":"object","x-kubernetes-preserve-unknown-fields":true}'
	api POST $crds "$(crd Namespaced Gadget gadgets e2e.example.com "$schema" v1beta1 v1)" setup
	wait_until 30 "the new kind" get /apis/e2e.example.com/v1beta1/gadgets
	api POST /apis/e2e.example.com/v1/namespaces/shop/gadgets "$(object e2e.example.com/v1 Gadget front "")" setup
fi
wait_until 10 "several versions of $kind" several $kind
reference "$work/open" anyOf open.yaml+
template "$work/open/open.yaml" '{{ .apiVersion }}' $kind front shop </dev/null
compare -r open/metadata.yaml -v
ends_with 0 "a template that leaves the apiVersion open"
for version in $versions; do says out "Cluster CR: ${version}_${kind}_shop_front"; done

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
  - {kind: Ingress, apiVersion: networking.k8s.io/v1}
Y
if get /apis/apiregistration.k8s.io/v1 >/dev/null; then # the stand-in of a modern server has no aggregator
	echo '  - {kind: APIService, apiVersion: apiregistration.k8s.io/v1}' >>"$work/generate.yaml"
fi
compare -g generate.yaml
ends_with 0 "a reference from the cluster"
compare -r made/metadata.yaml
ends_with 0 "the round trip"
says out "CRs with diffs: 0/$(find "$work/made" -mindepth 2 -name '*.yaml' | wc -l)"
managed='^  (uid|resourceVersion|creationTimestamp|managedFields|generation|selfLink):'
check "server-managed fields are gone" test -z "$(grep -rE "$managed" "$work/made")"

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

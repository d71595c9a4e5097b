#!/usr/bin/env bash
# driftd compare --helm and --last-applied over a real API server: what kubectl applied of a chart, with its release beside it, is as it was
# deployed; then it changes; and who may read less is told so. test_compare_helm_apiserver.sh [modern]: see control_plane.sh.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/compare.sh"
. "$(dirname "$0")/control_plane.sh"
for tool in jq kubectl; do command -v $tool >/dev/null || skip "no $tool"; done
unset KUBECTL_EXTERNAL_DIFF KUBERNETES_SERVICE_HOST

start_control_plane
cp -r "$source_dir/examples/manifests/shop" "$work/shop"
# An older server has some of the kinds in other versions.
kinds=Deployment.apps,Service,ConfigMap,ServiceAccount,Ingress.networking.k8s.io,NetworkPolicy.networking.k8s.io
if [ "$(get /version | jq -r '.minor | gsub("[^0-9]"; "") | tonumber')" -lt 25 ]; then
	sed -i 's#autoscaling/v2$#autoscaling/v2beta2#' "$work"/shop/*.yaml
	sed -i '/^apiVersion: batch\/v1$/{N;s#batch/v1\nkind: CronJob#batch/v1beta1\nkind: CronJob#}' "$work"/shop/*.yaml
fi
# Helm keeps hooks, which are in a folder of their own, apart from its manifest.
for file in "$work"/shop/*.yaml; do echo ---; cat "$file"; done >"$work/chart.yaml"
export KUBECONFIG=$work/kubeconfig
api POST /api/v1/namespaces "$(object v1 Namespace shop "")" setup
kubectl apply --namespace shop --validate=false -f "$work/chart.yaml" >"$work/kubectl.log" 2>&1 ||
	fail "kubectl apply: $(cat "$work/kubectl.log")"
canary=canary-of-a-release-8c1f
revision() { # revision NUMBER STATUS
	api POST /api/v1/namespaces/shop/secrets "$("$source_dir/tests/e2e/helm_release.py" --name web --namespace shop --revision "$1" \
		--status "$2" --chart shop-0.1.0 <"$work/chart.yaml")" Helm
}
revision 1 superseded
revision 2 deployed
total() { jq -c '.Summary | [.TotalCRs > 8, .NumDiffCRs, .NumMissing]' "$work/out"; }
silent_of_values() { for file in out err; do silent $file $canary; done; }

compare --helm -o json
ends_with 0 "as it was deployed"
check "all of it: $(total)" test "$(total)" = '[true,0,0]'
silent_of_values
compare --helm -n shop web
ends_with 0 "by its name"
compare --last-applied --kinds $kinds -n shop -o json
ends_with 0 "as it was applied"
check "what kubectl applied: $(jq -c .Summary "$work/out")" test "$(jq .Summary.TotalCRs "$work/out")" -ge 6

# ---- changed, deleted, upgraded in vain ----

api PATCH /api/v1/namespaces/shop/configmaps/web '{"data":{"greeting":"Hi"}}' kubectl-edit
api DELETE /apis/networking.k8s.io/v1/namespaces/shop/networkpolicies/web
revision 3 failed
compare --helm -o json
ends_with 1 "changed"
check "and one is missing: $(total)" test "$(total)" = '[true,1,1]'
says err "release shop/web: its newest revision, 3, is failed; compared is 2, the newest that is deployed"
silent_of_values
compare --last-applied --kinds $kinds -n shop -o json
ends_with 1 "changed since the last apply"
check "the value" test "$(jq -r '[.Diffs[].Changes[].Path] | unique[]' "$work/out")" = data.greeting

# ---- who may read less ----

compare --helm --context nobody
ends_with 2 "who may read nothing"
says err "list the Secrets of Helm"
rbac=/apis/rbac.authorization.k8s.io/v1
api POST $rbac/namespaces/shop/roles "$(object rbac.authorization.k8s.io/v1 Role reader shop \
	'"rules":[{"apiGroups":["*"],"resources":["*"],"verbs":["get","list"]}]')" setup
api POST $rbac/namespaces/shop/rolebindings "$(object rbac.authorization.k8s.io/v1 RoleBinding reader shop \
	'"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"Role","name":"reader"},
	"subjects":[{"apiGroup":"rbac.authorization.k8s.io","kind":"User","name":"nobody"}]')" setup
of_shop() { compare --helm -n shop --context nobody -o json && [ "$status" = 1 ]; }
wait_until 30 "the role" of_shop
check "all is seen that is in the namespace: $(total)" test "$(total)" = '[true,1,1]'
compare --helm shop/web --context nobody -o json
ends_with 1 "by its name"

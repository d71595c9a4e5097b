#!/usr/bin/env bash
# Rules that name kinds by pattern, found by discovery and followed. test_kind_patterns.sh [modern]: see control_plane.sh.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/control_plane.sh"
command -v jq >/dev/null || skip "no jq"

gadgets=/apis/e2e.example.com
gadget_crd() { crd Namespaced Gadget gadgets e2e.example.com '{"type":"object","x-kubernetes-preserve-unknown-fields":true}' "$@"; }
gadget() { object "e2e.example.com/$1" Gadget bad shop '"spec":{}'; } # gadget VERSION
api_accepts() { request -H "Content-Type: application/json" -X POST "$server$1" -d "$2"; } # api_accepts PATH JSON
objects_of() { [ -n "$(metric "$(of_cluster driftd_objects "resource=\"$1\"")")" ]; } # objects_of RESOURCE
is_bad() { echo ".DRIFTD_KIND == \"$1\" and .DRIFTD_NAME == \"bad\" and .DRIFTD_API_VERSION == \"$2\""; } # is_bad KIND API-VERSION

start_control_plane
api POST "$(path_of Namespace)" "$(object v1 Namespace shop "")" setup
api POST /api/v1/namespaces/shop/configmaps "$(configmap bad shop '{"v":"1"}')" setup
cat >"$work/rules.yaml" <<'Y'
apiVersion: "*"
kind: "*"
rules:
  - rule: self.metadata.name != "bad"
    message: a bad name
---
apiVersion: apps/v1
kind: Deploymint
rules:
  - rule: "true"
Y
reference "$work/reference" anyOf none.yaml+
template "$work/reference/none.yaml" e2e.example.com/v9 Nothing none shop <<<'data: {v: "1"}'
configure "$work/reference" "validation_rules: [rules.yaml]"
start_driftd_ready
wait_until 60 "everything to be known" all_synced
check "an object of a kind that nobody named" begins "$(is_bad ConfigMap v1)"
for resource in deployments.apps roles.rbac.authorization.k8s.io secrets customresourcedefinitions.apiextensions.k8s.io; do
	check "$resource is watched" objects_of $resource
done
for resource in events events.events.k8s.io leases.coordination.k8s.io; do
	check "$resource is not" eval "! objects_of $resource"
done
check "the misspelled kind is told" has_record '.DRIFTD_EVENT == "notice" and (.MESSAGE | contains("Deploymint of apps/v1"))'
check "it is listed" eval '[[ $(ready) == *"not served: cluster $cluster, Deploymint of apps/v1"* ]]'
check "and counted" metric_is "$(of_cluster driftd_kinds_missing)" 2
check "it is no gap" no_gap

if [ "${1:-}" != modern ]; then
	echo "an API server of this age crashes over custom resources: kinds that come and go are tried on the modern one"
	stop driftd || fail "driftd did not end cleanly"
	exit 0
fi
api POST $crds "$(gadget_crd v1beta1)" setup
wait_until 60 "the new kind" objects_of gadgets.e2e.example.com
wait_until 30 "a bad object of it" api_accepts $gadgets/v1beta1/namespaces/shop/gadgets "$(gadget v1beta1)"
wait_until 30 "its finding" begins "$(is_bad Gadget e2e.example.com/v1beta1)"
api PATCH $crds/gadgets.e2e.example.com "$(gadget_crd v1beta1 v1 | jq -c '{spec: {versions: .spec.versions}}')" setup
wait_until 90 "the better version" begins "$(is_bad Gadget e2e.example.com/v1)"
wait_until 30 "the end of the other" ends "$(is_bad Gadget e2e.example.com/v1beta1)"
wait_until 60 "everything to be known" all_synced
stop driftd || fail "driftd did not end cleanly"
start_driftd_ready
wait_until 60 "everything to be known" all_synced
check "a restart repeats nothing" record_count "$(is_bad Gadget e2e.example.com/v1) and .DRIFTD_EVENT == \"begin\"" 1

api DELETE $crds/gadgets.e2e.example.com
wait_until 90 "the end, with its kind" ends "$(is_bad Gadget e2e.example.com/v1)"
wait_until 90 "the kind to be forgotten" eval '! objects_of gadgets.e2e.example.com'
check "nothing has begun anew" record_count '.DRIFTD_EVENT == "begin" and .DRIFTD_KIND == "ConfigMap" and .DRIFTD_NAME == "bad"' 1
stop driftd || fail "driftd did not end cleanly"

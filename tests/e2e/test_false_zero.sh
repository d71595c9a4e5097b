#!/usr/bin/env bash
# "No drift" can be trusted while driftd_cluster_synced is 1 and driftd_watch_gaps_current is 0: never while an object that drifted was not
# even listed. A user who may not read, and who may later. test_false_zero.sh [modern]: see control_plane.sh.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/control_plane.sh"
command -v jq >/dev/null || skip "no jq"

maps=/api/v1/namespaces/shop/configmaps
rbac=/apis/rbac.authorization.k8s.io/v1
may_read() {
	api POST $rbac/clusterroles "$(object rbac.authorization.k8s.io/v1 ClusterRole reader "" \
		'"rules":[{"apiGroups":[""],"resources":["configmaps"],"verbs":["get","list","watch"]}]')" setup
	api POST $rbac/clusterrolebindings "$(object rbac.authorization.k8s.io/v1 ClusterRoleBinding reader "" \
		'"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"ClusterRole","name":"reader"},
		"subjects":[{"apiGroup":"rbac.authorization.k8s.io","kind":"User","name":"nobody"}]')" setup
}
# One scrape: what is true of its parts at the same time.
scrape() { curl -sf "$web/metrics" >"$work/scrape"; }
scraped() { awk -v series="$(of_cluster "$1" "${2:-}")" 'index($0, series " ") == 1 {print $NF}' "$work/scrape"; }
claims_zero() {
	scrape
	[ "$(scraped driftd_cluster_synced) $(scraped driftd_watch_gaps_current)" = "1 0" ] &&
		[ "$(scraped driftd_objects_drifted 'severity="warning"')" = 0 ]
}
gap() {
	! claims_zero || fail "synced, no gap, no drift, and nothing was listed"
	[ "$(scraped driftd_watch_gaps_current)" = 1 ]
}

start_control_plane
api POST "$(path_of Namespace)" "$(object v1 Namespace shop "")" setup
api POST $maps "$(configmap wrong shop '{"v":"2"}')" setup
reference "$work/reference" allOf wrong.yaml+
template "$work/reference/wrong.yaml" v1 ConfigMap wrong shop <<<'data: {v: "1"}'
configure "$work/reference"
sed -i 's/^    kubeconfig:.*/&\n    context: nobody/' "$work/driftd.yaml"
start_driftd
end=$((SECONDS + 600)) # a limit for what hangs
until gap; do [ $SECONDS -lt $end ] || fail "no gap after a minute"; done
check "what cannot be read is not called missing" record_count '.DRIFTD_COMPONENT != null' 0
may_read
wait_until 90 "the drift, once it may be read" begins '.DRIFTD_NAME == "wrong"'
wait_until 20 "the end of the gap" no_gap
stop driftd || fail "driftd did not end cleanly"

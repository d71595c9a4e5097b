#!/usr/bin/env bash
# A right that is not needed yet, and will be: said before it is missed.
. "$(dirname "$0")/lib.sh"
command -v jq >/dev/null || skip "no jq"

start_shop
control fault '{"status":403,"verb":"list","resource":"networkpolicies.networking.k8s.io","count":-1,"reason":"Forbidden"}'
start_driftd_ready
wait_until 20 "the gap of a right that is not needed yet" begins '.DRIFTD_KIND == "NetworkPolicy" and
	(.MESSAGE | contains("the account may not list (driftd rbac prints what to grant)"))'
check "the kind is watched all the same" metric_is "driftd_cluster_synced{kube_cluster=\"$cluster\"}" 1
api DELETE /apis/networking.k8s.io/v1/namespaces/shop/networkpolicies/default-deny
wait_until 20 "what happens in it" begins '.DRIFTD_COMPONENT == "network"'
check "one gap" metric_is "driftd_watch_gaps_current{kube_cluster=\"$cluster\"}" 1
control fault '{"action":"recover"}'
wait_until 60 "the end of the gap when the right is given" ends '.DRIFTD_KIND == "NetworkPolicy" and (.MESSAGE | startswith("gap ends"))'
stop driftd || fail "driftd did not end cleanly"

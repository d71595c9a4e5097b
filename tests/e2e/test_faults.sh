#!/usr/bin/env bash
# What a network and a server can do to a watcher: nothing is lost, nothing is said twice.
. "$(dirname "$0")/lib.sh"
command -v jq >/dev/null || skip "no jq"

start_shop --bookmark-interval 2000
start_driftd_ready

turn=0
# drift_is_seen WHAT: after whatever happened, an edit and its repair both arrive, once each
drift_is_seen() {
	turn=$((turn + 1))
	set_team "turn-$turn"
	wait_until 40 "drift after $1" record_count ".DRIFTD_EVENT == \"begin\" and .DRIFTD_ACTUAL == \"\\\"turn-$turn\\\"\"" 1
	set_team storefront
	wait_until 40 "its end after $1" record_count '.DRIFTD_EVENT == "end" and .DRIFTD_KIND == "Namespace"' $turn
}

drift_is_seen "nothing"
control fault '{"action":"close-watches"}'
drift_is_seen "watches that ended"
control fault '{"action":"truncate"}'
drift_is_seen "lines cut in the middle"
control fault '{"action":"garbage"}'
drift_is_seen "a line that is no JSON"
control fault '{"action":"error"}'
drift_is_seen "an ERROR event"
control fault '{"action":"expire"}'
control fault '{"action":"close-watches"}'
drift_is_seen "an expired version"
control fault '{"action":"huge","resource":"namespaces","bytes":9000000}'
drift_is_seen "an object above the limit"
control fault '{"status":503,"verb":"watch","retryAfter":1,"count":3}'
control fault '{"action":"close-watches"}'
drift_is_seen "503 with Retry-After"

# an object that is deleted in the gap is found by its absence
control fault '{"status":500,"verb":"watch","count":2}'
control fault '{"action":"expire"}'
control fault '{"action":"close-watches"}'
api DELETE /apis/networking.k8s.io/v1/namespaces/shop/networkpolicies/default-deny
wait_until 60 "a deletion that no event told of" begins '.DRIFTD_COMPONENT == "network"'

# the server goes away for good, and comes back at the same address
stop apisim KILL || true
wait_until 60 "the gap" begins '(.MESSAGE | startswith("gap begins"))'
check "one gap for the whole cluster" record_count '.DRIFTD_EVENT == "begin" and (.MESSAGE | startswith("gap begins"))' 1
check "the cluster is down in the metrics" metric_is "driftd_cluster_up{kube_cluster=\"$cluster\"}" 0
start_shop --bookmark-interval 2000
wait_until 60 "the gap to end" ends '(.MESSAGE | startswith("gap ends"))'
wait_until 60 "the policy that is there again" ends '.DRIFTD_COMPONENT == "network"'

# one kind that may not be read does not stop the others, and nothing is said of it that is not known
control fault '{"status":403,"resource":"networkpolicies.networking.k8s.io","count":-1,"reason":"Forbidden","message":"not for you"}'
control fault '{"action":"close-watches","resource":"networkpolicies.networking.k8s.io"}'
wait_until 60 "the gap of one kind" begins '.DRIFTD_KIND == "NetworkPolicy" and (.MESSAGE | startswith("gap begins"))'
needs="on networkpolicies of networking.k8s.io in namespace shop; driftd rbac prints what to grant): not for you"
check "what it needs is told" gap_record begin "$needs"
turn=$(records '.DRIFTD_EVENT == "end" and .DRIFTD_KIND == "Namespace"' | wc -l)
drift_is_seen "one kind became forbidden"
check "nothing is called missing that cannot be seen" record_count '.DRIFTD_EVENT == "begin" and .DRIFTD_COMPONENT == "network"' 1
stop driftd || fail "driftd did not end cleanly"

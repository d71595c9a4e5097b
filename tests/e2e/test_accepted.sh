#!/usr/bin/env bash
# Accepted deviations: what is accepted is told as such and nothing else is hidden by it; an acceptance holds, expires, is no longer
# needed, over restarts and reloads; a component that wants an object.
. "$(dirname "$0")/lib.sh"
command -v jq >/dev/null || skip "no jq"
export DRIFTD_SOCKET=$work/control.sock

drifted() { metric_is "$(of_cluster driftd_objects_drifted 'severity="warning"')" "$1"; }
accepted() { metric_is "$(of_cluster driftd_accepted_deviations)" "$1"; }
told() { # told EVENT FILTER
	has_record ".DRIFTD_EVENT == \"$1\" and ($2)"
}
transitions() { record_count '.DRIFTD_DRIFT_ID != null' "$1"; }
in_seconds() { date -u -d "@$(($(date +%s) + $1))" +%Y-%m-%dT%H:%M:%SZ; }
write_accepted() { # write_accepted LINES: of the entries of accepted:
	sed -i '/^accepted:/,$d' "$work/driftd.yaml"
	printf 'accepted:\n%s\n' "$1" >>"$work/driftd.yaml"
}
reload() { # as SIGHUP does it, and until it is done
	local n
	n=$(records '.MESSAGE | startswith("configuration re")' | wc -l)
	kill -HUP "${pid[driftd]}"
	reloaded() { [ "$(records '.MESSAGE | startswith("configuration re")' | wc -l)" -gt "$n" ]; }
	wait_until 20 "the reload" reloaded
}

cluster=e2e-accepted
start_shop
echo "control_socket: $work/control.sock" >>"$work/driftd.yaml"
team='  - {kind: Namespace, name: shop, path: metadata.labels.team, value: sales, reason: a test, owner: kim'
write_accepted "$team}"
check "the configuration is in order" "$bin/driftd" check-config -c "$work/driftd.yaml"
start_driftd_ready
check "nothing is accepted yet" accepted 0

# ---- one path of several ----

set_team sales
wait_until 10 "the acceptance to hold" told accepted '.DRIFTD_PATH == "metadata.labels.team" and .DRIFTD_ACTUAL == "\"sales\""'
check "with who and why" told accepted '.DRIFTD_OWNER == "kim" and .DRIFTD_REASON == "a test" and (.DRIFTD_ACCEPTANCE | length) == 16 and
	.DRIFTD_MANAGER == "kubectl-label" and .PRIORITY == "6" and .DRIFTD_KIND == "Namespace" and .DRIFTD_CLUSTER == "e2e-accepted"'
check "it is counted as such" accepted 1
check "and is no drift" drifted 0
api PATCH /api/v1/namespaces/shop '{"metadata":{"labels":{"pod-security.kubernetes.io/enforce":"privileged"}}}' kubectl-label
wait_until 10 "the other path drifts" begins '.DRIFTD_PATH == "metadata.labels[\"pod-security.kubernetes.io/enforce\"]" and
	.DRIFTD_PATH_COUNT == "1" and .DRIFTD_SEVERITY == "warning"'
check "it is drift" drifted 1
check "the accepted one is still told as such" accepted 1
api PATCH /api/v1/namespaces/shop '{"metadata":{"labels":{"pod-security.kubernetes.io/enforce":"restricted"}}}' kubectl-label
wait_until 10 "its end" ends '.MESSAGE | startswith("drift ends")'
set_team other
wait_until 10 "another value is drift" begins '.DRIFTD_ACTUAL == "\"other\""'
wait_until 10 "the acceptance is not needed" told end '.DRIFTD_ACCEPTANCE and .DRIFTD_END_REASON == "no longer needed"'
check "nothing is accepted" accepted 0
set_team sales
wait_until 10 "it holds again" record_count '.DRIFTD_EVENT == "accepted"' 2
wait_until 10 "and ends the drift" ends '.DRIFTD_END_REASON == "accepted: a test"'
check "seven transitions" transitions 7

# ---- lives of driftd, and reloads ----

stop driftd KILL || true
start_driftd_ready
wait_until 10 "it is counted after kill -9" accepted 1
stop driftd || fail "driftd did not end cleanly"
start_driftd_ready
wait_until 10 "it is counted after a restart" accepted 1
reload
check "none of them makes a record" transitions 7

write_accepted "$team, until: $(in_seconds 4)}"
rehearsed() { "$bin/driftd" reload --dry-run -o json >"$work/dry" || [ $? -eq 1 ]; }
check "a dry run" rehearsed
check "says that it changes" jq -e '.change == 1 and .begin == 0 and .end == 0' "$work/dry"
reload
wait_until 10 "a new end is a change" changes '.DRIFTD_UNTIL != null'
wait_until 10 "it expires" told expired '.DRIFTD_ACCEPTANCE and .DRIFTD_REASON == "a test"'
wait_until 10 "and the drift begins" record_count '.DRIFTD_EVENT == "begin" and .DRIFTD_ACTUAL == "\"sales\""' 1
check "nothing is accepted any more" accepted 0
check "it is drift again" drifted 1
stop driftd || fail "driftd did not end cleanly"
start_driftd_ready
check "ten transitions" transitions 10

write_accepted "$team}"
stop driftd || fail "driftd did not end cleanly"
start_driftd_ready
wait_until 10 "one of a restart holds" record_count '.DRIFTD_EVENT == "accepted"' 3
sed -i '/^accepted:/,$d' "$work/driftd.yaml"
stop driftd || fail "driftd did not end cleanly"
start_driftd_ready
wait_until 10 "one that the configuration has no more ends" told end '.DRIFTD_END_REASON == "no longer accepted"'
wait_until 10 "the drift begins" record_count '.DRIFTD_EVENT == "begin" and .DRIFTD_ACTUAL == "\"sales\""' 2

# ---- whole objects, deletion ----

write_accepted "  - {kind: namespaces, name: 'sh*', cluster: 'e2e-*', reference: ref, reason: all of it}"
reload
wait_until 10 "an object as a whole" told accepted '.DRIFTD_REASON == "all of it"'
wait_until 10 "is no drift" drifted 0
set_team storefront
wait_until 10 "until it is as it should be" record_count '.DRIFTD_END_REASON == "no longer needed"' 2

# ---- components ----

missing='.DRIFTD_COMPONENT == "network"'
api DELETE /apis/networking.k8s.io/v1/namespaces/shop/networkpolicies/default-deny
wait_until 10 "a component that wants an object" begins "$missing"
write_accepted '  - {component: shop/network, template: default-deny.yaml, reason: the mesh does it}'
reload
wait_until 10 "is accepted" told accepted "$missing and .DRIFTD_REASON == \"the mesh does it\""
wait_until 10 "is not unsatisfied" ends "$missing and .DRIFTD_END_REASON == \"accepted: the mesh does it\""
check "is counted" accepted 1
stop driftd KILL || true
start_driftd_ready
wait_until 10 "is counted after a restart" accepted 1
sed -i '/^accepted:/,$d' "$work/driftd.yaml"
reload
wait_until 10 "is told when it is accepted no more" record_count ".DRIFTD_EVENT == \"begin\" and $missing" 2

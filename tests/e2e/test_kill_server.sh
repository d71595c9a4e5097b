#!/usr/bin/env bash
# The API server is killed, again and again, while drift is open and objects change: every transition is told once, nothing else is, and
# watching goes on within seconds, for custom resources too, whose lists a server refuses with 429 right after its start.
# test_kill_server.sh [modern]: see control_plane.sh. Prints what was told, with times.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/control_plane.sh"
command -v jq >/dev/null || skip "no jq"

maps=/api/v1/namespaces/shop/configmaps
set_value() { api PATCH "$maps/$1" "{\"data\":{\"v\":\"$2\"}}" kubectl-edit; } # set_value NAME VALUE
set_size() { api PATCH "$widgets/wonky" "{\"spec\":{\"size\":$1}}" kubectl-edit; }
note() { jq -nc --arg time "$(date +%s%6N)" --arg message "($1)" '{__REALTIME_TIMESTAMP: $time, MESSAGE: $message}' >>"$work/notes"; }
told() { # the journal, with notes in between
	sort "$work/notes" "$work/records" | jq -r '(.__REALTIME_TIMESTAMP | tonumber) as $t |
		($t / 1000000 | strftime("%H:%M:%S.")) + ($t / 1000 % 1000 | floor | tostring | "000"[length:] + .) + "  " + .MESSAGE'
}
failures() { curl -sf "$web/metrics" | grep -F "$(of_cluster driftd_kube_request_failures_total | sed 's/}$//')" || true; }

start_control_plane
custom=$(has_custom_resources && echo 1 || true)
api POST "$(path_of Namespace)" "$(object v1 Namespace shop "")" setup
for name in open flips quiet; do api POST $maps "$(configmap $name shop '{"v":"1"}')" setup; done
reference "$work/reference" allOf open.yaml+ flips.yaml+ quiet.yaml+
for name in open flips quiet; do template "$work/reference/$name.yaml" v1 ConfigMap $name shop <<<'data: {v: "1"}'; done
if [ "$custom" ]; then
	api POST $crds "$(widget_crd '{"type":"object","properties":{"size":{"type":"integer"}}}')" setup
	wait_until 30 "the new kind" get $widgets
	make_widget() { request -H 'Content-Type: application/json' "$server$widgets" -d "$(widget wonky '{"size":4}')" -o "$work/answer.json"; }
	wait_until 30 "the new kind to be taken" make_widget
	reference "$work/reference" allOf open.yaml+ flips.yaml+ quiet.yaml+ widget.yaml+
	template "$work/reference/widget.yaml" e2e.example.com/v1 Widget wonky "" <<<'spec: {size: 3}'
fi
configure "$work/reference"
start_driftd_ready
set_value open 2
begun=$((custom + 1))
wait_until 20 "the drift that stays open" drift_count begin $begun

rounds=3 longest=0
for round in $(seq $rounds); do
	# what was written just before may be told before or after the server's death, but once
	set_value flips "$round-before"
	away=$SECONDS
	stop apiserver KILL || true
	note "the server is dead"
	start_apiserver
	note "the server is ready again"
	began=$SECONDS
	set_value flips "$round-after"
	wait_until 20 "what was changed behind the restart" has_record ".DRIFTD_NAME == \"flips\" and .DRIFTD_ACTUAL == \"\\\"$round-after\\\"\""
	set_value flips 1
	wait_until 20 "its repair" record_count '.DRIFTD_EVENT == "end" and .DRIFTD_NAME == "flips"' "$round"
	if [ "$custom" ]; then
		wait_until 30 "custom resources to be served" set_size $((round + 10))
		wait_until 30 "a change of a custom resource" has_record ".DRIFTD_NAME == \"wonky\" and .DRIFTD_ACTUAL == \"$((round + 10))\""
	fi
	wait_until 20 "no gap" no_gap
	away=$((SECONDS - away))
	[ $away -le $longest ] || longest=$away
	check "the cluster is up" metric_is "$(of_cluster driftd_cluster_up)" 1
	echo "round $round: everything is watched again after $((SECONDS - began)) s"
done

check "one begin of the drift that stayed open" record_count '.DRIFTD_EVENT == "begin" and .DRIFTD_NAME == "open"' 1
check "and no end" record_count '.DRIFTD_EVENT == "end" and .DRIFTD_NAME == "open"' 0
check "a begin for each round" record_count '.DRIFTD_EVENT == "begin" and .DRIFTD_NAME == "flips"' $rounds
check "nothing was called missing" record_count '(.MESSAGE | startswith("component"))' 0
no_gap_of $longest
[ -z "$custom" ] || check "a change for each round" record_count '.DRIFTD_NAME == "wonky" and .DRIFTD_EVENT == "change"' $rounds
told
failures
stop driftd || fail "driftd did not end cleanly"

#!/usr/bin/env bash
# Many real objects: all are listed and judged, those that drifted are told once, and a restart of the server tells nothing.
# test_big_real.sh [modern] [OBJECTS]: 2000 by default; scripts/test soak takes 20000. See control_plane.sh.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/control_plane.sh"
command -v jq >/dev/null || skip "no jq"
[ "${1:-}" != modern ] || shift
objects=${1:-2000}
odd=$((objects / 100))

namespaces=10 filling=$(printf '%01000d' 0)
maps() { # maps FROM TO VALUE: a line for each config map, spread over the namespaces
	jq -nr --argjson from "$1" --argjson to "$2" --arg value "$3" --arg filling "$filling" --argjson namespaces $namespaces '
		range($from; $to) | "many-\(. % $namespaces)" as $namespace | "/api/v1/namespaces/\($namespace)/configmaps\t" +
		({apiVersion: "v1", kind: "ConfigMap", metadata: {name: "map-\(.)", namespace: $namespace},
			data: {v: $value, filling: $filling}} | tojson)'
}
said_lines() { grep -vc '"MESSAGE":"driftd did not run between' "$work/records"; } # which it did not, while it was stopped
memory() { awk '/VmRSS/ {print int($2 / 1024) " MiB"}' "/proc/${pid[driftd]}/status"; }

start_control_plane
for i in $(seq 0 $((namespaces - 1))); do api POST "$(path_of Namespace)" "$(object v1 Namespace "many-$i" "")" setup; done
maps 0 $((objects - odd)) 1 | at_once POST || fail "the objects cannot be made"
maps $((objects - odd)) "$objects" 2 | at_once POST || fail "the odd objects cannot be made"
echo "$objects objects made after $SECONDS s"
reference "$work/reference" anyOf configmap.yaml+
template "$work/reference/configmap.yaml" v1 ConfigMap "$any_name" "$any_namespace" <<<'data: {v: "1"}'
configure "$work/reference"
began=$SECONDS
start_driftd
wait_until 600 "driftd to be ready" ready
echo "ready after $((SECONDS - began)) s, with $(memory)"
maps_known=$(of_cluster driftd_objects 'resource="configmaps"')
drifted=$(of_cluster driftd_objects_drifted 'severity="warning"')
check "every object is known" metric_is "$maps_known" "$objects"
check "those that drifted are counted" metric_is "$drifted" $odd
# More than a storm's worth is told one after the other.
wait_until 300 "a record for each" drift_count begin $odd
check "it is them" record_count '.DRIFTD_EVENT == "begin" and .DRIFTD_ACTUAL == "\"2\""' $odd

# ---- the server dies behind driftd's back: what happened before is forgotten, and all is listed anew ----

before=$(said_lines)
kill -STOP "${pid[driftd]}"
stop apiserver KILL || true
start_apiserver
api DELETE /api/v1/namespaces/many-0/configmaps/map-0
api PATCH /api/v1/namespaces/many-1/configmaps/map-1 '{"data":{"v":"3"}}' kubectl-edit
compact
stop apiserver KILL || true
start_apiserver
kill -CONT "${pid[driftd]}"
wait_until 120 "the deletion" metric_is "$maps_known" $((objects - 1))
wait_until 120 "the change" begins '.DRIFTD_NAME == "map-1"'
wait_until 60 "every object to be judged" metric_is driftd_queue_length 0
relists=$(metric "$(of_cluster driftd_relists_total 'reason="expired"')")
check "all was listed anew" test "$relists" -ge 1
check "nothing else was told" test "$(said_lines)" -eq $((before + 1))
check "no gap" no_gap
echo "after the restart: $(memory), $relists relists"
stop driftd || fail "driftd did not end cleanly"

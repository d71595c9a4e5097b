#!/usr/bin/env bash
# A big cluster and a storm of updates: every drift is reported once, and nothing else is. load.sh [OBJECTS]: 20000 by default, one in a
# hundred drifted. scripts/test soak runs it; ctest does not.
. "$(dirname "$0")/lib.sh"
command -v jq >/dev/null || skip "no jq"
objects=${1:-20000}
odd=$((objects / 100)) changes=$((objects / 4))

generate() { # generate PREFIX COUNT VALUE: config maps
	control generate "{\"resource\":\"configmaps\",\"namespace\":\"many\",\"prefix\":\"$1\",\"count\":$2,
		\"object\":{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"data\":{\"v\":\"$3\"}}}"
}

reference "$work/reference" anyOf configmap.yaml+
template "$work/reference/configmap.yaml" v1 ConfigMap "$any_name" many <<<'data: {v: "1"}'
start_apisim
generate same- $((objects - odd)) 1
generate odd- $odd 2
configure "$work/reference"
start_driftd
wait_until 300 "driftd to be ready" ready
echo "ready after $SECONDS s, with $(awk '/VmRSS/ {print $2}' "/proc/${pid[driftd]}/status") kB"
wait_until 60 "a record for each drifted object" record_count '.DRIFTD_EVENT == "begin"' $odd
check "they are what drifted" record_count '.DRIFTD_EVENT == "begin" and
	(.DRIFTD_NAME | startswith("odd-")) and .DRIFTD_ACTUAL == "\"2\""' $odd
drifted="driftd_objects_drifted{kube_cluster=\"$cluster\",severity=\"warning\"}"
check "the metric agrees" metric_is "$drifted" $odd

seen="driftd_watch_events_total{kube_cluster=\"$cluster\",resource=\"configmaps\"}"
before=$(metric "$seen") said=$(wc -l <"$work/records")
control generate "{\"resource\":\"configmaps\",\"namespace\":\"many\",\"rate\":2000,\"seconds\":60,\"changes\":$changes}"
storm_seen() { [ "$(metric "$seen")" -ge $((before + changes)) ]; }
wait_until 120 "the storm to be seen" storm_seen
wait_until 60 "every update to be judged" metric_is driftd_queue_length 0
check "updates that change nothing of the reference make no record" test "$(wc -l <"$work/records")" -eq "$said"
check "the metric still agrees" metric_is "$drifted" $odd
stop driftd || fail "driftd did not end cleanly"

#!/usr/bin/env bash
# Event rules against the API server of today, in a real journal: an autoscaler through the scale subresource, a field that two apply,
# a list whose definition names its keys.
. "$(dirname "$0")/journal.sh"
set -- modern
. "$(dirname "$0")/control_plane.sh"
cluster=real
group=e2e.example.com
pools=/apis/$group/v1/namespaces/default/pools
schema='{"type":"object","properties":{"spec":{"type":"object","properties":{"replicas":{"type":"integer"},"cpu":{"type":"string"},
	"zones":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["id"],"items":{"type":"object","required":["id"],
		"properties":{"id":{"type":"string"},"size":{"type":"integer"}}}}}}}}'
definition=$(crd Namespaced Pool pools $group "$schema" v1 |
	jq -c '.spec.versions[].subresources = {scale: {specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas"}}')
told() { [ -n "$(journal DRIFTD_NAME=web | jq -c "select($1)")" ]; }
write() { # write MANAGER SPEC
	apply $pools/web "{\"apiVersion\":\"$group/v1\",\"kind\":\"Pool\",\"metadata\":{\"name\":\"web\"},\"spec\":$2}" "$1"
}
scale() { # scale N MANAGER
	request -X PATCH -H 'Content-Type: application/merge-patch+json' "$server$pools/web/scale?fieldManager=$2" \
		-d "{\"spec\":{\"replicas\":$1}}" -o "$work/answer.json" || fail "scale $1 $2"
}
established() { [ "$(get "$crds/pools.$group" | jq -r '.status.conditions[]? | select(.type == "Established") | .status')" = True ]; }

cat >"$work/rules.yaml" <<'Y'
rules:
  - {type: error, path: spec, message: not as agreed}
  - {type: allow, path: spec.replicas, manager: horizontal-pod-autoscaler, action: none}
  - {equal: quantity, path: spec.cpu}
  - {type: warn, path: spec.zones.b.size, message: zone b}
Y
reference "$work/ref" allOf pool.yaml
template "$work/ref/pool.yaml" $group/v1 Pool web default <<<'spec: {replicas: 2, cpu: 1000m, zones: [{id: a, size: 1}, {id: b, size: 1}]}'
start_journald
start_control_plane
api POST $crds "$definition" setup
wait_until 30 "the kind to be served" established
wait_until 30 "its objects" get $pools
write setup '{"replicas":2,"cpu":"1","zones":[{"id":"a","size":1},{"id":"b","size":1}]}'
cat >"$work/driftd.yaml" <<Y
clusters: [{name: $cluster, kubeconfig: kubeconfig}]
references: [{name: ref, path: ref/metadata.yaml, event_rules: usual}]
event_rules: [{name: usual, path: rules.yaml}]
flapping: {changes: 0}
state_dir: $state
Y
start_driftd journal
wait_until 60 "driftd to be ready" ready
wait_until 30 "all to be judged" metric_is "$(of_cluster driftd_cluster_synced)" 1
check "a quantity written otherwise is no drift" test -z "$(journal DRIFTD_NAME=web)"

scale 5 horizontal-pod-autoscaler
wait_until 20 "the autoscaler" told '.PRIORITY == "6" and .DRIFTD_EVENT == "begin" and .DRIFTD_RULE_TYPE == "allow" and
	.DRIFTD_ACTION == "none"'
scale 6 kubectl-scale
wait_until 20 "by hand" told '.PRIORITY == "3" and .DRIFTD_RULE_TYPE == "error" and .DRIFTD_MANAGER == "kubectl-scale"'
scale 5 horizontal-pod-autoscaler
wait_until 20 "the autoscaler again" told '.PRIORITY == "6" and .DRIFTD_EVENT == "change"'
before=$(journal DRIFTD_NAME=web | wc -l)
write second-owner '{"replicas":5}'
sleep 2
check "a second owner of the same value changes nothing" test "$(journal DRIFTD_NAME=web | wc -l)" = "$before"

write setup '{"cpu":"1","zones":[{"id":"b","size":2},{"id":"a","size":1}]}'
wait_until 20 "an element by its key" told '.DRIFTD_RULE_EVENT | tostring | contains("warn spec.zones.b.size (warning): zone b")'
check "the order of a keyed list is a change of its own" told '.DRIFTD_PATH | tostring | contains("\"spec.zones\"")'
check "the worst is the priority" told '.PRIORITY == "3" and (.DRIFTD_RULE_TYPE | tostring | contains("warn"))'
api PATCH $pools/web '{"spec":{"replicas":2,"zones":[{"id":"a","size":1},{"id":"b","size":1}]}}' kubectl-edit
wait_until 20 "the end" told '.DRIFTD_EVENT == "end" and .PRIORITY == "6"'
stop driftd || fail "driftd did not end cleanly"

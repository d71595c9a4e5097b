#!/usr/bin/env bash
# What a real server does with one object: a deletion that a finalizer holds up, writers that own a field together, many managers and a
# large object, hundreds of changes in a row. test_object_life.sh [modern]: see control_plane.sh.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/control_plane.sh"
command -v jq >/dev/null || skip "no jq"

maps=/api/v1/namespaces/shop/configmaps
set_finalizers() { api PATCH "$maps/$1" "{\"metadata\":{\"finalizers\":$2}}" controller; } # set_finalizers NAME LIST
apply_value() { apply "$maps/owned" "$(configmap owned shop "{\"v\":\"$2\"}")" "$1"; }      # apply_value MANAGER VALUE
blamed() { echo ".DRIFTD_NAME == \"$1\" and .DRIFTD_ACTUAL == \"\\\"$2\\\"\" and .DRIFTD_MANAGER == \"$3\""; } # blamed NAME VALUE MANAGER

start_control_plane
api POST "$(path_of Namespace)" "$(object v1 Namespace shop "")" setup
for name in held kept owned large fast; do api POST $maps "$(configmap $name shop '{"v":"1"}')" setup; done
reference "$work/reference" allOf held.yaml+ kept.yaml+ owned.yaml+ large.yaml+ fast.yaml+
for name in held kept owned large fast; do template "$work/reference/$name.yaml" v1 ConfigMap $name shop <<<'data: {v: "1"}'; done
configure "$work/reference"
start_driftd_ready

# ---- an object is there until its finalizers are gone ----

api PATCH $maps/held '{"data":{"v":"2"}}' kubectl-edit
wait_until 20 "drift of the object to be deleted" begins '.DRIFTD_NAME == "held"'
for name in held kept; do
	set_finalizers $name '["e2e.example.com/hold"]'
	api DELETE $maps/$name
done
check "the server has marked it" test "$(get $maps/held | jq -r .metadata.deletionTimestamp)" != null
api PATCH $maps/owned '{"data":{"v":"2"}}' kubectl-edit # an event behind those of the deletions
wait_until 20 "drift behind the deletions" begins "$(blamed owned 2 kubectl-edit)"
check "what is held is not gone" drift_count end 0
check "nor missing" record_count '(.MESSAGE | startswith("component"))' 0
for name in held kept; do set_finalizers $name '[]'; done
wait_until 20 "the end of the object that is gone" ends '.DRIFTD_NAME == "held" and (.MESSAGE | contains("object deleted"))'
wait_until 20 "both to be missing" has_record '.DRIFTD_COMPONENT == "c" and (.MESSAGE | contains("held.yaml") and contains("kept.yaml"))'
for name in held kept; do api POST $maps "$(configmap $name shop '{"v":"1"}')" setup; done
wait_until 20 "both to be there again" ends '.DRIFTD_COMPONENT == "c" and (.MESSAGE | startswith("component"))'

# ---- two managers own a field, a third takes it ----

apply_value flux 1
wait_until 20 "the repair" ends '.DRIFTD_NAME == "owned"'
apply_value argocd 1
apply_value argocd 3
wait_until 20 "drift by one of two owners" has_record "$(blamed owned 3 argocd) and .DRIFTD_MANAGER_OPERATION == \"Apply\""
api PATCH $maps/owned '{"data":{"v":"4"}}' kubectl-edit
wait_until 20 "drift by another writer" has_record "$(blamed owned 4 kubectl-edit) and .DRIFTD_MANAGER_OPERATION == \"Update\""

# ---- a large object with many managers ----

configmap large shop "$(jq -nc '{v: "1", filling: ("x" * 700000)}')" >"$work/large.json"
request -X PUT -H 'Content-Type: application/json' "$server$maps/large?fieldManager=writer" -d @"$work/large.json" -o "$work/answer.json" ||
	fail "the large object is refused"
for i in $(seq 50); do apply $maps/large "$(configmap large shop "{\"key-$i\":\"1\"}")" "a-manager-with-a-long-name-$i"; done
check "the server keeps them all" test "$(get $maps/large | jq '.metadata.managedFields | length')" -gt 50
api PATCH $maps/large '{"data":{"v":"2"}}' the-last-one
wait_until 20 "drift of the large object" begins "$(blamed large 2 the-last-one)"
api PATCH $maps/large '{"data":{"v":"1"}}' argocd
wait_until 20 "its end" ends '.DRIFTD_NAME == "large"'

# ---- many changes: the last one counts ----

for i in $(seq 300); do printf '%s\t{"data":{"v":"%s"}}\n' $maps/fast "$i"; done | at_once PATCH || true # some meet a conflict
api PATCH $maps/fast '{"data":{"v":"last"}}' kubectl-edit
wait_until 30 "the last value" has_record "$(blamed fast last kubectl-edit)"
api PATCH $maps/fast '{"data":{"v":"1"}}' kubectl-edit
wait_until 30 "its end" metric_is "$(of_cluster driftd_objects_drifted 'severity="warning"')" 1
begun=$(records '.DRIFTD_NAME == "fast" and .DRIFTD_EVENT == "begin"' | wc -l)
check "as many ends as begins" record_count '.DRIFTD_NAME == "fast" and .DRIFTD_EVENT == "end"' "$begun"
check "no gap" no_gap
stop driftd || fail "driftd did not end cleanly"

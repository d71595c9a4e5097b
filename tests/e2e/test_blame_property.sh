#!/usr/bin/env bash
# Who wrote is who wrote: random edits by several managers, against the API server of today (blame.py), seen one by one, and all at once
# when driftd comes back. EDITS=1000 ROUNDS=20 SEED=n by hand.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
set -- modern
source "$here/control_plane.sh"
text='{"type":"string"}'
list() { # list KEYS PROPERTIES: of objects, told apart by the keys
	echo "{\"type\":\"array\",\"x-kubernetes-list-type\":\"map\",\"x-kubernetes-list-map-keys\":$1,
		\"items\":{\"type\":\"object\",\"required\":$1,\"properties\":$2}}"
}
schema="{\"type\":\"object\",\"properties\":{\"status\":{\"type\":\"object\",\"properties\":{\"seen\":{\"type\":\"integer\"}}},
	\"spec\":{\"type\":\"object\",\"properties\":{\"replicas\":{\"type\":\"integer\"},\"image\":$text,\"paused\":{\"type\":\"boolean\"},
		\"limits\":{\"type\":\"object\",\"additionalProperties\":$text},
		\"env\":$(list '["name"]' "{\"name\":$text,\"value\":$text}"),
		\"ports\":$(list '["port","protocol"]' "{\"port\":{\"type\":\"integer\"},\"protocol\":$text}")}}}}"
jobs=/apis/e2e.example.com/v1/namespaces/default/jobs
start_control_plane
api POST $crds "$(crd Namespaced Job jobs e2e.example.com "$schema" v1 | jq -c '.spec.versions[].subresources = {status: {}}')" setup
wait_until 30 "the objects of the kind to be served" get $jobs
for i in {0..11}; do
	api POST $jobs "$(object e2e.example.com/v1 Job "d$i" default '"spec":{"replicas":2,"image":"web:1","limits":{"memory":"128Mi"},
		"env":[{"name":"A","value":"1"},{"name":"B","value":"2"}],"ports":[{"port":80,"protocol":"TCP"}]}' |
		jq -c '.metadata.labels = {team: "a", tier: "b"}')" setup
done
reference "$work/reference" anyOf d.yaml
template "$work/reference/d.yaml" e2e.example.com/v1 Job "$any_name" default <<'Y'
  labels: {team: a, tier: b}
spec:
  replicas: 2
  image: web:1
  limits: {memory: 128Mi}
  env: [{name: A, value: "1"}, {name: B, value: "2"}]
  ports: [{port: 80, protocol: TCP}]
Y
cat >>"$work/reference/metadata.yaml" <<'Y'
fieldsToOmit:
  defaultOmitRef: all
  items:
    all:
      - pathToKey: metadata.annotations
      - pathToKey: metadata.uid
      - pathToKey: metadata.resourceVersion
      - pathToKey: metadata.generation
      - pathToKey: metadata.creationTimestamp
      - pathToKey: metadata.managedFields
      - pathToKey: status
Y
configure "$work/reference"
start_driftd_ready
wait_until 30 "all to be judged" all_synced
property() { # property SEED ARGUMENTS...
	python3 "$here/blame.py" "$server" "$ca" "$token" "$work" "$@" >"$work/blame.log" || fail "$(cat "$work/blame.log")"
	cat "$work/blame.log"
}
property "${SEED:-1}" watched "${EDITS:-150}"
check "edits were made" grep -q ' edits: ' "$work/blame.log"
for ((round = 0; round < ${ROUNDS:-2}; round++)); do
	stop driftd || fail "driftd did not end cleanly"
	property "${SEED:-1}.$round" away
	start_driftd_ready
	property "${SEED:-1}.$round" back
	check "edits were made while it was away" grep -q ' edits: ' "$work/blame.log"
done

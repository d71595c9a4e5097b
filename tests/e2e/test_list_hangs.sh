#!/usr/bin/env bash
# A kind must be listed anew and the list does not come, because etcd does not answer: nothing watches the kind meanwhile, which is a gap as
# much as a refusal. Always against the modern server.
. "$(dirname "$0")/lib.sh"
set -- modern
. "$(dirname "$0")/control_plane.sh"
command -v jq >/dev/null || skip "no jq"

maps=/api/v1/namespaces/shop/configmaps
set_value() { api PATCH "$maps/$1" "{\"data\":{\"v\":\"$2\"}}" kubectl-edit; } # set_value NAME VALUE
is_admitted() { ! metric_is "$(of_cluster driftd_cluster_synced)" 1 || ! no_gap; }

start_control_plane
api POST "$(path_of Namespace)" "$(object v1 Namespace shop "")" setup
for name in first second; do api POST $maps "$(configmap $name shop '{"v":"1"}')" setup; done
reference "$work/reference" allOf first.yaml+ second.yaml+
for name in first second; do template "$work/reference/$name.yaml" v1 ConfigMap $name shop <<<'data: {v: "1"}'; done
configure "$work/reference"
start_driftd_ready
set_value first 2
wait_until 20 "drift" begins '.DRIFTD_NAME == "first"'

# What changes now is forgotten by the server that driftd will ask, and etcd falls silent.
kill -STOP "${pid[driftd]}"
stop apiserver KILL || true
start_apiserver
set_value first 1
set_value second 2
compact
stop apiserver KILL || true
start_apiserver
kill -STOP "${pid[etcd]}"
kill -CONT "${pid[driftd]}"

wait_until 45 "a gap, or not synced" is_admitted
check "nothing is told of what cannot be seen" \
	record_count '.DRIFTD_EVENT == "end" or (.DRIFTD_NAME == "second" and (.MESSAGE | startswith("gap") | not))' 0
kill -CONT "${pid[etcd]}"
wait_until 120 "what was repaired meanwhile" ends '.DRIFTD_NAME == "first"'
wait_until 20 "what drifted meanwhile" begins '.DRIFTD_NAME == "second"'
wait_until 20 "no gap" no_gap
stop driftd || fail "driftd did not end cleanly"

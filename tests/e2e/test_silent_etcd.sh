#!/usr/bin/env bash
# An API server whose own member of etcd stops, while others go on and writes reach them through another API server: it still takes watches
# and answers what it has in memory, and says nothing of what happens. EVIDENCE=90s takes the default time. $1: "modern" as for other tests.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
source "$here/control_plane.sh"
evidence=${EVIDENCE:-20s}

member() { # member NUMBER: of etcd
	start "etcd$1" "$assets/etcd" --name "m$1" --data-dir "$work/etcd$1" --listen-client-urls "http://127.0.0.1:${client[$1]}" \
		--advertise-client-urls "http://127.0.0.1:${client[$1]}" --listen-peer-urls "http://127.0.0.1:${peer[$1]}" \
		--initial-advertise-peer-urls "http://127.0.0.1:${peer[$1]}" --initial-cluster-state new \
		--initial-cluster "m1=http://127.0.0.1:${peer[1]},m2=http://127.0.0.1:${peer[2]},m3=http://127.0.0.1:${peer[3]}"
}
start_etcd() {
	local i
	for i in 1 2 3; do client[i]=$(free_port) peer[i]=$(free_port); done
	for i in 1 2 3; do member $i; done
	etcd_url=http://127.0.0.1:${client[1]}
}
write() {
	request -m 5 -X PATCH -H 'Content-Type: application/merge-patch+json' -d '{"data":{"v":"2"}}' \
		"$server/api/v1/namespaces/shop/configmaps/cfg?fieldManager=kubectl-edit"
}
client=() peer=()
start_control_plane
first=$server
read -r _ _ api_port < <(three_ports)
etcd_url=http://127.0.0.1:${client[2]} server=https://127.0.0.1:$api_port
apiserver_name=second start_apiserver

api POST /api/v1/namespaces '{"metadata":{"name":"shop"}}'
api POST /api/v1/namespaces/shop/configmaps "$(configmap cfg shop '{"v":"1"}')"
reference "$work/reference" allOf cfg.yaml+
template "$work/reference/cfg.yaml" v1 ConfigMap "$any_name" shop <<<'data: {v: "1"}'
configure "$work/reference" "evidence_max_age: $evidence"
start_driftd_ready
grep -q "$first" "$work/kubeconfig" || fail "driftd does not ask the first server"

kill -STOP "${pid[etcd1]}"
stopped_at=$(date +%s.%N)
wait_until 60 "a write through the other server, once there is another leader" write
wait_until 200 "a gap" gap_record begin ""
awk -v a="$stopped_at" -v b="$(date +%s.%N)" 'BEGIN { printf "etcd member stopped: told after %.1f s\n", b - a }'
wait_until 10 "the cluster not to count as synced" metric_is "$(of_cluster driftd_cluster_synced)" 0
check "nothing was told of what was not seen" record_count '.DRIFTD_NAME == "cfg"' 0
kill -CONT "${pid[etcd1]}"
wait_until 120 "the drift that was missed" begins '.DRIFTD_NAME == "cfg" and .DRIFTD_NOT_BEFORE_USEC'
wait_until 120 "the end of the gap" gap_record end ""
wait_until 60 "the cluster to be synced again" all_synced

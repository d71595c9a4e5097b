#!/usr/bin/env bash
# A server, or a part of what it says, falls silent: nothing fails, and so nothing but evidence that ages shows it. From the last evidence
# to the gap it takes no longer than evidence_max_age, the claims fall with it, and what was missed is told with the time between which it
# happened.
#
# EVIDENCE=90s takes the default instead of a time that a test can wait for; each part prints how long it took. $1: one part alone.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
evidence=${EVIDENCE:-20s}

write_kubeconfig() { # for a server at the port in $work/port
	cat >"$work/kubeconfig" <<K
apiVersion: v1
kind: Config
clusters: [{name: c, cluster: {server: "http://127.0.0.1:$(cat "$work/port")"}}]
contexts: [{name: c, context: {cluster: c}}]
current-context: c
K
}

serve() { # serve BOOKMARK-MS: the simulator with two kinds behind the proxy, and driftd that watches them
	apisim_port=$(free_port)
	{ configmap cfg shop '{"v":"1"}'; deployment web shop '{"replicas":1}'; } >"$work/objects.json"
	start apisim "$bin/apisim" --port "$apisim_port" --no-tls --bookmark-interval "$1" --load "$work/objects.json"
	wait_until 20 "the simulator" grep -q listening "$work/apisim.log"
	: >"$work/fault"
	python3 "$here/silence.py" "$apisim_port" "$work/fault" >"$work/port" 2>"$work/proxy.log" &
	pid[proxy]=$!
	wait_until 20 "the proxy" test -s "$work/port"
	write_kubeconfig
	reference "$work/reference" allOf cfg.yaml+ web.yaml+
	template "$work/reference/cfg.yaml" v1 ConfigMap cfg shop <<<'data: {v: "1"}'
	template "$work/reference/web.yaml" apps/v1 Deployment web shop <<<'spec: {replicas: 1}'
	configure "$work/reference" "control_socket: $work/s.sock
evidence_max_age: $evidence"
	start_driftd
	wait_until 60 "driftd to be ready" ready
}

patch() { # patch PATH JSON: at the simulator itself
	curl -sf -X PATCH -H 'Content-Type: application/merge-patch+json' "http://127.0.0.1:$apisim_port$1" -d "$2" -o "$work/answer.json" ||
		fail "patch $1"
}
drift() { patch /api/v1/namespaces/shop/configmaps/cfg '{"data":{"v":"2"}}'; }
drift_is_told() { begins '.DRIFTD_NAME == "cfg" and .DRIFTD_PATH != null'; }

fault() { # fault WORDS...: and what happens from now on is not seen
	echo "$*" >"$work/fault.new"
	mv "$work/fault.new" "$work/fault"
	fault_at=$(date +%s.%N)
}
heal() { fault ''; }

gap_is_told() { # gap_is_told TEXT...: with a reason that has one of the texts
	local text
	for text; do
		! gap_record begin "$text" || { told_at=$(date +%s.%N); return 0; }
	done
	return 1
}
claims_fall() { # claims_fall: what rests on the evidence
	wait_until 20 "the cluster not to count as synced" metric_is "$(of_cluster driftd_cluster_synced)" 0
	check "a gap among the metrics" [ "$(metric "$(of_cluster driftd_watch_gaps_current)")" != 0 ]
	DRIFTD_SOCKET=$work/s.sock "$bin/driftd" status >"$work/status.txt" || true
	check "driftd status says so: $(cat "$work/status.txt")" grep -qE 'unreachable|degraded' "$work/status.txt"
}
claims_stand_again() {
	wait_until 120 "the end of the gap" gap_record end ""
	wait_until 60 "the cluster to be synced again" all_synced
}
print_bound() { awk -v part="$1" -v a="$fault_at" -v b="$told_at" 'BEGIN { printf "%s: told %.1f s after it began\n", part, b - a }' >&2; }
lasting() { wait_until 150 "$@"; }

missed_change_is_told() {
	wait_until 120 "the drift that was missed" drift_is_told
	check "with the time between which it happened" has_record '.DRIFTD_NAME == "cfg" and .DRIFTD_EVENT == "begin" and .DRIFTD_NOT_BEFORE_USEC'
}

# ---- the parts ----

all_mute() { # as a server whose packets are dropped, or one that accepts and never answers
	serve 3000
	fault watch=frozen read=frozen
	drift
	lasting "a gap" gap_is_told "the API server" ConfigMap configmaps
	print_bound "all mute"
	claims_fall
	wait_until 30 "the cluster to count as down" metric_is "$(of_cluster driftd_cluster_up)" 0
	heal
	missed_change_is_told
	claims_stand_again
}
server_stopped() {
	serve 3000
	kill -STOP "${pid[apisim]}"
	fault_at=$(date +%s.%N)
	lasting "a gap" gap_is_told "the API server" ConfigMap configmaps
	print_bound "server stopped"
	claims_fall
	wait_until 30 "the cluster to count as down" metric_is "$(of_cluster driftd_cluster_up)" 0
	kill -CONT "${pid[apisim]}"
	drift
	wait_until 120 "the drift" drift_is_told
	claims_stand_again
}
watches_mute() { # nothing of a watch goes through, but reads are answered
	serve 3000
	fault watch=frozen
	drift
	lasting "a gap" gap_is_told configmaps
	print_bound "watches mute, reads answered"
	claims_fall
	heal
	missed_change_is_told
	claims_stand_again
}
bookmarks_have_come() { curl -sf "http://127.0.0.1:$apisim_port/_apisim/stats" | jq -e '.bookmarksSent > 8'; }
watches_say_nothing() { # they are answered, and bookmarks stop: a list shows what they do not say
	serve 3000
	wait_until 60 "bookmarks" bookmarks_have_come
	fault watch=headers
	drift
	lasting "the drift, or a gap" eval 'drift_is_told || gap_is_told configmaps'
	told_at=$(date +%s.%N)
	print_bound "watches answered and mute, bookmarks had come"
	lasting "a gap for a watch that did not deliver what a list shows" gap_is_told "configmaps"
	claims_fall
	heal
	missed_change_is_told
	claims_stand_again
}
reads_mute() { # where the watch delivers nothing else is needed
	local i
	serve 3000
	fault read=frozen
	for i in {1..10}; do
		patch /api/v1/namespaces/shop/configmaps/cfg "{\"metadata\":{\"annotations\":{\"n\":\"$i\"}}}"
		patch /apis/apps/v1/namespaces/shop/deployments/web "{\"metadata\":{\"annotations\":{\"n\":\"$i\"}}}"
		sleep 3
	done
	drift
	wait_until 10 "the drift, at once" drift_is_told
	check "no gap" no_gap
	check "synced" all_synced
}
repeated_bookmarks() { # they come out of the server's memory: without an answered read they prove nothing
	serve 3000
	sleep 30
	check "no gap" no_gap
	fault read=frozen
	lasting "a gap" gap_is_told "a read beside it was not answered" "the API server"
	print_bound "reads mute, bookmarks repeated"
	claims_fall
	check "no watch was resumed for it" [ "$(metric "$(of_cluster driftd_watch_restarts_total 'reason="idle"')")" = 0 ]
	heal
	claims_stand_again
}
reads_mute_and_quiet() { # a quiet watch has no bookmarks: the read beside it has to be answered
	serve 600000
	sleep 30 # long enough for tests, which say nothing
	check "no gap of watches that are only quiet" no_gap
	check "synced" all_synced
	fault read=frozen
	lasting "a gap" gap_is_told configmaps deployments
	print_bound "reads mute, watches quiet"
	claims_fall
	heal
	claims_stand_again
}
one_mute() { # the other watches go on
	serve 600000
	fault watch=frozen only=configmaps
	drift
	patch /apis/apps/v1/namespaces/shop/deployments/web '{"spec":{"replicas":2}}'
	wait_until 10 "the drift of the other kind, at once" begins '.DRIFTD_NAME == "web" and .DRIFTD_PATH != null'
	lasting "a gap" gap_is_told configmaps
	print_bound "one of several watches mute"
	claims_fall
	check "the cluster counts as up" metric_is "$(of_cluster driftd_cluster_up)" 1
	heal
	missed_change_is_told
	claims_stand_again
	check "no gap of the other kind" record_count '.DRIFTD_EVENT == "begin" and (.MESSAGE | startswith("gap") and contains("deployments"))' 0
}
late_events() { # a busy server answers watches and reads, and sends only later what the watch missed
	serve 600000
	fault watch=frozen only=configmaps
	drift
	lasting "a gap" gap_is_told configmaps
	fault watch=headers only=configmaps
	wait_until 120 "the end of the gap" gap_record end ""
	sleep 5
	check "nothing was reported of what was not seen" eval '! drift_is_told'
	heal
	missed_change_is_told
	patch /api/v1/namespaces/shop/configmaps/cfg '{"data":{"v":"3"}}'
	wait_until 20 "what happens now, without such a time" has_record \
		'.DRIFTD_NAME == "cfg" and .DRIFTD_EVENT == "change" and .DRIFTD_NOT_BEFORE_USEC == null'
}
never_answers() { # from the start
	python3 -c 'import socket, time
s = socket.create_server(("127.0.0.1", 0)); print(s.getsockname()[1], flush=True); time.sleep(600)' >"$work/port" &
	pid[server]=$!
	wait_until 20 "the server" test -s "$work/port"
	write_kubeconfig
	reference "$work/reference" allOf cfg.yaml
	template "$work/reference/cfg.yaml" v1 ConfigMap cfg shop <<<'data: {v: "1"}'
	configure "$work/reference"
	start_driftd
	fault_at=$(date +%s.%N)
	lasting "a gap with a reason" gap_is_told "has not answered for"
	print_bound "never answers"
	check "down" metric_is "$(of_cluster driftd_cluster_up)" 0
}

all=(all_mute server_stopped watches_mute watches_say_nothing reads_mute repeated_bookmarks reads_mute_and_quiet one_mute late_events
	never_answers)
for part in ${1:-"${all[@]}"}; do aside "$part" "$part"; done
join_parts
cat "$work"/*.part | grep 'told .* s after' || true

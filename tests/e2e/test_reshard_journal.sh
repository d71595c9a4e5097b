#!/usr/bin/env bash
# Three shards become one while the journal is away: what waits in them is told by the one, each record once, and what happened to a
# finding in its order.
. "$(dirname "$0")/journal.sh"
maps=/api/v1/namespaces/many/configmaps
n=30 total=3

reference "$work/ref" anyOf map.yaml+
template "$work/ref/map.yaml" v1 ConfigMap "$any_name" many <<<'data: {v: "1"}'
start_journald
start_apisim
api POST /api/v1/namespaces "$(object v1 Namespace many '')" setup
for ((i = 0; i < n; i++)); do api POST $maps "$(configmap "m-$i" many '{"v":"1"}')" setup; done
configure "$work/ref"

write() { # write FIRST LAST VALUE: of the objects with these numbers
	local i
	for ((i = $1; i <= $2; i++)); do api PATCH "$maps/m-$i" "{\"data\":{\"v\":\"$3\"}}" kubectl; done
}
told() { journal DRIFTD_KIND=ConfigMap | jq -r '[.DRIFTD_DRIFT_ID, .DRIFTD_EVENT] | join(" ")'; }
waiting() { # waiting COUNT: in all shards
	local port sum=0
	for port in "${ports[@]}"; do
		sum=$((sum + $(curl -sf "http://127.0.0.1:$port/metrics" | awk '/^driftd_records_waiting / { print $2 }')))
	done
	[ "$sum" -ge "$1" ]
}

ports=()
for ((shard = 0; shard < total; shard++)); do
	ports+=("$(free_port)")
	sed "s|^state_dir:.*|state_dir: $work/shard-$shard|" "$work/driftd.yaml" >"$work/$shard.yaml"
	mkdir "$work/shard-$shard"
	start "shard-$shard" "$bin/driftd" run -c "$work/$shard.yaml" -o journal --web.listen-address "127.0.0.1:${ports[shard]}" \
		--shard $shard --total-shards $total
done
for port in "${ports[@]}"; do wait_until 60 "a shard to be ready" curl -sf "http://127.0.0.1:$port/-/ready"; done
write 0 9 drifted
wait_until 30 "what is told before" eval '[ "$(told | wc -l)" -ge 10 ]'

stop_journald KILL
write 0 9 again
wait_until 30 "changes to wait" waiting 10
write 10 29 drifted
wait_until 30 "begins to wait" waiting 30
write 5 19 1
wait_until 30 "ends to wait" waiting 45
write 15 24 other # new ones, and changes
wait_until 30 "what came behind" waiting 55
sleep 1 # all is committed
for ((shard = 0; shard < total; shard++)); do
	stop "shard-$shard" KILL || true
	"$bin/driftd" state export --state-dir "$work/shard-$shard" -o "$work/$shard.state" 2>>"$work/state.err.log" || fail "export"
done
"$bin/driftd" state import --state-dir "$work/state" "$work"/?.state 2>>"$work/state.err.log" || fail "import"
start_journald
start_driftd_ready journal
wait_until 60 "what waited" eval '[ "$(told | wc -l)" -ge 65 ]'
write 0 29 1
wait_until 60 "all ends" eval '[ "$(told | grep -c " end")" -ge 35 ]'
sleep 1
stop driftd || fail "driftd did not end cleanly"

told >"$work/told.txt"
check "each record once" test -z "$(journal DRIFTD_KIND=ConfigMap | jq -r .DRIFTD_RECORD_ID | sort | uniq -d)"
awk '{ all[$1] = all[$1] " " $2 } END { for (id in all) print all[id] }' "$work/told.txt" | sort | uniq -c >"$work/lives.txt"
check "all lives in their order" diff "$work/lives.txt" - <<'T'
     15  begin change end
     20  begin end
T

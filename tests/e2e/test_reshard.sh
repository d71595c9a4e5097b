#!/usr/bin/env bash
# One process, then two shards, then three, then one again, with changes before, between and meanwhile: what is told is what one process
# would have told, each transition once, and every id that began ends. A rule that costs too much is each shard's own, and so told on by it.
. "$(dirname "$0")/lib.sh"
command -v jq >/dev/null || skip "no jq"
grep -q -e --total-shards < <("$bin/driftd" run --help) || skip "driftd run has no --total-shards"
maps=/api/v1/namespaces/many/configmaps
n=90

reference "$work/ref" anyOf map.yaml+
template "$work/ref/map.yaml" v1 ConfigMap "$any_name" many <<<'data: {v: "1"}'
start_apisim
api POST /api/v1/namespaces "$(object v1 Namespace many '')" setup
for ((i = 0; i < n; i++)); do api POST $maps "$(configmap "m-$i" many '{"v":"1"}')" setup; done
cat >"$work/rules.yaml" <<'Y'
apiVersion: v1
kind: ConfigMap
namespace: costly
rules:
  - rule: "!self.data.big.contains(self.data.big + 'x')"
Y
api POST /api/v1/namespaces "$(object v1 Namespace costly '')" setup
big=$(printf '%020000d' 0)
for ((i = 0; i < 30; i++)); do api POST /api/v1/namespaces/costly/configmaps "$(configmap "c-$i" costly "{\"big\":\"$big\"}")" setup; done
configure "$work/ref" "validation_rules: [rules.yaml]"

write() { # write FIRST LAST VALUE: of the objects with these numbers
	local i
	for ((i = $1; i <= $2; i++)); do api PATCH "$maps/m-$i" "{\"data\":{\"v\":\"$3\"}}" kubectl; done
}
are() { # are COUNT FILTER: records for which the jq expression holds
	[ "$(cat "$work"/records.* | jq -c "select($2)" | wc -l)" -eq "$1" ]
}
told() { are "$2" ".DRIFTD_EVENT == \"$1\" and .DRIFTD_KIND == \"ConfigMap\" and .DRIFTD_RULE == null"; } # told EVENT COUNT: of objects
costs() { are "$2" ".DRIFTD_EVENT == \"$1\" and .DRIFTD_RULE != null"; }                                   # costs EVENT COUNT: of the rule
start_shards() { # start_shards GENERATION TOTAL: its records in records.GENERATION.SHARD; a folder each
	local shard port
	for ((shard = 0; shard < $2; shard++)); do
		port=$(free_port)
		sed "s|^state_dir:.*|state_dir: $work/$1-$shard|" "$work/driftd.yaml" >"$work/$1-$shard.yaml"
		"$bin/driftd" run -c "$work/$1-$shard.yaml" -o json --web.listen-address "127.0.0.1:$port" --shard $shard --total-shards "$2" \
			>"$work/records.$1.$shard" 2>>"$work/driftd.err.log" &
		pid[shard-$shard]=$!
		wait_until 60 "shard $shard of $2" curl -sf "http://127.0.0.1:$port/-/ready"
	done
}
stop_shards() { # stop_shards GENERATION TOTAL: with an export of each, GENERATION-SHARD.state
	local shard
	for ((shard = 0; shard < $2; shard++)); do
		stop "shard-$shard" || fail "shard $shard of $2 did not end cleanly"
		"$bin/driftd" state export --state-dir "$work/$1-$shard" -o "$work/$1-$shard.state" 2>>"$work/state.err.log" ||
			fail "export of $1-$shard"
	done
}
move() { # move FROM TO TOTAL: the exports of one generation into the folders of the next
	local shard
	for ((shard = 0; shard < $3; shard++)); do
		mkdir -p "$work/$2-$shard"
		"$bin/driftd" state import --state-dir "$work/$2-$shard" --shard $shard --total-shards "$3" "$work/$1"-*.state \
			2>>"$work/state.err.log" || fail "import into $2-$shard"
	done
}

mkdir -p "$work/one-0"
start_shards one 1
write 0 29 drifted
wait_until 60 "the first begins" told begin 30
wait_until 60 "the rule that costs too much" costs begin 1
stop_shards one 1

write 0 4 1         # ends while nobody watches
write 30 34 drifted # begins
move one two 2
start_shards two 2
wait_until 60 "what ended meanwhile" told end 5
wait_until 60 "what began meanwhile" told begin 35
write 35 59 drifted
write 5 9 again
wait_until 60 "begins in two" told begin 60
wait_until 60 "changes in two" told change 5
wait_until 60 "the rule of another one's objects" costs begin 2
check "each shard has told some" test -n "$(grep -l '"begin"' "$work/records.two.0")" -a -n "$(grep -l '"begin"' "$work/records.two.1")"
stop_shards two 2

write 10 14 1
move two three 3
start_shards three 3
wait_until 60 "what ended before three" told end 10
write 60 89 drifted
wait_until 60 "begins in three" told begin 90
wait_until 60 "the rule of a third one's objects" costs begin 3
stop_shards three 3

move three last 1
start_shards last 1
write 0 89 1
wait_until 90 "all ends" told end 90
sleep 2
stop_shards last 1

# ---- what was told, by all of them ----

cat "$work"/records.* | jq -c 'select(.DRIFTD_DRIFT_ID != null and .DRIFTD_KIND == "ConfigMap" and .DRIFTD_RULE == null)' >"$work/all.jsonl"
repeated=$(jq -r '[.DRIFTD_DRIFT_ID, .DRIFTD_EVENT, .DRIFTD_ACTUAL] | map(. // "") | join(" ")' "$work/all.jsonl" | sort | uniq -d)
check "nothing is repeated: $repeated" test -z "$repeated"
check "each begin" told begin 90
check "each change, and no more" told change 5
check "each end" told end 90
check "the rule is not begun again" costs begin 3
check "it has no other change" costs change 0
check "two are continued as the third" costs end 2
check "and nothing else of it ended" \
	test "$(cat "$work"/records.last.* | jq -r 'select(.DRIFTD_RULE != null and .DRIFTD_EVENT == "end").MESSAGE' | grep -c 'continued as')" = 2
check "all that began ended, under its id" diff \
	<(jq -r 'select(.DRIFTD_EVENT == "begin") | .DRIFTD_DRIFT_ID' "$work/all.jsonl" | sort) \
	<(jq -r 'select(.DRIFTD_EVENT == "end") | .DRIFTD_DRIFT_ID' "$work/all.jsonl" | sort)

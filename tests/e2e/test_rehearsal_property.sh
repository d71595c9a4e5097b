#!/usr/bin/env bash
# What a dry run foretells, by id, is what the reload then tells: random edits of the configuration of a driftd that runs, with many
# findings open (rehearsal.py). test_rehearsal_property.sh [SHARDS]: of several that share the cluster. EDITS=1000 SEED=n by hand.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
number='{"type":"integer"}'
rules='[{"rule":"!has(self.size) || !has(self.max) || self.size <= self.max","message":"too large"}]'
grows='[{"rule":"self >= oldSelf","message":"it never shrinks"}]'
schema="{\"type\":\"object\",\"properties\":{\"spec\":{\"type\":\"object\",\"x-kubernetes-validations\":$rules,\"properties\":{
	\"max\":$number,\"color\":{\"type\":\"string\"},\"turn\":{\"type\":\"string\"},
	\"size\":{\"type\":\"integer\",\"x-kubernetes-validations\":$grows}}}}}"
start_apisim
api POST $crds "$(crd Namespaced Widget widgets e2e.example.com "$schema" v1)" setup
wait_until 10 "the kind" get /apis/e2e.example.com/v1/namespaces/shop/widgets
for namespace in shop lab sentinel; do api POST /api/v1/namespaces "$(object v1 Namespace $namespace "")"; done
shards=${1:-1}
names=(driftd)
mkdir "$work/state"
: >"$work/records"
if [ "$shards" -gt 1 ]; then
	names=()
	for ((n = 0; n < shards; n++)); do
		names+=("shard-$n")
		mkdir "$work/state-$n"
		: >"$work/records.$n"
	done
fi
start edits python3 "$here/rehearsal.py" "$server" "$ca" "$token" "$work" "$shards" "${EDITS:-60}" "${SEED:-1}"
wait_until 60 "a configuration" grep -q ready "$work/edits.log"
check "the configuration is in order" "$bin/driftd" check-config -c "$work/driftd.yaml"
if [ "$shards" = 1 ]; then
	start_driftd_ready
else
	for ((n = 0; n < shards; n++)); do
		STATE_DIRECTORY=$work/state-$n "$bin/driftd" run -c "$work/driftd.yaml" -o json --control-socket "$work/$n.sock" \
			--web.listen-address "127.0.0.1:$(free_port)" --shard "$n" --total-shards "$shards" >>"$work/records.$n" 2>>"$work/$n.err.log" &
		pid[shard-$n]=$!
	done
fi
status=0
wait "${pid[edits]}" || status=$?
unset "pid[edits]"
cat "$work/edits.log"
check "what was foretold was told" test $status -eq 0
check "edits were made" grep -q ' edits: ' "$work/edits.log"
for name in "${names[@]}"; do stop "$name" || fail "$name did not end cleanly"; done

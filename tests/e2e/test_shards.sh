#!/usr/bin/env bash
# Several processes that share a cluster tell what one tells, each transition once, and their metrics add up to its own: over many random
# changes, with look-ups, components, transition rules and objects made again under their names, the owner of which is another one then.
. "$(dirname "$0")/lib.sh"
command -v jq >/dev/null || skip "no jq"
total=${SHARDS:-2}

data=$source_dir/tests/data/watch/shards
start_apisim
configure "$data/reference" "validation_rules: [$data/rules.yaml]
watch: [{apiVersion: v1, kind: ConfigMap}]"

names=(one)
for ((n = 0; n < total; n++)); do names+=("shard$n"); done
declare -A port=()
for name in "${names[@]}"; do
	port[$name]=$(free_port)
	mkdir "$work/state-$name"
	sed "s|^state_dir: .*|state_dir: $work/state-$name|" "$work/driftd.yaml" >"$work/$name.yaml"
done

run() { # run NAME OPTIONS...
	"$bin/driftd" run -c "$work/$1.yaml" -o json --control-socket "" --web.listen-address "127.0.0.1:${port[$1]}" "${@:2}" \
		>>"$work/records.$1" 2>>"$work/$1.err.log" &
	pid[$1]=$!
}
run_all() {
	local name
	for name in "${names[@]}"; do
		[ "$name" = one ] && run one || run "$name" --shard "${name#shard}" --total-shards "$total"
	done
	for name in "${names[@]}"; do
		wait_until 60 "$name to be ready" curl -sf "http://127.0.0.1:${port[$name]}/-/ready"
	done
}
stop_all() {
	local name
	for name in "${names[@]}"; do stop "$name" || fail "$name did not end cleanly"; done
}

# said NAME...: what these told of findings but gaps, a line each, without what differs from process to process, sorted
said() {
	cat "${@/#/$work/records.}" | jq -r 'select(.DRIFTD_DRIFT_ID and (.MESSAGE | startswith("gap") | not)) |
		[.DRIFTD_EVENT, .DRIFTD_REFERENCE, .DRIFTD_PART, .DRIFTD_COMPONENT, .DRIFTD_TEMPLATE, .DRIFTD_KIND, .DRIFTD_NAMESPACE,
		.DRIFTD_NAME, .DRIFTD_UID, .DRIFTD_RULE, .DRIFTD_SEVERITY, (.DRIFTD_PATH | tostring), (.DRIFTD_EXPECTED | tostring),
		(.DRIFTD_ACTUAL | tostring), (.MESSAGE | gsub(" after [0-9.]+ (ms|s|min)( [0-9.]+ s)?"; ""))] | map(. // "-") | join(" ")' | sort
}
families='driftd_objects|driftd_objects_drifted|driftd_objects_unmatched|driftd_evaluation_errors_current|driftd_components_unsatisfied|driftd_accepted_deviations|driftd_inspection_failures_current|driftd_validation_failures_current|driftd_findings_flapping'
sum() { # sum NAME...: the families that add up, added up
	local name
	for name; do curl -sf "http://127.0.0.1:${port[$name]}/metrics"; done | grep -E "^($families)\{" |
		awk '{ v = $NF; $NF = ""; s[$0] += v } END { for (k in s) print k s[k] }' | sort
}
alike() {
	said one >"$work/said.one"
	said "${names[@]:1}" >"$work/said.all"
	cmp -s "$work/said.one" "$work/said.all" || return 1
	sum one >"$work/sum.one"
	sum "${names[@]:1}" >"$work/sum.all"
	cmp -s "$work/sum.one" "$work/sum.all"
}
agree() { # agree WHEN
	local end=$((SECONDS + 30))
	until alike; do
		if [ $SECONDS -ge $end ]; then
			diff "$work/said.one" "$work/said.all" | head -n 40 >&2 || true
			diff "$work/sum.one" "$work/sum.all" | head -n 40 >&2 || true
			fail "$total shards differ from one process $1"
		fi
		sleep 0.3
	done
	checks=$((checks + 1))
}

# ---- changes, from a seed ----

RANDOM=${SEED:-7}
pick() { local list=("$@"); picked=${list[RANDOM % ${#list[@]}]}; }
remove() { request -X DELETE "$server$1" -o /dev/null || true; }
marks=0
events() { curl -sf "http://127.0.0.1:${port[$1]}/metrics" | sed -n 's/^driftd_watch_events_total{.*resource="configmaps"} //p'; } # events NAME
# A change that follows too soon is told as one with it, by one process or the other: all are to have seen something that came behind it.
settle() {
	local name
	declare -A before=()
	for name in "${names[@]}"; do before[$name]=$(events "$name" || echo 0); done
	marks=$((marks + 1))
	control load "$(configmap mark d "{\"n\":\"$marks\"}")"
	for name in "${names[@]}"; do
		[ "${before[$name]}" = 0 ] || wait_until 20 "$name to see mark $marks" more_events "$name" "${before[$name]}"
	done
	sleep 0.2
}
more_events() { [ "$(events "$1")" -gt "$2" ]; }

# change WHAT: to be seen as one
change() {
	local n=$((RANDOM % 6))
	case $1 in
	0 | 1 | 2) control load "$(deployment "web$n" d "{\"replicas\":$((RANDOM % 6 + 1))}")" ;;
	3) remove "/apis/apps/v1/namespaces/d/deployments/web$n" ;;
	4) # made again at once
		remove "/apis/apps/v1/namespaces/d/deployments/web$n"
		control load "$(deployment "web$n" d "{\"replicas\":$((RANDOM % 6 + 1))}")"
		;;
	5) control load "$(configmap settings d "{\"replicas\":\"$((RANDOM % 3 + 1))\"}")" ;;
	6) remove /api/v1/namespaces/d/configmaps/settings ;;
	7 | 8)
		pick blue green red
		control load "{\"apiVersion\":\"v1\",\"kind\":\"Secret\",\"type\":\"Opaque\",\"metadata\":{\"name\":\"s$n\",\"namespace\":\"d\",\"labels\":{\"colour\":\"$picked\"}}}"
		;;
	9) remove "/api/v1/namespaces/d/secrets/s$n" ;;
	10)
		pick forbidden left right
		control load "$(configmap "$picked" d '{}')"
		;;
	11)
		pick forbidden left right
		remove "/api/v1/namespaces/d/configmaps/$picked"
		;;
	12) # one that stands for what it names
		control load "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"p$n\",\"namespace\":\"d\",\"ownerReferences\":[{\"apiVersion\":\"apps/v1\",\"kind\":\"StatefulSet\",\"name\":\"db\",\"uid\":\"x\"}]},\"spec\":{$([ $((RANDOM % 2)) = 0 ] || echo '"nodeName":"n"')}}"
		;;
	13) remove "/api/v1/namespaces/d/pods/p$n" ;;
	14)
		if [ $((RANDOM % 2)) = 0 ]; then
			control load "$(object rbac.authorization.k8s.io/v1 RoleBinding rb d '"subjects":[{"kind":"ServiceAccount","name":"robot","namespace":"d"}]')"
		else
			remove /apis/rbac.authorization.k8s.io/v1/namespaces/d/rolebindings/rb
		fi
		;;
	esac
}

changes() { # changes N
	local i
	for ((i = 0; i < $1; i++)); do
		change $((RANDOM % 15))
		settle
	done
}

for ((i = 0; i < 12; i++)); do change $((RANDOM % 15)); done
run_all
agree "after the first list"
for round in 1 2 3; do
	changes "${CHANGES:-40}"
	agree "after changes, round $round"
	case $round in
	1) control fault '{"action":"close-watches"}' ;;
	2) # all is listed again, and has changed meanwhile, but for what others depend on
		control fault '{"action":"stall","seconds":3}'
		for what in 7 8 9 12 13 12; do change $what; done
		control fault '{"action":"expire"}'
		control fault '{"action":"reset"}'
		sleep 4
		;;
	esac
done
agree "at the end"
check "something was told" [ "$(wc -l <"$work/said.one")" -ge 20 ]
for ((n = 0; n < total; n++)); do
	check "shard $n says which it is" grep -q "\"DRIFTD_SHARD\":\"$n/$total\"" "$work/records.shard$n"
	check "and in its metrics" curl -sf "http://127.0.0.1:${port[shard$n]}/metrics" -o "$work/metrics"
	check "its number" grep -qx "driftd_shard_ordinal $n" "$work/metrics"
	check "and how many there are" grep -qx "driftd_total_shards $total" "$work/metrics"
done
check "one process says nothing of shards" [ "$(grep -c DRIFTD_SHARD "$work/records.one")" = 0 ]
lines=$(said "${names[@]}" | wc -l)
stop_all
run_all # nothing is told again
agree "after a restart"
check "a restart tells nothing" [ "$(said "${names[@]}" | wc -l)" -eq "$lines" ]
stop_all

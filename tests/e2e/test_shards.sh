#!/usr/bin/env bash
# Several processes that share a cluster tell what one tells, each transition once, and their metrics add up to its own: over many random
# changes, with look-ups, components, transition rules and objects made again under their names, the owner of which is another one then.
# test_shards.sh [NUMBER]; SEED and CHANGES make other runs.
. "$(dirname "$0")/lib.sh"
command -v jq >/dev/null || skip "no jq"
total=${1:-2}

data=$source_dir/tests/data/watch/shards
start_apisim
cp -r "$data/reference" "$work/reference"
cat >>"$work/reference/metadata.yaml" <<'Y'
  - name: errors
    components:
      - {name: fails, anyOf: [{path: fails.yaml, config: {ignore-unspecified-fields: true}}]}
Y
template "$work/reference/fails.yaml" v1 ConfigMap settings d <<<'data: {replicas: "{{ index (list "0" "1") (int .data.replicas) }}"}'
configure "$work/reference" "validation_rules: [$data/rules.yaml]
watch: [{apiVersion: v1, kind: ConfigMap}, {apiVersion: e2e.example.com/v1, kind: Nothing}]"

names=(one)
for ((n = 0; n < total; n++)); do names+=("shard$n"); done
declare -A port=()
for name in "${names[@]}"; do
	port[$name]=$(free_port)
	mkdir "$work/state-$name"
	sed "s|^state_dir: .*|state_dir: $work/state-$name|" "$work/driftd.yaml" >"$work/$name.yaml"
done

run() { # run NAME OPTIONS...
	"$bin/driftd" run -c "$work/$1.yaml" -o json --control-socket "$work/$1.sock" --web.listen-address "127.0.0.1:${port[$1]}" "${@:2}" \
		>>"$work/records.$1" 2>>"$work/$1.err.log" &
	pid[$1]=$!
}
run_all() {
	local name
	for name in "${names[@]}"; do
		if [ "$name" = one ]; then
			run one
		elif [ ! "${pid[$name]:-}" ]; then
			run "$name" --shard "${name#shard}" --total-shards "$total"
		fi
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
		(.DRIFTD_ACTUAL | tostring), (.MESSAGE | gsub(" after [0-9.]+ (ms|s|min)( [0-9.]+ s)?|; between [^ ]+ and [^ ]+"; ""))] |
		map(. // "-") | join(" ")' | sort
}
families='objects|objects_drifted|objects_unmatched|evaluation_errors_current|components_unsatisfied|accepted_deviations'
families+='|inspection_failures_current|validation_failures_current|validation_failures_counted_only|findings_flapping'
families+='|drift_transitions_total'
# less_gaps NAME: a series for each record of a gap since it began, to take it off again: what one cannot see or store is its own, and on a
# machine that is busy one of them may have to wait for its disk for ten seconds
less_gaps() {
	awk '/"DRIFTD_EVENT":"started"/ { n = 0 } /"MESSAGE":"gap / { gap[n++] = $0 } END { for (i = 0; i < n; i++) print gap[i] }' \
		"$work/records.$1" | jq -r '"driftd_drift_transitions_total{kube_cluster=\"\(.DRIFTD_CLUSTER)\"," +
			"transition=\"\(.DRIFTD_EVENT)\",severity=\"\(.DRIFTD_SEVERITY)\"} -1"'
}
sum() { # sum NAME...: the families that add up, added up
	local name
	for name; do curl -sf "http://127.0.0.1:${port[$name]}/metrics" && less_gaps "$name"; done | grep -E "^driftd_($families)\{" |
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
	local end=$((SECONDS + 300)) # for what hangs
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
# What follows too soon on a change is told as one with it, by one process or the other. So the next one waits until all are through with
# it: they have read as many events as the server's version has moved on by, of whatever kind, and judged and told what came of them.
server_has() { get /_apisim/stats | sed -n "s/.*\"$1\": *\([0-9]*\).*/\1/p"; } # server_has MEMBER: of its statistics
through() { # through NAME: the number of events that it has read, when nothing is left to do with them; fails otherwise
	curl -sf "http://127.0.0.1:${port[$1]}/metrics" | awk '
		/^driftd_watch_events_total\{/ { read += $NF }
		/^driftd_cluster_synced\{/ { judged = $NF }
		/^driftd_records_waiting / { told = $NF == 0 }
		/^driftd_config_state\{state="settled"\}/ { settled = $NF }
		END { if (judged && told && settled) print read + 0; else exit 1 }'
}
lists() { # lists NAME: how many it has read
	curl -sf "http://127.0.0.1:${port[$1]}/metrics" | awk '/^driftd_relists_total\{/ { n += $NF } END { print n + 0 }'
}
declare -A counted=()
count_again() { # whenever lists were read, which may be counted as events: nothing changes meanwhile
	local name
	for name in "${names[@]}"; do
		wait_until 60 "$name to be through" through "$name"
		counted[$name]=$(through "$name") || fail "$name had more to do"
	done
	version=$(server_has resourceVersion)
}
has_read() { # has_read NAME NUMBER-OF-EVENTS: and is through with them
	local n
	n=$(through "$1") && [ "$n" -ge "$2" ]
}
settle() {
	local name moved
	moved=$(($(server_has resourceVersion) - version))
	for name in "${names[@]}"; do
		wait_until 20 "$name to be through with $moved changes" has_read "$name" $((counted[$name] + moved))
		# components are judged behind all objects
		wait_until 20 "$name to be through still" has_read "$name" $((counted[$name] + moved))
	done
}
has_listed() { [ "$(lists "$1")" -ge "$2" ]; } # has_listed NAME NUMBER-OF-LISTS
watched() { [ "$(server_has openWatches)" -ge $((kinds * ${#names[@]})) ]; } # every kind, by every process
# Each lists everything again, and what changes meanwhile is seen by nobody before.
list_again() { # list_again CHANGE...
	local name what
	declare -A before=()
	wait_until 60 "every kind to be watched" watched
	for name in "${names[@]}"; do before[$name]=$(lists "$name"); done
	control fault '{"action":"stall","seconds":3600}' # until the reset
	for what; do change "$what"; done
	control fault '{"action":"expire"}'
	control fault '{"action":"reset"}'
	for name in "${names[@]}"; do
		wait_until 60 "$name to list all again" has_listed "$name" $((before[$name] + kinds))
	done
	count_again
}

owned_by() { # owned_by API-VERSION KIND NAME UID: the object of standard input
	jq -c --arg v "$1" --arg k "$2" --arg n "$3" --arg u "$4" '.metadata.ownerReferences = [{apiVersion: $v, kind: $k, name: $n, uid: $u}]'
}

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
		control load "$(object v1 Secret "s$n" d '"type":"Opaque"' | jq -c ".metadata.labels = {colour: \"$picked\"}")"
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
		pick '"spec":{}' '"spec":{"nodeName":"n"}'
		control load "$(object v1 Pod "p$n" d "$picked" | owned_by apps/v1 StatefulSet db x)"
		;;
	13) remove "/api/v1/namespaces/d/pods/p$n" ;;
	14)
		if [ $((RANDOM % 2)) = 0 ]; then
			control load "$(object rbac.authorization.k8s.io/v1 RoleBinding rb d \
				'"subjects":[{"kind":"ServiceAccount","name":"robot","namespace":"d"}]')"
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

control load "$(object v1 Namespace d "")" # or it comes with the first object, as a change of its own
for ((i = 0; i < 12; i++)); do change $((RANDOM % 15)); done
run_all
same_keys() { cmp -s "$work/state-shard0/hash.key" "$work/state-$1/hash.key"; }
for name in "${names[@]:1}"; do wait_until 20 "$name to have the key of the first shard" same_keys "$name"; done
kinds=$(lists one) # all of them were listed once
count_again
agree "after the first list"
for round in 1 2 3; do
	changes "${CHANGES:-12}"
	agree "after changes, round $round"
	case $round in
	1) control fault '{"action":"close-watches"}' ;;
	2) list_again 7 8 9 12 13 12 ;; # but for what others depend on
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

# ---- a reload makes a kind looked up: its objects were not kept by those that did not tell of them ----

cat >>"$work/reference/account.yaml" <<'Y'
  {{- $pods := lookupCRs "v1" "Pod" "d" "*" }}
automountServiceAccountToken: {{ gt (len $pods) 2 }}
Y
"$bin/driftd" reload --dry-run --socket "$work/shard0.sock" >"$work/dry.txt" 2>&1 && fail "a dry run knows all: $(cat "$work/dry.txt")"
check "a dry run says that it does not know pods" grep -q "not known: .*: pods" "$work/dry.txt"
check "it knows what counts for components" eval '! grep -q components "$work/dry.txt"'
control load "$(object v1 ServiceAccount robot d '"automountServiceAccountToken":true')"
settle
for name in "${names[@]}"; do kill -HUP "${pid[$name]}"; done
for name in "${names[@]}"; do
	wait_until 30 "$name to reload" grep -q '"MESSAGE":"configuration reloaded' "$work/records.$name"
	wait_until 60 "$name to know all again" curl -sf "http://127.0.0.1:${port[$name]}/-/ready"
done
judged_anew() { [ "$(said "$@" | grep -c 'account.yaml ServiceAccount')" -ge 2 ]; } # by the wish for its token, which is new
wait_until 60 "one process to judge by what it has read" judged_anew one
wait_until 60 "the shards to judge by it" judged_anew "${names[@]:1}"
agree "after a reload"
count_again
for ((i = 0; i < 5; i++)); do # more pods than two, and fewer
	control load "$(object v1 Pod "many$i" d '"spec":{"nodeName":"n"}')"
	settle
done
agree "when what is looked up comes"
for name in many0 many1 many2 many3 many4 p0 p1 p2 p3 p4 p5; do # one by one: what lasts a moment only need not be told
	remove "/api/v1/namespaces/d/pods/$name"
	settle
done
agree "when what is looked up goes"
check "a verdict follows it" grep -q "account.yaml ServiceAccount" "$work/said.one"

# ---- rules that read dependents come while it runs: those of others were not kept, and are listed before anything depends on them ----

load_owner() { # load_owner NAME: with a dependent
	control load "$(configmap "$1" d '{}')"
	uid=$(get "/api/v1/namespaces/d/configmaps/$1" | jq -r .metadata.uid)
	control load "$(object v1 Pod "of-$1" d '"spec":{"nodeName":"n"}' | owned_by v1 ConfigMap "$1" "$uid")"
}
for n in 1 2 3 4 5 6 7 8; do load_owner "owner$n"; done
settle
for name in "${names[@]}"; do
	DRIFTD_SOCKET=$work/$name.sock "$bin/driftd" inspection rule create --uuid 22222222-2222-2222-2222-222222222222 \
		--conditions '[{"op":"eq","args":["{node.kind}","ConfigMap"]},
			{"op":"eq","args":["{item.kind}","Pod"],"loop":"{ports}","multiple":"any"}]' \
		--actions '[{"op":"fail","args":{"msg":"{node.metadata.name} owns {port_groups.Pod[0].metadata.name}"}}]' >/dev/null ||
		fail "a rule for $name"
done
inspected() { [ "$(said "$@" | grep -c 'inspection failure begins')" = 8 ]; }
wait_until 60 "one process to see the dependents" inspected one
wait_until 60 "the shards to see them" inspected "${names[@]:1}"
agree "with a rule that reads dependents"
count_again
remove /api/v1/namespaces/d/pods/of-owner3
settle
remove /api/v1/namespaces/d/pods/of-owner5
agree "when dependents go"
check "both ends are told" [ "$(grep -c 'end.*inspection failure ends' "$work/said.one")" = 2 ]

# ---- what else is said, and can be asked ----

missing() { grep -l 'the server does not have .*Nothing' "${@/#/$work/records.}" | wc -l; } # missing NAME...: how many say it
check "one process says what is not there" [ "$(missing one)" = 1 ]
check "and of several one does" [ "$(missing "${names[@]:1}")" = 1 ]

"$bin/driftd" status --socket "$work/shard1.sock" >"$work/status.txt" || fail "driftd status"
check "the status says which shard it is" grep -q "shard 1 of $total" "$work/status.txt"
answers=0
for name in "${names[@]:1}"; do
	"$bin/driftd" explain --socket "$work/$name.sock" ConfigMap d/owner1 >"$work/explain.$name.txt" 2>&1 && answers=$((answers + 1))
done
check "one of them explains an object" [ "$answers" = 1 ]
for options in "--shard 2 --total-shards 2" "--shard x --total-shards 2" "--shard 0 --total-shards 0" "--shard 0 --total-shards 1025" \
	"--shard 1" "--total-shards 2" "--shard -1 --total-shards 2" "--shard= --total-shards=2"; do
	status=0
	# shellcheck disable=SC2086
	"$bin/driftd" run -c "$work/one.yaml" $options >"$work/usage.txt" 2>&1 || status=$?
	check "'$options' is wrong usage" [ $status = 2 ]
	check "and is said to be" grep -q '^driftd run: ' "$work/usage.txt"
done

# ---- a restart, and a number of shards that another life did not have ----

lines=$(said "${names[@]}" | wc -l)
stop_all
# The first shard comes later, and with another key, which the others take over while they run.
cat "$work/state-shard0/hash.key" >>"$work/state-shard0/hash.old"
head -c 32 /dev/urandom >"$work/state-shard0/hash.key"
mv "$work/state-shard0" "$work/later"
run shard1 --shard 1 --total-shards "$total"
wait_until 60 "shard1 to be ready" curl -sf "http://127.0.0.1:${port[shard1]}/-/ready"
mv "$work/later" "$work/state-shard0"
wait_until 20 "it to have the other key" same_keys shard1
run_all # nothing is told again
agree "after a restart"
check "a restart tells nothing" [ "$(said "${names[@]}" | wc -l)" -eq "$lines" ]
stop_all
last=shard$((total - 1)) before=$(said "$last" | wc -l)
run "$last" --shard "host-$((total - 1))" --total-shards $((total * 2))
wait_until 60 "$last to be ready" curl -sf "http://127.0.0.1:${port[$last]}/-/ready"
check "it goes by the number at the end of a name" grep -q "\"DRIFTD_SHARD\":\"$((total - 1))/$((total * 2))\"" "$work/records.$last"
wait_until 60 "$last to be through" through "$last"
check "what belongs to others by now ends without a record" [ "$(said "$last" | wc -l)" -eq "$before" ]
stop "$last" || fail "$last did not end cleanly"

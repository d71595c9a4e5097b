#!/usr/bin/env bash
# What driftd replay says of a recording is what the daemon said of the same stream, and what a daemon with other references would have; the
# recording holds no secret. test_replay.sh [SEED...]
. "$(dirname "$0")/lib.sh"
command -v jq >/dev/null || skip "no jq"
mark=QzReplayMarker

# What each finding went through, a line each, in order of the findings.
story() { # story FILE
	jq -rs '[.[] | select(.DRIFTD_DRIFT_ID)] | group_by([.DRIFTD_REFERENCE, .DRIFTD_RULE, .DRIFTD_COMPONENT,
		(select(.DRIFTD_NAME) | .DRIFTD_KIND, .DRIFTD_NAMESPACE, .DRIFTD_NAME)]) |
		.[][] | [.DRIFTD_REFERENCE, .DRIFTD_RULE, .DRIFTD_COMPONENT, .DRIFTD_KIND, .DRIFTD_NAMESPACE,
		.DRIFTD_NAME, .DRIFTD_EVENT, .DRIFTD_SEVERITY, .DRIFTD_PATH, .DRIFTD_EXPECTED, .DRIFTD_ACTUAL, .DRIFTD_MESSAGE_TEXT] | tojson' "$1"
}
same_story() { # same_story WHAT FILE FILE
	story "$2" >"$work/story.a"
	story "$3" >"$work/story.b"
	[ -s "$work/story.a" ] || fail "$1: nothing was told"
	diff "$work/story.a" "$work/story.b" >"$work/story.log" || fail "$1"
	checks=$((checks + 1))
}

# ---- two references and rules ----

make_reference() { # make_reference NAME MODE
	reference "$work/$1" allOf map.yaml secret.yaml widget.yaml
	template "$work/$1/map.yaml" v1 ConfigMap "$any_name" d <<<"data: {mode: $2}"
	template "$work/$1/secret.yaml" v1 Secret "$any_name" d <<<'data: {password: Z29vZA==}'
	template "$work/$1/widget.yaml" e2e.example.com/v1 Widget "$any_name" "" <<<'spec: {size: 3}'
}
make_reference first good
make_reference second fair
rules="validation_rules: [$work/rules.yaml]"
cat >"$work/rules.yaml" <<'Y'
apiVersion: v1
kind: ConfigMap
namespace: d
rules:
  - rule: "!('bad' in self.data)"
    message: no bad
---
apiVersion: e2e.example.com/v1
kind: "*"
rules:
  - rule: self.spec.size < 6
    message: too large
Y

# Some of it is accepted, and inspected.
rules+="
accepted:
  - {kind: ConfigMap, name: m1, reason: drift}
  - {kind: Widget, name: w1, rule: '*', reason: a violation}
inspection_rules: {built_in: $work/inspection.yaml, allow_api_call: ['http://127.0.0.1:9/']}"
cat >"$work/inspection.yaml" <<'Y'
- description: nothing is fair
  conditions: [{op: eq, args: ["{node.data.mode}", fair]}]
  actions:
    - {op: log, args: {msg: "{node.metadata.name} is fair"}}
    - {op: api-call, args: {url: "http://127.0.0.1:9/{node.metadata.name}", retries: 0}}
    - {op: fail, args: ["{node.metadata.name} is not good"]}
Y

maps=/api/v1/namespaces/d/configmaps secrets=/api/v1/namespaces/d/secrets
spec='{"type":"object","properties":{"size":{"type":"integer"}}'
spec+=',"x-kubernetes-validations":[{"rule":"self.size >= oldSelf.size - 2","message":"shrinks"}]}'
exists() { [ "${is_there[$1]:-}" ]; }
put() { # put COLLECTION NAME OBJECT
	local how=PUT
	[ "$1" != $widgets ] || how=PATCH # a custom resource is not replaced without its version
	if exists "$1/$2"; then api $how "$1/$2" "$3" random; else api POST "$1" "$3" random; fi
	is_there[$1/$2]=1
}
remove() {
	! exists "$1/$2" || api DELETE "$1/$2"
	unset "is_there[$1/$2]"
}
change_one() {
	local n=$((RANDOM % 4))
	case $((RANDOM % 10)) in
	0 | 1 | 2) put $maps "m$n" "$(configmap "m$n" d "{\"mode\":\"$([ $((RANDOM % 2)) = 0 ] && echo good || echo fair)\"}")" ;;
	3) put $maps "m$n" "$(configmap "m$n" d '{"mode":"good","bad":"1"}')" ;;
	4) remove $maps "m$n" ;;
	5) put $secrets "s$n" "$(secret "s$n" d "{\"password\":\"$(echo -n "$mark$((RANDOM % 2))" | base64)\"}")" ;;
	6) remove $secrets "s$n" ;;
	7 | 8) put $widgets "w$n" "$(widget "w$n" "{\"size\":$((RANDOM % 8))}")" ;;
	9) remove $widgets "w$n" ;;
	esac
}
faults=('{"action":"close-watches"}' '{"action":"truncate"}' '{"action":"garbage"}' '{"action":"error"}' '{"action":"expire"}')
in_recording() { grep -qaF "$1" "$work/stream"; }
both_caught_up() { # both watchers have seen all that was done
	markers=$((markers + 1))
	put $maps marker "$(configmap marker d "{\"mode\":\"marker-$markers-\"}")"
	wait_until 60 "the daemon" has_record "(.DRIFTD_ACTUAL | tostring | contains(\"marker-$markers-\"))"
	wait_until 60 "the second daemon" grep -qaF "marker-$markers-" "$work/records.second"
	wait_until 60 "the recorder" in_recording "marker-$markers-"
	wait_until 60 "all kinds" watched_widgets
}
watched_widgets() { # a custom resource is seen by everybody: all watches go on
	put $widgets marker "$(widget marker "{\"size\":4,\"n\":\"wide-$markers-\"}")"
	sleep 0.2
	in_recording "wide-$markers-" && grep -qaF "wide-$markers-" "$work/records" && grep -qaF "wide-$markers-" "$work/records.second"
}

run_seed() { # run_seed SEED
	local i fault second_port
	declare -gA is_there=()
	markers=0
	RANDOM=$1
	cluster=prod
	start_apisim
	api POST /api/v1/namespaces "$(object v1 Namespace d "")"
	configure "$work/second" "$rules"
	sed "s|state_dir: .*|state_dir: $work/state2|" "$work/driftd.yaml" >"$work/second.yaml"
	mkdir -p "$work/state2"
	configure "$work/first" "$rules"
	start recorder "$bin/driftd" record -c "$work/driftd.yaml" -o "$work/stream" --force
	wait_until 30 "a recording" test -s "$work/stream"
	second_port=$(free_port)
	"$bin/driftd" run -c "$work/second.yaml" -o json --web.listen-address "127.0.0.1:$second_port" \
		>"$work/records.second" 2>>"$work/second.log" &
	pid[second]=$!
	: >"$work/records"
	start_driftd_ready
	wait_until 60 "the second daemon" curl -sf "http://127.0.0.1:$second_port/-/ready"
	wait_until 30 "the recorder to know that a kind is absent" in_recording '"state":"absent"'
	sleep 1
	api POST $crds "$(widget_crd "$spec")" setup
	is_there=()
	put $maps marker "$(configmap marker d '{"mode":"good"}')"
	put $widgets marker "$(widget marker '{"size":3}')"
	markers=1
	both_caught_up
	for i in $(seq "${CHANGES:-40}"); do
		change_one
		sleep 0.1
		if [ $((i % 10)) = 0 ]; then
			fault=${faults[$((RANDOM % ${#faults[@]}))]}
			control fault "$fault"
			[[ $fault != *expire* ]] || control fault '{"action":"close-watches"}'
			change_one
			both_caught_up
		fi
	done
	both_caught_up
	sleep 1
	stop recorder INT || fail "the recorder did not end cleanly"
	stop driftd || fail "driftd did not end cleanly"
	stop second || fail "the second driftd did not end cleanly"
	check "the recording is for its owner" test "$(stat -c %a "$work/stream")" = 600
	no_secret "$mark" "$(echo -n "${mark}0" | base64)" "$(echo -n "${mark}1" | base64)" "$(echo -n "$mark" | base64 | cut -c1-16)" \
		"$(echo -n "$mark" | od -An -tx1 | tr -d ' \n')" -- "$work/stream"
	"$bin/driftd" replay -c "$work/driftd.yaml" -o json "$work/stream" >"$work/records.replayed" 2>"$work/replay.log" ||
		fail "the replay ended with $?"
	same_story "seed $1: what the replay says is not what the daemon said" "$work/records" "$work/records.replayed"
	check "rules are inspected" grep -q '"DRIFTD_EVENT":"inspection-log"' "$work/records.replayed"
	check "the daemon calls" grep -q '127.0.0.1:9/' "$work/records"
	check "a replay does not" test "$(grep -c '127.0.0.1:9/' "$work/records.replayed")" = 0
	check "what is accepted is told" grep -q '"DRIFTD_EVENT":"accepted"' "$work/records.replayed"
	"$bin/driftd" replay -c "$work/second.yaml" -o json "$work/stream" >"$work/records.other" 2>>"$work/replay.log" ||
		fail "the replay ended with $?"
	same_story "seed $1: with other references" "$work/records.second" "$work/records.other"
	"$bin/driftd" replay -c "$work/driftd.yaml" -o json "$work/stream" 2>/dev/null |
		jq -c 'del(.DRIFTD_RECORD_ID, .DRIFTD_DRIFT_ID)' >"$work/once"
	jq -c 'del(.DRIFTD_RECORD_ID, .DRIFTD_DRIFT_ID)' "$work/records.replayed" >"$work/twice"
	check "two replays print the same" cmp "$work/once" "$work/twice"
	stop apisim || true
	rm -rf "$work/state" "$work/state2"
	mkdir -p "$work/state"
	unset apisim_port
}

for seed in "${@:-1}"; do run_seed "$seed"; done

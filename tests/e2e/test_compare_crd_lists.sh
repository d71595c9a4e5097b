#!/usr/bin/env bash
# driftd compare knows what the lists of custom resources go by as the daemon does: of the same server both tell the same differences.
# From files, definitions among them count. Who may not read them is told what was told without.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/compare.sh"
command -v jq >/dev/null || skip "no jq"
unset KUBECONFIG KUBECTL_EXTERNAL_DIFF KUBERNETES_SERVICE_HOST
export HOME=$work

spec='{"type":"object","properties":{
	"parts":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["id","side"],
		"items":{"type":"object","required":["id"],"properties":{"id":{"type":"string"},"size":{"type":"integer"},
			"side":{"type":"string","default":"left"}}}},
	"whole":{"type":"array","x-kubernetes-list-type":"atomic",
		"items":{"type":"object","properties":{"name":{"type":"string"},"size":{"type":"integer"}}}}}}'
# What stands in the parts and in the whole list: a1 is the part "a" on the left of size 1, A1 the one on the right.
table() {
	cat <<-'T'
		as-wanted|a1 b2 c3 A4|x1 y2
		reordered|A4 c3 b2 a1|x1 y2
		changed|a1 b9 c3 A4|x1 y2
		reordered-and-changed|c3 b9 A4 a1|x1 y2
		one-more|a1 b2 c3 A4 B5|x1 y2
		one-more-in-front|B5 a1 b2 c3 A4|x1 y2
		one-less|b2 c3 A4|x1 y2
		what-is-ignored|a1 b2 c7 A4|x1 y2
		what-is-ignored-elsewhere|c7 a1 b2 A4|x1 y2
		whole-reordered|a1 b2 c3 A4|y2 x1
		whole-changed|a1 b2 c3 A4|x1 y3
		all|A4 B5 c7 b9|y2 x1
	T
}
lists() { # lists PARTS WHOLE: a spec
	jq -cn --arg parts "$1" --arg whole "$2" '{parts: [$parts | scan("(\\w)(\\d)") |
		{id: .[0] | ascii_downcase, size: .[1] | tonumber} + if .[0] < "a" then {side: "right"} else {} end],
		whole: [$whole | scan("(\\w)(\\d)") | {name: .[0], size: .[1] | tonumber}]}'
}
cat >"$work/rules.yaml" <<'Y'
rules:
- {type: warn, path: '*'}
- {type: error, path: spec.parts.b/left.size}
- {type: error, path: spec.whole.y.size}
- {type: ignore, path: spec.parts.c/left.size}
Y
reference "$work/reference" anyOf t.yaml+
template "$work/reference/t.yaml" e2e.example.com/v1 Widget "$any_name" "" <<<"spec: $(lists "a1 b2 c3 A4" "x1 y2")"

# ---- the daemon ----

start_apisim
widget_crd "$spec" >"$work/crd.json"
api POST $crds "$(cat "$work/crd.json")" setup
wait_until 10 "the kind" get $widgets
mkdir "$work/files"
while IFS='|' read -r name parts whole; do
	api POST $widgets "$(widget "$name" "$(lists "$parts" "$whole")")" setup
	cp "$work/answer.json" "$work/files/$name.json"
done < <(table)
configure "$work/reference" "event_rules: [{name: rules, path: $work/rules.yaml}]"
sed -i 's/^    path: .*metadata.yaml/&\n    event_rules: rules/' "$work/driftd.yaml"
start_driftd_ready
wait_until 20 "all to be judged" metric_is "$(of_cluster driftd_cluster_synced)" 1
stop driftd || fail "driftd did not end cleanly"

# Of each object: how bad, by which rules, where, and what differs behind the names of both sides.
told='{severity, rules: (.rules | unique), diff: (.diff | sub("^(diff .*\n)?---.*\n[+]{3}.*\n"; ""))}'
many='(if type == "array" then . else [.] end)'
records '.DRIFTD_EVENT == "begin" and .DRIFTD_KIND == "Widget"' | jq -s "[.[] | {key: .DRIFTD_NAME, value:
	({severity: .DRIFTD_SEVERITY, rules: (.DRIFTD_RULE_PATH | $many), diff: .DRIFTD_DIFF} | $told)}] | sort_by(.key)" >"$work/daemon.json"
records '.DRIFTD_EVENT == "begin" and .DRIFTD_KIND == "Widget"' | jq -s "[.[] | {key: .DRIFTD_NAME, value: (.DRIFTD_PATH | $many)}] |
	from_entries" >"$work/places.json"
check "it told of all that differ" test "$(jq length "$work/daemon.json")" = 10

# ---- the command ----

both_tell_the_same() { # both_tell_the_same WHAT: the last compare, and the daemon
	local row
	jq "[.Diffs[] | select(.Events) | {key: (.CRName | sub(\".*_\"; \"\")), value:
		({severity: .Severity, rules: [.Events[].RulePath], diff: .DiffOutput} | $told)}] | sort_by(.key)" "$work/out" >"$work/command.json"
	check "$1: $(diff "$work/daemon.json" "$work/command.json")" cmp "$work/daemon.json" "$work/command.json"
	# An element that is new or gone is one place of the daemon's, and several of the command's.
	row=$(jq -r --slurpfile places "$work/places.json" '.Diffs[] | select(.Events) | (.CRName | sub(".*_"; "")) as $name |
		[.Events[].MatchedPaths[]] as $here | $places[0][$name] as $there |
		select(($here | all(. as $x | $there | any(. as $y | $x | startswith($y)))) and
			($there | all(. as $y | $here | any(. as $x | $x | startswith($y)))) | not) | "\($name): \($here), \($there)"' "$work/out")
	check "$1, at the same places: $row" test -z "$row"
}
live() { compare --kubeconfig "$work/kubeconfig" -r "$work/reference/metadata.yaml" --rules rules.yaml -o json "$@"; }
files() { compare -r "$work/reference/metadata.yaml" -f files -R --rules rules.yaml -o json "$@"; }
definitions_asked() {
	curl -sf --cacert "$ca" "$server/_apisim/stats" |
		jq '[.requests[] | select(.resource | startswith("customresourcedef")) | .count] | add'
}

live
ends_with 1 "of a live cluster"
check "nothing is said beside the report: $(cat "$work/err")" test ! -s "$work/err"
both_tell_the_same "of a live cluster"
cp "$work/out" "$work/live.json"
asked=$(definitions_asked)
compare --kubeconfig "$work/kubeconfig" -r "$work/reference/metadata.yaml" -o json
check "without rules nobody needs them" test "$(definitions_asked)" = "$asked"

cp "$work/crd.json" "$work/files/zz-last.json"
for threads in 1 4; do
	files --concurrency $threads
	ends_with 1 "from files, $threads threads"
	both_tell_the_same "from files, $threads threads"
done
jq -c -n '{apiVersion: "v1", kind: "List", items: [inputs]}' "$work"/files/*.json >"$work/list.json"
compare -r "$work/reference/metadata.yaml" -f list.json --rules rules.yaml -o json
both_tell_the_same "from a list"

# ---- without ----

rm "$work/files/zz-last.json"
files
ends_with 1 "files without the definition"
check "lists without keys go by their places" grep -qF 'spec.parts[0]' "$work/out"
diffs() { jq '.Diffs | sort_by(.CRName)' "$work/out"; } # files come in another order
diffs >"$work/without.json"
refused() { # refused FAULT: of every request for definitions
	control fault "{\"resource\":\"customresourcedefinitions.apiextensions.k8s.io\",\"verb\":\"list\",\"count\":-1,$1}"
	live
	control fault '{"action":"recover"}'
	ends_with 1 "$1"
	check "the rest is as without: $(diff "$work/without.json" <(diffs))" cmp "$work/without.json" <(diffs)
}
refused '"status":403,"reason":"Forbidden"'
check "who may not read them is told nothing: $(cat "$work/err")" test ! -s "$work/err"
refused '"status":500'
says err "Lists may be compared without their keys, since the definition widgets.e2e.example.com cannot be read: "
live
check "and with them as before" cmp "$work/out" "$work/live.json"

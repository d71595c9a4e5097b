#!/usr/bin/env bash
# driftd compare --inspection-rules: what the rules find is said behind the comparison in each format and counts, edits change what is
# compared, calls are left out, and a daemon with the same rules and objects finds the same.
. "$(dirname "$0")/lib.sh"
command -v jq >/dev/null || skip "no jq"

mkdir -p "$work/reference" "$work/objects"
cat >"$work/reference/metadata.yaml" <<'Y'
apiVersion: v2
parts:
  - name: shop
    components:
      - {name: maps, allOf: [{path: map.yaml}]}
Y
template "$work/reference/map.yaml" v1 ConfigMap "$any_name" shop <<'Y'
  {{ if .metadata.labels }}labels: {{ toJson .metadata.labels }}{{ end }}
data: {mode: good}
Y
cat >"$work/rules.yaml" <<'Y'
- description: a team
  conditions:
    - {op: eq, args: ["{node.kind}", ConfigMap]}
    - {op: is-empty, args: ["{node.metadata.labels.team}"]}
  actions:
    - {op: fail, args: ["{node.metadata.name} has no team, {inventory[event]}, {inventory[template]}, {inventory[drifted]}"]}
- description: a sale
  phase: preprocess
  conditions: [{op: eq, args: ["{node.metadata.labels.sale}", "yes"]}]
  actions:
    - {op: set-attribute, args: {path: data.mode, value: good}}
    - {op: log, args: {msg: "a sale", level: warning}}
- description: a call
  actions: [{op: api-call, args: {url: "http://127.0.0.1:1/{node.metadata.name}"}}]
- description: a Secret
  conditions: [{op: eq, args: ["{node.kind}", Secret]}]
  actions: [{op: fail, args: ["it holds {node.data.password}"]}]
- description: dependents
  conditions:
    - {op: eq, args: ["{node.kind}", Job]}
    - {op: eq, args: ["{item.status.phase}", Failed], loop: "{ports}", multiple: any}
  actions: [{op: fail, args: ["a Pod of {node.metadata.name} has failed"]}]
- description: early
  phase: early
  conditions: [{op: eq, args: ["{inventory[raw][metadata][name]}", odd]}]
  actions: [{op: fail, args: ["odd:\n\e[31m{inventory[raw][data][mode]}"]}]
- description: of another scope
  scope: workloads
  conditions: [{op: eq, args: ["{node.kind}", ConfigMap]}]
  actions: [{op: fail, args: ["workloads"]}]
Y
object v1 ConfigMap one shop '"data":{"mode":"bad"}' >"$work/objects/one.json"
jq -c '.metadata.labels = {team: "a", sale: "yes"}' <<<"$(configmap two shop '{"mode":"bad"}')" >"$work/objects/two.json"
jq -c '.metadata.labels = {team: "a"}' <<<"$(configmap odd shop '{"mode":"good"}')" >"$work/objects/odd.json"
secret word shop '{"password":"aHVudGVyMg=="}' >"$work/objects/word.json"
jq -c '.metadata.uid = "u1"' <<<"$(object batch/v1 Job nightly shop)" >"$work/objects/job.json"
jq -c '.metadata.ownerReferences = [{apiVersion: "batch/v1", kind: "Job", name: "nightly", uid: "u1"}]' \
	<<<"$(object v1 Pod nightly-1 shop '"status":{"phase":"Failed"}')" >"$work/objects/pod.json"

compared() { # compared STATUS OPTIONS...: output in $work/out
	local wanted=$1 status=0
	shift
	"$bin/driftd" compare -r "$work/reference/metadata.yaml" "$@" >"$work/out" 2>"$work/err" || status=$?
	[ "$status" = "$wanted" ] || fail "compare ends with $status, not $wanted: $(tail -3 "$work/err")"
	checks=$((checks + 1))
}
inspected() { compared "$1" -f "$work/objects" --inspection-rules "$work/rules.yaml" "${@:2}"; }

# ---- each format ----

compared 1 -f "$work/objects" -o json
check "without the option" jq -e '.Summary.NumDiffCRs == 2 and (.Summary | has("NumFailedInspections") | not)' "$work/out"
inspected 1 -o json
cp "$work/out" "$work/json"
check "an edit changes what is compared" jq -e '.Summary.NumDiffCRs == 1 and .Summary.NumFailedInspections == 4' "$work/out"
jq -c '.Summary.FailedInspections[] | [.CRName, .Phase, .Severity, .Message]' "$work/out" | sort >"$work/found"
check "what the rules find" diff - "$work/found" <<'J'
["batch/v1_Job_shop_nightly","main","error","a Pod of nightly has failed"]
["v1_ConfigMap_shop_odd","early","error","odd:\n\u001b[31mgood"]
["v1_ConfigMap_shop_one","main","error","one has no team, synced, map.yaml, True"]
["v1_Secret_shop_word","main","error","it holds ***"]
J
check "which rule" jq -e '[.Summary.FailedInspections[].Rule] | all(startswith("00000000-0000-0000-0000-00000000000"))' "$work/out"
check "what is logged" grep -q 'v1_ConfigMap_shop_two: a sale' "$work/err"
check "a scope that nothing has" grep -q '1 inspection rule.* other scopes' "$work/err"
inspected 1
check "text" grep -qx -- '- v1_ConfigMap_shop_one: one has no team, synced, map.yaml, True' "$work/out"
check "counts it" grep -qx 'Failed inspections: 4' "$work/out"
check "moves no cursor" grep -qxF -- '- v1_ConfigMap_shop_odd: odd: \x1b[31mgood' "$work/out"
inspected 1 -o yaml
check "YAML" grep -q 'NumFailedInspections: 4' "$work/out"
inspected 1 -o junit
check "JUnit" grep -q '<failure message="a Pod of nightly has failed" type="Inspection failure">' "$work/out"
check "has a suite of its own" \
	grep -q '<testsuite tests="4" failures="4" skipped="0" time="0" name="Inspection of Cluster Resources"' "$work/out"

# ---- what it goes with ----

inspected 1 -o json --concurrency 1
check "any number of threads says the same" cmp "$work/out" "$work/json"
inspected 1 -o json --inspection-scope workloads
check "a scope" jq -e '[.Summary.FailedInspections[] | select(.Message == "workloads").CRName] == ["v1_ConfigMap_shop_two"]' "$work/out"
printf -- '- conditions: [{op: eq, args: ["{node.kind}", Pod]}]\n  actions: [{op: fail, args: [another file]}]\n' >"$work/more.yaml"
inspected 1 -o json --inspection-rules "$work/more.yaml"
check "of two files" jq -e '.Summary.NumFailedInspections == 5' "$work/out"
compared 1 -f "$work/objects/two.json" --inspection-rules "$work/more.yaml"
compared 0 -f "$work/objects/two.json" --inspection-rules "$work/rules.yaml" --inspection-scope none
check "nothing found" grep -qx 'Failed inspections: 0' "$work/out"
jq -c '.metadata.labels = {sale: "yes"}' "$work/objects/two.json" >"$work/three.json"
compared 1 -f "$work/three.json" --inspection-rules "$work/rules.yaml" -o json
check "a failure alone counts" jq -e '.Summary.NumDiffCRs == 0 and .Summary.NumFailedInspections == 1' "$work/out"
cat >"$work/accepted.yaml" <<'Y'
accepted:
  - {kind: ConfigMap, name: one, reason: known}
  - {kind: "*", name: "*", rule: "*", reason: rules}
Y
inspected 1 -o json --accepted "$work/accepted.yaml"
check "an acceptance is about the difference only, as in the daemon" \
	jq -e '.Summary.NumDiffCRs == 0 and .Summary.NumAccepted == 1 and .Summary.NumFailedInspections == 4' "$work/out"

# ---- manifests ----

cp -r "$work/objects" "$work/manifests"
rm "$work/manifests/pod.json"
status=0
"$bin/driftd" compare --manifests "$work/manifests" -f "$work/objects" --inspection-rules "$work/rules.yaml" -o json \
	>"$work/out" 2>"$work/err" || status=$?
check "manifests" test "$status" = 1
check "an edit differs from its manifest" \
	jq -e '[.Diffs[] | select(.DiffOutput != "").CRName] == ["v1_ConfigMap_shop_two"]' "$work/out"
check "each object is inspected" jq -e '.Summary.NumFailedInspections == 4' "$work/out"
status=0
"$bin/driftd" compare --manifests "$work/manifests" -f "$work/objects" --inspection-rules "$work/more.yaml" -o json \
	>"$work/out" 2>"$work/err" || status=$?
check "and one that no manifest is for" jq -e '.Summary.FailedInspections[0].CRName == "v1_Pod_shop_nightly-1"' "$work/out"

# ---- mistakes ----

compared 2 -f "$work/objects" --inspection-rules "$work/missing.yaml"
check "a missing file" grep -q "^error: --inspection-rules: open '.*missing.yaml': No such file" "$work/err"
echo '- {actions: [{op: fial, args: [x]}]}' >"$work/wrong.yaml"
compared 2 -f "$work/objects" --inspection-rules "$work/wrong.yaml"
check "a mistake has its place" grep -q "wrong.yaml:1:19: actions\[0\]: unsupported action 'fial'" "$work/err"
compared 2 -f "$work/objects" --inspection-scope x
check "a scope without rules" grep -q -- '--inspection-scope goes with --inspection-rules' "$work/err"
inspected 2 -o generate-patches --generate-override-for map.yaml --override-reason x
inspected 2 --show-managed-fields
check "what does not go together" grep -q 'cannot use --inspection-rules and --show-managed-fields together' "$work/err"

# ---- what a daemon finds ----

start_apisim
cluster=inspected
control load "$(object v1 Namespace shop "")"
cat >"$work/driftd.yaml" <<Y
clusters: [{name: $cluster, kubeconfig: kubeconfig}]
references: [{name: ref, path: reference/metadata.yaml}]
watch:
  - {apiVersion: v1, kind: ConfigMap, namespaces: [shop]}
  - {apiVersion: v1, kind: Secret, namespaces: [shop]}
  - {apiVersion: v1, kind: Pod, namespaces: [shop]}
  - {apiVersion: batch/v1, kind: Job, namespaces: [shop]}
inspection_rules: {built_in: rules.yaml, allow_api_call: ["http://127.0.0.1:1/"]}
Y
for object in "$work/objects/"*.json; do control load "$(cat "$object")"; done
start_driftd_ready
begun() {
	records '.DRIFTD_EVENT == "begin" and (.MESSAGE | startswith("inspection failure"))' |
		jq -c '[.DRIFTD_NAME, .DRIFTD_MESSAGE_TEXT]' | sort
}
jq -c '.Summary.FailedInspections[] | [.CRName, .Message]' "$work/json" | sed 's/^\["[^"]*_shop_/["/' | sort >"$work/found"
same() { [ "$(begun)" = "$(cat "$work/found")" ]; }
wait_until 20 "the daemon to find the same" same
compared 1 --kubeconfig "$work/kubeconfig" --inspection-rules "$work/rules.yaml" -o json
check "of a live cluster, what a template is for" jq -e '[.Summary.FailedInspections[].CRName] | sort ==
	["v1_ConfigMap_shop_odd", "v1_ConfigMap_shop_one"]' "$work/out"

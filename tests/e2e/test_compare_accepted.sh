#!/usr/bin/env bash
# driftd compare --accepted: accepted differences count no longer and are named apart, in each format; what is not accepted stays, and
# without the option no byte changes.
. "$(dirname "$0")/lib.sh"
command -v jq >/dev/null || skip "no jq"

mkdir -p "$work/reference" "$work/objects"
cat >"$work/reference/metadata.yaml" <<'Y'
apiVersion: v2
parts:
  - name: shop
    components:
      - {name: maps, allOf: [{path: map.yaml}]}
      - {name: network, allOf: [{path: policy.yaml}]}
      - {name: none, noneOf: [{path: pod.yaml}]}
Y
template "$work/reference/map.yaml" v1 ConfigMap "$any_name" shop <<<'data: {mode: good, size: "1"}'
template "$work/reference/policy.yaml" networking.k8s.io/v1 NetworkPolicy deny shop <<<'spec: {podSelector: {}}'
template "$work/reference/pod.yaml" v1 Pod "$any_name" shop </dev/null
configmap one shop '{"mode":"bad","size":"1"}' >"$work/objects/one.json"
configmap two shop '{"mode":"bad","size":"2"}' >"$work/objects/two.json"
object v1 Pod first shop >"$work/objects/first.json"
object v1 Pod second shop >"$work/objects/second.json"

compared() { # compared STATUS OPTIONS...: output in $work/out
	local wanted=$1 status=0
	shift
	"$bin/driftd" compare -r "$work/reference/metadata.yaml" -f "$work/objects" "$@" >"$work/out" 2>"$work/err" || status=$?
	[ "$status" = "$wanted" ] || fail "compare ends with $status, not $wanted: $(tail -3 "$work/err")"
	checks=$((checks + 1))
}
write_accepted() { printf 'clusters: [{name: x, kubeconfig: none}]\naccepted:\n%s\n' "$1" >"$work/accepted.yaml"; }

compared 1 -o json
cp "$work/out" "$work/before"
check "without the option" \
	jq -e '.Summary.NumDiffCRs == 2 and .Summary.NumMissing == 1 and (.Summary | has("NumAccepted") | not)' "$work/out"

# ---- a part of it ----

mode='  - {kind: ConfigMap, name: "*", path: data.mode, value: bad, reason: a sale, owner: kim}'
write_accepted "$mode
  - {component: shop/none, kind: pods, name: first, reason: known}"
compared 1 --accepted "$work/accepted.yaml" -o json
check "one is accepted, and one is not" jq -e '.Summary | .NumDiffCRs == 1 and .NumAccepted == 3 and .NumMissing == 1' "$work/out"
check "with who and why" jq -e '.Summary.Accepted[0] ==
	{CRName: "v1_ConfigMap_shop_one", Path: "data.mode", Reason: "a sale", Owner: "kim"}' "$work/out"
check "of the component, too" \
	jq -e '.Summary.Accepted[2] == {Part: "shop", Component: "none", CRs: "pod.yaml", Reason: "known"}' "$work/out"
check "which has another object still" jq -e '.Summary.ValidationIssuses.shop | has("none")' "$work/out"
check "the diff of one is gone" jq -e '[.Diffs[] | select(.CRName == "v1_ConfigMap_shop_one").DiffOutput] == [""]' "$work/out"
check "that of the other is whole" \
	jq -e '[.Diffs[] | select(.CRName == "v1_ConfigMap_shop_two").DiffOutput][0] | contains("mode")' "$work/out"
compared 1 --accepted "$work/accepted.yaml"
check "text" grep -qx -- '- v1_ConfigMap_shop_one: data.mode: a sale, by kim' "$work/out"
check "counts it" grep -qx 'Accepted differences: 3' "$work/out"
check "and the rest" grep -qx 'CRs with diffs: 1/4' "$work/out"

# ---- all of it ----

write_accepted "$mode
  - {kind: configmaps, namespace: shop, name: two, reason: all of it, until: '2099-01-31'}
  - {component: shop/none, kind: pods, name: first, reason: known}
  - {component: shop/none, kind: Pod, name: 's*', reason: known, owner: kim}
  - {component: 'shop/*', template: policy.yaml, reason: the mesh does it}"
compared 0 --accepted "$work/accepted.yaml" -o json
check "nothing is left" \
	jq -e '.Summary | .NumDiffCRs == 0 and .NumMissing == 0 and .ValidationIssuses == {} and .NumAccepted == 6' "$work/out"
compared 0 --accepted "$work/accepted.yaml" -o junit
check "JUnit skips it" grep -q '<skipped message="Accepted: data.mode: a sale, by kim"></skipped>' "$work/out"
check "and the component" grep -q '<skipped message="Accepted: the mesh does it"></skipped>' "$work/out"
check "and has no failure" test "$(grep -c '<failure' "$work/out")" = 0
compared 0 --accepted "$work/accepted.yaml" -o yaml
check "YAML" grep -q 'NumAccepted: 6' "$work/out"
for threads in 1 4; do
	compared 0 --accepted "$work/accepted.yaml" -o json --concurrency "$threads"
	cp "$work/out" "$work/out.$threads"
done
check "any number of threads says the same" cmp "$work/out.1" "$work/out.4"

# ---- what accepts nothing ----

write_accepted "  - {kind: ConfigMap, name: '*', reason: over, until: '2020-01-31'}
  - {kind: ConfigMap, name: '*', rule: '*', reason: a rule}
  - {kind: ConfigMap, name: '*', cluster: other, reason: elsewhere}
  - {kind: ConfigMap, name: '*', path: data.mode, value: worse, reason: another value}
  - {component: shop/none, reason: a template, template: other.yaml}"
compared 1 --accepted "$work/accepted.yaml" -o json
check "accepts nothing" jq -e '.Summary.NumAccepted == 0 and .Summary.NumDiffCRs == 2' "$work/out"
check "but for that it is as without" \
	test "$(jq -c 'del(.Summary.NumAccepted, .Summary.Accepted)' "$work/out")" = "$(jq -c . "$work/before")"

# ---- mistakes ----

write_accepted "  - {kind: ConfigMap, name: a}"
compared 2 --accepted "$work/accepted.yaml"
check "a mistake has its place" grep -q 'accepted.yaml:3:5: it gives no reason' "$work/err"
echo 'references: []' >"$work/accepted.yaml"
compared 2 --accepted "$work/accepted.yaml"
check "a file without any" grep -q "it has no 'accepted'" "$work/err"
compared 2 --accepted "$work/missing.yaml"
write_accepted "$mode"
status=0
"$bin/driftd" compare --manifests "$work/objects" -f "$work/objects" --accepted "$work/accepted.yaml" 2>"$work/err" || status=$?
check "not with manifests" test "$status" = 2
check "which is said" grep -q 'cannot use --accepted and --manifests together' "$work/err"

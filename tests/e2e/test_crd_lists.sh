#!/usr/bin/env bash
# Lists of custom resources go by the keys of their definition, also where no event rules are: the places of a drift and of an
# explanation, whatever was listed first, and through a restart. A definition that cannot be seen keeps nothing from being told.
. "$(dirname "$0")/lib.sh"
command -v jq >/dev/null || skip "no jq"

spec='{"type":"object","properties":{"parts":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["id"],
	"items":{"type":"object","required":["id"],"properties":{"id":{"type":"string"},"size":{"type":"integer"}}}}}}'
part() { echo "{\"id\":\"$1\",\"size\":$2}"; }
reference "$work/reference" anyOf t.yaml
template "$work/reference/t.yaml" e2e.example.com/v1 Widget w "" <<<"spec: {parts: [$(part a 1), $(part b 2), $(part c 3)]}"
export DRIFTD_SOCKET=$work/driftd.sock
start_apisim
api POST $crds "$(widget_crd "$spec")" setup
wait_until 10 "the kind" get $widgets
api POST $widgets "$(widget w "{\"parts\":[$(part c 3),$(part b 9),$(part a 1)]}")" someone
configure "$work/reference" "control_socket: $DRIFTD_SOCKET"
start_driftd_ready

drift='(.MESSAGE | startswith("drift "))'
place='spec.parts[id=\"b\"].size 2 -> 9'
wait_until 10 "the drift, at the key" has_record "$drift and .DRIFTD_EVENT == \"begin\" and (.MESSAGE | contains(\"$place\"))"
"$bin/driftd" explain widgets w >"$work/out" 2>"$work/err" || fail "driftd explain: $(cat "$work/err")"
check "it is explained at no number" test "$(grep -c 'parts\[[0-9]' "$work/out")" = 0

# ---- the same places in a file ----

rule=',"x-kubernetes-validations":[{"rule":"self.size < 5","message":"too large"}]'
widget_crd "${spec/\"items\":\{\"type\":\"object\"/\"items\":\{\"type\":\"object\"$rule}" >"$work/crd.yaml"
widget w "{\"parts\":[$(part c 3),$(part b 9)]}" >"$work/w.yaml"
validate() { "$bin/driftd" validate -f "$work/crd.yaml" -f "$work/w.yaml" "$@" >"$work/out" 2>"$work/err" || true; }
validate
check "the key: $(cat "$work/out" "$work/err")" grep -q '^Widget w: spec.parts\[id="b"\]: too large' "$work/out"
validate -o json
check "and what a server calls it" jq -e '.failures[0] | .path == "spec.parts[id=\"b\"]" and .field == "spec.parts[1]"' "$work/out"
validate -o json --no-mask
check "unmasked, too" jq -e '.failures[0] | .path == "spec.parts[id=\"b\"]" and .field == "spec.parts[1]"' "$work/out"

# ---- what is listed before its definition is judged after it ----

for _ in 1 2; do
	stop driftd || fail "driftd did not end cleanly"
	control fault '{"action":"stall","seconds":2,"resource":"customresourcedefinitions.apiextensions.k8s.io","count":1}'
	start_driftd_ready
done
stop driftd || fail "driftd did not end cleanly"
check "a restart tells nothing" record_count "$drift" 1

# ---- a definition that cannot be seen ----

control fault '{"status":403,"resource":"customresourcedefinitions.apiextensions.k8s.io","count":-1,"reason":"Forbidden"}'
api PATCH $widgets/w "{\"spec\":{\"parts\":[$(part c 3),$(part b 2),$(part a 7)]}}" someone
start_driftd
wait_until 30 "the drift goes on without it" has_record "$drift and .DRIFTD_EVENT == \"change\""
stop driftd || fail "driftd did not end cleanly"

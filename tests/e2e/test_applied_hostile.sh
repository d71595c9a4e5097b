#!/usr/bin/env bash
# What was applied last, as a tenant may write it: values that must not be shown, in what was applied and in what is there; an annotation
# that nests without end; and a kill -9, behind which nothing is told again.
. "$(dirname "$0")/lib.sh"
command -v jq >/dev/null || skip "no jq"
export DRIFTD_SOCKET=$work/control.sock

applied() { # applied RESOURCE OBJECT FILE: make the object, with the text of the file as what was applied to it
	jq -nc --rawfile applied "$3" --argjson object "$2" \
		'$object | .metadata.annotations["kubectl.kubernetes.io/last-applied-configuration"] = $applied' >"$work/object.json"
	api POST "/api/v1/namespaces/shop/$1" "@$work/object.json" setup
}
start_apisim
api POST /api/v1/namespaces "$(object v1 Namespace shop "")" setup
mkdir "$work/state"
cat >"$work/driftd.yaml" <<-Y
	clusters: [{name: hostile, kubeconfig: $work/kubeconfig}]
	references: [{name: applied, last_applied: {kinds: [Secret, ConfigMap]}}]
	state_dir: $work/state
	sensitive_fields: [pin]
	control_socket: $DRIFTD_SOCKET
Y
object v1 Secret s shop '"stringData": {"a": "QzAppliedText"}, "data": {"b": "UXpBcHBsaWVkRGF0YQ=="}' >"$work/secret.json"
applied secrets "$(object v1 Secret s shop '"data": {"a": "UXpMaXZlVGV4dA==", "b": "UXpMaXZlRGF0YQ=="}')" "$work/secret.json"
object v1 ConfigMap m shop '"data": {"pin": "QzPinApplied", "password": "QzWordApplied", "x": "1"}' >"$work/map.json"
applied configmaps "$(object v1 ConfigMap m shop '"data": {"pin": "QzPinLive", "password": "QzWordLive", "x": "2"}')" "$work/map.json"
head -c 300000 /dev/zero | tr '\0' '[' >"$work/deep.json"
applied configmaps "$(object v1 ConfigMap deep shop '"data": {}')" "$work/deep.json"

start_driftd_ready
wait_until 20 "a record of each" drift_count begin 3
check "what nests without end cannot be judged" begins '.DRIFTD_NAME == "deep" and (.MESSAGE | contains("cannot be judged"))'
ids=$("$bin/driftd" drift list -o name || true)
check "three are open" test "$(wc -l <<<"$ids")" -eq 3
"$bin/driftd" drift list -o json >"$work/list.json" || true
for id in $ids; do "$bin/driftd" drift show "$id"; done >"$work/shown" || true
"$bin/driftd" explain secrets -n shop s >"$work/explained" || true
"$bin/driftd" explain configmaps -n shop m -o json >>"$work/explained" || true
check "what may be shown is: else nobody looked" grep -q 'data.x' "$work/shown"
no_secret QzApplied QzLive UXpBcHBs UXpMaXZl QzPin QzWord -- "$work/records" "$work/list.json" "$work/shown" "$work/explained" -- \
	"$work/driftd.err.log"

stop driftd KILL || true
mv "$work/records" "$work/before"
start_driftd_ready
api PATCH /api/v1/namespaces/shop/configmaps/m '{"data":{"x":"1","pin":"QzPinApplied","password":"QzWordApplied"}}' kubectl-edit
wait_until 20 "the end of one" record_count '.DRIFTD_EVENT == "end" and .DRIFTD_NAME == "m"' 1
check "nothing is told again" drift_count begin 0
stop driftd || fail "driftd did not end cleanly"

#!/usr/bin/env bash
# What was applied last as the reference, over a real API server: public manifests are applied by kubectl, client-side, and nothing is told;
# then people edit, and each edit is told until it is taken back or applied. test_last_applied.sh [modern]: see control_plane.sh.
# SETS: which of the sets of conformance/manifests are applied, all by default, as far as the server takes them.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/control_plane.sh"
for tool in jq kubectl; do command -v $tool >/dev/null || skip "no $tool"; done
corpus=${DRIFTD_SHARED:-$source_dir/../shared}/conformance/manifests
[ -d "$corpus" ] || skip "no $corpus"
# One brings web hooks, which nobody answers here. Fields that the old server does not have yet are told, as they should be.
left_out=gatekeeper
[ "${1:-}" = modern ] || left_out+='|gateway-api-standard|istio-.*|otel-demo-helm|rook-ceph|splunk-.*|vertical-pod-autoscaler'
sets=${SETS:-$(cd "$corpus" && printf '%s\n' */live.json | sed 's|/.*||' | grep -Evx "$left_out" | paste -sd' ')}

start_control_plane
export KUBECONFIG=$work/kubeconfig
kubectl_apply() { # kubectl_apply FILE [OPTION...]: client-side, as kubectl does by default
	kubectl apply --validate=false -f "$@" >"$work/kubectl.log" 2>&1 || fail "kubectl apply: $(tail -n 5 "$work/kubectl.log")"
}
mkdir "$work/sets"
for set in $sets; do # first what a real server needs: the namespaces
	jq -r '.items[].metadata.namespace // empty' "$corpus/$set/live.json"
	jq -r '.items[] | select(.kind == "Namespace") | .metadata.name' "$corpus/$set/live.json"
done | sort -u >"$work/namespaces"
while read -r namespace; do
	kubectl create namespace "$namespace" >/dev/null 2>&1 || true
done <"$work/namespaces"
for set in $sets; do # a server refuses some, which live.json does not have
	kubectl apply --validate=false -f "$corpus/$set/manifests.yaml" >>"$work/kubectl.log" 2>&1 || true
done
# KIND.VERSION.GROUP of what the server has: some kinds of the sets it has not.
kubectl api-resources --no-headers |
	awk '{ split($(NF - 2), v, "/"); print $NF "." (v[2] ? v[2] "." v[1] : v[1]) }' | sort -u >"$work/served"
kinds=$(for set in $sets; do
	jq -r '.items[] | select(.kind != "Namespace") | .kind + "." + (.apiVersion | split("/") | reverse | join("."))' "$corpus/$set/live.json"
done | sort -u | comm -12 - "$work/served" | paste -sd,)
annotation=kubectl.kubernetes.io/last-applied-configuration
# "Deployment.v1.apps" is Deployment.apps to kubectl, and "Service.v1" Service.
applied=$(kubectl get -A -o json "$(sed -E 's/[.]v[0-9][a-z0-9]*//g' <<<"$kinds")" |
	jq --arg a $annotation '[.items[] | select(.metadata.annotations[$a])] | length')
check "objects are applied, not just some: $applied" test "$applied" -gt 50
cluster=applied
export DRIFTD_SOCKET=$work/control.sock
mkdir -p "$work/state"
cat >"$work/driftd.yaml" <<-Y
	clusters: [{name: applied, kubeconfig: kubeconfig}]
	references: [{name: applied, last_applied: {kinds: [$kinds]}}]
	state_dir: $work/state
	control_socket: $DRIFTD_SOCKET
	flapping: {changes: 0}
Y

# ---- what the server and kubectl make of them is no drift ----

start_driftd_ready
wait_until 60 "the cluster to be synced" metric_is "$(of_cluster driftd_cluster_synced)" 1
echo "$applied objects of $(wc -w <<<"$sets") sets, $(tr , '\n' <<<"$kinds" | wc -l) kinds"
check "nothing is told: $(said)" drift_count begin 0
held() { # held NUMBER: so many objects are held against their annotation
	local all='/^driftd_objects[{]/ { n += $NF } /^driftd_objects_unmatched[{]/ { n -= $NF } END { print n }'
	[ "$(curl -sf "$web/metrics" | awk "$all")" = "$1" ]
}
wait_until 30 "each to be held against its annotation" held "$applied"

# ---- edits, by whom, and the end of each ----

maps=/api/v1/namespaces/team/configmaps
kubectl create namespace team >/dev/null
cat >"$work/team.yaml" <<'Y'
apiVersion: v1
kind: ConfigMap
metadata: {name: settings, namespace: team}
data: {greeting: Hello, level: "1"}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: deleted, namespace: team}
data: {a: b}
Y
kubectl_apply "$work/team.yaml"
wait_until 30 "new objects to be held against theirs" held $((applied + 2))
about() { echo ".DRIFTD_EVENT == \"$1\" and .DRIFTD_NAME == \"settings\""; } # about EVENT
api PATCH $maps/settings '{"data":{"greeting":"Hi"}}' kubectl-edit
edited='.DRIFTD_NAME == "settings" and ([.DRIFTD_PATH] | flatten | index("data.greeting")) and .DRIFTD_MANAGER == "kubectl-edit"'
wait_until 30 "an edit" begins "$edited"
api PATCH $maps/settings '{"data":{"more":"x"}}' kubectl-edit
sed -i 's/level: "1"/level: "2"/; s/greeting: Hello/greeting: Hi/' "$work/team.yaml"
kubectl_apply "$work/team.yaml"
wait_until 30 "the end: it was applied" record_count "$(about end)" 1
check "by an apply nothing begins" record_count "$(about begin)" 1
kubectl delete -n team configmap deleted >/dev/null
api POST $maps "$(configmap never team '{"a":"b"}')" kubectl-create
copy=$(kubectl get -n team configmap settings -o json | jq -c '{apiVersion, kind, data: {greeting: "other"}, metadata: {name: "copy",
	namespace: "team", annotations: .metadata.annotations}}')
api POST $maps "$copy" controller
api PATCH $maps/settings '{"data":{"level":"3"}}' bob
wait_until 30 "another edit" record_count "$(about begin)" 2
check "nobody misses what was deleted, nor judges what nobody applied: $(said)" drift_count begin 2
"$bin/driftd" explain configmaps -n team settings >"$work/out" 2>"$work/err" || true
check "explained" grep -q "it is what was applied to this object last" "$work/out"
"$bin/driftd" explain configmaps -n team copy >"$work/out" 2>"$work/err" || true
check "and a copy too" grep -q "it has no annotation of what was applied to it" "$work/out"

# ---- an annotation that says nothing ----

api PATCH $maps/settings '{"metadata":{"annotations":{"'$annotation'":"{QzCanary"}}}' bob
wait_until 30 "an annotation that cannot be read is told" begins '.DRIFTD_NAME == "settings" and (.MESSAGE | contains("holds no object"))'
no_secret QzCanary -- "$work/records"
api PATCH $maps/settings '{"metadata":{"annotations":{"'$annotation'":null}}}' bob
open_now() { records '.DRIFTD_DRIFT_ID' | jq -s '[group_by(.DRIFTD_DRIFT_ID)[] | last | select(.DRIFTD_EVENT != "end")] | length'; }
none_open() { [ "$(open_now)" = 0 ]; }
wait_until 30 "the end of all" none_open
stop driftd || fail "driftd did not end cleanly"

#!/usr/bin/env bash
# driftd validate against the modern API server: what the server refused to admit is what is told of objects that were there before; a user
# who may not read everything.
. "$(dirname "$0")/lib.sh"
set -- modern
. "$(dirname "$0")/control_plane.sh"
command -v jq >/dev/null || skip "no jq"
unset KUBECONFIG KUBERNETES_SERVICE_HOST

validate() { # validate STATUS ARGUMENTS...: standard output in $work/out, standard error in $work/err
	local status=0
	(cd "$work" && timeout 120 "$bin/driftd" validate --kubeconfig kubeconfig "${@:2}" >out 2>err </dev/null) || status=$?
	[ "$status" = "$1" ] || { cat "$work/out" "$work/err" >&2; fail "validate ${*:2}: status $status, expected $1"; }
	checks=$((checks + 1))
}
out_is() { check "the verdicts: $(cat "$work/out")" diff - "$work/out"; }
sized() { # sized RULES: the definition
	widget_crd "{\"type\":\"object\",\"properties\":{\"size\":{\"type\":\"integer\"}},\"x-kubernetes-validations\":[$1]}"
}

start_control_plane
api POST $crds "$(sized '{"rule":"true"}')" setup
wait_until 30 "the kind" get $widgets
wait_until 30 "an object of it" request -X POST -H 'Content-Type: application/json' "$server$widgets" -d "$(widget big '{"size":9}')"
api POST $widgets "$(widget small '{"size":2}')" setup
api POST /api/v1/namespaces "$(object v1 Namespace shop "")" setup
api POST /api/v1/namespaces/shop/configmaps "$(configmap settings shop '{"mode":"off"}')" setup
get $widgets/big >"$work/before.json"

validate 0
rule='{"rule":"self.size <= 5","message":"too large"}'
sized "$rule" >"$work/crd.json"
validate 1 -f crd.json
out_is <<<'Widget big: spec: too large (FieldValueInvalid)'
api PATCH $crds/widgets.e2e.example.com "$(jq -c '{spec}' "$work/crd.json")" setup
refuses() { [ "$(curl -s --cacert "$ca" -H "Authorization: Bearer $token" -H 'Content-Type: application/json' -X POST "$server$widgets" \
	-d "$(widget other '{"size":9}')" | jq -r .reason)" = Invalid ]; }
wait_until 30 "the server to have the rule" refuses
validate 1
out_is <<<'Widget big: spec: too large (FieldValueInvalid)'
validate 0 --old before.json -o json
check "what has not changed is a warning: $(cat "$work/out")" jq -e '.failures | length == 1 and .[0].warning' "$work/out"

mkdir "$work/rules"
printf 'apiVersion: "*"\nkind: "*"\nrules:\n- {rule: "self.metadata.name != %s", message: a name}\n' "'settings'" >"$work/rules/names.yaml"
validate 1 --rules 'rules/*.yaml' --no-crds
out_is <<<'ConfigMap shop/settings: .: a name (FieldValueInvalid)'
check "every kind is read: $(cat "$work/err")" test ! -s "$work/err"
before=$(get $crds/widgets.e2e.example.com | jq -r .metadata.resourceVersion)
validate 2 --context nobody
check "a refusal: $(cat "$work/err")" grep -q 'customresourcedefinitions.* is forbidden' "$work/err"
check "nothing was written" test "$before" = "$(get $crds/widgets.e2e.example.com | jq -r .metadata.resourceVersion)"
needs='(needs list on customresourcedefinitions of apiextensions.k8s.io; driftd rbac prints what to grant)'
check "what to grant" grep -qF "$needs" "$work/err"
printf 'clusters: [{name: x, cluster: {server: "http://%s"}}]\ncontexts: [{name: x, context: {cluster: x, user: x}}]\n' \
	"${server#https://}" >"$work/plain"
printf 'users: [{name: x, user: {}}]\ncurrent-context: x\n' >>"$work/plain"
validate 2 --kubeconfig plain
check "the wrong scheme: $(cat "$work/err")" grep -qF '(it speaks TLS: should it be https://?)' "$work/err"

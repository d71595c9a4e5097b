#!/usr/bin/env bash
# The main job against a real kube-apiserver and etcd, read back from a real journal. test_apiserver.sh [modern]: see control_plane.sh.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/control_plane.sh"
for tool in jq journalctl; do command -v $tool >/dev/null || skip "no $tool"; done

journald=/lib/systemd/systemd-journald
# The socket of one that has ended stays, and another test may have one in a mount namespace of its own.
listens() { python3 -c 'import socket, sys; socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).connect(sys.argv[1])' "$1" 2>/dev/null; }
if ! listens /run/systemd/journal/socket; then
	[ "$(id -u)" = 0 ] && [ -x $journald ] || skip "no journald runs, and this user cannot start one"
	mkdir -p /run/systemd/journal /run/log/journal
	start journald $journald
	wait_until 10 "journald" test -S /run/systemd/journal/socket
fi

start_control_plane

# ---- the sample shop, and one kind that does not exist yet ----

cp -r "$source_dir/examples/demo/reference" "$work/reference"
cat >>"$work/reference/metadata.yaml" <<'Y'
  - name: custom
    components:
      - name: widgets
        anyOf:
          - path: widget.yaml
Y
# parts come first in the file: move the list of function files behind them
sed -i '/^templateFunctionFiles:/,/^  - checks.tmpl/d' "$work/reference/metadata.yaml"
printf 'templateFunctionFiles:\n  - checks.tmpl\n' >>"$work/reference/metadata.yaml"
template "$work/reference/widget.yaml" e2e.example.com/v1 Widget "$any_name" "" <<<'spec: {size: 3}'
create_shop

configure "$work/reference" "metrics: {listen: 127.0.0.1:0}"
start_driftd_ready journal

journal() { journalctl -q -o json "DRIFTD_CLUSTER=$cluster" "$@" 2>/dev/null; }
# journal_has EVENT JQ-EXPRESSION
journal_has() { [ -n "$(journal "DRIFTD_EVENT=$1" | jq -c "select($2)")" ]; }
records_now() { journal | jq -c 'select(.DRIFTD_EVENT != "notice")' | wc -l; }

check "a cluster that follows its reference makes no record" test "$(records_now)" -eq 0

# ---- drift begins and ends ----

deployment=/apis/apps/v1/namespaces/shop/deployments/web
image() { # image IMAGE: the patch that gives the deployment this one
	jq -c --arg image "$1" '.[] | select(.kind == "Deployment" and .metadata.name == "web") |
		{spec: {template: {spec: {containers: [.spec.template.spec.containers[0] | .image = $image]}}}}' \
		"$source_dir/examples/demo/cluster.json"
}
api PATCH $deployment "$(image registry.example.com/shop/web:evil)" kubectl-edit
wait_until 15 "drift to begin" journal_has begin '.DRIFTD_NAME == "web"'
echo "--- one record in full (journalctl -o verbose)"
journalctl -q -o verbose "DRIFTD_CLUSTER=$cluster" DRIFTD_EVENT=begin
is() { check "$1: $2" journal_has "$1" "$2"; }
is begin '.DRIFTD_KIND == "Deployment" and .DRIFTD_API_VERSION == "apps/v1" and .DRIFTD_NAMESPACE == "shop"'
is begin '.DRIFTD_PATH == "spec.template.spec.containers[name=\"web\"].image" and .DRIFTD_PATH_COUNT == "1"'
is begin '.DRIFTD_EXPECTED == "\"registry.example.com/shop/web:1.8.2\"" and
	.DRIFTD_ACTUAL == "\"registry.example.com/shop/web:evil\""'
is begin '.DRIFTD_MANAGER == "kubectl-edit" and .DRIFTD_MANAGER_OPERATION == "Update" and (.DRIFTD_MANAGER_TIME | test("^20"))'
is begin '.DRIFTD_RESOURCE == "deployments.apps" and .DRIFTD_TEMPLATE == "web-deployment.yaml" and
	.DRIFTD_COMPONENT == "web" and .DRIFTD_PART == "shop"'
is begin '.PRIORITY == "4" and .DRIFTD_SEVERITY == "warning" and .SYSLOG_IDENTIFIER == "driftd" and (.MESSAGE_ID | length) == 32'
is begin '.DRIFTD_DIFF | contains("+        image: registry.example.com/shop/web:evil") or
	contains("+      - image: registry.example.com/shop/web:evil")'
is begin '(.DRIFTD_DRIFT_ID | length) == 32 and (.DRIFTD_REFERENCE_HASH | length) == 64 and
	.DRIFTD_UID != null and .DRIFTD_RESOURCE_VERSION != null'
drift_id=$(journal DRIFTD_EVENT=begin | jq -r .DRIFTD_DRIFT_ID)

api PATCH $deployment "$(image registry.example.com/shop/web:worse)" kubectl-edit
wait_until 15 "drift to change" journal_has change ".DRIFTD_DRIFT_ID == \"$drift_id\""
api PATCH $deployment "$(image registry.example.com/shop/web:1.8.2)" argocd
wait_until 15 "drift to end" journal_has end ".DRIFTD_DRIFT_ID == \"$drift_id\" and
	.DRIFTD_NAME == \"web\" and .PRIORITY == \"6\" and (.DRIFTD_DURATION_USEC | tonumber) > 0"

before=$(records_now)
api PATCH $deployment '{"metadata":{"annotations":{"e2e/touched":"1"}}}' kubectl
api PATCH $deployment/status '{"status":{"observedGeneration":1}}' controller
sleep 2
check "an update that changes nothing of the reference makes no record" test "$(records_now)" -eq "$before"

# ---- a required object goes, a forbidden one comes ----

policy=$(jq -c '.[] | select(.kind == "NetworkPolicy")' "$source_dir/examples/demo/cluster.json")
api DELETE /apis/networking.k8s.io/v1/namespaces/shop/networkpolicies/default-deny
wait_until 15 "the component to be unsatisfied" \
	journal_has begin '.DRIFTD_COMPONENT == "network" and .DRIFTD_PATH == "default-deny.yaml"'
api POST "$(path_of NetworkPolicy)" "$policy" argocd
wait_until 15 "the component to be satisfied" journal_has end '.DRIFTD_COMPONENT == "network"'
binding='"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"ClusterRole","name":"view"},"subjects":[]'
api POST "$(path_of ClusterRoleBinding)" "$(object rbac.authorization.k8s.io/v1 ClusterRoleBinding everyone-is-admin "" "$binding")" script
wait_until 15 "the forbidden binding" journal_has begin '.DRIFTD_COMPONENT == "no-admins" and
	.DRIFTD_NAME == "everyone-is-admin" and .DRIFTD_MANAGER == "script"'

# ---- a kind that comes later ----

spec() { # spec [MEMBERS]: its schema, with more members for the size
	echo "{\"type\":\"object\",\"properties\":{\"size\":{\"type\":\"integer\"${1:+,$1}}}}"
}
api POST $crds "$(widget_crd "$(spec)")" setup
wait_until 30 "the new kind" get $widgets
wait_until 60 "the new kind to be listed and watched" synced widgets.e2e.example.com

# Records on widget "wonky": drift of its size, and the violation of a rule.
drift='.DRIFTD_NAME == "wonky" and .DRIFTD_KIND == "Widget" and .DRIFTD_PATH == "spec.size" and .DRIFTD_RULE == null'
violation='.DRIFTD_NAME == "wonky" and .DRIFTD_KIND == "Widget" and .DRIFTD_RULE == "self <= 5"'
blame() { echo ".DRIFTD_MANAGER == \"$1\" and .DRIFTD_MANAGER_OPERATION == \"$2\""; } # blame MANAGER OPERATION: a filter
drifts_ended() { [ "$(journal DRIFTD_EVENT=end | jq -c "select($drift)" | wc -l)" -eq "$1" ]; }

if has_custom_resources; then
	api POST $widgets "$(widget wonky '{"size":4}')" kubectl-create
	wait_until 15 "drift of a custom resource" \
		journal_has begin "$drift and $(blame kubectl-create Update) and .DRIFTD_EXPECTED == \"3\" and .DRIFTD_ACTUAL == \"4\""
	apply $widgets/wonky "$(widget wonky '{"size":3}')" argocd
	wait_until 15 "its repair by another manager" drifts_ended 1
	apply $widgets/wonky "$(widget wonky '{"size":9}')" flux
	wait_until 15 "drift by server-side apply" journal_has begin "$drift and $(blame flux Apply) and .DRIFTD_ACTUAL == \"9\""

	# A rule that the server knows as well: it refuses what would break it, and driftd tells of what was stored before.
	apply $crds/widgets.e2e.example.com \
		"$(widget_crd "$(spec '"x-kubernetes-validations":[{"rule":"self <= 5","message":"too large"}]')")" setup
	wait_until 30 "the violation of a new rule" journal_has begin "$violation and .DRIFTD_MESSAGE_TEXT == \"too large\""
	refuses() { [ "$(request -H 'Content-Type: application/json' "$server$widgets" -d "$1" -o /dev/null -w '%{http_code}')" = 422 ]; }
	wait_until 15 "the server to heed the rule" refuses "$(widget huge '{"size":10}')"
	apply $widgets/wonky "$(widget wonky '{"size":3}')" flux
	wait_until 15 "the end of the violation" journal_has end "$violation"
	wait_until 15 "the end of the drift" drifts_ended 2
else
	echo "an API server of this age crashes over custom resources: test_crd.sh goes on from here with the simulator"
fi

# ---- the API server dies and comes back ----

api PATCH $deployment "$(image registry.example.com/shop/web:evil)" kubectl-edit
wait_until 15 "drift before the end" journal_has begin '.DRIFTD_NAME == "web" and .DRIFTD_DRIFT_ID != "'"$drift_id"'"'
# A server that needs longer than driftd waits is a gap meanwhile.
drifts_now() { journal | jq -c 'select(.DRIFTD_EVENT != "notice" and (.MESSAGE | startswith("gap ") | not))' | wc -l; }
before=$(drifts_now)
stop apiserver KILL || true
sleep 3
check "driftd lives on without the API server" curl -sf "$web/-/healthy"
start_apiserver
api PATCH $deployment "$(image registry.example.com/shop/web:1.8.2)" argocd
wait_until 60 "the end seen after the server is back" journal_has end '.DRIFTD_NAME == "web" and .DRIFTD_DRIFT_ID != "'"$drift_id"'"'
check "nothing else was reported" test "$(drifts_now)" -eq $((before + 1))

curl -sf "$web/metrics" >"$work/metrics.txt"
if command -v promtool >/dev/null; then
	check "promtool has no complaint" test -z "$(promtool check metrics <"$work/metrics.txt" 2>&1)"
fi
check "the cluster is up" metric_is "driftd_cluster_up{kube_cluster=\"$cluster\"}" 1
stop driftd || fail "driftd did not end cleanly"

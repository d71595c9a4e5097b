#!/usr/bin/env bash
# Event rules in the daemon: how bad a change is, whose, and what is none; in records, metrics and lists.
. "$(dirname "$0")/lib.sh"
command -v jq >/dev/null || skip "no jq"
export DRIFTD_SOCKET=$work/control.sock
cluster=rules
shop=/apis/apps/v1/namespaces/shop/deployments

configured() { # configured SETS...
	local sets
	sets=$(for set; do printf '{name: %s, path: %s.yaml}, ' "$set" "$set"; done)
	cat >"$work/driftd.yaml" <<-Y
		clusters:
		  - {name: $cluster, kubeconfig: kubeconfig}
		references:
		  - name: ref
		    path: ref/metadata.yaml
		    severity: notice
		    event_rules: [$(tr ' ' , <<<"$*")]
		event_rules: [$sets]
		flapping: {changes: 0}
		state_dir: $work/state
		control_socket: $DRIFTD_SOCKET
	Y
}
reload() {
	local n
	n=$(jq -s '[.[] | select(.MESSAGE | startswith("configuration reloaded"))] | length' "$work/records")
	reloaded() { [ "$(jq -s '[.[] | select(.MESSAGE | startswith("configuration reloaded"))] | length' "$work/records")" -gt "$n" ]; }
	"$bin/driftd" reload
	wait_until 20 "the reload" reloaded
	wait_until 20 "all to be judged" metric_is "$(of_cluster driftd_cluster_synced)" 1
}
of() { echo ".DRIFTD_NAME == \"$1\" and .DRIFTD_SEVERITY == \"$2\""; } # of NAME SEVERITY
patch() { api PATCH "$shop/$1" "$2" "$3"; }                          # patch NAME JSON MANAGER

cat >"$work/usual.yaml" <<'Y'
rules:
  - {type: warn, path: spec, message: not as agreed}
  - {type: error, change: modify, path: "spec.template.spec.containers.@.image", action: roll back, message: another image runs}
  - {type: allow, path: spec.replicas, manager: horizontal-pod-autoscaler, message: scaled by the autoscaler, action: none}
  - {type: ignore, path: 'metadata.labels."shop.example.com/touched"'}
  - {equal: quantity, path: "spec.template.spec.containers.*.resources"}
  - {type: error, path: spec.paused, for: 3s, message: paused}
  - {type: warn, severity: critical, path: spec.minReadySeconds, names: "web", kinds: Deployment.apps, namespaces: shop, labels: tier=front}
  - {type: ignore, path: spec.minReadySeconds, templates: other.yaml}
Y
cat >"$work/strict.yaml" <<'Y'
rules:
  - {type: error, path: spec.replicas!, severity: critical, message: nobody scales}
Y
reference "$work/ref" allOf deployment.yaml+
pod='containers: [{name: web, image: "registry.example.com/web:1", resources: {limits: {cpu: 1000m}}, ports: [{containerPort: 80}]},
      {name: side, image: "registry.example.com/side:1"}]'
template "$work/ref/deployment.yaml" apps/v1 Deployment "$any_name" shop <<Y
spec:
  replicas: 2
  paused: false
  minReadySeconds: 0
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      $pod
Y
live() { # live NAME LABELS: as the reference wants it
	jq -nc --arg name "$1" --argjson labels "$2" '{apiVersion: "apps/v1", kind: "Deployment",
		metadata: {name: $name, namespace: "shop", labels: $labels},
		spec: {replicas: 2, paused: false, minReadySeconds: 0, selector: {matchLabels: {app: "web"}}, template: {metadata: {labels: {app: "web"}},
		spec: {containers: [{name: "web", image: "registry.example.com/web:1", resources: {limits: {cpu: "1"}}, ports: [{containerPort: 80}]},
		{name: "side", image: "registry.example.com/side:1"}]}}}}'
}
start_apisim
control load "$(object v1 Namespace shop "")"
api POST $shop "$(live web '{"tier":"front"}')" setup
api POST $shop "$(live api '{"tier":"back"}')" setup
mkdir -p "$work/state"
configured usual
check "the configuration" "$bin/driftd" check-config -c "$work/driftd.yaml"
start_driftd_ready json
wait_until 20 "all to be judged" metric_is "$(of_cluster driftd_cluster_synced)" 1
check "a quantity that is written otherwise is no drift" metric_is "$(of_cluster driftd_objects_drifted 'severity="notice"')" 0
check "nor is anything else" drift_count begin 0

# The autoscaler may, others may not.
patch web '{"spec":{"replicas":5}}' horizontal-pod-autoscaler
wait_until 10 "scaling by the autoscaler is information" begins "$(of web info)"
check "with the rule" has_record '.DRIFTD_RULE_TYPE == "allow" and .DRIFTD_RULE_PATH == "spec.replicas" and .DRIFTD_ACTION == "none" and
	.DRIFTD_RULE_MESSAGE == "scaled by the autoscaler" and .PRIORITY == "6"'
patch web '{"spec":{"replicas":6}}' kubectl-scale
wait_until 10 "by hand it is a warning" changes "$(of web warning)"
patch web '{"spec":{"replicas":7}}' horizontal-pod-autoscaler
wait_until 10 "the autoscaler again" record_count ".DRIFTD_EVENT == \"change\" and $(of web info)" 1
records_before=$(records '.DRIFTD_NAME == "web"' | wc -l)
"$bin/driftd" reload
sleep 2
check "judged again, it is still known who wrote" record_count '.DRIFTD_NAME == "web"' "$records_before"

sed -i 's/    severity: notice/    severity: info/' "$work/driftd.yaml"
check "a rehearsal knows who wrote" grep -qF "0 begin, 0 change, 0 end" <("$bin/driftd" reload --dry-run)
sed -i 's/    severity: info/    severity: notice/' "$work/driftd.yaml"

# What is ignored; a key with dots.
patch web '{"metadata":{"labels":{"shop.example.com/touched":"yes"}}}' someone
patch api '{"metadata":{"labels":{"shop.example.com/touched":"yes"}}}' someone
# An element by its key, wherever it stands; the severity is that of the worst.
patch web '{"spec":{"template":{"spec":{"containers":[{"name":"side","image":"registry.example.com/side:1"},
	{"name":"web","image":"registry.example.com/web:2","resources":{"limits":{"cpu":"1"}},"ports":[{"containerPort":80}]}]}}}}' kubectl-edit
wait_until 10 "another image is an error" changes "$(of web error)"
check "the worst path first" has_record '.DRIFTD_PATH[0] ==
	"spec.template.spec.containers[name=\"web\"].image" and .PRIORITY == "3"'
check "with all rules, the worst first" has_record '.DRIFTD_RULE_TYPE == ["error", "warn", "allow"]'
check "of which one is for the order" has_record '.DRIFTD_PATH | tostring | contains("\"spec.template.spec.containers\"")'
check "the ignored label is in no record" test "$(grep -c touched "$work/records")" = 0
# A reorder alone is one change of the list.
patch api '{"spec":{"template":{"spec":{"containers":[{"name":"side","image":"registry.example.com/side:1"},
	{"name":"web","image":"registry.example.com/web:1","resources":{"limits":{"cpu":"1"}},"ports":[{"containerPort":80}]}]}}}}' kubectl-edit
wait_until 10 "a reorder" begins "$(of api warning) and .DRIFTD_PATH == \"spec.template.spec.containers\""

# Selectors: names, kinds, namespaces and labels; a template that is another.
patch api '{"spec":{"minReadySeconds":5}}' kubectl-edit
wait_until 10 "another object has the usual rule" changes "$(of api warning) and .DRIFTD_PATH_COUNT == \"2\""
patch web '{"spec":{"minReadySeconds":5}}' kubectl-edit
wait_until 10 "this one has its own" changes "$(of web critical)"
check "the metric counts it" metric_is 'driftd_rule_events_total{rule="spec.minReadySeconds",severity="critical"}' 1
check "and those that never were" metric_is 'driftd_rule_events_total{rule="spec.paused",severity="error"}' 0
"$bin/driftd" drift list --action 'roll back' -o json >"$work/list" && fail "nothing is open"
check "is the one" jq -e '[.items[].name] == ["web"] and .items[0].actions == ["roll back", "none"]' "$work/list"

"$bin/driftd" drift show "$(jq -r '.items[0].id' "$work/list")" >"$work/out"
check "what rules say is shown" grep -q '^Event rules: .*spec.minReadySeconds (critical)' "$work/out"

# Held: what ends sooner is not told.
patch api '{"spec":{"minReadySeconds":0,"template":{"spec":{"containers":[{"name":"web","image":"registry.example.com/web:1",
	"resources":{"limits":{"cpu":"1"}},"ports":[{"containerPort":80}]},{"name":"side","image":"registry.example.com/side:1"}]}}}}' kubectl-edit
wait_until 10 "the end" ends '.DRIFTD_NAME == "api"'
patch api '{"spec":{"paused":true}}' kubectl-edit
sleep 1
patch api '{"spec":{"paused":false}}' kubectl-edit
sleep 4
check "what is held and ends is not told" record_count '.DRIFTD_NAME == "api" and .DRIFTD_RULE_PATH == "spec.paused"' 0
patch api '{"spec":{"paused":true}}' kubectl-edit
wait_until 10 "what lasts is" begins "$(of api error)"

# Other rules: what they change is told, and nothing else; a restart repeats nothing.
configured usual strict
reload
wait_until 10 "the stricter rule" has_record "$(of web critical) and (.DRIFTD_RULE_EVENT | tostring | contains(\"nobody scales\"))"
records_before=$(records '.DRIFTD_DRIFT_ID' | wc -l)
stop driftd || fail "driftd did not end cleanly"
start_driftd_ready json
wait_until 20 "all to be judged" metric_is "$(of_cluster driftd_cluster_synced)" 1
check "a restart repeats nothing" record_count '.DRIFTD_DRIFT_ID' "$records_before"

# Mistakes.
echo '  - {type: wran, path: "a..b"}' >>"$work/usual.yaml"
"$bin/driftd" check-config -c "$work/driftd.yaml" >"$work/out" 2>&1 && fail "a mistake is none"
check "a mistake has its place" grep -qE 'usual.yaml:10:12: ' "$work/out"
stop driftd || fail "driftd did not end cleanly"

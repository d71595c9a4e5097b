#!/usr/bin/env bash
# A template that looks another object up: the verdict follows that object, and updates that no template can see cost nothing.
. "$(dirname "$0")/lib.sh"
command -v jq >/dev/null || skip "no jq"

reference "$work/reference" anyOf deployment.yaml+
template "$work/reference/deployment.yaml" apps/v1 Deployment "$any_name" "$any_namespace" <<'Y'
spec:
  {{- $settings := lookupCR "v1" "ConfigMap" "d" "settings" }}
  replicas: {{ if $settings }}{{ $settings.data.replicas }}{{ else }}1{{ end }}
Y
start_apisim
control load "$(configmap settings d '{"replicas":"3"}')"
control load "$(deployment a d '{"replicas":3}')"
control load "$(deployment b d '{"replicas":3}')"
configure "$work/reference"
start_driftd_ready
check "objects as the looked-up one wants them make no record" drift_count begin 0

control load "$(configmap settings d '{"replicas":"4"}')"
wait_until 10 "both deployments to drift when the looked-up object changes" \
	record_count '.DRIFTD_EVENT == "begin" and .DRIFTD_KIND == "Deployment" and .DRIFTD_EXPECTED == "4"' 2
api DELETE /api/v1/namespaces/d/configmaps/settings
wait_until 10 "the verdicts to change when it is gone" record_count '.DRIFTD_EVENT == "change" and .DRIFTD_EXPECTED == "1"' 2
control load "$(configmap settings d '{"replicas":"3"}')"
wait_until 10 "the drift to end when it is back" drift_count end 2

seen="driftd_watch_events_total{kube_cluster=\"$cluster\",resource=\"deployments.apps\"}"
before=$(metric driftd_evaluations_total) events=$(metric "$seen")
control load "$(configmap other d '{"replicas":"9"}')"
api PATCH /apis/apps/v1/namespaces/d/deployments/a/status '{"status":{"readyReplicas":3}}' controller
wait_until 10 "the status update to arrive" metric_is "$seen" $((events + 1))
sleep 1
judged=$(($(metric driftd_evaluations_total) - before))
check "an object that nobody looked up makes no dependent be judged again" test "$judged" -le 2
stop driftd || fail "driftd did not end cleanly"

#!/usr/bin/env bash
# A kind that the server cannot give in the version that is watched, because the conversion webhook of its definition is dead: a gap of that
# kind, and nothing else. What changed meanwhile is told when the webhook is gone. Always against the modern server.
. "$(dirname "$0")/lib.sh"
set -- modern
. "$(dirname "$0")/control_plane.sh"
command -v jq >/dev/null || skip "no jq"

definition=$crds/widgets.e2e.example.com
convert() { api PATCH $definition "{\"spec\":{\"conversion\":$1}}" setup; } # convert CONVERSION
stored=/apis/e2e.example.com/v2/widgets
create() { # create NAME
	request -H 'Content-Type: application/json' "$server$widgets" -d "$(widget "$1" '{"size":4}')" -o "$work/answer.json"
}
refused() { [[ $(metric "$(of_cluster driftd_kube_request_failures_total 'verb="watch",code="429"')") == [1-9]* ]]; }

start_control_plane
api POST $crds "$(crd Cluster Widget widgets e2e.example.com '{"type":"object","x-kubernetes-preserve-unknown-fields":true}' v1 v2)" setup
for name in wonky goes; do wait_until 30 "widgets to be taken" create $name; done
reference "$work/reference" anyOf widget.yaml+
template "$work/reference/widget.yaml" e2e.example.com/v1 Widget "$any_name" "" <<<'spec: {size: 3}'
configure "$work/reference"
start_driftd_ready
wait_until 20 "drift of both" drift_count begin 2

# v2 is stored, v1 is watched: the server must convert, and nobody answers.
convert "$(jq -nc --arg ca "$(base64 -w0 <"$ca")" '{strategy: "Webhook", webhook: {conversionReviewVersions: ["v1"],
	clientConfig: {url: "https://127.0.0.1:1/convert", caBundle: $ca}}}')"
wait_until 30 "driftd to be refused" refused
api PATCH $stored/wonky '{"spec":{"size":5}}' kubectl-edit
api DELETE $stored/goes
wait_until 60 "the gap" begins '.DRIFTD_KIND == "Widget" and (.MESSAGE | startswith("gap begins"))'
check "nothing ends, nothing is missing" record_count '.DRIFTD_EVENT == "end" or (.MESSAGE | startswith("component"))' 0
check "the gap is counted" metric_is "$(of_cluster driftd_watch_gaps_current)" 1

convert '{"strategy":"None","webhook":null}'
wait_until 30 "the server to be able again" get $widgets
wait_until 90 "the end of the gap" ends '.MESSAGE | startswith("gap ends")'
wait_until 30 "what changed meanwhile" changes '.DRIFTD_NAME == "wonky" and .DRIFTD_ACTUAL == "5"'
wait_until 30 "what was deleted meanwhile" ends '.DRIFTD_NAME == "goes" and (.MESSAGE | contains("object deleted"))'
check "the other one did not end" record_count '.DRIFTD_NAME == "wonky" and .DRIFTD_EVENT == "end"' 0
check "no gap" no_gap
stop driftd || fail "driftd did not end cleanly"

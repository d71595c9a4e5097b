#!/usr/bin/env bash
# driftd and the API server start at the same time, as after an outage of a whole site. For a moment such a server answers discovery
# without an error and without any custom resource: nothing may be called missing or over then. Always against the modern server.
. "$(dirname "$0")/lib.sh"
set -- modern
. "$(dirname "$0")/control_plane.sh"
command -v jq >/dev/null || skip "no jq"

start_control_plane
api POST $crds "$(widget_crd '{"type":"object","properties":{"size":{"type":"integer"}}}')" setup
make_widget() { request -H 'Content-Type: application/json' "$server$widgets" -d "$(widget wonky '{"size":4}')" -o "$work/answer.json"; }
wait_until 30 "the new kind to be taken" make_widget

reference "$work/reference" allOf widget.yaml
template "$work/reference/widget.yaml" e2e.example.com/v1 Widget wonky "" <<<'spec: {size: 3}'
configure "$work/reference"
start_driftd_ready
wait_until 20 "drift of a custom resource" drift_count begin 1
stop driftd || fail "driftd did not end cleanly"

groups() { # what discovery says now, as driftd asks for it
	request -H 'Accept: application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList' "$server/apis" -o "$work/groups.json"
}
knows_widgets() { jq -e '.items[] | select(.metadata.name == "e2e.example.com")' "$work/groups.json" >/dev/null; }
refused() { [[ $(metric "$(of_cluster driftd_kube_request_failures_total 'verb="get",code="refused"')") == [1-9]* ]]; }

seen=0
for round in $(seq 12); do
	stop apiserver KILL || true
	start_driftd
	wait_until 20 "driftd to be refused" refused
	kill -STOP "${pid[driftd]}"
	sleep 2 # its wait is over by then: it asks as soon as it goes on
	launch_apiserver
	until groups 2>/dev/null; do kill -0 "${pid[apiserver]}" || fail "the API server ended"; done
	kill -CONT "${pid[driftd]}"
	groups && knows_widgets || seen=$((seen + 1))
	wait_until 90 "the API server" get /readyz
	wait_until 90 "driftd to be ready" ready
	wait_until 60 "the custom resource to be known" metric_is "$(of_cluster driftd_objects 'resource="widgets.e2e.example.com"')" 1
	check "the drift does not end ($round)" drift_count end 0
	check "nothing is missing, and nothing begins anew ($round)" drift_count begin 1
	stop driftd || fail "driftd did not end cleanly"
	[ $seen -lt 3 ] || break
done
echo "in $seen of $round rounds the server left out what it has when driftd had started"
[ $seen -gt 0 ] || skip "this machine never caught the server in the moment"

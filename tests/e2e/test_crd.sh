#!/usr/bin/env bash
# A kind that comes after the start, changes and goes.
. "$(dirname "$0")/lib.sh"
command -v jq >/dev/null || skip "no jq"

reference "$work/reference" allOf widget.yaml
template "$work/reference/widget.yaml" e2e.example.com/v1 Widget "$any_name" "" <<<'spec: {size: 3}'
start_apisim
configure "$work/reference"
start_driftd_ready
wait_until 10 "the component of a kind that does not exist" begins '.DRIFTD_COMPONENT == "c"'
check "a kind that does not exist is no gap" record_count '(.MESSAGE | startswith("gap"))' 0

api POST $crds "$(widget_crd '{"type":"object","x-kubernetes-preserve-unknown-fields":true}')" setup
api POST $widgets "$(widget wonky '{"size":4}')" kubectl-create
wait_until 40 "drift of the new kind" begins '.DRIFTD_KIND == "Widget" and .DRIFTD_NAME == "wonky" and
	.DRIFTD_EXPECTED == "3" and .DRIFTD_ACTUAL == "4" and .DRIFTD_MANAGER == "kubectl-create"'
wait_until 10 "the component to be satisfied" ends '.DRIFTD_COMPONENT == "c"'
api PATCH $widgets/wonky '{"spec":{"size":3}}' kubectl-edit
wait_until 10 "its end" ends '.DRIFTD_NAME == "wonky"'

api DELETE $crds/widgets.e2e.example.com
wait_until 60 "the component again, when the kind has gone" \
	record_count '.DRIFTD_EVENT == "begin" and (.MESSAGE | startswith("component"))' 2
stop driftd || fail "driftd did not end cleanly"

#!/usr/bin/env bash
# A kind that comes after the start, changes and goes.
. "$(dirname "$0")/lib.sh"
command -v jq >/dev/null || skip "no jq"

mkdir "$work/reference"
cat >"$work/reference/metadata.yaml" <<'Y'
apiVersion: v2
parts:
  - name: custom
    components:
      - name: widgets
        allOf:
          - path: widget.yaml
Y
cat >"$work/reference/widget.yaml" <<'Y'
apiVersion: e2e.example.com/v1
kind: Widget
metadata:
  name: {{ .metadata.name }}
spec:
  size: 3
Y
start_apisim
configure "$work/reference"
start_driftd_ready
wait_until 10 "the component of a kind that does not exist" has_record '.DRIFTD_EVENT == "begin" and .DRIFTD_COMPONENT == "widgets"'
check "a kind that does not exist is no gap" record_count '(.MESSAGE | startswith("gap"))' 0

crds=/apis/apiextensions.k8s.io/v1/customresourcedefinitions
widgets=/apis/e2e.example.com/v1/widgets
api POST $crds '{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"widgets.e2e.example.com"},"spec":{"group":"e2e.example.com","scope":"Cluster","names":{"plural":"widgets","singular":"widget","kind":"Widget","listKind":"WidgetList"},"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}}]}}' setup
api POST $widgets '{"apiVersion":"e2e.example.com/v1","kind":"Widget","metadata":{"name":"wonky"},"spec":{"size":4}}' kubectl-create
wait_until 40 "drift of the new kind" has_record '.DRIFTD_EVENT == "begin" and .DRIFTD_KIND == "Widget" and .DRIFTD_NAME == "wonky" and .DRIFTD_EXPECTED == "3" and .DRIFTD_ACTUAL == "4" and .DRIFTD_MANAGER == "kubectl-create"'
wait_until 10 "the component to be satisfied" has_record '.DRIFTD_EVENT == "end" and .DRIFTD_COMPONENT == "widgets"'
api PATCH $widgets/wonky '{"spec":{"size":3}}' kubectl-edit
wait_until 10 "its end" has_record '.DRIFTD_EVENT == "end" and .DRIFTD_NAME == "wonky"'

api DELETE $crds/widgets.e2e.example.com
wait_until 60 "the component again, when the kind has gone" record_count '.DRIFTD_EVENT == "begin" and (.MESSAGE | startswith("component"))' 2
stop driftd || fail "driftd did not end cleanly"

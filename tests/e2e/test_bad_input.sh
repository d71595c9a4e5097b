#!/usr/bin/env bash
# Hostile objects, templates that fail, Secrets: each is reported, none stops the others, no secret is seen.
. "$(dirname "$0")/lib.sh"
command -v jq >/dev/null || skip "no jq"

mkdir "$work/reference"
cat >"$work/reference/metadata.yaml" <<'Y'
apiVersion: v2
parts:
  - name: p
    components:
      - name: c
        anyOf:
          - path: configmap.yaml
          - path: secret.yaml
          - path: deployment.yaml
            config: {ignore-unspecified-fields: true}
          - path: any-version.yaml
Y
printf 'apiVersion: {{ .apiVersion }}\nkind: Gadget\nmetadata:\n  name: g\n' >"$work/reference/any-version.yaml"
cat >"$work/reference/configmap.yaml" <<'Y'
apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ .metadata.name }}
  namespace: {{ .metadata.namespace }}
data:
  value: {{ if .data }}{{ index .data.value 0 | printf "%c" | quote }}{{ end }}
Y
cat >"$work/reference/secret.yaml" <<'Y'
apiVersion: v1
kind: Secret
metadata:
  name: {{ .metadata.name }}
  namespace: {{ .metadata.namespace }}
type: Opaque
data:
  password: ZXhwZWN0ZWQ=
Y
cat >"$work/reference/deployment.yaml" <<'Y'
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ .metadata.name }}
  namespace: {{ .metadata.namespace }}
spec:
  template:
    spec:
      containers:
        - name: app
          image: a:1
          env:
            - name: API_TOKEN
              value: expected-token
Y
start_apisim
control load '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"good","namespace":"d"},"data":{"value":"a"}}'
control load '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"bad","namespace":"d"},"data":{"value":5}}'
control load '{"apiVersion":"v1","kind":"Secret","metadata":{"name":"s","namespace":"d"},"type":"Opaque","data":{"password":"SFVOVEVSMg=="}}'
control load '{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"env","namespace":"d"},"spec":{"template":{"spec":{"containers":[{"name":"app","image":"a:1","env":[{"name":"API_TOKEN","value":"HUNTER3"}]}]}}}}'
control load '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"escape","namespace":"d"},"data":{"value":"\u001b]0;owned\u0007"}}'
configure "$work/reference"
start_driftd_ready

check "a template that no watch can serve is told as a gap" has_record '.DRIFTD_EVENT == "begin" and .DRIFTD_KIND == "Gadget" and (.MESSAGE | contains("any-version.yaml"))'
wait_until 10 "the object that its template cannot be rendered for" has_record '.DRIFTD_EVENT == "begin" and .DRIFTD_NAME == "bad" and (.MESSAGE | contains("cannot be judged") and contains("configmap.yaml:7"))'
check "a good object makes no error" record_count '.DRIFTD_NAME == "good" and (.MESSAGE | contains("judged"))' 0
wait_until 10 "the Secret's drift" has_record '.DRIFTD_EVENT == "begin" and .DRIFTD_KIND == "Secret" and .DRIFTD_PATH == "data.password" and .DRIFTD_ACTUAL == "(hidden)"'
wait_until 10 "drift of an environment variable" has_record '.DRIFTD_EVENT == "begin" and .DRIFTD_NAME == "env" and .DRIFTD_ACTUAL == "(hidden)"'
curl -sf "$web/metrics" >"$work/metrics.txt"
no_secret() { ! grep -rE 'SFVOVEVSMg|HUNTER|ZXhwZWN0ZWQ|expected-token' "$work/records" "$work/metrics.txt" "$work/state" "$work/driftd.err.log"; }
sleep 1.5
check "no secret in any record, metric or state" no_secret

# a template that was mended, an object that was mended
control load '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"bad","namespace":"d"},"data":{"value":"a"}}'
wait_until 10 "the error to end" has_record '.DRIFTD_EVENT == "end" and .DRIFTD_NAME == "bad"'
stop driftd || fail "driftd did not end cleanly"
check "nothing on standard error" test ! -s "$work/driftd.err.log"

# the same as text for a terminal: no control character of a tenant gets through
start_driftd_ready text
sleep 0.5
check "no terminal escape gets through" sh -c "! grep -q \$(printf '\\033') '$work/records'"
stop driftd

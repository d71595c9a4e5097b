#!/usr/bin/env bash
# Hostile objects, templates that fail, Secrets: each is reported, none stops the others, no secret is seen.
. "$(dirname "$0")/lib.sh"
command -v jq >/dev/null || skip "no jq"

reference "$work/reference" anyOf configmap.yaml secret.yaml deployment.yaml+ any-version.yaml
template "$work/reference/any-version.yaml" '{{ .apiVersion }}' Gadget g "" </dev/null
template "$work/reference/configmap.yaml" v1 ConfigMap "$any_name" "$any_namespace" <<'Y'
data:
  value: {{ if .data }}{{ index .data.value 0 | printf "%c" | quote }}{{ end }}
Y
template "$work/reference/secret.yaml" v1 Secret "$any_name" "$any_namespace" <<'Y'
type: Opaque
data:
  password: ZXhwZWN0ZWQ=
Y
template "$work/reference/deployment.yaml" apps/v1 Deployment "$any_name" "$any_namespace" <<'Y'
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
control load "$(configmap good d '{"value":"a"}')"
control load "$(configmap bad d '{"value":5}')"
control load "$(object v1 Secret s d '"type":"Opaque","data":{"password":"SFVOVEVSMg=="}')"
container='{"name":"app","image":"a:1","env":[{"name":"API_TOKEN","value":"HUNTER3"}]}'
control load "$(deployment env d "{\"template\":{\"spec\":{\"containers\":[$container]}}}")"
control load "$(configmap escape d '{"value":"\u001b]0;owned\u0007"}')"
configure "$work/reference"
start_driftd_ready

check "a template that no watch can serve is told as a gap" \
	begins '.DRIFTD_KIND == "Gadget" and (.MESSAGE | contains("any-version.yaml"))'
wait_until 10 "the object that its template cannot be rendered for" \
	begins '.DRIFTD_NAME == "bad" and (.MESSAGE | contains("cannot be judged") and contains("configmap.yaml:7"))'
check "a good object makes no error" record_count '.DRIFTD_NAME == "good" and (.MESSAGE | contains("judged"))' 0
wait_until 10 "the Secret's drift" \
	begins '.DRIFTD_KIND == "Secret" and .DRIFTD_PATH == "data.password" and .DRIFTD_ACTUAL == "(hidden)"'
wait_until 10 "drift of an environment variable" begins '.DRIFTD_NAME == "env" and .DRIFTD_ACTUAL == "(hidden)"'
sleep 1.5 # so that the state is on disk
curl -sf "$web/metrics" >"$work/metrics.txt"
no_secret SFVOVEVSMg HUNTER ZXhwZWN0ZWQ expected-token -- "$work/records" "$work/metrics.txt" "$work/state" -- "$work/driftd.err.log"

# a template that was mended, an object that was mended
control load "$(configmap bad d '{"value":"a"}')"
wait_until 10 "the error to end" ends '.DRIFTD_NAME == "bad"'
stop driftd || fail "driftd did not end cleanly"
check "nothing on standard error" test ! -s "$work/driftd.err.log"

# the same as text for a terminal: no control character of a tenant gets through
start_driftd_ready text
sleep 0.5
no_secret $'\033' -- "$work/records"
stop driftd

#!/usr/bin/env bash
# driftd mask: which places of files would be hidden, and why.
. "$(dirname "$0")/lib.sh"

cat >"$work/two.yaml" <<'Y'
apiVersion: v1
kind: ConfigMap
metadata: {name: settings, namespace: shop}
data:
  level: info
  app.ini: |
    [db]
    user = app
    password = marker-one
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec:
  template:
    spec:
      containers:
      - name: web
        args: [--level, info, --api-key, marker-two]
        env:
        - {name: DB_PASSWORD, value: marker-three}
        - {name: LEVEL, value: info}
---
apiVersion: v1
kind: Secret
metadata: {name: s}
stringData: {a: marker-four}
---
kind: ConfigMap
metadata: {name: encoded}
binaryData: {a: cGFzc3dvcmQ9aHVudGVyMg==}
data: {a: mysql -pmarker-six}
Y
printf 'host=db\n\npassword:\n  marker-five\n' >"$work/text"

masked() { # masked ARGUMENT...: what it prints, in $work/out; whether it went well, and said nothing that is hidden
	"$bin/driftd" mask "$@" >"$work/out" 2>"$work/err.log" && ! grep -q "marker\|cGFz" "$work/out"
}
says() {
	grep -qF -- "$1" "$work/out" || { cat "$work/out" && false; }
}
status() { # status COMMAND...: what it exits with
	local r=0
	"$@" >"$work/command.log" 2>&1 </dev/null || r=$?
	echo "$r"
}
check "manifests" masked "$work/two.yaml"
check "a text, with its line and the name" says 'ConfigMap shop/settings: data["app.ini"], line 3: a name that hides has a value: password'
check "an argument" says 'Deployment shop/web: spec.template.spec.containers[0].args[3]: the option before it'
check "a value beside a name" says 'spec.template.spec.containers[0].env[0].value: the name beside it'
check "data of a Secret" says 'Secret s: stringData.a: data of a Secret'
check "how many" says '6 of 27 values are hidden'
check "no more of them" test "$(wc -l <"$work/out")" = 7
check "standard input" masked - <"$work/two.yaml"
check "as YAML" masked -o yaml "$work/two.yaml"
check "what is shown stands there" says 'level: info'
check "what is hidden does not" says 'value: '"'***'"
check "as JSON" masked --output json "$work/two.yaml"
check "a document a line" test "$(wc -l <"$work/out")" = 4
check "a further name" masked --sensitive level "$work/two.yaml"
check "hides" says 'data.level: sensitive_fields'
check "a name that is shown" test "$("$bin/driftd" mask --shown DB_PASSWORD "$work/two.yaml" | grep -c 'env\[0\]')" = 0
check "a text" masked --text "$work/text"
check "with its line" says "text:3: a name that hides has a value: password"
check "that is all" test "$(wc -l <"$work/out")" = 1
check "a masked text" masked --text -o yaml "$work/text"
check "is nothing" says '***'
check "a file that is not there" test "$(status "$bin/driftd" mask "$work/none" "$work/two.yaml")" = 1
check "no file" test "$(status "$bin/driftd" mask)" = 2
check "a form that there is not" test "$(status "$bin/driftd" mask -o xml "$work/two.yaml")" = 2

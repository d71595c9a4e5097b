#!/usr/bin/env bash
# driftd validate over a live cluster: which kinds are listed, whose rules count, what cannot be read; nothing is written.
. "$(dirname "$0")/lib.sh"
command -v jq >/dev/null || skip "no jq"
unset KUBECONFIG KUBERNETES_SERVICE_HOST
export HOME=$work/home
mkdir "$HOME"

validate() { # validate ARGUMENTS...: sets $status; standard output in $work/out, standard error in $work/err
	status=0
	(cd "$work" && "$bin/driftd" validate "$@" >out 2>err </dev/null) || status=$?
}
ends_with() { # ends_with STATUS WHAT
	[ "$status" = "$1" ] || { cat "$work/out" "$work/err" >&2; fail "$2: status $status, expected $1"; }
	checks=$((checks + 1))
}
says() { check "$2 in: $(cat "$work/$1")" grep -qF -- "$2" "$work/$1"; } # says out|err TEXT
silent() { check "no '$2' in: $(cat "$work/$1")" test -z "$(grep -aF -- "$2" "$work/$1")"; }
out_is() { check "the verdicts: $(cat "$work/out")" diff - "$work/out"; }
listed() { get /_apisim/stats | jq -r '[.requests[] | select(.verb == "list") | .resource] | unique | join(" ")'; }

# ---- a cluster: a kind with rules, one without, one of two versions, objects of kinds that are built in ----

start_apisim
sized='"type":"object","x-kubernetes-validations":[{"rule":"self.size <= 5",
	"messageExpression":"\"size \" + string(self.size) + \" is too large\""}]'
shrinks='"size":{"type":"integer","x-kubernetes-validations":[{"rule":"self >= oldSelf","message":"size never shrinks"}]}'
control load "$(widget_crd "{$sized,\"properties\":{$shrinks}}")"
control load "$(crd Namespaced Plain plains e2e.example.com '{"type":"object"}' v1)"
control load "$(crd Namespaced Gadget gadgets g.example.com '{"type":"object","x-kubernetes-preserve-unknown-fields":true}' v1beta1 v1)"
for namespace in shop pay; do control load "$(object v1 Namespace $namespace "")"; done
control load "$(widget big '{"size":9}')"
control load "$(widget small '{"size":2}')"
control load "$(object e2e.example.com/v1 Plain p shop)"
control load "$(object g.example.com/v1 Gadget g shop '"spec":{}')"
control load "$(configmap settings shop '{"mode":"off"}')"
control load "$(configmap settings pay '{"mode":"on"}')"
control load "$(configmap other pay '{"mode":"off"}')"
control load "$(secret key shop '{"password":"aHVudGVyMg=="}')"
control generate '{"resource":"configmaps","namespace":"pay","prefix":"many-","count":700,"object":{"data":{"v":"1"}}}'

mkdir -p "$work/rules"
cat >"$work/rules/maps.yaml" <<'Y'
apiVersion: v1
kind: ConfigMap
name: settings
rules:
  - {rule: self.data.mode == 'on', message: the mode is off}
Y
cat >"$work/rules/secrets.yaml" <<'Y'
apiVersion: v1
kind: Secret
at: .data
rules:
  - {rule: "!('password' in self)", messageExpression: "'found ' + string(self.password)"}
Y

# ---- the cluster's own definitions ----

here_is() { validate --kubeconfig "$work/kubeconfig" "$@"; }
here_is
ends_with 1 "a violation of a definition's rule"
out_is <<<'Widget big: spec: size 9 is too large (FieldValueInvalid)'
check "only kinds with rules are listed: $(listed)" \
	test "$(listed)" = "customresourcedefinitions.apiextensions.k8s.io widgets.e2e.example.com"
others=$(get /_apisim/stats | jq '[.requests[] | select(.verb != "list" and .verb != "get")] | length')
check "nothing is watched or written" test "$others" = 0
here_is --no-crds
ends_with 2 "no rule at all"
says err "nothing was judged"

# ---- a definition of a file stands for that of the cluster; objects of files beside those of the cluster ----

widget_crd "{\"type\":\"object\",\"properties\":{\"size\":{\"type\":\"integer\"}},
	\"x-kubernetes-validations\":[{\"rule\":\"self.size > 2\",\"message\":\"too small\"}]}" >"$work/crd.yaml"
widget filed '{"size":1}' >"$work/filed.yaml"
here_is -f crd.yaml -f filed.yaml -o json
ends_with 1 "a definition that is to come"
check "what it would refuse: $(cat "$work/out")" test \
	"$(jq -r '[.failures[] | .name + " " + .file + " " + .source] | join(", ")' "$work/out")" = \
	"filed filed.yaml crd.yaml, small  crd.yaml"
check "the counts: $(cat "$work/out")" jq -e '.valid == false and .objects == 3 and .judged == 3 and .unread == 0' "$work/out"

# ---- rules of files: patterns, namespaces, secrets, pages ----

export KUBECONFIG=$work/kubeconfig
validate --rules 'rules/*.yaml' --no-crds
ends_with 1 "rules by pattern, the cluster by KUBECONFIG"
out_is <<-'T'
	ConfigMap shop/settings: .: the mode is off (FieldValueInvalid)
	Secret shop/key: data: failed rule: !('password' in self) (FieldValueInvalid)
	T
no_secret aHVudGVyMg hunter2 e2e-token -- "$work/out" -- "$work/err"
check "nothing more is said: $(cat "$work/err")" test ! -s "$work/err"
validate --rules rules --no-crds -n pay -o json
ends_with 0 "one namespace"
check "its objects: $(cat "$work/out")" jq -e '.valid and .objects == 702 and .judged == 1' "$work/out"
validate --rules rules -n pay
ends_with 0 "kinds without a namespace are left out"
validate --rules 'rules/*.yml'
ends_with 2 "a pattern that matches nothing"
says err "'rules/*.yml' matches no file; there is maps.yaml, secrets.yaml"

# ---- kinds by pattern: each once, in the preferred version; what is not there ----

cat >"$work/every.yaml" <<'Y'
apiVersion: "*"
kind: "*"
rules:
  - {rule: self.metadata.name != 'g', message: what a name}
---
apiVersion: v9
kind: Nothing
rules:
  - {rule: "true"}
Y
control load "$(object v1 Event g shop)"
validate --rules every.yaml --no-crds
ends_with 1 "every kind"
out_is <<<'Gadget shop/g: .: what a name (FieldValueInvalid)'
says err "every.yaml:6:1: the cluster has no kind Nothing of v9 that can be listed"

# ---- transition rules ----

widget_crd "{\"type\":\"object\",\"properties\":{$shrinks}}" >"$work/crd.yaml"
here_is -f crd.yaml
ends_with 2 "rules that need the object before"
says err "e2e.example.com/v1 Widget: only rules with oldSelf are for 2 of 2 objects"
{ widget big '{"size":10}'; echo; echo ---; widget small '{"size":2}'; } >"$work/before.yaml"
here_is -f crd.yaml --old before.yaml
ends_with 1 "with the objects before"
out_is <<<'Widget big: spec.size: size never shrinks (FieldValueInvalid)'

# ---- what cannot be read is no pass ----

fault() { control fault "{\"status\":403,\"resource\":\"$1\",\"count\":1,\"reason\":\"Forbidden\",\"message\":\"not for you\"}"; }
fault configmaps
validate --rules rules --no-crds
ends_with 2 "a kind that may not be listed"
says err "list ConfigMap (v1): "
says err "not for you"
out_is <<<"Secret shop/key: data: failed rule: !('password' in self) (FieldValueInvalid)"
fault configmaps
validate --rules rules --no-crds -o json
check "nor is it valid: $(cat "$work/out")" jq -e '.valid == false and .unread == 1' "$work/out"
fault customresourcedefinitions.apiextensions.k8s.io
validate --rules rules
ends_with 2 "definitions that may not be listed"
says err "--no-crds does without"
says out "ConfigMap shop/settings"
control fault '{"status":429,"resource":"configmaps","count":2}'
validate --rules rules --no-crds -o json
ends_with 1 "a server that is busy for a moment"
check "each object counts once: $(cat "$work/out")" jq -e '.objects == 704' "$work/out"

sed "s|server: .*|server: https://127.0.0.1:9|" "$work/kubeconfig" >"$work/away"
validate --rules rules --kubeconfig away -f filed.yaml -f crd.yaml
ends_with 2 "a server that is not there"
says err "Couldn't connect"
validate --kubeconfig nowhere
ends_with 2 "no kubeconfig"
validate --kubeconfig "$work/kubeconfig" --context nothing
ends_with 2 "no such context"
says err nothing

#!/usr/bin/env bash
# driftd compare --manifests: files, folders and standard input against files and a live cluster; mistakes with their places; what is left
# out, what is hidden, and what cannot be known.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/compare.sh"
command -v jq >/dev/null || skip "no jq"
unset KUBECONFIG KUBECTL_EXTERNAL_DIFF KUBERNETES_SERVICE_HOST
export HOME=$work

paths() { jq -r '[.Diffs[] | .CRName as $cr | .Changes[] | "\($cr) \(.Path)"] | sort[]' "$work/out"; }
differ() { # differ PATHS WHAT: those of the last compare
	check "$2: $(diff <(echo "$1") <(paths))" test "$1" = "$(paths)"
}

# ---- files ----

mkdir -p "$work/m/sub" "$work/m/.git"
cat >"$work/m/web.yaml" <<-'Y'
	apiVersion: apps/v1
	kind: Deployment
	metadata: {name: web, namespace: shop}
	spec:
	  replicas: 3
	  template:
	    spec:
	      containers:
	      - {name: web, image: "web:1", env: [{name: DB_PASSWORD, value: "wanted-9731"}]}
	---
	apiVersion: v1
	kind: Secret
	metadata: {name: login}
	stringData: {password: wanted-4455, user: shop}
Y
cat >"$work/m/sub/more.yml" <<-'Y'
	apiVersion: v1
	kind: List
	items:
	- {apiVersion: v1, kind: Pod, metadata: {name: hook, annotations: {helm.sh/hook: test}}}
	- {apiVersion: v1, kind: Pod, metadata: {generateName: hook-}}
	- {apiVersion: v1, kind: Node, metadata: {name: node, namespace: none, labels: {a: b}}}
	- {apiVersion: batch/v1, kind: Job, metadata: {name: once}, spec: {ttlSecondsAfterFinished: 1}}
Y
echo 'not: {{ read' >"$work/m/.git/x.yaml"
cat >"$work/live.yaml" <<-'Y'
	apiVersion: apps/v1
	kind: Deployment
	metadata: {name: web, namespace: shop, deletionTimestamp: "2026-01-01T00:00:00Z"}
	spec:
	  replicas: 2
	  template:
	    spec:
	      containers:
	      - {name: web, image: "web:1", imagePullPolicy: Always, env: [{name: DB_PASSWORD, value: "found-9731"}]}
	      - {name: injected, image: x}
	---
	apiVersion: v1
	kind: Secret
	metadata: {name: login, namespace: default}
	data: {password: Zm91bmQtNDQ1NQ==, user: c2hvcA==}
	---
	{apiVersion: v1, kind: Node, metadata: {name: node, labels: {a: b, c: d}}}
Y
env_path='apps/v1_Deployment_shop_web spec.template.spec.containers[name="web"].env[name="DB_PASSWORD"].value'
compare --manifests m -f live.yaml -o json
ends_with 1 "a folder"
differ 'apps/v1_Deployment_shop_web spec.replicas
apps/v1_Deployment_shop_web spec.template.spec.containers[name="injected"]
'"$env_path"'
v1_Secret_default_login data.password' "a folder"
check "who is being deleted is marked" test "$(jq -r '.Diffs[] | select(.Deleting).CRName' "$work/out")" = apps/v1_Deployment_shop_web
check "each has its reason" test "$(jq '[.Diffs[].Changes[] | select(.Reason | length == 0)] | length' "$work/out")" = 0
check "what is left out is counted" test "$(jq -c '.Summary | [.leftOutHooks, .leftOutUnnamed, .NumMissing]' "$work/out")" = '[1,1,0]'
for secret in wanted- found- Zm91; do silent out "$secret"; done

compare --manifests m -f live.yaml -o json --additions ignore
ends_with 1 "additions: ignore"
differ 'apps/v1_Deployment_shop_web spec.replicas
'"$env_path"'
v1_Secret_default_login data.password' "additions: ignore"
compare --manifests m -f live.yaml --mask=false
ends_with 1 "unmasked"
says out "-          value: wanted-9731"
says out "- modify spec.replicas: the value is another one"
silent out wanted-4455
compare --manifests m --namespace other -f live.yaml -o yaml
ends_with 1 "another namespace"
says out "- v1_Secret_other_login"
compare --manifests m --exclude 'web*' -f live.yaml
ends_with 0 "excluded"
says out "CRs with diffs: 0/1"
compare --manifests m --include 'sub/*' -f live.yaml -o junit
ends_with 0 "included"
status=0
(cd "$work" && "$bin/driftd" compare --manifests - -f live.yaml <m/sub/more.yml >out 2>err) || status=$?
ends_with 0 "standard input"
cat >"$work/rules.yaml" <<-'Y'
	rules:
	- {type: ignore, path: spec.replicas}
	- {type: ignore, path: spec.template.spec.containers.web.env.*}
	- {type: error, path: data.*}
Y
compare --manifests m --exclude 'sub/*' -f live.yaml --additions ignore --rules rules.yaml -o json
ends_with 1 "event rules"
differ "v1_Secret_default_login data.password" "event rules"

# ---- mistakes ----

mistake() { # mistake TEXT: of the manifests in $work/bad.yaml, which stand on standard input
	cat >"$work/bad.yaml"
	compare --manifests bad.yaml -f live.yaml
	ends_with 2 "$1"
	says err "$1"
	check "nothing is reported" test ! -s "$work/out"
}
mistake 'error: bad.yaml:4:9: "{{" outside of a text' <<-'Y'
	apiVersion: v1
	kind: ConfigMap
	metadata:
	  name: {{ .Release.Name }}
Y
mistake "bad.yaml:3:1: v1_ConfigMap_default_a is in the manifests twice; first at bad.yaml:1:1" <<-'Y'
	{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}
	---
	{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: default}}
Y
mistake "bad.yaml:1:1: no kind: this is no Kubernetes object" <<<'{apiVersion: v2, name: chart}'
mistake "bad.yaml:1:63: a of data is not text" <<<'{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {a: 1}}'
compare --manifests nothing -f live.yaml
ends_with 2 "no such file"
mkdir "$work/empty"
compare --manifests empty -f live.yaml
ends_with 2 "an empty folder"
for options in '-r x' '-g x' '--additions some' '-p x' '-o generate-patches'; do
	# shellcheck disable=SC2086
	compare --manifests m -f live.yaml $options
	ends_with 2 "$options"
done
compare -r x --additions drift
ends_with 2 "--additions without manifests"

# ---- a live cluster ----

start_apisim
widget_crd '{"type":"object","properties":{"l":{"type":"array","items":{"type":"object","properties":{
	"a":{"type":"integer"},"b":{"type":"integer","default":7}}}}}}' >"$work/crd.json"
api POST $crds "$(cat "$work/crd.json")" setup
wait_until 10 "the kind" get $widgets
api POST $widgets "$(widget one '{"l":[{"a":1,"b":7}]}')" setup
api POST /api/v1/namespaces/default/configmaps "$(configmap web default '{"a":"b","more":"c"}')" setup
{
	widget one '{"l":[{"a":1}]}'
	echo ---
	object v1 ConfigMap web "" '"data":{"a":"b"}'
} >"$work/cluster.yaml"
configure "$work" >/dev/null
live() { compare --kubeconfig "$work/kubeconfig" --manifests cluster.yaml -o json "$@"; }
live
ends_with 0 "a live cluster, by its definitions"
check "two were compared" test "$(jq .Summary.TotalCRs "$work/out")" = 2
api POST $widgets "$(widget two '{"l":[{"a":1,"b":8}]}')" setup
widget two '{"l":[{"a":1}]}' >"$work/cluster.yaml"
live
ends_with 1 "what no default is"
differ 'e2e.example.com/v1_Widget_two spec.l[0].b' "what no default is"
widget gone '{}' >"$work/cluster.yaml"
live
ends_with 1 "an object that is not there"
check "it is missing" test "$(jq .Summary.NumMissing "$work/out")" = 1
echo '{apiVersion: e2e.example.com/v2, kind: Widget, metadata: {name: one}}' >"$work/cluster.yaml"
live
ends_with 2 "a version that is not served"
says err "its version is not served; served are v1"
widget one '{}' >"$work/cluster.yaml"
control fault '{"resource":"widgets.e2e.example.com","verb":"list","count":-1,"status":403,"reason":"Forbidden"}'
live
ends_with 2 "what cannot be listed is not missing"

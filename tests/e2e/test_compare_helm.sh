#!/usr/bin/env bash
# driftd compare --helm: releases as Helm keeps them, among the objects of files and in a live cluster; which revision counts; what is said
# of releases that cannot be compared; and nothing of their values anywhere.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/compare.sh"
command -v jq >/dev/null || skip "no jq"
unset KUBECONFIG KUBECTL_EXTERNAL_DIFF KUBERNETES_SERVICE_HOST
export HOME=$work
canary=canary-of-a-release-8c1f

release() { "$source_dir/tests/e2e/helm_release.py" "$@"; } # release OPTIONS... < MANIFESTS
list() { release --list; }                                  # objects, one a line
found() { jq -r '[.Diffs[] | select(.DiffOutput != "") | .CRName as $cr | (.Changes // [])[] | "\($cr) \(.Path)"] | sort[]' "$work/out"; }
differ() { check "$2: $(diff <(echo "$1") <(found))" test "$1" = "$(found)"; } # differ PATHS WHAT: those of the last compare
missing() {
	jq -c '[.Summary.ValidationIssuses // {} | to_entries[] | .key as $part | .value | to_entries[] | "\($part) \(.key)"]' "$work/out"
}
helm() { # helm STATUS WHAT ARGUMENTS...: a comparison, as JSON, that says nothing of values
	local status_wanted=$1 what=$2
	shift 2
	compare --helm -o json "$@"
	ends_with "$status_wanted" "$what"
	for file in out err; do silent $file "$canary"; done
}
summary() { jq -c ".Summary | [.TotalCRs, .NumDiffCRs, .NumMissing]" "$work/out"; }
counts() { check "$2: $(summary)" test "$(summary)" = "$1"; } # counts [TOTAL,DIFFERING,MISSING] WHAT

# ---- a release and what became of it ----

cat >"$work/web.yaml" <<-'Y'
	# Source: web/templates/web.yaml
	apiVersion: apps/v1
	kind: Deployment
	metadata: {name: web}
	spec:
	  replicas: 3
	  template: {spec: {containers: [{name: web, image: "web:2"}]}}
	---
	apiVersion: v1
	kind: Secret
	metadata: {name: login}
	stringData: {password: wanted-4455}
	---
	apiVersion: rbac.authorization.k8s.io/v1
	kind: ClusterRole
	metadata: {name: web}
	rules: [{apiGroups: [""], resources: [pods], verbs: [get]}]
	---
	apiVersion: v1
	kind: ConfigMap
	metadata: {name: elsewhere, namespace: other}
	data: {a: b}
Y
sed 's/web:2/web:1/' "$work/web.yaml" >"$work/before.yaml"
cat >"$work/live.yaml" <<-'Y'
	{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: shop},
	  spec: {replicas: 3, template: {spec: {containers: [{name: web, image: "web:2", imagePullPolicy: Always}]}}}}
	---
	{apiVersion: v1, kind: Secret, metadata: {name: login, namespace: shop}, data: {password: d2FudGVkLTQ0NTU=}}
	---
	apiVersion: rbac.authorization.k8s.io/v1
	kind: ClusterRole
	metadata: {name: web}
	rules: [{apiGroups: [""], resources: [pods], verbs: [get]}]
	---
	{apiVersion: v1, kind: ConfigMap, metadata: {name: elsewhere, namespace: other}, data: {a: b}}
Y
release --revision 9 --status superseded <"$work/before.yaml" >"$work/9.json"
release --revision 10 <"$work/web.yaml" >"$work/10.json"
objects=(-f live.yaml -f 9.json -f 10.json)

helm 0 "as it was deployed" "${objects[@]}"
counts '[4,0,0]' "namespaced, foreign and cluster-scoped objects"
helm 0 "by its name" "${objects[@]}" shop/web
helm 0 "by its name in a namespace" "${objects[@]}" -n shop web
helm 2 "not there" "${objects[@]}" shop/api
says err "there is no release shop/api"
helm 2 "another namespace" "${objects[@]}" -n other
says err "there is no release of Helm in other: nothing was compared"

sed 's/web:2/web:1/; s/verbs: \[get\]/verbs: [get, list]/; s/d2FudGVkLTQ0NTU=/Zm91bmQtNDQ1NQ==/; /name: elsewhere/d' "$work/live.yaml" \
	>"$work/drifted.yaml"
drifted=(-f drifted.yaml -f 9.json -f 10.json)
helm 1 "changed" "${drifted[@]}"
differ 'apps/v1_Deployment_shop_web spec.template.spec.containers[name="web"].image
rbac.authorization.k8s.io/v1_ClusterRole_web rules[0].verbs
v1_Secret_shop_login data.password' "what was changed"
counts '[3,3,1]' "and one is missing"
check "part and component: $(missing)" test "$(missing)" = '["helm shop/web"]'
check "the reference's file is the release" test "$(jq -r '[.Diffs[].CorrelatedTemplate] | unique[]' "$work/out")" = shop/web
for text in wanted-4455 found-4455 Zm91 d2FudG; do silent out "$text"; done
compare --helm "${drifted[@]}" --mask=false -o yaml
ends_with 1 "unmasked, YAML"
for text in wanted-4455 found-4455 Zm91 d2FudG "$canary"; do silent out "$text"; done
compare --helm "${drifted[@]}" -o junit
ends_with 1 "JUnit"
says out shop/web
compare --helm "${drifted[@]}"
ends_with 1 "text"
says out "CRs with diffs: 3/3"

# ---- how it is kept ----

release --revision 10 --no-gzip <"$work/web.yaml" >"$work/plain.json"
helm 0 "not gzipped" -f live.yaml -f plain.json
release --revision 10 --driver configmap <"$work/web.yaml" >"$work/map.json"
helm 2 "in a ConfigMap, where nobody looks" -f live.yaml -f map.json
helm 0 "in a ConfigMap" -f live.yaml -f map.json --helm-driver configmap
release --padding 3000000 <"$work/web.yaml" >"$work/padded.json"
helm 0 "with 3 MB of values" -f live.yaml -f padded.json
release --padding 40000000 <"$work/web.yaml" >"$work/bomb.json"
helm 2 "with 40 MB of values" -f live.yaml -f bomb.json
says err "revision 1 of shop/web: release: gzip: claims more than 33554432 bytes"

# ---- which revision counts ----

also() { # also REVISION STATUS [OPTIONS...]: one more
	release --revision "$1" --status "$2" "${@:3}" <"$work/before.yaml" >"$work/also.json"
}
also 11 failed
helm 0 "an upgrade that failed" "${objects[@]}" -f also.json
says err "release shop/web: its newest revision, 11, is failed; compared is 10, the newest that is deployed"
also 11 pending-upgrade
helm 0 "an upgrade that is under way" "${objects[@]}" -f also.json
says err "its newest revision, 11, is pending-upgrade; compared is 10"
also 9 deployed
helm 0 "two that are deployed" "${objects[@]}" -f also.json
also 11 deployed
helm 1 "the newer of two" "${objects[@]}" -f also.json
also 11 superseded --label-status deployed
helm 1 "a label that says otherwise" "${objects[@]}" -f also.json
says err "the label of revision 11 says deployed, and the revision itself superseded"
also 1 pending-install
helm 2 "none is deployed" -f live.yaml -f also.json
says err "release shop/web: no revision is deployed, and the newest, 1, is pending-install: it is not compared"
says err "no release is deployed: nothing was compared"
also 1 uninstalled --name old
helm 0 "another one that is gone" "${objects[@]}" -f also.json
says err "release shop/old: no revision is deployed, and the newest, 1, is uninstalled: it is not compared"
helm 2 "which is asked for" "${objects[@]}" -f also.json shop/old

# ---- two of them, and what is no release ----

release --name api --revision 2 >"$work/api.json" <<-'Y'
	apiVersion: v1
	kind: ConfigMap
	metadata: {name: elsewhere, namespace: other}
	data: {a: c}
	---
	apiVersion: v1
	kind: ConfigMap
	metadata: {name: api}
Y
helm 1 "two releases" "${objects[@]}" -f api.json
says err "v1_ConfigMap_other_elsewhere is in shop/api and in shop/web: it is compared with that of the first"
differ "v1_ConfigMap_other_elsewhere data.a" "the first by name counts"
check "a component for each: $(missing)" test "$(missing)" = '["helm shop/api"]'
helm 0 "one of two" "${objects[@]}" -f api.json shop/web

refused() { # refused WHAT TEXT OPTIONS...: beside one that is well
	release --name bad "${@:3}" <"$work/before.yaml" >"$work/bad.json"
	helm 2 "$1" "${objects[@]}" -f bad.json
	says err "$2"
	counts '[4,0,0]' "$1: the others are compared"
}
refused "another name inside" "revision 1 of shop/bad: release: its name is not what its object says" --inner-name web
refused "another namespace inside" "release: its namespace is not what its object says" --inner-namespace kube-system
refused "another revision inside" "release: its revision is not what its object says" --inner-revision 2
refused "no manifest" "shop/bad:1:1: no apiVersion" --inner-manifest '{a: b}'
refused "no YAML" "shop/bad:1:" --inner-manifest '{a: b'
refused "the same twice" "shop/bad:3:1: v1_ConfigMap_shop_a is in the manifests twice" --inner-manifest \
	$'{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}\n---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: shop}}'
jq '.data.release = "c2VjcmV0"' "$work/bad.json" >"$work/torn.json"
helm 2 "torn" "${objects[@]}" -f torn.json
says err "revision 1 of shop/bad: release: no base64"
for option in "--label-name web" "--object-name sh.helm.release.v1.x.v1" "--label-version 2" "--label-owner me"; do
	# shellcheck disable=SC2086
	release --name bad $option <"$work/before.yaml" >"$work/bad.json"
	helm 0 "$option" "${objects[@]}" -f bad.json
	says err "1 Secret named or typed as releases of Helm, and with names and labels that do not agree: passed over"
done
echo '{"apiVersion": "v1", "kind": "Secret", "metadata":' >"$work/cut.json"
helm 2 "a release that may be in what cannot be read" -f live.yaml -f cut.json
says err "cut.json"
helm 2 "no release" -f live.yaml
says err "there is no release of Helm: nothing was compared"
release --name empty </dev/null >"$work/empty.json"
helm 0 "of nothing" -f live.yaml -f empty.json
counts '[0,0,0]' "nothing"

# ---- the command line ----

for options in '-r x' '-g x' '--manifests web.yaml' '-p x' '-o generate-patches' '--include x' '--helm-driver sql' 'shop/' /web web; do
	# shellcheck disable=SC2086
	compare --helm "${objects[@]}" $options
	ends_with 2 "$options"
	check "it is said" test -s "$work/err"
done
compare --manifests web.yaml --helm-driver secret
ends_with 2 "a driver without --helm"

# ---- sets of the corpus, as releases ----

corpus=${DRIFTD_SHARED:-$source_dir/../shared}/conformance/manifests
sets=0
for set in "$corpus"/*/manifests.yaml; do
	[ -f "$set" ] || continue
	name=$(basename "$(dirname "$set")")
	# In place of a hash the corpus has zeros, which were a text to Helm.
	sed 's|\(checksum/secret:\) \(0*\)$|\1 "\2"|' "$set" | release --namespace default --name "$name" --chart "$name-1.0.0" >"$work/set.json"
	helm 0 "$name, untouched" -f "$(dirname "$set")/live.json" -f set.json
	sets=$((sets + 1))
done
[ "$sets" -gt 0 ] || echo "no corpus in $corpus: its sets were not compared"

# ---- a live cluster ----

start_apisim
for namespace in shop other; do api POST /api/v1/namespaces "$(object v1 Namespace $namespace '')" setup; done
secrets=/api/v1/namespaces/shop/secrets
api POST $secrets "$(cat "$work/9.json")" helm
api POST $secrets "$(cat "$work/10.json")" helm
api POST $secrets "$(secret other shop '{"a":"Yg=="}')" helm
api POST /apis/apps/v1/namespaces/shop/deployments "$(deployment web shop \
	'{"replicas":3,"template":{"spec":{"containers":[{"name":"web","image":"web:2"}]}}}')" helm
api POST $secrets "$(secret login shop '{"password":"d2FudGVkLTQ0NTU="}')" helm
api POST /apis/rbac.authorization.k8s.io/v1/clusterroles "$(object rbac.authorization.k8s.io/v1 ClusterRole web '' \
	'"rules":[{"apiGroups":[""],"resources":["pods"],"verbs":["get"]}]')" helm
api POST /api/v1/namespaces/other/configmaps "$(configmap elsewhere other '{"a":"b"}')" helm
configure "$work" >/dev/null
live() { helm "$1" "$2" --kubeconfig "$work/kubeconfig" "${@:3}"; } # live STATUS WHAT ARGUMENTS...
live 0 "a cluster"
control fault '{"resource":"secrets","verb":"list","count":1,"status":400,"reason":"BadRequest"}'
live 0 "a server that does not know the field"
counts '[4,0,0]' "a cluster"
api PATCH /apis/apps/v1/namespaces/shop/deployments/web '{"spec":{"replicas":1}}' alice
live 1 "a cluster that differs" shop/web
differ "apps/v1_Deployment_shop_web spec.replicas" "a cluster that differs"
live 2 "a release that is not there" shop/none
live 2 "no ConfigMaps of Helm" --helm-driver configmap
api POST /api/v1/namespaces/shop/configmaps "$(cat "$work/map.json")" helm
live 1 "ConfigMaps of Helm" --helm-driver configmap
differ "apps/v1_Deployment_shop_web spec.replicas" "ConfigMaps of Helm"
control fault '{"resource":"secrets","verb":"list","count":-1,"status":403,"reason":"Forbidden"}'
live 2 "who may not list Secrets"
says err "list the Secrets of Helm"

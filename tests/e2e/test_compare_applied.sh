#!/usr/bin/env bash
# driftd compare --last-applied: objects of files and of a live cluster against what kubectl apply noted in each.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/compare.sh"
command -v jq >/dev/null || skip "no jq"
unset KUBECONFIG KUBECTL_EXTERNAL_DIFF KUBERNETES_SERVICE_HOST
export HOME=$work
annotation=kubectl.kubernetes.io/last-applied-configuration

applied() { # applied LIVE APPLIED: the object LIVE with the annotation that kubectl makes of APPLIED
	jq -c --arg a "$(jq -c . <<<"$2")" ".metadata.annotations[\"$annotation\"] = \$a" <<<"$1"
}
found() { jq -r '[.Diffs[] | .CRName as $cr | (.Changes // [])[] | "\($cr) \(.Path)"] | sort[]' "$work/out"; }
last() { # last STATUS WHAT ARGUMENTS...
	compare --last-applied -o json "${@:3}"
	ends_with "$1" "$2"
}
summary() { jq -c '.Summary | [.TotalCRs, .NumDiffCRs, .withoutAnnotation, .NumMissing]' "$work/out"; }
counts() { check "$2: $(summary)" test "$(summary)" = "$1"; } # counts [TOTAL,DIFFERING,WITHOUT,MISSING] WHAT

spec() { echo "{\"replicas\":$1,\"template\":{\"spec\":{\"containers\":[{\"name\":\"web\",\"image\":\"web:$2\"${3:-}}]}}}"; }
web=$(deployment web shop "$(spec 3 1)")
applied "$(deployment web shop "$(spec 3 1 ',"imagePullPolicy":"Always"')")" "$web" >"$work/web.json"
applied "$(secret login shop '{"password":"d2FudGVkLTQ0NTU="}')" \
	"$(object v1 Secret login shop '"stringData":{"password":"wanted-4455"}')" >"$work/login.json"
configmap plain shop '{"a":"b"}' >"$work/plain.json"

# ---- files ----

last 0 "as they were applied" -f web.json -f login.json -f plain.json
counts '[2,0,1,0]' "as they were applied"
compare --last-applied -f web.json -f plain.json
ends_with 0 "text"
says out "Without the annotation: 1"
last 2 "none has the annotation" -f plain.json
says err "no object has the annotation $annotation: nothing was compared"

applied "$(deployment web shop "$(spec 5 2)")" "$web" >"$work/changed.json"
applied "$(secret login shop '{"password":"Zm91bmQtNDQ1NQ=="}')" \
	"$(object v1 Secret login shop '"stringData":{"password":"wanted-4455"}')" >"$work/stolen.json"
last 1 "changed" -f changed.json -f stolen.json -f plain.json
check "what was changed: $(found)" test "$(found)" = 'apps/v1_Deployment_shop_web spec.replicas
apps/v1_Deployment_shop_web spec.template.spec.containers[name="web"].image
v1_Secret_shop_login data.password'
counts '[2,2,1,0]' "changed"
for format in json yaml junit text; do
	for mask in true false; do
		compare --last-applied -f changed.json -f stolen.json -o $format --mask=$mask
		ends_with 1 "$format, --mask=$mask"
		for text in wanted-4455 found-4455 Zm91 d2FudG; do silent out $text; done
	done
done
last 1 "one namespace" -f changed.json -f stolen.json -n shop
last 2 "another namespace" -f changed.json -f stolen.json -n other
applied "$(deployment web shop "$(spec 3 1 '},{"name":"injected","image":"x"')")" "$web" >"$work/injected.json"
last 1 "an added container" -f injected.json
last 0 "an added container, of no interest" -f injected.json --additions ignore
echo 'rules: [{type: ignore, path: spec.replicas}, {type: ignore, path: spec.template.spec.containers.web.image}]' >"$work/rules.yaml"
last 0 "rules" -f changed.json --rules rules.yaml

# ---- annotations that are none ----

wrong() { # wrong STATUS ANNOTATION TEXT: of standard error
	jq -c --arg a "$2" ".metadata.annotations[\"$annotation\"] = \$a" <<<"$web" >"$work/wrong.json"
	last "$1" "the annotation $2" -f wrong.json -f changed.json
	[ -z "$3" ] || says err "$3"
	check "the other one is compared" test "$(jq .Summary.NumDiffCRs "$work/out")" = 1
}
applied "$(deployment other shop "$(spec 5 2)")" "$(deployment other shop "$(spec 3 1)")" >"$work/changed.json"
wrong 2 'canary-1' "apps/v1_Deployment_shop_web: its annotation $annotation holds no object"
silent err canary-1
wrong 2 '["canary-1"]' "holds no object"
silent err canary-1
wrong 2 "$(jq -c '.apiVersion = "apps/v1beta1"' <<<"$web")" "it was applied in another version than v1"
wrong 1 "$(jq -c '.metadata.name = "copied"' <<<"$web")" ""
check "a copied annotation is none" test "$(jq .Summary.withoutAnnotation "$work/out")" = 1
wrong 1 "" ""

# ---- the command line ----

for options in '-r x' '-g x' '--manifests x' --helm '-p x' '-o generate-patches' '--include x' '--helm-driver secret' '--kinds ConfigMap' \
	some; do
	# shellcheck disable=SC2086
	compare --last-applied -f web.json $options
	ends_with 2 "$options"
	check "it is said" test -s "$work/err"
done
last 2 "neither files nor kinds"
says err "--last-applied takes objects from -f, or those of --kinds from a cluster"
compare --manifests web.json -f web.json --kinds ConfigMap
ends_with 2 "kinds without --last-applied"

# ---- a live cluster ----

start_apisim
api POST /api/v1/namespaces "$(object v1 Namespace shop '')" setup
widget_crd '{"type":"object","properties":{"l":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["k"],"items":
	{"type":"object","properties":{"k":{"type":"string"},"v":{"type":"integer","default":7}}}}}}' >"$work/crd.json"
api POST $crds "$(cat "$work/crd.json")" setup
wait_until 10 "the kind" get $widgets
one=$(widget one '{"l":[{"k":"a","v":1},{"k":"b"}]}')
api POST $widgets "$(applied "$(widget one '{"l":[{"k":"b","v":7},{"k":"a","v":1}]}')" "$one")" kubectl
api POST /apis/apps/v1/namespaces/shop/deployments "$(cat "$work/web.json")" kubectl
api POST /api/v1/namespaces/shop/configmaps "$(cat "$work/plain.json")" kubectl
configure "$work" >/dev/null
live() { last "$1" "$2" --kubeconfig "$work/kubeconfig" "${@:3}"; } # live STATUS WHAT ARGUMENTS...
live 0 "a cluster" --kinds Deployment.apps,ConfigMap --kinds Widget.e2e.example.com
counts '[2,0,1,0]' "a cluster, by definitions too"
live 0 "with a version" --kinds Deployment.v1.apps
live 0 "one namespace" --kinds Deployment.apps,Widget.e2e.example.com -n shop
counts '[1,0,null,0]' "one namespace"
api PATCH /apis/apps/v1/namespaces/shop/deployments/web '{"spec":{"replicas":1}}' alice
live 1 "a change" --kinds Deployment.apps
check "what was changed: $(found)" test "$(found)" = "apps/v1_Deployment_shop_web spec.replicas"
live 2 "a kind that is not there" --kinds Deployment.apps,Nothing.apps,Deployment
says err "the cluster has no kind Nothing.apps"
says err "the cluster has no kind Deployment:"
check "the other one is compared" test "$(jq .Summary.NumDiffCRs "$work/out")" = 1
control fault '{"resource":"configmaps","verb":"list","count":-1,"status":403,"reason":"Forbidden"}'
live 2 "what may not be listed" --kinds Deployment.apps,ConfigMap
says err "list ConfigMap: "
check "the other one is compared" test "$(jq .Summary.NumDiffCRs "$work/out")" = 1
live 2 "nothing else" --kinds ConfigMap

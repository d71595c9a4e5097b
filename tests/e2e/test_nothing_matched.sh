#!/usr/bin/env bash
# driftd compare and driftd validate with nothing to do: no objects, templates, pairs or rules without one. It is said, and nothing is well.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/compare.sh"
command -v jq >/dev/null || skip "no jq"
unset KUBECONFIG KUBECTL_EXTERNAL_DIFF KUBERNETES_SERVICE_HOST
export HOME=$work

# ---- compare: files ----

reference "$work/ref" anyOf settings.yaml
template "$work/ref/settings.yaml" v1 ConfigMap settings shop <<<'data: {a: "1"}'
mkdir "$work/empty" "$work/blank" "$work/crs"
printf '# nothing\n---\n' >"$work/blank/a.yaml"
configmap settings shop '{"a":"1"}' >"$work/crs/settings.yaml"
secret other shop '{}' >"$work/other.yaml"

nothing_is_said() { check "nothing more is said: $(cat "$work/err")" test ! -s "$work/err"; }
compare -r ref/metadata.yaml -f crs
ends_with 0 "an object that is as it should be"
nothing_is_said

compare -r ref/metadata.yaml -f empty
ends_with 2 "an empty folder"
for form in text json yaml junit; do
	compare -r ref/metadata.yaml -f blank -o $form
	ends_with 2 "files without an object, $form"
	says err "error: there is no object in the input: nothing was compared"
	check "no report says that all is well" test ! -s "$work/out"
done
sed 's/anyOf/allOf/' "$work/ref/metadata.yaml" >"$work/ref/required.yaml"
compare -r ref/required.yaml -f blank
ends_with 1 "files without an object, and a reference that requires one"
says err "There is no object that a template could be for: templates are for ConfigMap"

compare -r ref/metadata.yaml -f other.yaml
ends_with 0 "an object of another kind"
says err "Nothing was compared: of 1 object there is none that a template is for; templates are for ConfigMap"
printf 'apiVersion: v2\n' >"$work/ref/none.yaml"
compare -r ref/none.yaml -f crs
ends_with 0 "a reference without templates"
says err "The reference has no template: nothing is compared with it"

# ---- compare: what the options name ----

compare -r ref/metadata.yaml -f crs -o generate-patches --override-reason why --generate-override-for setings.yaml
ends_with 0 "a template that the reference does not have"
says err "No override is generated for setings.yaml: the reference has no such template; did you mean 'settings.yaml'?"
cat >"$work/pairs.yaml" <<'Y'
correlationSettings: {manualCorrelation: {correlationPairs: {v1_ConfigMap_shop_setings: settings.yaml}}}
Y
compare -r ref/metadata.yaml -f crs -c pairs.yaml
ends_with 0 "a pair without an object"
says err "The diff config has a template for v1_ConfigMap_shop_setings (settings.yaml), and there is no such object"
says err "did you mean 'v1_ConfigMap_shop_settings'?"
cat >"$work/overrides.yaml" <<'Y'
- {apiVersion: v1, kind: ConfigMap, name: settings, namespace: shop, reason: r, type: mergepatch, patch: '{"data":{"a":"1"}}'}
- {apiVersion: v1, kind: ConfigMap, name: gone, namespace: shop, reason: r, type: mergepatch, patch: '{}'}
Y
compare -r ref/metadata.yaml -f crs -p overrides.yaml
ends_with 0 "an override without an object"
says err "An override was applied to no object: number 2, for v1_ConfigMap_shop_gone"
silent err "number 1"

# ---- validate: files ----

program=("$bin/driftd" validate)
rules() { # rules FILE KIND [LINES]
	printf 'apiVersion: v1\nkind: %s\n%brules:\n  - {rule: "true"}\n' "$2" "${3:-}" >"$work/$1"
}
rules good.yaml ConfigMap
rules typo.yaml ConfigMpa
rules elsewhere.yaml ConfigMap 'namespace: shp\n'
compare -f crs --rules good.yaml
ends_with 0 "a rule that holds"
nothing_is_said
compare -f crs --rules typo.yaml
ends_with 2 "rules for a kind that no object has"
says err "nothing was judged"
compare -f crs --rules good.yaml --rules typo.yaml -o json
ends_with 2 "one rule file of two is for nothing"
says err "typo.yaml:1:1: no object is for these rules: there is no ConfigMpa of v1; did you mean 'ConfigMap'?"
check "it is not valid: $(cat "$work/out")" jq -e '.valid == false and .judged == 1' "$work/out"
compare -f crs --rules good.yaml --rules elsewhere.yaml
ends_with 2 "rules for a namespace that no object has"
says err "elsewhere.yaml:1:1: no object is for these rules: there is no ConfigMap of v1 in namespace shp"
cat "$work/typo.yaml" <(echo ---) "$work/good.yaml" >"$work/both.yaml"
compare -f crs --rules both.yaml
ends_with 0 "a file of which some rules are for nothing"
says err "both.yaml:1:1: no object is for these rules"
widget_crd '{"type":"object","x-kubernetes-validations":[{"rule":"true"}]}' >"$work/crd.yaml"
compare -f crs --rules good.yaml -f crd.yaml
ends_with 0 "a definition beside them"
says err "1 of 1 definition is for no object: widgets.e2e.example.com"
compare -f crs -f crd.yaml
ends_with 2 "a definition, and nothing else"
compare -f empty --rules good.yaml
ends_with 2 "an empty folder"
says err "'empty' holds no *.yaml, *.yml or *.json"
compare -f blank --rules good.yaml
ends_with 2 "files without an object"

# ---- a cluster ----

start_apisim
export KUBECONFIG=$work/kubeconfig
control load "$(configmap settings shop '{"a":"1"}')"
compare --rules good.yaml --no-crds
ends_with 0 "a cluster that passes"
nothing_is_said
compare --rules good.yaml --rules typo.yaml --no-crds
ends_with 2 "rules for a kind that the cluster does not have"
says err "typo.yaml:1:1: the cluster has no kind ConfigMpa of v1 that can be listed; did you mean 'ConfigMap'?"
compare --rules good.yaml --no-crds -n shp -o json
ends_with 2 "a namespace that the cluster does not have"
says err "the cluster has no namespace 'shp'; did you mean 'shop'?"
control fault '{"action":"stale","group":"apps","resources":false,"count":-1}'
compare --rules good.yaml --rules typo.yaml --no-crds
ends_with 2 "a cluster that does not tell all its kinds"
says err "the kinds of apps/v1 are not known"
silent err "the cluster has no kind"
control fault '{"action":"recover"}'

program=("$bin/driftd" compare)
compare -r ref/metadata.yaml
ends_with 0 "a cluster that is as it should be"
nothing_is_said
api DELETE /api/v1/namespaces/shop/configmaps/settings
compare -r ref/metadata.yaml
ends_with 2 "a cluster without anything that the reference is about"
says err "error: the cluster has no object that a template is for: nothing was compared"
sed 's/anyOf/noneOf/' "$work/ref/metadata.yaml" >"$work/ref/forbidden.yaml"
compare -r ref/forbidden.yaml
ends_with 0 "a cluster without what must not be there"
says err "There is no object that a template could be for: templates are for ConfigMap"
compare -r ref/none.yaml
ends_with 2 "a cluster, and a reference without templates"

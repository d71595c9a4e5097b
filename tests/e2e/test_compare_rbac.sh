#!/usr/bin/env bash
# With exactly the roles that "driftd rbac" prints driftd compare ends as for an administrator. test_compare_rbac.sh [modern]: see
# control_plane.sh.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/compare.sh"
. "$(dirname "$0")/control_plane.sh"
for tool in jq kubectl; do command -v $tool >/dev/null || skip "no $tool"; done
unset KUBECTL_EXTERNAL_DIFF KUBERNETES_SERVICE_HOST
export HOME=$work

start_with_account
create_shop
k create namespace other
for namespace in shop other; do # beside those that the references are about
	k create configmap settings --namespace $namespace --from-literal=a=1
	k create configmap beside --namespace $namespace --from-literal=a=1
done
k create serviceaccount web --namespace shop
k create rolebinding web --namespace shop --clusterrole view --serviceaccount shop:web

# ---- references ----

names() { # all names are fixed
	reference "$1" allOf settings.yaml+ other.yaml+ namespace.yaml+
	template "$1/settings.yaml" v1 ConfigMap settings shop <<<'data: {a: "1"}'
	template "$1/other.yaml" v1 ConfigMap settings other <<<'data: {a: "1"}'
	template "$1/namespace.yaml" v1 Namespace shop "" </dev/null
}
namespaces() { # names are free, namespaces fixed
	reference "$1" allOf configmap.yaml+ deployment.yaml+
	template "$1/configmap.yaml" v1 ConfigMap "$any_name" shop <<<'data: {a: "1"}'
	template "$1/deployment.yaml" apps/v1 Deployment "$any_name" shop </dev/null
}
free() { # nothing is fixed but the kinds
	reference "$1" allOf configmap.yaml+ namespace.yaml+
	template "$1/configmap.yaml" v1 ConfigMap "$any_name" "$any_namespace" <<<'data: {a: "1"}'
	template "$1/namespace.yaml" v1 Namespace "$any_name" "" </dev/null
}
named_anywhere() { # one name in all namespaces
	reference "$1" allOf configmap.yaml+
	template "$1/configmap.yaml" v1 ConfigMap settings "$any_namespace" <<<'data: {a: "1"}'
}
looking_up() { # a kind that no template is for is looked up
	reference "$1" allOf configmap.yaml+
	template "$1/configmap.yaml" v1 ConfigMap settings shop <<'Y'
data:
  a: "{{ if lookupCR "v1" "Namespace" "" "other" }}1{{ end }}"
Y
}
subjects() { # a service account that only a binding names
	reference "$1" allOf account.yaml+ binding.yaml+
	template "$1/account.yaml" v1 ServiceAccount web shop </dev/null
	template "$1/binding.yaml" rbac.authorization.k8s.io/v1 RoleBinding web shop </dev/null
}
custom() { # a list goes by what the definition says, for who compares by event rules
	reference "$1" allOf settings.yaml+ widget.yaml+
	template "$1/settings.yaml" v1 ConfigMap settings shop <<<'data: {a: "1"}'
	template "$1/widget.yaml" e2e.example.com/v1 Widget "$any_name" "" <<<'spec: {parts: [{id: a, n: 1}, {id: b, n: 1}]}'
}
demo() { cp -r "$source_dir/examples/demo/reference" "$1"; }

# ---- both ----

said_by() { sed 's/^[IWE][0-9][^]]*\]//' "$work/$1"; } # said_by FILE: without times
both() { # both WHAT FOLDER ARGUMENTS...: the same report, whoever asks
	local what=$1 of_admin
	compare --kubeconfig "$admin" -r "$2/metadata.yaml" "${@:3}"
	of_admin=$status
	cp "$work/out" "$work/out.admin"
	cp "$work/err" "$work/err.admin"
	check "$what: an administrator is told more than errors: $(cat "$work/err")" test "$of_admin" -lt 2
	compare --kubeconfig "$work/kubeconfig" -r "$2/metadata.yaml" "${@:3}"
	ends_with "$of_admin" "$what, with the role"
	check "$what: the same report: $(diff "$work/out" "$work/out.admin")" cmp "$work/out" "$work/out.admin"
	check "$what: nothing more is said: $(cat "$work/err")" test "$(said_by err)" = "$(said_by err.admin)"
}

with_roles() { # with_roles NAME RBAC-OPTIONS...
	local folder=$work/$1
	configure "$folder"
	compare --kubeconfig "$work/kubeconfig" -r "$1/metadata.yaml"
	ends_with 2 "$1: without the role"
	"$bin/driftd" rbac -c "$work/driftd.yaml" --kubeconfig "$admin" "${@:2}" >"$work/roles.yaml" || fail "driftd rbac"
	k create -f "$work/roles.yaml"
	both "$*" "$1" -v
	both "$*, in JSON" "$1" -o json
	both "$*, with rules" "$1" --rules "$work/rules.yaml" -o json
	k patch configmap settings --namespace shop --patch '{"data":{"a":"2"}}'
	both "$*, with drift" "$1" -o json
	k patch configmap settings --namespace shop --patch '{"data":{"a":"1"}}'
	k delete -f "$work/roles.yaml"
}

printf 'rules:\n- {type: warn, path: "*"}\n' >"$work/rules.yaml"
for reference in names namespaces free named_anywhere looking_up subjects demo; do
	$reference "$work/$reference"
	with_roles "$reference"
done
with_roles names --per-namespace
with_roles namespaces --per-namespace
has_custom_resources || { echo "custom resources were not tried: this server cannot"; exit 0; }
part='{"type":"object","required":["id"],"properties":{"id":{"type":"string"},"n":{"type":"integer"}}}'
api POST $crds "$(widget_crd '{"type":"object","properties":{"parts":{"type":"array","x-kubernetes-list-type":"map",
	"x-kubernetes-list-map-keys":["id"],"items":'"$part"'}}}')"
wait_until 30 "the kind" get $widgets
api POST $widgets "$(widget one '{"parts":[{"id":"b","n":2},{"id":"a","n":1}]}')"
custom "$work/custom"
with_roles custom
compare --kubeconfig "$admin" -r custom/metadata.yaml --rules rules.yaml -o json
says out 'spec.parts[id=\"b\"].n'

#!/usr/bin/env bash
# docs/guide/manifests.md: its commands do what it says, and the example is in order. kubectl and a controller are played by a script that
# talks to the simulator; what an API server makes of the manifests is in the example. Each line for a controller keeps one change quiet,
# and only when the controller makes it: data/controllers has what an API server recorded of who wrote what.
. "$(dirname "$0")/lib.sh"
. "$here/guide.sh"
start_guide_cluster

play_kubectl >"$work/bin/kubectl"
cat >>"$work/bin/kubectl" <<K
patch() { # patch PATH FIELD-MANAGER TYPE JSON
	request -X PATCH -H "Content-Type: application/\$3-patch+json" "$server/\$1?fieldManager=\$2" -d "\$4"
}
web=apis/apps/v1/namespaces/shop/deployments/web container=/spec/template/spec/containers/0
configmaps=api/v1/namespaces/shop/configmaps last=\${!#}
case \$* in
"-n shop apply -R -f rendered")
	request -X POST "$server/_apisim/load?fieldManager=helm" --data-binary "@$source_dir/examples/manifests/cluster.json"
	;;
"-n shop set image deployment web web="*)
	patch "\$web" kubectl-set json '[{"op": "replace", "path": "'"\$container"'/image", "value": "'"\${last#web=}"'"}]'
	;;
"-n shop set env deployment web STAKATER_"*) # as Reloader does it
	patch "\$web" Reloader json \\
		'[{"op": "add", "path": "'"\$container"'/env/0", "value": {"name": "'"\${last%%=*}"'", "value": "'"\${last#*=}"'"}}]'
	;;
"-n shop delete networkpolicy web") request -X DELETE "$server/apis/networking.k8s.io/v1/namespaces/shop/networkpolicies/web" ;;
"-n shop create configmap "*)
	request -X POST -H 'Content-Type: application/json' "$server/\$configmaps?fieldManager=kubectl-create" -d \\
		'{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "'"\$5"'", "namespace": "shop"}, "data": {"greeting": "Hello"}}'
	;;
"-n shop label configmap "*)
	patch "\$configmaps/\$5" kubectl-label merge '{"metadata": {"labels": {"'"\${last%%=*}"'": "'"\${last#*=}"'"}}}'
	;;
*) echo "kubectl: \$*: not played" >&2; exit 1 ;;
esac
K
chmod +x "$work/bin/kubectl"

run_guide "$source_dir/docs/guide/manifests.md" 12 EXAMPLES="$source_dir/examples" PORT="$(free_port)"
check "the variable of a controller is no drift" eval '! grep -F STAKATER "$work/guide/records.txt"'

# ---- the example itself ----

cp -r "$source_dir/examples/manifests" "$work/example"
cp "$work/kubeconfig" "$work/example/prod.kubeconfig"
check "its configuration" "$bin/driftd" check-config -c "$work/example/driftd.yaml"
check "its cluster is as its manifests" "$bin/driftd" compare --manifests "$work/example/shop" --namespace shop \
	-f "$work/example/cluster.json"

# ---- the lines for controllers ----

rules=$work/guide/controllers.yaml data=$here/data/controllers
changes() { # changes COUNT RULES LIVE: are told
	local status=0
	"$bin/driftd" compare --manifests "$data/manifests.yaml" -f "$3" --rules "$2" >"$work/out" || status=$?
	[ "$status" = "$(($1 > 0))" ] && [ "$(grep -cE '^- (create|modify) ' "$work/out")" = "$1" ]
}
check "all of them together" changes 0 "$rules" "$data/live.json"
lines=$(grep -n '^  - {' "$rules" | cut -d: -f1)
check "there are six" test "$(wc -w <<<"$lines")" = 6
for line in $lines; do
	sed "${line}d" "$rules" >"$work/less.yaml"
	check "without line $line" changes 1 "$work/less.yaml" "$data/live.json"
done
jq -c '.items[].metadata.managedFields[].manager = "kubectl-edit"' "$data/live.json" >"$work/edited.json"
check "all but the sidecar of somebody else" changes 5 "$rules" "$work/edited.json"

#!/usr/bin/env bash
# docs/guide/five-lines.md: its commands do what it says. kubectl and helm are played by scripts that talk to the simulator; what Helm keeps
# is written by helm_release.py, from Helm's public format.
. "$(dirname "$0")/lib.sh"
. "$here/guide.sh"
start_guide_cluster

control load "$(jq -sc '{apiVersion: "v1", kind: "List", items: map(.items[])}' "$source_dir"/examples/{manifests,helm}/cluster.json)"
play_kubectl >"$work/bin/kubectl"
cp "$work/bin/kubectl" "$work/bin/helm"
cat >>"$work/bin/kubectl" <<K
patch() { # patch PATH FIELD-MANAGER TYPE JSON
	request -X PATCH -H "Content-Type: application/\$3-patch+json" "$server/\$1?fieldManager=\$2" -d "\$4"
}
last=\${!#}
case \$* in
"-n shop patch configmap web --field-manager "*) patch api/v1/namespaces/shop/configmaps/web "\$7" merge "\$last" ;;
"-n docs scale deployment docs --replicas="*)
	patch apis/apps/v1/namespaces/docs/deployments/docs kubectl-scale merge '{"spec": {"replicas": '"\${last#*=}"'}}'
	;;
"-n shop set image deployment web web="*)
	patch apis/apps/v1/namespaces/shop/deployments/web "\${WRITER:-kubectl-set}" json \\
		'[{"op": "replace", "path": "/spec/template/spec/containers/0/image", "value": "'"\${last#web=}"'"}]'
	;;
"-n platform delete configmap cache") request -X DELETE "$server/api/v1/namespaces/platform/configmaps/cache" ;;
*) echo "kubectl: \$*: not played" >&2; exit 1 ;;
esac
K
# As Helm upgrades: what it will do is written first, then the objects, then that it is done.
cat >>"$work/bin/helm" <<H
manifest() { # manifest TAG
	local file
	for file in "$source_dir"/examples/manifests/shop/*.yaml; do echo ---; sed "s|shop/web:1.4.2|shop/web:\$1|" "\$file"; done
}
revision() { # revision NAMESPACE RELEASE NUMBER STATUS VERB PATH < MANIFESTS
	"$here/helm_release.py" --namespace "\$1" --name "\$2" --revision "\$3" --status "\$4" |
		request -X "\$5" -H 'Content-Type: application/json' "$server/api/v1/namespaces/\$1/secrets\$6?fieldManager=helm" -d @-
}
held() { driftd explain deployments -n shop web | grep 'is being changed' >/dev/null; }
secret=/sh.helm.release.v1.shop
case \$* in
play) # two releases are installed
	manifest 1.4.2 | revision shop shop 1 deployed POST ""
	revision platform cache 1 deployed POST "" <"$source_dir/examples/helm/cache.yaml"
	;;
"upgrade shop ./chart -n shop --set image.tag=1.5.0")
	manifest 1.5.0 | revision shop shop 2 pending-upgrade POST ""
	until held; do sleep 0.1; done
	WRITER=helm kubectl -n shop set image deployment web web=registry.example.com/shop/web:1.5.0
	manifest 1.4.2 | revision shop shop 1 superseded PUT "\$secret.v1"
	manifest 1.5.0 | revision shop shop 2 deployed PUT "\$secret.v2"
	while held; do sleep 0.1; done
	;;
"get manifest shop -n shop") manifest 1.5.0 ;;
*) echo "helm: \$*: not played" >&2; exit 1 ;;
esac
H
chmod +x "$work/bin/kubectl" "$work/bin/helm"
"$work/bin/helm" play

run_guide "$source_dir/docs/guide/five-lines.md" 10 EXAMPLES="$source_dir/examples" PORT="$(free_port)"
check "its lines are those of the example" cmp "$work/guide/driftd.yaml" "$source_dir/examples/helm/driftd.yaml"
check "and five" test "$(wc -l <"$work/guide/driftd.yaml")" = 5
check "nothing else is told: $(grep -E ' (begins|ends): ' "$work/guide/records.txt")" \
	test "$(grep -cE ' (begins|ends): ' "$work/guide/records.txt")" = 7
no_secret canary-of-a-release -- "$work/guide/records.txt"

#!/usr/bin/env bash
# docs/guide/kubegen.md: its commands do what it says. kubectl is played by a script that talks to the simulator.
. "$(dirname "$0")/lib.sh"
. "$here/guide.sh"
start_guide_cluster

play_kubectl >"$work/bin/kubectl"
cat >>"$work/bin/kubectl" <<K
case "\$1 \$2" in
"apply -R")
	# The simulator takes JSON: the same objects once more, in that format.
	driftd kubegen bundle shop.yml -s -o json | jq -c '.items[]' | while read -r object; do
		request -X POST "$server/_apisim/load" -d "\$object"
	done
	;;
"patch configmap")
	request -X PATCH -H 'Content-Type: application/merge-patch+json' -d "\$9" \\
		"$server/api/v1/namespaces/\$5/configmaps/\$3?fieldManager=kubectl-patch"
	;;
*) echo "kubectl: \$*: not played" >&2; exit 1 ;;
esac
K
chmod +x "$work/bin/kubectl"

run_guide "$source_dir/docs/guide/kubegen.md" 10 PORT="$(free_port)"

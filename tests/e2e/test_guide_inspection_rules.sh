#!/usr/bin/env bash
# docs/guide/inspection-rules.md: its commands do what it says. kubectl, and the controller that runs a Job, are played by a script that
# talks to the simulator.
. "$(dirname "$0")/lib.sh"
. "$here/guide.sh"
for tool in curl jq; do command -v $tool >/dev/null || skip "no $tool"; done

mkdir -p "$work/home/.kube"
start_apisim
cp "$work/kubeconfig" "$work/home/.kube/config"
control load "$(object v1 Namespace shop "")"

cat >"$work/bin/kubectl" <<K
#!/usr/bin/env bash
set -euo pipefail
request() { curl -sf -A e2e/1 --cacert "$ca" -H "Authorization: Bearer $token" "\$@"; }
post() { request -H 'Content-Type: application/json' -X POST "$server/\$1" -d "\$2"; } # post PATH OBJECT
deployments=apis/apps/v1/namespaces/shop/deployments
patch() { # patch DEPLOYMENT JSON
	request -X PATCH -H 'Content-Type: application/merge-patch+json' "$server/\$deployments/\$1" -d "\$2"
}
meta() { jq -nc --arg name "\$1" '{name: \$name, namespace: "shop"}'; }

case \$*  in
"-n shop create deployment "*)
	post "\$deployments" "\$(jq -nc --argjson meta "\$(meta "\$5")" --arg image "\${6#--image=}" --argjson n "\${7#--replicas=}" '{
		apiVersion: "apps/v1", kind: "Deployment", metadata: \$meta, spec: {replicas: \$n, selector: {matchLabels: {app: "x"}},
			template: {metadata: {labels: {app: "x"}}, spec: {containers: [{name: "c", image: \$image}]}}}}')"
	;;
"-n shop label deployment "*) patch "\$5" "{\"metadata\":{\"labels\":{\"\${6%%=*}\":\"\${6#*=}\"}}}" ;;
"-n shop annotate deployment "*) patch "\$5" "{\"metadata\":{\"annotations\":{\"\${6%%=*}\":\"\${6#*=}\"}}}" ;;
"-n shop scale deployment "*) patch "\$5" "{\"spec\":{\"replicas\":\${6#--replicas=}}}" ;;
"-n shop delete job "*)
	request -X DELETE "$server/apis/batch/v1/namespaces/shop/jobs/\$5"
	request -X DELETE "$server/api/v1/namespaces/shop/pods/\$5-1"
	;;
"-n shop create job "*) # whose Pod fails
	uid=\$(post apis/batch/v1/namespaces/shop/jobs "\$(jq -nc --argjson meta "\$(meta "\$5")" \\
		'{apiVersion: "batch/v1", kind: "Job", metadata: \$meta}')" | jq -r .metadata.uid)
	request -X POST "$server/_apisim/load" -d "\$(jq -nc --argjson meta "\$(meta "\$5-1")" --arg name "\$5" --arg uid "\$uid" '{
		apiVersion: "v1", kind: "Pod", status: {phase: "Failed"}, spec: {containers: [{name: "c", image: "busybox"}]},
		metadata: (\$meta + {ownerReferences: [{apiVersion: "batch/v1", kind: "Job", name: \$name, uid: \$uid}]})}')"
	;;
*) echo "kubectl: \$*: not played" >&2; exit 1 ;;
esac >/dev/null
K
chmod +x "$work/bin/kubectl"

run_guide "$source_dir/docs/guide/inspection-rules.md" 10 PORT="$(free_port)" HOOK_PORT="$(free_port)"

#!/usr/bin/env bash
# docs/guide/runbook.md: its commands say what it says, of a cluster that has what the alerts are about and of one that is away; each alert
# has a section, and each section an alert.
. "$(dirname "$0")/lib.sh"
. "$here/guide.sh"
page=$source_dir/docs/guide/runbook.md

alerts=$(sed -n 's/^ *- alert: //p' "$source_dir"/examples/prometheus/*.rules.yaml | sort -u)
sections=$(sed -n 's/^## //p' "$page" | grep -vx -e 'Types and severities' -e 'Accepted deviations' | sort)
check "a section for each alert and an alert for each section: $(diff <(echo "$alerts") <(echo "$sections") || true)" \
	test "$alerts" = "$sections"

# ---- a cluster with trouble, and one that is away ----

start_apisim --load "$source_dir/examples/demo/cluster.json"
mkdir "$work/state"
cp -r "$source_dir/examples/demo/reference" "$work/reference"
sed 's/labels:/labels: {{ if .metadata.labels.broken }}{{ fail "no" }}{{ end }}/' "$work/reference/namespace.yaml" >"$work/n.yaml"
mv "$work/n.yaml" "$work/reference/namespace.yaml"
sed "s/:$apisim_port/:$(free_port)/" "$work/kubeconfig" >"$work/away.kubeconfig"
cat >"$work/driftd.yaml" <<Y
clusters: [{name: shop, kubeconfig: kubeconfig}, {name: away, kubeconfig: away.kubeconfig}]
references:
  - {name: ref, path: reference/metadata.yaml, component_severity: {no-admins: critical}}
watch: [{apiVersion: e2e.example.com/v1, kind: Gadget}]
state_dir: $work/state
control_socket: $work/driftd.sock
Y
api PATCH /api/v1/namespaces/shop '{"metadata":{"labels":{"broken":"yes"}}}' kubectl-label
rbac=rbac.authorization.k8s.io
api POST /apis/$rbac/v1/clusterrolebindings "$(object $rbac/v1 ClusterRoleBinding everyone-is-admin "" \
	"\"roleRef\":{\"apiGroup\":\"$rbac\",\"kind\":\"ClusterRole\",\"name\":\"cluster-admin\"}")" helpful-script
start_driftd text
wait_until 40 "a gap, as a cluster is away" grep "gap begins: away" "$work/records"
cp "$work/driftd.yaml" "$work/kubeconfig" "$work/away.kubeconfig" "$work/guide"
cp -r "$work/reference" "$work/tls" "$work/guide"
run_guide "$page" 10 DRIFTD_SOCKET="$work/driftd.sock" WEB="${web#http://}"
stop driftd || fail "driftd did not end cleanly"

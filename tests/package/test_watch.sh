#!/usr/bin/env bash
# From the package to a drift that is seen: installed in a Debian of its own, with the account that "driftd rbac" prints, beside a real API
# server and Prometheus. What an administrator would type and see is printed.
: "${DRIFTD_BIN:=/usr/bin}"
export DRIFTD_BIN
. "$(dirname "$0")/../e2e/lib.sh"
for tool in jq kubectl prometheus systemd-nspawn; do command -v $tool >/dev/null || skip "no $tool"; done
. "$(dirname "$0")/../e2e/control_plane.sh" modern
. "$(dirname "$0")/root.sh"

show() { # show COMMAND...: in the root, with its output
	echo "# $*"
	in_root "$@" 2>&1 || fail "$*"
}

boot
[ "$leader" ] || skip "there is no service without a boot"
start_control_plane
stop apiserver || true
account=$(openssl rand -hex 16)
echo "$account,system:serviceaccount:driftd:driftd,account,\"system:serviceaccounts,system:authenticated\"" >>"$work/tokens.csv"
start_apiserver
k() { kubectl --kubeconfig "$work/kubeconfig" "$@" >>"$work/kubectl.log" 2>&1 || fail "kubectl $*: $(tail -n 3 "$work/kubectl.log")"; }
k create namespace driftd
create_shop

install_deb "$deb"
show driftd --version
cp -r "$root/usr/share/doc/driftd/examples/demo/reference" "$root/etc/driftd/reference"
cat >>"$root/etc/driftd/driftd.yaml" <<'Y'
clusters:
  - {name: shop, kubeconfig: shop.kubeconfig}
references:
  - {name: shop, path: reference/metadata.yaml}
Y
kubectl --kubeconfig "$work/kubeconfig" config view --raw --flatten >"$root/root/admin.kubeconfig"
echo "# driftd rbac --kubeconfig admin.kubeconfig | kubectl apply -f -"
in_root driftd rbac --kubeconfig /root/admin.kubeconfig >"$work/roles.yaml" || fail "driftd rbac"
k apply -f "$work/roles.yaml"
install -m 640 /dev/null "$root/etc/driftd/shop.kubeconfig"
chgrp "$(stat -c %g "$root/etc/driftd")" "$root/etc/driftd/shop.kubeconfig"
sed "s/token: e2e-token/token: $account/" "$root/root/admin.kubeconfig" >"$root/etc/driftd/shop.kubeconfig"

show driftd check-config
show systemctl reload driftd
watched() { in_root driftd status --output json | grep '"shop"' && in_root driftd status; }
wait_until 30 "the cluster to be watched and judged" watched
show driftd status
check "nothing is wrong yet" in_root driftd drift list
echo "# kubectl label namespace shop team=nobody --overwrite"
k label namespace shop team=nobody --overwrite
told() {
	in_root journalctl -q --no-pager -x -t driftd DRIFTD_EVENT=begin >"$work/told" &&
		grep 'drift begins: namespaces shop' "$work/told"
}
wait_until 20 "the record of the drift" told
echo "# journalctl -x -t driftd DRIFTD_EVENT=begin"
cat "$work/told"
check "the catalog explains it" grep -F 'Subject: Drift begins: Namespace shop' "$work/told"
check "what it says of it" grep -F 'left its reference configuration' "$work/told"
check "who did it" grep -F 'by kubectl-label' "$work/told"

port=$(free_port)
cat >"$work/prometheus.yml" <<'Y'
global: {scrape_interval: 500ms, scrape_timeout: 400ms}
scrape_configs: [{job_name: driftd, static_configs: [{targets: ["127.0.0.1:19470"]}]}]
Y
start prometheus prometheus --config.file "$work/prometheus.yml" --storage.tsdb.path "$work/tsdb" \
	--web.listen-address "127.0.0.1:$port" --log.level=warn
query() { # query EXPRESSION: cluster and value
	curl -sfG "http://127.0.0.1:$port/api/v1/query" --data-urlencode "query=$1" |
		jq -c '.data.result[] | [.metric.kube_cluster, .value[1]]'
}
drifted='driftd_objects_drifted{severity="warning"}'
drifted_is() { [ "$(query "$drifted")" = "[\"shop\",\"$1\"]" ]; }
wait_until 30 "the drift in Prometheus" drifted_is 1
echo "Prometheus: $drifted $(query "$drifted")"
k label namespace shop team=storefront --overwrite
wait_until 20 "the end in Prometheus" drifted_is 0
show journalctl -q --no-pager -o cat -t driftd DRIFTD_EVENT=begin DRIFTD_EVENT=end
check "no gap was told" not in_root journalctl -q --no-pager -t driftd DRIFTD_EVENT=begin --grep '^gap'
no_secret "$account" -- "$root/var/log" "$work/told"
in_root systemctl poweroff >/dev/null 2>&1 || true

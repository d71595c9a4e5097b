#!/usr/bin/env bash
# To be sourced in place of lib.sh, by tests of credentials that change while driftd runs: the sample shop, and kubeconfigs for it.
. "$(dirname "$0")/lib.sh"
command -v jq >/dev/null || skip "no jq"

start_shop
ca_data=$(sed -n 's/.*certificate-authority-data: *//p' "$work/kubeconfig")

write_kubeconfig() { # write_kubeconfig USER [FILE [CLUSTER-FIELDS]]: renamed into place, as editors do
	cat >"$work/kubeconfig.new" <<Y
apiVersion: v1
kind: Config
current-context: e2e
clusters: [{name: e2e, cluster: {server: "$server", ${3:-certificate-authority-data: $ca_data}}}]
users: [{name: e2e, user: $1}]
contexts: [{name: e2e, context: {cluster: e2e, user: e2e}}]
Y
	mv "$work/kubeconfig.new" "${2:-$work/kubeconfig}"
}
notices() { records ".DRIFTD_EVENT == \"notice\" and (.MESSAGE | contains(\"$1\"))" | wc -l; }
noticed() { [ "$(notices "$1")" -ge 1 ]; }
gaps() { records ".DRIFTD_EVENT == \"$1\" and (.MESSAGE | startswith(\"gap\"))" | wc -l; }
more_gaps() { [ "$(gaps "$1")" -gt "$2" ]; } # more_gaps EVENT THAN
stop_driftd() { stop driftd || fail "driftd did not end cleanly"; }

#!/usr/bin/env bash
# Descriptors end with the process: a credential plugin and a diff program have the first three only, whatever driftd and its libraries hold
# and whoever started it left open.
. "$(dirname "$0")/lib.sh"

start_shop
mkdir "$work/fds"
cat >"$work/plugin" <<P
#!/bin/sh
ls -l /proc/self/fd >$work/fds/plugin.\$\$
echo '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":"e2e-token"}}'
P
cat >"$work/differ" <<P
#!/bin/sh
ls -l /proc/self/fd >$work/fds/differ.\$\$
exit 1
P
chmod +x "$work/plugin" "$work/differ"
sed -i "s|token: .*|exec: {apiVersion: client.authentication.k8s.io/v1, command: $work/plugin, interactiveMode: Never}|" "$work/kubeconfig"
check "the kubeconfig has the plugin" grep -q "command: $work/plugin" "$work/kubeconfig"
exec 9</dev/null # as whoever starts driftd might leave one open
start_driftd_ready
only_three() { # only_three PROGRAM: whenever it ran, but for what ls opens itself
	local held
	held=$(sed -n 's| -> /proc/[0-9]*/fd$|&ls|; /fdls$/!s/.* \([0-9]*\) -> .*/\1/p' "$work/fds/$1".* | sort -u | tr '\n' ' ')
	check "$1 has 0, 1 and 2, not $held: $(cat "$work/fds/$1".*)" test "$held" = "0 1 2 "
}
only_three plugin
stop driftd || fail "driftd did not end cleanly"

set_team nobody
KUBECTL_EXTERNAL_DIFF=$work/differ KUBECONFIG=$work/kubeconfig "$bin/driftd" compare \
	-r "$source_dir/examples/demo/reference/metadata.yaml" >"$work/compare.log" 2>&1 || true
exec 9<&-
only_three differ
